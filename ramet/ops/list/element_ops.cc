// Ops that create lists and access single elements.
#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/list/list_grad.h"
#include "ramet/ops/list/list_shapes.h"
#include "ramet/ops/list/tensor_list.h"

namespace ramet {
namespace {

namespace tl = tensor_list;

Status Empty(KernelContext& c, DType dtype) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, PartialShapeArg(c.input(0)));
  if (c.input(1).rank() != 0) {
    return InvalidArgument("max_num_elements expected to be a scalar but got shape: ",
                           c.input(1).shape());
  }
  RAMET_ASSIGN_OR_RETURN(TensorList * list, NewList(c, dtype, std::move(shape)));
  list->max_num_elements = IntegerAt(c.input(1), 0);
  return OkStatus();
}

Status Reserve(KernelContext& c, DType dtype) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, PartialShapeArg(c.input(0)));
  const Tensor& size = c.input(1);
  if (size.num_elements() != 1) {
    return InvalidArgument("The num_elements to reserve must be a tensor size 1, but got ",
                           size.shape());
  }
  const int64_t n = IntegerAt(size, 0);
  if (n < 0) {
    return InvalidArgument("The num_elements to reserve must be a non negative number, but got ",
                           n);
  }
  RAMET_ASSIGN_OR_RETURN(TensorList * list, NewList(c, dtype, std::move(shape)));
  return list->Resize(n);
}

Status PushBack(KernelContext& c, DType dtype) {
  RAMET_ASSIGN_OR_RETURN(const TensorList* list, InputList(c));
  const Tensor& value = c.input(1);
  RAMET_RETURN_IF_ERROR(list->CheckDType(dtype));
  if (!list->element_shape.IsCompatibleWith(value.shape())) {
    return InvalidArgument(
        "Tried to append a tensor with incompatible shape to a list. Op element shape: ",
        value.shape(), " list shape: ", list->element_shape);
  }
  if (list->max_num_elements >= 0 && list->size() >= list->max_num_elements) {
    return InvalidArgument("Tried to push item into a full list list size: ", list->size(),
                           " max_num_elements: ", list->max_num_elements);
  }
  RAMET_ASSIGN_OR_RETURN(TensorList * longer, ChangedList(c));
  const int64_t n = longer->size();
  RAMET_RETURN_IF_ERROR(longer->Resize(n + 1));
  return longer->Set(n, value);
}

Status PopBack(KernelContext& c, DType dtype) {
  RAMET_ASSIGN_OR_RETURN(const TensorList* list, InputList(c));
  RAMET_RETURN_IF_ERROR(list->CheckDType(dtype));
  if (list->size() == 0) return InvalidArgument("Trying to pop from an empty list.");
  Tensor item = list->items.back();
  if (item.empty()) {
    RAMET_ASSIGN_OR_RETURN(Shape shape, PartialShapeArg(c.input(1)));
    RAMET_ASSIGN_OR_RETURN(shape, MergePartialShapes(shape, list->element_shape));
    if (!shape.IsFullyDefined()) {
      return InvalidArgument(
          "Trying to read an uninitialized tensor but element_shape is not fully defined.", shape);
    }
    RAMET_ASSIGN_OR_RETURN(item, ZeroTensor(c, dtype, shape));
  }
  RAMET_ASSIGN_OR_RETURN(TensorList * shorter, ChangedList(c));
  shorter->items.pop_back();
  c.SetOutput(1, std::move(item));
  return OkStatus();
}

// Returns the shape of an element that is not set: from the op and the list as far as they specify
// it, and otherwise from the other elements.
StatusOr<Shape> ShapeOfUnset(KernelContext& c, const TensorList& list) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, PartialShapeArg(c.input(2)));
  RAMET_ASSIGN_OR_RETURN(shape, MergePartialShapes(shape, list.element_shape));
  for (const Tensor& item : list.items) {
    if (shape.IsFullyDefined()) break;
    if (item.empty()) continue;
    RAMET_ASSIGN_OR_RETURN(shape, MergePartialShapes(shape, item.shape()));
  }
  if (shape.IsFullyDefined()) return shape;
  return InvalidArgument(
      "Trying to read an uninitialized tensor but element_shape is not fully defined: ", shape,
      " and no list element is set.");
}

Status GetItem(KernelContext& c, DType dtype) {
  RAMET_ASSIGN_OR_RETURN(const TensorList* list, InputList(c));
  RAMET_RETURN_IF_ERROR(list->CheckDType(dtype));
  RAMET_ASSIGN_OR_RETURN(const int64_t index, ScalarInput(c, 1));
  RAMET_RETURN_IF_ERROR(list->CheckIndex(index, "Trying to access"));
  Tensor item = list->items[index];
  if (item.empty()) {
    RAMET_ASSIGN_OR_RETURN(Shape shape, ShapeOfUnset(c, *list));
    RAMET_ASSIGN_OR_RETURN(item, ZeroTensor(c, dtype, shape));
  }
  c.SetOutput(0, std::move(item));
  return OkStatus();
}

class SetItem final : public Kernel {
 public:
  explicit SetItem(bool resize) : resize_(resize) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(
        std::make_unique<SetItem>(node.attrs->GetOr<bool>("resize_if_index_out_of_bounds", false)));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const TensorList* list, InputList(c));
    const Tensor& value = c.input(2);
    RAMET_RETURN_IF_ERROR(list->CheckDType(value.dtype()));
    RAMET_ASSIGN_OR_RETURN(const int64_t index, ScalarInput(c, 1));
    const bool grows = resize_ && index >= list->size();
    if (!grows) RAMET_RETURN_IF_ERROR(list->CheckIndex(index, "Trying to modify"));
    if (!list->element_shape.IsCompatibleWith(value.shape())) {
      return InvalidArgument(
          "Tried to set a tensor with incompatible shape at a list index. Item element shape: ",
          value.shape(), " list shape: ", list->element_shape);
    }
    RAMET_ASSIGN_OR_RETURN(TensorList * changed, ChangedList(c));
    if (grows) RAMET_RETURN_IF_ERROR(changed->Resize(index + 1));
    return changed->Set(index, value);
  }

 private:
  const bool resize_;
};

Status Length(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const TensorList* list, InputList(c));
  RAMET_ASSIGN_OR_RETURN(Tensor * length, c.Allocate(0, kInt32, Shape()));
  *length->mutable_data<int32_t>() = static_cast<int32_t>(list->size());
  return OkStatus();
}

template <class T>
Status ElementShape(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const TensorList* list, InputList(c));
  const Shape& shape = list->element_shape;
  const Shape form = shape.unknown_rank() ? Shape() : Shape{shape.rank()};
  RAMET_ASSIGN_OR_RETURN(Tensor * out, c.Allocate(0, DTypeOf<T>::value, form));
  if (shape.unknown_rank()) *out->mutable_data<T>() = -1;
  for (int i = 0; i < shape.rank(); ++i) out->mutable_data<T>()[i] = static_cast<T>(shape.dim(i));
  return OkStatus();
}

Status Resize(KernelContext& c) {
  RAMET_RETURN_IF_ERROR(InputList(c).status());
  RAMET_ASSIGN_OR_RETURN(const int64_t size, ScalarInput(c, 1));
  if (size < 0) {
    return InvalidArgument("TensorListSlice expects size to be non-negative. Got: ", size);
  }
  RAMET_ASSIGN_OR_RETURN(TensorList * list, ChangedList(c));
  return list->Resize(size);
}

RAMET_OP("EmptyTensorList")
    .Input("element_shape: shape_type")
    .Input("max_num_elements: int32")
    .Output("handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Doc(
        "Returns an empty list for tensors of dtype element_dtype and a shape compatible with "
        "element_shape: a vector with -1 for unknown dimensions, or the scalar -1 for any shape. "
        "The list takes up to max_num_elements tensors (-1: any number). Error: element_shape is "
        "not a shape; max_num_elements is not a scalar.")
    .Shape(ScalarShape)
    .CpuKernelClass<WithElementType<Empty>>();

RAMET_OP("TensorListReserve")
    .Input("element_shape: shape_type")
    .Input("num_elements: int32")
    .Output("handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Doc(
        "Returns a list of num_elements tensors that are not set. element_shape is as in "
        "EmptyTensorList. Error: num_elements is not a scalar or is negative; element_shape is not "
        "a shape; num_elements is above 2^24 (kResourceExhausted).")
    .Shape(ScalarShape)
    .CpuKernelClass<WithElementType<Reserve>>();

RAMET_OP("TensorListPushBack")
    .Input("input_handle: variant")
    .Input("tensor: element_dtype")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Doc(
        "Returns the list with `tensor` appended. Error: the dtype or shape does not match; the "
        "list is full.")
    .Shape(tl::ChangedListShape<1>)
    .Gradient(tl::PushBackGradient)
    .CpuKernelClass<WithElementType<PushBack>>();

RAMET_OP("TensorListPopBack")
    .Input("input_handle: variant")
    .Input("element_shape: int32")
    .Output("output_handle: variant")
    .Output("tensor: element_dtype")
    .Attr("element_dtype: type")
    .Doc(
        "Returns the list without its last element, and that element. If it is not set, it is "
        "zeros of the shape given by element_shape and the list. Error: the list is empty; the "
        "dtype does not match; the element is not set and its shape is unknown.")
    .Shape(tl::PopBackShape)
    .Gradient(tl::PopBackGradient)
    .CpuKernelClass<WithElementType<PopBack>>();

RAMET_OP("TensorListGetItem")
    .Input("input_handle: variant")
    .Input("index: int32")
    .Input("element_shape: Tshape")
    .Output("item: element_dtype")
    .Attr("element_dtype: type")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Doc(
        "Returns element `index`, a scalar. If it is not set, it is zeros of the shape given by "
        "element_shape, the list or its other elements. Error: the index is out of range; the "
        "dtype does not match; the element is not set and its shape is unknown.")
    .Shape(tl::GetItemShape)
    .Gradient(tl::GetItemGradient)
    .CpuKernelClass<WithElementType<GetItem>>();

RAMET_OP("TensorListSetItem")
    .Input("input_handle: variant")
    .Input("index: int32")
    .Input("item: element_dtype")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("resize_if_index_out_of_bounds: bool = false")
    .Doc(
        "Returns the list with `item` as element `index`, a scalar. With "
        "resize_if_index_out_of_bounds, the list is extended if necessary. Error: the index is out "
        "of range; the dtype or shape does not match; the list becomes longer than 2^24 "
        "(kResourceExhausted).")
    .Shape(tl::ChangedListShape<2>)
    .Gradient(tl::SetItemGradient)
    .CpuKernelClass<SetItem>();

RAMET_OP("TensorListLength")
    .Input("input_handle: variant")
    .Output("length: int32")
    .Doc("Returns the number of elements, a scalar.")
    .Shape(ScalarShape)
    .NotDifferentiable()
    .CpuKernel(Length);

RAMET_OP("TensorListElementShape")
    .Input("input_handle: variant")
    .Output("element_shape: shape_type")
    .Attr("shape_type: {int32, int64}")
    .Doc(
        "Returns the shape with which the elements must be compatible: a vector with -1 for "
        "unknown dimensions, or the scalar -1 for any shape.")
    .Shape(tl::ElementShapeShape)
    .NotDifferentiable()
    .CpuKernel("shape_type", kInt32, ElementShape<int32_t>)
    .CpuKernel("shape_type", kInt64, ElementShape<int64_t>);

RAMET_OP("TensorListResize")
    .Input("input_handle: variant")
    .Input("size: int32")
    .Output("output_handle: variant")
    .Doc(
        "Returns the list cut or extended to `size` elements, a scalar; added elements are not "
        "set. Error: `size` is negative; `size` is above 2^24 (kResourceExhausted).")
    .Shape(ScalarShape)
    .Gradient(tl::ResizeGradient)
    .CpuKernel(Resize);

}  // namespace
}  // namespace ramet
