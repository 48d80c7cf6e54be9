#pragma once

#include <cstdint>

#include "ramet/linalg/types.h"

// Optimizer updates of n elements with the formulas of TensorFlow's CPU kernels (ApplyXxx), for
// half, bfloat16, float and double. Each state has an old and a new span: either the same one (in
// place), or two that do not overlap. Large new spans are written with streaming stores.
// Hyperparameters are rounded to the type. Same bits for any number of intra-op threads, in place
// or not.

namespace ramet::linalg {

// One state of an update: where to read it and where to write it.
struct Update {
  const void* old_value;
  void* new_value;

  static Update InPlace(void* p) { return {p, p}; }
};

// var -= alpha * grad.
void ApplyGradientDescent(Type type, int64_t n, Update var, double alpha, const void* grad);

// accum = accum * momentum + grad; var -= lr * accum, or with nesterov var -= grad * lr + accum *
// momentum * lr.
void ApplyMomentum(Type type, int64_t n, Update var, Update accum, double lr, const void* grad,
                   double momentum, bool nesterov);

// alpha = lr * sqrt(1 - beta2_power) / (1 - beta1_power);
// m += (grad - m) * (1 - beta1); v += (grad^2 - v) * (1 - beta2);
// var -= m * alpha / (sqrt(v) + epsilon), or with nesterov
// var -= (grad * (1 - beta1) + beta1 * m) * alpha / (sqrt(v) + epsilon).
void ApplyAdam(Type type, int64_t n, Update var, Update m, Update v, double beta1_power,
               double beta2_power, double lr, double beta1, double beta2, double epsilon,
               const void* grad, bool nesterov);

// accum += grad^2 (if update_slots); var -= lr * grad / sqrt(accum).
void ApplyAdagrad(Type type, int64_t n, Update var, Update accum, double lr, const void* grad,
                  bool update_slots);

// accum += grad^2 (if update_slots); var -= lr * grad / (sqrt(accum) + epsilon).
void ApplyAdagradV2(Type type, int64_t n, Update var, Update accum, double lr, double epsilon,
                    const void* grad, bool update_slots);

// ms += (grad^2 - ms) * (1 - rho); mom = momentum * mom + lr * grad / sqrt(ms + epsilon); var -=
// mom.
void ApplyRmsProp(Type type, int64_t n, Update var, Update ms, Update mom, double lr, double rho,
                  double momentum, double epsilon, const void* grad);

// mg += (grad - mg) * (1 - rho), ms as above; mom = momentum * mom + lr * grad /
// sqrt(ms - mg^2 + epsilon); var -= mom.
void ApplyCenteredRmsProp(Type type, int64_t n, Update var, Update mg, Update ms, Update mom,
                          double lr, double rho, double momentum, double epsilon, const void* grad);

}  // namespace ramet::linalg
