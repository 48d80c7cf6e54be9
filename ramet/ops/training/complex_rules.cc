#include <cmath>
#include <complex>

#include "ramet/linalg/parallel.h"
#include "ramet/ops/training/rules.h"

namespace ramet {
namespace {

using Vars = std::span<const linalg::Update>;

// Elements that justify a thread (ramet_linalg_bench gradient_descent/*). Complex ones take longer.
constexpr int64_t kComplexGrainElements = 2048;

// Calls step(values, gradient, scalars) for each element. `values` holds the elements of the N
// variables, which the step changes.
template <int N, class T, class Step>
void ForEach(int64_t n, Vars vars, ComplexScalars scalars, const void* grad, Step& step) {
  std::array<T, UpdateArgs::kMaxScalars> s{};
  for (size_t i = 0; i < scalars.size(); ++i) s[i] = static_cast<T>(scalars[i]);
  const T* g = static_cast<const T*>(grad);
  linalg::ParallelFor(n, kComplexGrainElements, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      std::array<T, N> v;
      for (int k = 0; k < N; ++k) v[k] = static_cast<const T*>(vars[k].old_value)[i];
      step(v, g[i], s);
      for (int k = 0; k < N; ++k) static_cast<T*>(vars[k].new_value)[i] = v[k];
    }
  });
}

template <int N, class Step>
void Run(linalg::Type type, int64_t n, Vars vars, ComplexScalars scalars, const void* grad,
         Step step) {
  if (type == linalg::Type::kComplex64) {
    ForEach<N, std::complex<float>>(n, vars, scalars, grad, step);
  } else {
    ForEach<N, std::complex<double>>(n, vars, scalars, grad, step);
  }
}

template <class T>
T One(const T&) {
  return T(1);
}

}  // namespace

void ComplexGradientDescentRule(linalg::Type type, int64_t n, Vars vars, ComplexScalars scalars,
                                const void* grad, bool) {
  Run<1>(type, n, vars, scalars, grad, [](auto& v, auto g, const auto& s) { v[0] -= g * s[0]; });
}

void ComplexMomentumRule(linalg::Type type, int64_t n, Vars vars, ComplexScalars scalars,
                         const void* grad, bool nesterov) {
  Run<2>(type, n, vars, scalars, grad, [nesterov](auto& v, auto g, const auto& s) {
    const auto lr = s[0], momentum = s[1];
    v[1] = v[1] * momentum + g;
    v[0] -= nesterov ? g * lr + v[1] * momentum * lr : v[1] * lr;
  });
}

void ComplexAdamRule(linalg::Type type, int64_t n, Vars vars, ComplexScalars scalars,
                     const void* grad, bool nesterov) {
  Run<3>(type, n, vars, scalars, grad, [nesterov](auto& v, auto g, const auto& s) {
    const auto one = One(g), beta1 = s[3], beta2 = s[4], epsilon = s[5];
    const auto alpha = s[2] * std::sqrt(one - s[1]) / (one - s[0]);
    v[1] += (g - v[1]) * (one - beta1);
    v[2] += (g * g - v[2]) * (one - beta2);
    const auto m = nesterov ? g * (one - beta1) + beta1 * v[1] : v[1];
    v[0] -= (m * alpha) / (std::sqrt(v[2]) + epsilon);
  });
}

void ComplexAdagradRule(linalg::Type type, int64_t n, Vars vars, ComplexScalars scalars,
                        const void* grad, bool update_slots) {
  Run<2>(type, n, vars, scalars, grad, [update_slots](auto& v, auto g, const auto& s) {
    if (update_slots) v[1] += g * g;
    v[0] -= g * s[0] / std::sqrt(v[1]);
  });
}

void ComplexAdagradV2Rule(linalg::Type type, int64_t n, Vars vars, ComplexScalars scalars,
                          const void* grad, bool update_slots) {
  Run<2>(type, n, vars, scalars, grad, [update_slots](auto& v, auto g, const auto& s) {
    if (update_slots) v[1] += g * g;
    v[0] -= g * s[0] / (std::sqrt(v[1]) + s[1]);
  });
}

void ComplexRmsPropRule(linalg::Type type, int64_t n, Vars vars, ComplexScalars scalars,
                        const void* grad, bool) {
  Run<3>(type, n, vars, scalars, grad, [](auto& v, auto g, const auto& s) {
    const auto lr = s[0], rho = s[1], momentum = s[2], epsilon = s[3];
    v[1] += (g * g - v[1]) * (One(g) - rho);
    v[2] = v[2] * momentum + (g * lr) / std::sqrt(v[1] + epsilon);
    v[0] -= v[2];
  });
}

void ComplexCenteredRmsPropRule(linalg::Type type, int64_t n, Vars vars, ComplexScalars scalars,
                                const void* grad, bool) {
  Run<4>(type, n, vars, scalars, grad, [](auto& v, auto g, const auto& s) {
    const auto lr = s[0], rho = s[1], momentum = s[2], epsilon = s[3];
    v[2] += (g * g - v[2]) * (One(g) - rho);
    v[1] += (g - v[1]) * (One(g) - rho);
    v[3] = v[3] * momentum + (g * lr) / std::sqrt(v[2] - v[1] * v[1] + epsilon);
    v[0] -= v[3];
  });
}

void ComplexAdadeltaRule(linalg::Type type, int64_t n, Vars vars, ComplexScalars scalars,
                         const void* grad, bool) {
  Run<3>(type, n, vars, scalars, grad, [](auto& v, auto g, const auto& s) {
    const auto lr = s[0], rho = s[1], epsilon = s[2], one = One(g);
    v[1] = v[1] * rho + g * g * (one - rho);
    const auto step = std::sqrt(v[2] + epsilon) / std::sqrt(v[1] + epsilon) * g;
    v[0] -= step * lr;
    v[2] = v[2] * rho + step * step * (one - rho);
  });
}

}  // namespace ramet
