#pragma once

#include <cmath>
#include <cstdint>

#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/levels/level.h"

namespace ramet::linalg::RAMET_LEVEL {

inline float SquareRoot(float x) { return __builtin_sqrtf(x); }
inline double SquareRoot(double x) { return __builtin_sqrt(x); }
inline float InverseSquareRoot(float x) { return 1 / __builtin_sqrtf(x); }
inline double InverseSquareRoot(double x) { return 1 / __builtin_sqrt(x); }

// Converts a hyperparameter to type T.
template <class T>
struct FromDouble {
  static T Do(double x) { return static_cast<T>(x); }
};

// A Rule has kStates, a constructor from the arguments, and Step(grad, states), which updates the
// states.
template <class Rule, class T>
void UpdateSpan(const Rule& rule, const T* const* from, T* const* to, const T* grad, int64_t n) {
  RAMET_IVDEP
  for (int64_t i = 0; i < n; ++i) {
    T state[Rule::kStates];
    for (int s = 0; s < Rule::kStates; ++s) state[s] = from[s][i];
    rule.Step(grad[i], state);
    for (int s = 0; s < Rule::kStates; ++s) to[s][i] = state[s];
  }
}

template <class Rule, class T>
void RunOptimizer(const OptimizerArgs& args, int64_t begin, int64_t end) {
  const T* from[Rule::kStates];
  T* to[Rule::kStates];
  for (int s = 0; s < Rule::kStates; ++s) {
    from[s] = static_cast<const T*>(args.old_value[s]) + begin;
    to[s] = static_cast<T*>(args.new_value[s]) + begin;
  }
  const T* grad = static_cast<const T*>(args.grad) + begin;
  const Rule rule(args);
  UpdateSpan(rule, from, to, grad, end - begin);
}

template <class T>
T Param(const OptimizerArgs& args, int i) {
  return FromDouble<T>::Do(args.param[i]);
}

template <class T>
T One() {
  return FromDouble<T>::Do(1);
}

template <class T>
struct GradientDescentRule {
  static constexpr int kStates = 1;
  T alpha;
  explicit GradientDescentRule(const OptimizerArgs& a) : alpha(Param<T>(a, 0)) {}
  void Step(T g, T* s) const { s[0] = s[0] - g * alpha; }
};

template <class T, bool kNesterov>
struct MomentumRule {
  static constexpr int kStates = 2;
  T lr, momentum;
  explicit MomentumRule(const OptimizerArgs& a) : lr(Param<T>(a, 0)), momentum(Param<T>(a, 1)) {}
  void Step(T g, T* s) const {
    s[1] = s[1] * momentum + g;
    if constexpr (kNesterov) {
      s[0] = s[0] - (g * lr + s[1] * momentum * lr);
    } else {
      s[0] = s[0] - s[1] * lr;
    }
  }
};

template <class T, bool kNesterov>
struct AdamRule {
  static constexpr int kStates = 3;
  T alpha, beta1, one_minus_beta1, one_minus_beta2, epsilon;
  explicit AdamRule(const OptimizerArgs& a)
      : beta1(Param<T>(a, 3)),
        one_minus_beta1(One<T>() - beta1),
        one_minus_beta2(One<T>() - Param<T>(a, 4)),
        epsilon(Param<T>(a, 5)) {
    // Parameters: beta1_power, beta2_power, lr, beta1, beta2, epsilon.
    alpha = Param<T>(a, 2) * SquareRoot(One<T>() - Param<T>(a, 1)) / (One<T>() - Param<T>(a, 0));
  }
  void Step(T g, T* s) const {
    s[1] = s[1] + (g - s[1]) * one_minus_beta1;
    s[2] = s[2] + (g * g - s[2]) * one_minus_beta2;
    if constexpr (kNesterov) {
      s[0] = s[0] - ((g * one_minus_beta1 + beta1 * s[1]) * alpha) / (SquareRoot(s[2]) + epsilon);
    } else {
      s[0] = s[0] - (s[1] * alpha) / (SquareRoot(s[2]) + epsilon);
    }
  }
};

template <class T, bool kUpdateSlots, bool kEpsilon>
struct AdagradRule {
  static constexpr int kStates = 2;
  T lr, epsilon;
  explicit AdagradRule(const OptimizerArgs& a) : lr(Param<T>(a, 0)), epsilon(Param<T>(a, 1)) {}
  void Step(T g, T* s) const {
    if constexpr (kUpdateSlots) s[1] = s[1] + g * g;
    if constexpr (kEpsilon) {
      s[0] = s[0] - g * lr / (SquareRoot(s[1]) + epsilon);
    } else {
      s[0] = s[0] - g * lr * InverseSquareRoot(s[1]);
    }
  }
};

template <class T>
struct RmsPropRule {
  static constexpr int kStates = 3;
  T lr, one_minus_rho, momentum, epsilon;
  explicit RmsPropRule(const OptimizerArgs& a)
      : lr(Param<T>(a, 0)),
        one_minus_rho(One<T>() - Param<T>(a, 1)),
        momentum(Param<T>(a, 2)),
        epsilon(Param<T>(a, 3)) {}
  void Step(T g, T* s) const {
    s[1] = s[1] + (g * g - s[1]) * one_minus_rho;
    s[2] = s[2] * momentum + (g * lr) / SquareRoot(s[1] + epsilon);
    s[0] = s[0] - s[2];
  }
};

template <class T>
struct CenteredRmsPropRule {
  static constexpr int kStates = 4;
  T lr, one_minus_rho, momentum, epsilon;
  explicit CenteredRmsPropRule(const OptimizerArgs& a)
      : lr(Param<T>(a, 0)),
        one_minus_rho(One<T>() - Param<T>(a, 1)),
        momentum(Param<T>(a, 2)),
        epsilon(Param<T>(a, 3)) {}
  // States: var, mg, ms, mom.
  void Step(T g, T* s) const {
    s[2] = s[2] + (g * g - s[2]) * one_minus_rho;
    s[1] = s[1] + (g - s[1]) * one_minus_rho;
    s[3] = s[3] * momentum + (g * lr) / SquareRoot((s[2] - s[1] * s[1]) + epsilon);
    s[0] = s[0] - s[3];
  }
};

template <class RuleIf, class RuleElse, class T>
void RunEither(const OptimizerArgs& args, int64_t begin, int64_t end) {
  (args.flag ? RunOptimizer<RuleIf, T> : RunOptimizer<RuleElse, T>)(args, begin, end);
}

template <class T>
void AddOptimizersOf(KernelTable& t, Type type) {
  t.Set(Optimizer::kGradientDescent, type, RunOptimizer<GradientDescentRule<T>, T>);
  t.Set(Optimizer::kMomentum, type, RunEither<MomentumRule<T, true>, MomentumRule<T, false>, T>);
  t.Set(Optimizer::kAdam, type, RunEither<AdamRule<T, true>, AdamRule<T, false>, T>);
  t.Set(Optimizer::kAdagrad, type,
        RunEither<AdagradRule<T, true, false>, AdagradRule<T, false, false>, T>);
  t.Set(Optimizer::kAdagradV2, type,
        RunEither<AdagradRule<T, true, true>, AdagradRule<T, false, true>, T>);
  t.Set(Optimizer::kRmsProp, type, RunOptimizer<RmsPropRule<T>, T>);
  t.Set(Optimizer::kCenteredRmsProp, type, RunOptimizer<CenteredRmsPropRule<T>, T>);
}

}  // namespace ramet::linalg::RAMET_LEVEL
