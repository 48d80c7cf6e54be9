#pragma once

#include <optional>

#include "ramet/builders/control_flow.h"

namespace ramet {

// A number that is known while building, or a tensor of it: an int32 scalar.
class Count {
 public:
  Count() = default;
  explicit Count(int64_t known) : known_(known) {}
  explicit Count(const Output& tensor) : tensor_(tensor) {}
  // This count less `n`.
  Input Less(int n) const;
  Input input() const { return Less(0); }
  int64_t known() const { return known_; }  // -1: not known

 private:
  int64_t known_ = -1;
  Output tensor_;
};

// A tensor array under construction, as tf.TensorArray: `flow` says after what it is read next. All
// functions add nodes at the graph's current place; what is invalid stays so.
class ElementArray {
 public:
  ElementArray(Graph& graph, const Count& size, DType dtype, bool infer_shape,
               const Shape& element_shape = Shape::Unknown());

  const Output& flow() const { return flow_; }
  // The same array in another place of the control flow.
  void set_flow(const Output& flow) { flow_ = flow; }

  Output Read(const Input& index) const;
  // \error kInvalidArgument "Inconsistent shapes: ..." if the value cannot be an element.
  Status Write(const Input& index, const Output& value);
  // Writes row i of `value` to element i for all i. \error as Write.
  Status Unstack(const Output& value);
  // All elements in a new first dimension.
  StatusOr<Output> Stack() const;

 private:
  Status NoteElement(const Shape& shape);

  Graph& graph_;
  Count size_;
  DType dtype_;
  bool infer_shape_;
  Shape element_shape_;
  Output handle_, flow_;
  Operation first_written_;  // writes are placed beside it
};

// `shape`[0] of a tensor as TensorFlow's slicing has it: a StridedSlice.
Output FirstDimension(Graph& graph, const Output& tensor);

}  // namespace ramet
