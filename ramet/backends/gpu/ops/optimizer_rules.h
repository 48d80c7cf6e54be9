#pragma once

#include <span>
#include <string_view>

namespace ramet::gpu {

// The update rule of an optimizer as statements of the dialect. They read the gradient `g` and the
// hyperparameters p0, p1, ... (the scalar inputs of the op in order), and update the variable `s0`
// and its slots s1, s2, ... FLAG is the op's bool attr (use_nesterov, update_slots or
// multiply_linear_by_lr). K(0.5) is a constant of the type.
struct OptimizerRule {
  std::string_view op;  // "Resource" + op, "Sparse" + op and "ResourceSparse" + op have it too
  std::string_view body;
};

std::span<const OptimizerRule> OptimizerRules();

// Returns the rule of an op, with or without these prefixes, which must have one.
const OptimizerRule& OptimizerRuleOf(std::string_view op);

}  // namespace ramet::gpu
