#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/gradients/gradient_context.h"
#include "ramet/op/op.h"

namespace ramet {

inline constexpr std::string_view kEllipsis = "...";

// A label is one dimension of an equation: the character that names it, or, for a broadcast
// dimension of an ellipsis, kBroadcast plus its position counted from the right.
using Label = int;
inline constexpr Label kBroadcast = 256;
using Labels = std::vector<Label>;

// The subscripts of an Einsum op: "ij,...jk->...ik".
struct EinsumEquation {
  std::string text;
  std::vector<std::string> inputs;  // one or two
  std::string output;

  // \error kInvalidArgument: "Expecting exactly one '->' in einsum equation: ..." and similar.
  static StatusOr<EinsumEquation> Parse(const std::string& text, int num_inputs);

  // Returns the labels of the dimensions of input i, which has this rank.
  // \error kInvalidArgument: "Expected input 0 to have rank 2 but got: 3".
  StatusOr<Labels> InputLabels(int i, int rank) const;
  // Returns the labels of the output, in which an ellipsis stands for `broadcasting` dimensions.
  // \error kInvalidArgument: `broadcasting` is not zero and the output has no ellipsis.
  StatusOr<Labels> OutputLabels(int broadcasting) const;
};

bool HasEllipsis(std::string_view subscripts);
bool Contains(const Labels& labels, Label label);
// Returns the labels without duplicates.
Labels Distinct(const Labels& labels);
// Returns the number of dimensions that an ellipsis stands for.
int CountBroadcasting(const Labels& labels);

Status EinsumGradient(GradientContext& c);

}  // namespace ramet
