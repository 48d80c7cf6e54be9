#include "ramet/linalg/training.h"

#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/parallel.h"

namespace ramet::linalg {
namespace {

// Elements that justify a thread (ramet_linalg_bench gradient_descent/*).
constexpr int64_t kGrainElements = 16384;

struct Call {
  Optimizer optimizer;
  std::initializer_list<Update> states;
  std::initializer_list<double> params;
  bool flag = false;
};

void Run(Type type, int64_t n, const void* grad, const Call& call) {
  OptimizerArgs args;  // not zeroed (docs/decisions/0075-streamed-updates.md)
  int i = 0;
  for (const Update& state : call.states) {
    args.old_value[i] = state.old_value;
    args.new_value[i++] = state.new_value;
  }
  i = 0;
  for (const double param : call.params) args.param[i++] = param;
  args.grad = grad;
  args.flag = call.flag;
  const KernelTable::Update kernel =
      Kernels().optimizer[static_cast<int>(call.optimizer)][static_cast<int>(type)];
  ParallelFor(n, kGrainElements, [&](int64_t begin, int64_t end) { kernel(args, begin, end); });
}

}  // namespace

void ApplyGradientDescent(Type type, int64_t n, Update var, double alpha, const void* grad) {
  Run(type, n, grad, {Optimizer::kGradientDescent, {var}, {alpha}});
}

void ApplyMomentum(Type type, int64_t n, Update var, Update accum, double lr, const void* grad,
                   double momentum, bool nesterov) {
  Run(type, n, grad, {Optimizer::kMomentum, {var, accum}, {lr, momentum}, nesterov});
}

void ApplyAdam(Type type, int64_t n, Update var, Update m, Update v, double beta1_power,
               double beta2_power, double lr, double beta1, double beta2, double epsilon,
               const void* grad, bool nesterov) {
  Run(type, n, grad,
      {Optimizer::kAdam,
       {var, m, v},
       {beta1_power, beta2_power, lr, beta1, beta2, epsilon},
       nesterov});
}

void ApplyAdagrad(Type type, int64_t n, Update var, Update accum, double lr, const void* grad,
                  bool update_slots) {
  Run(type, n, grad, {Optimizer::kAdagrad, {var, accum}, {lr, 0}, update_slots});
}

void ApplyAdagradV2(Type type, int64_t n, Update var, Update accum, double lr, double epsilon,
                    const void* grad, bool update_slots) {
  Run(type, n, grad, {Optimizer::kAdagradV2, {var, accum}, {lr, epsilon}, update_slots});
}

void ApplyRmsProp(Type type, int64_t n, Update var, Update ms, Update mom, double lr, double rho,
                  double momentum, double epsilon, const void* grad) {
  Run(type, n, grad, {Optimizer::kRmsProp, {var, ms, mom}, {lr, rho, momentum, epsilon}});
}

void ApplyCenteredRmsProp(Type type, int64_t n, Update var, Update mg, Update ms, Update mom,
                          double lr, double rho, double momentum, double epsilon,
                          const void* grad) {
  Run(type, n, grad,
      {Optimizer::kCenteredRmsProp, {var, mg, ms, mom}, {lr, rho, momentum, epsilon}});
}

}  // namespace ramet::linalg
