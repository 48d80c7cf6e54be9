#include "ramet/ops/training/rules.h"

#include <algorithm>
#include <cmath>

#include "ramet/linalg/parallel.h"

namespace ramet {
namespace {

using Vars = std::span<const linalg::Update>;
using Scalars = std::span<const double>;

// Elements that justify a thread (ramet_linalg_bench gradient_descent/*).
constexpr int64_t kGrainElements = 8192;

// The type in which T is computed.
template <class T>
using Calc = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Calls step(values, gradient, scalars) for each element. `values` holds the elements of the N
// variables, which the step changes. Scalars are rounded to T first.
template <int N, class T, class Step>
void ForEach(int64_t n, Vars vars, Scalars scalars, const void* grad, Step& step) {
  using C = Calc<T>;
  std::array<C, UpdateArgs::kMaxScalars> s{};
  for (size_t i = 0; i < scalars.size(); ++i) {
    s[i] = static_cast<C>(static_cast<T>(static_cast<C>(scalars[i])));
  }
  const T* g = static_cast<const T*>(grad);
  linalg::ParallelFor(n, kGrainElements, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      std::array<C, N> v;
      for (int k = 0; k < N; ++k)
        v[k] = static_cast<C>(static_cast<const T*>(vars[k].old_value)[i]);
      step(v, static_cast<C>(g[i]), s);
      for (int k = 0; k < N; ++k) static_cast<T*>(vars[k].new_value)[i] = static_cast<T>(v[k]);
    }
  });
}

template <int N, class Step>
void Run(linalg::Type type, int64_t n, Vars vars, Scalars scalars, const void* grad, Step step) {
  switch (type) {
    case linalg::Type::kHalf: return ForEach<N, Half>(n, vars, scalars, grad, step);
    case linalg::Type::kBfloat16: return ForEach<N, BFloat16>(n, vars, scalars, grad, step);
    case linalg::Type::kDouble: return ForEach<N, double>(n, vars, scalars, grad, step);
    default: return ForEach<N, float>(n, vars, scalars, grad, step);
  }
}

template <class C>
C Sign(C x) {
  return static_cast<C>((x > 0) - (x < 0));
}

// Returns the proximal step with rate `alpha` and the penalties l1 and l2.
template <class C>
C Proximal(C x, C alpha, C l1, C l2) {
  const C shrunk = l1 > 0 ? Sign(x) * std::max(std::abs(x) - alpha * l1, C(0)) : x;
  return shrunk / (C(1) + alpha * l2);
}

template <class C>
C InversePower(C x, C lr_power) {
  return lr_power == C(-0.5) ? std::sqrt(x) : std::pow(x, -lr_power);
}

// Updates v = (var, accum, linear).
template <class C>
void FtrlStep(std::array<C, 3>& v, C g, C lr, C l1, C l2, C shrinkage, C lr_power, bool by_lr) {
  const C shrunk = g + 2 * shrinkage * v[0];
  const C accum = v[1] + g * g;
  const C now = InversePower(accum, lr_power), change = now - InversePower(v[1], lr_power);
  const C rate = by_lr ? lr : C(1), per = by_lr ? C(1) : lr;
  v[2] += rate * shrunk - change / per * v[0];
  const C x = std::clamp(v[2], -l1 * rate, l1 * rate) - v[2];
  v[0] = x / (now / per + 2 * l2 * rate);
  v[1] = accum;
}

}  // namespace

void GradientDescentRule(linalg::Type type, int64_t n, Vars vars, Scalars s, const void* grad,
                         bool) {
  linalg::ApplyGradientDescent(type, n, vars[0], s[0], grad);
}

void MomentumRule(linalg::Type type, int64_t n, Vars vars, Scalars s, const void* grad,
                  bool nesterov) {
  linalg::ApplyMomentum(type, n, vars[0], vars[1], s[0], grad, s[1], nesterov);
}

void AdamRule(linalg::Type type, int64_t n, Vars vars, Scalars s, const void* grad, bool nesterov) {
  linalg::ApplyAdam(type, n, vars[0], vars[1], vars[2], s[0], s[1], s[2], s[3], s[4], s[5], grad,
                    nesterov);
}

void AdagradRule(linalg::Type type, int64_t n, Vars vars, Scalars s, const void* grad,
                 bool update_slots) {
  linalg::ApplyAdagrad(type, n, vars[0], vars[1], s[0], grad, update_slots);
}

void AdagradV2Rule(linalg::Type type, int64_t n, Vars vars, Scalars s, const void* grad,
                   bool update_slots) {
  linalg::ApplyAdagradV2(type, n, vars[0], vars[1], s[0], s[1], grad, update_slots);
}

void RmsPropRule(linalg::Type type, int64_t n, Vars vars, Scalars s, const void* grad, bool) {
  linalg::ApplyRmsProp(type, n, vars[0], vars[1], vars[2], s[0], s[1], s[2], s[3], grad);
}

void CenteredRmsPropRule(linalg::Type type, int64_t n, Vars vars, Scalars s, const void* grad,
                         bool) {
  linalg::ApplyCenteredRmsProp(type, n, vars[0], vars[1], vars[2], vars[3], s[0], s[1], s[2], s[3],
                               grad);
}

void AdadeltaRule(linalg::Type type, int64_t n, Vars vars, Scalars scalars, const void* grad,
                  bool) {
  Run<3>(type, n, vars, scalars, grad, [](auto& v, auto g, const auto& s) {
    const auto lr = s[0], rho = s[1], epsilon = s[2];
    v[1] = v[1] * rho + g * g * (1 - rho);
    const auto step = std::sqrt(v[2] + epsilon) / std::sqrt(v[1] + epsilon) * g;
    v[0] -= step * lr;
    v[2] = v[2] * rho + step * step * (1 - rho);
  });
}

void KerasMomentumRule(linalg::Type type, int64_t n, Vars vars, Scalars scalars, const void* grad,
                       bool nesterov) {
  Run<2>(type, n, vars, scalars, grad, [nesterov](auto& v, auto g, const auto& s) {
    const auto lr = s[0], momentum = s[1];
    v[1] = v[1] * momentum - g * lr;
    v[0] += nesterov ? v[1] * momentum - g * lr : v[1];
  });
}

void AmsgradRule(linalg::Type type, int64_t n, Vars vars, Scalars scalars, const void* grad, bool) {
  Run<4>(type, n, vars, scalars, grad, [](auto& v, auto g, const auto& s) {
    const auto lr = s[2], beta1 = s[3], beta2 = s[4], epsilon = s[5];
    const auto alpha = lr * std::sqrt(1 - s[1]) / (1 - s[0]);
    v[1] += (g - v[1]) * (1 - beta1);
    v[2] += (g * g - v[2]) * (1 - beta2);
    v[3] = std::max(v[3], v[2]);
    v[0] -= v[1] * alpha / (std::sqrt(v[3]) + epsilon);
  });
}

void FtrlRule(linalg::Type type, int64_t n, Vars vars, Scalars scalars, const void* grad,
              bool by_lr) {
  Run<3>(type, n, vars, scalars, grad, [by_lr](auto& v, auto g, const auto& s) {
    FtrlStep(v, g, s[0], s[1], s[2], decltype(g)(0), s[3], by_lr);
  });
}

void FtrlV2Rule(linalg::Type type, int64_t n, Vars vars, Scalars scalars, const void* grad,
                bool by_lr) {
  Run<3>(type, n, vars, scalars, grad, [by_lr](auto& v, auto g, const auto& s) {
    FtrlStep(v, g, s[0], s[1], s[2], s[3], s[4], by_lr);
  });
}

void ProximalGradientDescentRule(linalg::Type type, int64_t n, Vars vars, Scalars scalars,
                                 const void* grad, bool) {
  Run<1>(type, n, vars, scalars, grad, [](auto& v, auto g, const auto& s) {
    v[0] = Proximal(v[0] - s[0] * g, s[0], s[1], s[2]);
  });
}

void ProximalAdagradRule(linalg::Type type, int64_t n, Vars vars, Scalars scalars, const void* grad,
                         bool) {
  Run<2>(type, n, vars, scalars, grad, [](auto& v, auto g, const auto& s) {
    v[1] += g * g;
    const auto rate = s[0] / std::sqrt(v[1]);
    v[0] = Proximal(v[0] - rate * g, rate, s[1], s[2]);
  });
}

void AdagradDaRule(linalg::Type type, int64_t n, Vars vars, Scalars scalars, const void* grad,
                   bool) {
  Run<3>(type, n, vars, scalars, grad, [](auto& v, auto g, const auto& s) {
    const auto lr = s[0], l1 = s[1], l2 = s[2], t = s[3];
    v[1] += g;
    v[2] += g * g;
    const auto shrunk =
        l1 > 0 ? Sign(v[1]) * std::max(std::abs(v[1]) - l1 * t, decltype(g)(0)) : v[1];
    v[0] = -lr * shrunk / (l2 * t * lr + std::sqrt(v[2]));
  });
}

void AdaMaxRule(linalg::Type type, int64_t n, Vars vars, Scalars scalars, const void* grad, bool) {
  Run<3>(type, n, vars, scalars, grad, [](auto& v, auto g, const auto& s) {
    const auto beta1_power = s[0], lr = s[1], beta1 = s[2], beta2 = s[3], epsilon = s[4];
    v[1] += (g - v[1]) * (1 - beta1);
    v[2] = std::max(beta2 * v[2], std::abs(g));
    v[0] -= lr / (1 - beta1_power) * (v[1] / (v[2] + epsilon));
  });
}

void AddSignRule(linalg::Type type, int64_t n, Vars vars, Scalars scalars, const void* grad, bool) {
  Run<2>(type, n, vars, scalars, grad, [](auto& v, auto g, const auto& s) {
    const auto lr = s[0], alpha = s[1], sign_decay = s[2], beta = s[3];
    v[1] = v[1] * beta + g * (1 - beta);
    v[0] -= lr * (alpha + sign_decay * Sign(g) * Sign(v[1])) * g;
  });
}

void PowerSignRule(linalg::Type type, int64_t n, Vars vars, Scalars scalars, const void* grad,
                   bool) {
  Run<2>(type, n, vars, scalars, grad, [](auto& v, auto g, const auto& s) {
    const auto lr = s[0], logbase = s[1], sign_decay = s[2], beta = s[3];
    v[1] = v[1] * beta + g * (1 - beta);
    v[0] -= lr * std::exp(logbase * sign_decay * Sign(g) * Sign(v[1])) * g;
  });
}

}  // namespace ramet
