#pragma once

#include <array>

#include "ramet/gradients/gradient_context.h"
#include "ramet/linalg/reduce.h"
#include "ramet/op/op.h"

namespace ramet {

// The dimensions of a tensor that are reduced.
struct ReducedDims {
  std::array<bool, Shape::kMaxRank> reduced = {};
  int rank = 0;
  bool any = false;

  std::span<const bool> flags() const { return {reduced.data(), static_cast<size_t>(rank)}; }
};

// Returns the dimensions of a tensor of rank `rank` that `axes` names: an int32 or int64 scalar or
// vector, in which negative values count from the end.
// \error kInvalidArgument: "Invalid reduction dimension (2 for input with 2 dimension(s)";
//   "Invalid reduction arguments: Axes contains duplicate dimension: 0".
StatusOr<ReducedDims> ReducedDimsOf(const Tensor& axes, int rank);

// Returns `shape` without the reduced dimensions, or with size 1 in their place.
Shape ReducedShape(const Shape& shape, const ReducedDims& dims, bool keep_dims);

// The gradient functions of Sum, Mean, Max and Min, Prod, and EuclideanNorm.
Status SumGradient(GradientContext& c);
Status MeanGradient(GradientContext& c);
Status MinOrMaxGradient(GradientContext& c);
Status ProdGradient(GradientContext& c);
Status EuclideanNormGradient(GradientContext& c);

}  // namespace ramet
