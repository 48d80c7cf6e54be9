#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/gradients/gradient_context.h"
#include "ramet/op/op.h"

namespace ramet {

inline constexpr std::string_view kEllipsis = "...";

// A label is one dimension of an equation: the character that names it, or one of those that an
// ellipsis stands for, which broadcast: kBroadcast + its position, counted from the right.
using Label = int;
inline constexpr Label kBroadcast = 256;
using Labels = std::vector<Label>;

// The subscripts of an Einsum op: "ij,...jk->...ik".
struct EinsumEquation {
  std::string text;
  std::vector<std::string> inputs;  // one or two
  std::string output;

  // \error kInvalidArgument "Expecting exactly one '->' in einsum equation: ...", and the like.
  static StatusOr<EinsumEquation> Parse(const std::string& text, int num_inputs);

  // The labels of the dimensions of input i, which has this rank. \error kInvalidArgument "Expected
  // input 0 to have rank 2 but got: 3".
  StatusOr<Labels> InputLabels(int i, int rank) const;
  // Those of the output, where an ellipsis stands for `broadcasting` dimensions. \error
  // kInvalidArgument if it has none and they are not zero.
  StatusOr<Labels> OutputLabels(int broadcasting) const;
};

bool HasEllipsis(std::string_view subscripts);
bool Contains(const Labels& labels, Label label);
// Without what is there a second time.
Labels Distinct(const Labels& labels);
// How many dimensions an ellipsis stands for.
int CountBroadcasting(const Labels& labels);

Status EinsumGradient(GradientContext& c);

}  // namespace ramet
