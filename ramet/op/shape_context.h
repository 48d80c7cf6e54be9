#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ramet/op/attr.h"

namespace ramet {

// A ShapeContext is one node under shape inference: the shapes of its inputs, what is known of
// their values, its attrs, and the shapes of its outputs to be filled in (unknown until then).
class ShapeContext {
 public:
  virtual ~ShapeContext() = default;
  ShapeContext(const AttrMap& attrs, std::vector<Shape> inputs, int num_outputs)
      : attrs_(attrs), inputs_(std::move(inputs)), outputs_(num_outputs, Shape::Unknown()) {}

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const Shape& input(int i) const { return inputs_[i]; }
  void set_output(int i, Shape shape) { outputs_[i] = std::move(shape); }
  const Shape& output(int i) const { return outputs_[i]; }
  const AttrMap& attrs() const { return attrs_; }
  template <class T>
  StatusOr<T> attr(std::string_view name) const {
    return attrs_.Get<T>(name);
  }

  // The value of input i when it is known while building, else nullptr.
  virtual const Tensor* constant(int i) = 0;
  // The shape that the values of input i (a vector of int32 or int64) describe, as far as known: -1
  // and values not known are unknown dimensions. \error kInvalidArgument if a known value is < -1
  // or the
  //   input is no vector.
  virtual StatusOr<Shape> constant_as_shape(int i) = 0;

  // What is known of the variable that resource input i names; unknown shape and kInvalid if
  // nothing is.
  virtual std::pair<DType, Shape> handle(int) { return {DType::kInvalid, Shape::Unknown()}; }

  // Input i, which must have this rank (its dims unknown when its rank was). \error
  // kInvalidArgument "Shape must be rank 2 but is rank 1".
  StatusOr<Shape> WithRank(int i, int rank) const;
  StatusOr<Shape> WithRankAtLeast(int i, int rank) const;

 private:
  const AttrMap& attrs_;
  std::vector<Shape> inputs_;
  std::vector<Shape> outputs_;
};

using ShapeFn = Status (*)(ShapeContext& context);

// Shape functions that many ops share.
Status UnchangedShape(ShapeContext& c);  // output 0 is like input 0
Status ScalarShape(ShapeContext& c);     // every output is a scalar
Status UnknownShape(ShapeContext& c);    // nothing is known
Status NoOutputs(ShapeContext& c);
Status BroadcastBinaryShape(ShapeContext& c);  // output 0 is input 0 and 1 broadcast
Status MergedInputsShape(ShapeContext& c);     // all inputs and outputs have one shape
// The values of an integer tensor of any integer width, as int64. \error kInvalidArgument
// otherwise.
StatusOr<std::vector<int64_t>> IntegerValues(const Tensor& t);
// Reduction axes made non-negative and checked against the rank; sorted, no duplicates needed.
// \error kInvalidArgument "Invalid reduction dimension (3 for input with 2 dimension(s))".
StatusOr<std::vector<int>> NormalizeAxes(std::span<const int64_t> axes, int rank);

}  // namespace ramet
