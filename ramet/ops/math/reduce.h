#pragma once

#include <array>

#include "ramet/gradients/gradient_context.h"
#include "ramet/linalg/reduce.h"
#include "ramet/op/op.h"

namespace ramet {

// Which dimensions of a tensor are reduced.
struct ReducedDims {
  std::array<bool, Shape::kMaxRank> reduced = {};
  int rank = 0;
  bool any = false;

  std::span<const bool> flags() const { return {reduced.data(), static_cast<size_t>(rank)}; }
};

// The dimensions of a tensor of rank `rank` that `axes` (int32 or int64, a scalar or vector;
// negative ones count from the end) names. \error kInvalidArgument "Invalid reduction dimension (2
// for input with 2 dimension(s)", "Invalid
//   reduction arguments: Axes contains duplicate dimension: 0".
StatusOr<ReducedDims> ReducedDimsOf(const Tensor& axes, int rank);

// `shape` without the reduced dimensions, or with 1 in their place.
Shape ReducedShape(const Shape& shape, const ReducedDims& dims, bool keep_dims);

// Gradients of Sum, Mean, Max and Min, Prod, EuclideanNorm.
Status SumGradient(GradientContext& c);
Status MeanGradient(GradientContext& c);
Status MinOrMaxGradient(GradientContext& c);
Status ProdGradient(GradientContext& c);
Status EuclideanNormGradient(GradientContext& c);

}  // namespace ramet
