#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ramet/op/attr.h"

namespace ramet {

// A ShapeContext is one node under shape inference: the shapes of its inputs, their values as far
// as they are known, its attrs, and its output shapes, which are unknown until set.
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

  // Returns the value of input i if it is known at graph construction, else nullptr.
  virtual const Tensor* constant(int i) = 0;
  // Returns the shape given by the values of input i, a vector of int32 or int64. A value of -1 or
  // an unknown value becomes an unknown dimension.
  // \error kInvalidArgument: a known value is < -1 or the input is not a vector.
  virtual StatusOr<Shape> constant_as_shape(int i) = 0;

  // Returns the dtype and shape of the variable that resource input i names, as far as known.
  virtual std::pair<DType, Shape> handle(int) { return {DType::kInvalid, Shape::Unknown()}; }

  // Returns the shape of input i, with unknown dims if its rank was unknown.
  // \error kInvalidArgument: "Shape must be rank 2 but is rank 1".
  StatusOr<Shape> WithRank(int i, int rank) const;
  StatusOr<Shape> WithRankAtLeast(int i, int rank) const;

 private:
  const AttrMap& attrs_;
  std::vector<Shape> inputs_;
  std::vector<Shape> outputs_;
};

using ShapeFn = Status (*)(ShapeContext& context);

// Shape functions that many ops share.
Status UnchangedShape(ShapeContext& c);  // output 0 has the shape of input 0
Status ScalarShape(ShapeContext& c);     // every output is a scalar
Status UnknownShape(ShapeContext& c);    // all outputs are unknown
Status NoOutputs(ShapeContext& c);
Status BroadcastBinaryShape(ShapeContext& c);  // output 0 is inputs 0 and 1 broadcast together
Status MergedInputsShape(ShapeContext& c);     // all inputs and outputs have the same shape
// Returns the values of a tensor of any integer dtype as int64.
// \error kInvalidArgument: the dtype is not an integer.
StatusOr<std::vector<int64_t>> IntegerValues(const Tensor& t);
// Makes reduction axes non-negative and sorts them. Keeps duplicates.
// \error kInvalidArgument: "Invalid reduction dimension (3 for input with 2 dimension(s))".
StatusOr<std::vector<int>> NormalizeAxes(std::span<const int64_t> axes, int rank);

}  // namespace ramet
