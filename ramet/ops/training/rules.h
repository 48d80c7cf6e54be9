#pragma once

#include "ramet/ops/training/apply_kernel.h"

namespace ramet {

// The update rules, with the formulas of the TensorFlow ops. Scalars are in the order of the inputs
// of the op. Supported types are half and bfloat16 (computed in float), float and double.
void GradientDescentRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                         std::span<const double> scalars, const void* grad, bool flag);
void MomentumRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                  std::span<const double> scalars, const void* grad, bool nesterov);
void AdamRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
              std::span<const double> scalars, const void* grad, bool nesterov);
void AdagradRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                 std::span<const double> scalars, const void* grad, bool update_slots);
void AdagradV2Rule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                   std::span<const double> scalars, const void* grad, bool update_slots);
void RmsPropRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                 std::span<const double> scalars, const void* grad, bool flag);
void CenteredRmsPropRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                         std::span<const double> scalars, const void* grad, bool flag);
// accum = rho * accum + (1 - rho) * grad^2; step = sqrt(update + epsilon) / sqrt(accum + epsilon) *
// grad; var -= lr * step; update = rho * update + (1 - rho) * step^2.
void AdadeltaRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                  std::span<const double> scalars, const void* grad, bool flag);
// FTRL-Proximal (McMahan et al., "Ad click prediction"); scalars lr, l1, l2, lr_power.
void FtrlRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
              std::span<const double> scalars, const void* grad, bool multiply_linear_by_lr);
// FTRL-Proximal with an L2 shrinkage term; scalars lr, l1, l2, l2_shrinkage, lr_power.
void FtrlV2Rule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                std::span<const double> scalars, const void* grad, bool multiply_linear_by_lr);
// prox = var - alpha * delta; var = sign(prox) * max(|prox| - alpha * l1, 0) / (1 + alpha * l2).
void ProximalGradientDescentRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                                 std::span<const double> scalars, const void* grad, bool flag);
// accum += grad^2; then the rule above with alpha = lr / sqrt(accum).
void ProximalAdagradRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                         std::span<const double> scalars, const void* grad, bool flag);
// sum += grad; squares += grad^2; with t = global_step:
//     var = -lr * sign(sum) * max(|sum| - l1 * t, 0) / (l2 * t * lr + sqrt(squares)).
// Scalars lr, l1, l2, global_step. Dual averaging, Duchi et al., JMLR 12 (2011).
void AdagradDaRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                   std::span<const double> scalars, const void* grad, bool flag);
// m += (grad - m) * (1 - beta1); v = max(beta2 * v, |grad|);
// var -= lr / (1 - beta1_power) * m / (v + epsilon).
void AdaMaxRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                std::span<const double> scalars, const void* grad, bool flag);
// m = beta * m + (1 - beta) * grad; var -= lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad.
void AddSignRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                 std::span<const double> scalars, const void* grad, bool flag);
// m as in AddSignRule; var -= lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * grad.
void PowerSignRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                   std::span<const double> scalars, const void* grad, bool flag);
// accum = accum * momentum - lr * grad; var += accum, or, with nesterov, accum * momentum - lr *
// grad. Scalars lr, momentum.
void KerasMomentumRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                       std::span<const double> scalars, const void* grad, bool nesterov);
// m and v as in AdamRule; vhat = max(vhat, v); var -= m * alpha / (sqrt(vhat) + epsilon).
void AmsgradRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                 std::span<const double> scalars, const void* grad, bool flag);

// The rules that TensorFlow also has for complex numbers: the same formulas in complex64 or
// complex128, with complex scalars.
#define RAMET_COMPLEX_RULE(rule) \
  CpuKernelClasses<ComplexApplyKernels<rule>::For, std::complex<float>, std::complex<double>>()
using ComplexScalars = std::span<const std::complex<double>>;
void ComplexGradientDescentRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                                ComplexScalars scalars, const void* grad, bool flag);
void ComplexMomentumRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                         ComplexScalars scalars, const void* grad, bool nesterov);
void ComplexAdamRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                     ComplexScalars scalars, const void* grad, bool nesterov);
void ComplexAdagradRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                        ComplexScalars scalars, const void* grad, bool update_slots);
void ComplexAdagradV2Rule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                          ComplexScalars scalars, const void* grad, bool update_slots);
void ComplexRmsPropRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                        ComplexScalars scalars, const void* grad, bool flag);
void ComplexCenteredRmsPropRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                                ComplexScalars scalars, const void* grad, bool flag);
void ComplexAdadeltaRule(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                         ComplexScalars scalars, const void* grad, bool flag);

}  // namespace ramet
