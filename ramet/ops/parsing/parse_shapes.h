#pragma once

#include <vector>

#include "ramet/op/shape_context.h"

namespace ramet {

// A ParseOutputs sets the shapes of the outputs of an op that parses messages, group by group in
// the order of the op's definition. `input` is the shape of the messages.
class ParseOutputs {
 public:
  ParseOutputs(ShapeContext& c, Shape input) : c_(c), input_(std::move(input)) {}

  // Indices, values and shapes of sparse tensors with `more_dims` more dimensions than the input.
  void Sparse(int64_t count, int more_dims);
  // Dense tensors, one for each message, with `prefix` before the dimensions of each shape.
  void Dense(const std::vector<Shape>& shapes, const Shape& prefix);
  void Dense(const std::vector<Shape>& shapes) { Dense(shapes, input_); }
  // Vectors of unknown length, and vectors of row splits for the messages.
  void Vectors(int64_t count) { Add(count, Shape{Shape::kUnknownDim}); }
  void RowSplits(int64_t count);
  // The shape of the input, `count` times.
  void LikeInput(int64_t count) { Add(count, input_); }

 private:
  void Add(int64_t count, const Shape& shape);

  ShapeContext& c_;
  const Shape input_;
  int next_ = 0;
};

// Returns `a` followed by `b`, or an unknown shape if the rank of one of them is unknown.
Shape Joined(const Shape& a, const Shape& b);
// Returns the shape of input `i`, whose rank must be 0 or 1 if it is known.
// \error kInvalidArgument: "Shape must be at most rank 1 but is rank 2".
StatusOr<Shape> AtMostVector(ShapeContext& c, int i);
// Checks that input `i`, the default value of a field, can be a scalar or a vector of at most one
// element.
// \error kInvalidArgument: it cannot.
Status CheckCsvDefaultShape(ShapeContext& c, int i);

}  // namespace ramet
