#include "ramet/builders/element_array.h"

#include "ramet/gradients/indexed_slices.h"
#include "ramet/graph/add_op.h"

namespace ramet {
namespace {

Output ShapeOf(Graph& graph, const Output& tensor) {
  const Shape shape = tensor.shape();
  if (!shape.IsFullyDefined()) return AddOp(graph, "Shape", {tensor}).output(0);
  std::vector<int32_t> dims(shape.dims().begin(), shape.dims().end());
  return Constant(graph, Tensor::Vector<int32_t>(dims), "Shape");
}

Output RangeTo(Graph& graph, const Output& end) {
  return AddOp(graph, "Range", {0, end, 1}, {}, "range").output(0);
}

}  // namespace

Input Count::Less(int n) const {
  if (known_ >= 0) return static_cast<int32_t>(known_ - n);
  return n == 0 ? Input(tensor_) : Input(tensor_ - n);
}

Output FirstDimension(Graph& graph, const Output& tensor) {
  return FirstDim(graph, ShapeOf(graph, tensor));
}

ElementArray::ElementArray(Graph& graph, const Count& size, DType dtype, bool infer_shape,
                           const Shape& element_shape)
    : graph_(graph),
      size_(size),
      dtype_(BaseType(dtype)),
      infer_shape_(infer_shape),
      element_shape_(element_shape) {
  Scope here(graph);
  Scope scope = here.NameScope("TensorArray");
  Scope anywhere = scope.ClearDevice();
  AttrMap attrs;
  attrs.Set("dtype", dtype_);
  attrs.Set("element_shape", element_shape);
  attrs.Set("identical_element_shapes", infer_shape);
  const Operation made =
      AddOp(graph, "TensorArrayV3", {size.input()}, std::move(attrs), scope.name());
  if (!made.valid()) return;
  handle_ = made.output(0);
  flow_ = made.output(1);
}

Output ElementArray::Read(const Input& index) const {
  AttrMap attrs;
  attrs.Set("dtype", dtype_);
  const Output value =
      AddOp(graph_, "TensorArrayReadV3", {handle_, index, flow_}, std::move(attrs)).output(0);
  if (value.valid()) graph_.RecordError(graph_.SetShape(value, element_shape_));
  return value;
}

Status ElementArray::NoteElement(const Shape& shape) {
  if (!shape.IsCompatibleWith(element_shape_)) {
    return InvalidArgument("Inconsistent shapes: saw ", shape, " but expected ", element_shape_);
  }
  if (!infer_shape_) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(element_shape_, element_shape_.MergeWith(shape));
  return OkStatus();
}

Status ElementArray::Write(const Input& index, const Output& value) {
  if (!value.valid()) return OkStatus();
  RAMET_RETURN_IF_ERROR(NoteElement(value.shape()));
  if (!first_written_.valid()) first_written_ = value.op();
  Scope here(graph_);
  Scope scope = here.NameScope("TensorArrayWrite");
  Scope colocated = scope.ColocateWith(first_written_);
  flow_ = AddOp(graph_, "TensorArrayWriteV3", {handle_, index, value, flow_}).output(0);
  return OkStatus();
}

Status ElementArray::Unstack(const Output& value) {
  Scope here(graph_);
  Scope scope = here.NameScope("TensorArrayUnstack");
  const Output indices = RangeTo(graph_, FirstDimension(graph_, value));
  const Shape shape = value.shape();
  RAMET_RETURN_IF_ERROR(NoteElement(shape.unknown_rank() ? shape : shape.Slice(1, shape.rank())));
  if (!first_written_.valid()) first_written_ = value.op();
  Scope inner = scope.NameScope("TensorArrayScatter");
  Scope colocated = inner.ColocateWith(first_written_);
  flow_ = AddOp(graph_, "TensorArrayScatterV3", {handle_, indices, value, flow_}).output(0);
  return OkStatus();
}

StatusOr<Output> ElementArray::Stack() const {
  Scope here(graph_);
  Scope colocated = here.ColocateWith(handle_.op());
  Scope scope = colocated.NameScope("TensorArrayStack");
  const Input size = size_.input();
  const Output end = size.is_constant() ? Constant(graph_, size.constant()) : size.output();
  AttrMap attrs;
  attrs.Set("dtype", dtype_);
  attrs.Set("element_shape", element_shape_);
  const Operation gather = AddOp(graph_, "TensorArrayGatherV3",
                                 {handle_, RangeTo(graph_, end), flow_}, std::move(attrs));
  if (!gather.valid()) return Output();
  if (!element_shape_.unknown_rank()) {
    RAMET_RETURN_IF_ERROR(
        graph_.SetShape(gather.output(0), Shape({size_.known()}).Concatenate(element_shape_)));
  }
  return gather.output(0);
}

}  // namespace ramet
