#pragma once

#include <optional>

#include "ramet/builders/control_flow.h"

namespace ramet {

// A number that is either known at build time or an int32 scalar tensor.
class Count {
 public:
  Count() = default;
  explicit Count(int64_t known) : known_(known) {}
  explicit Count(const Output& tensor) : tensor_(tensor) {}
  // Returns this count minus `n`.
  Input Less(int n) const;
  Input input() const { return Less(0); }
  int64_t known() const { return known_; }  // -1 if unknown

 private:
  int64_t known_ = -1;
  Output tensor_;
};

// A tensor array under construction (tf.TensorArray). `flow` orders the next read after previous
// writes. All functions add nodes in the graph's current scope; operations on invalid values give
// invalid values.
class ElementArray {
 public:
  ElementArray(Graph& graph, const Count& size, DType dtype, bool infer_shape,
               const Shape& element_shape = Shape::Unknown());

  const Output& flow() const { return flow_; }
  // Continues with the same array in a different part of the control flow.
  void set_flow(const Output& flow) { flow_ = flow; }

  Output Read(const Input& index) const;
  // \error kInvalidArgument: "Inconsistent shapes: ..." if the value cannot be an element.
  Status Write(const Input& index, const Output& value);
  // Writes row i of `value` to element i, for all i. Errors are those of Write.
  Status Unstack(const Output& value);
  // Returns all elements, stacked along a new first dimension.
  StatusOr<Output> Stack() const;

 private:
  Status NoteElement(const Shape& shape);

  Graph& graph_;
  Count size_;
  DType dtype_;
  bool infer_shape_;
  Shape element_shape_;
  Output handle_, flow_;
  Operation first_written_;  // writes are colocated with it
};

// Returns shape[0] of a tensor, with the StridedSlice node of TensorFlow's slicing.
Output FirstDimension(Graph& graph, const Output& tensor);

}  // namespace ramet
