// Ops that make lists from tensors and tensors from lists.
#include <algorithm>

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/data_flow/join.h"
#include "ramet/ops/list/list_grad.h"
#include "ramet/ops/list/list_shapes.h"
#include "ramet/ops/list/tensor_list.h"

namespace ramet {
namespace {

namespace tl = tensor_list;

// Returns the element shape given by an input, merged with that of the list.
StatusOr<Shape> StatedShape(const Tensor& arg, const TensorList& list) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, PartialShapeArg(arg));
  return MergePartialShapes(shape, list.element_shape);
}

// Replaces elements that are not set by zeros. `shape` must be fully defined if there are any.
Status FillUnset(KernelContext& c, DType dtype, const Shape& shape, std::vector<Tensor>* items) {
  Tensor zeros;
  for (Tensor& item : *items) {
    if (!item.empty()) continue;
    if (zeros.empty()) {
      RAMET_ASSIGN_OR_RETURN(zeros, ZeroTensor(c, dtype, shape));
    }
    item = zeros;
  }
  return OkStatus();
}

Status StackItems(KernelContext& c, DType dtype, Shape shape, std::vector<Tensor> items,
                  std::string_view unset_error) {
  for (const Tensor& item : items) {
    if (item.empty()) continue;
    RAMET_ASSIGN_OR_RETURN(shape, MergePartialShapes(shape, item.shape()));
  }
  if (!shape.IsFullyDefined()) return InvalidArgument(unset_error, shape);
  RAMET_RETURN_IF_ERROR(FillUnset(c, dtype, shape, &items));
  return OutputStack(c, dtype, shape, items);
}

class StackKernel final : public Kernel {
 public:
  StackKernel(DType dtype, int64_t n) : dtype_(dtype), n_(n) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<StackKernel>(
        node.output_types[0], node.attrs->GetOr<int64_t>("num_elements", -1)));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const TensorList* list, InputList(c));
    RAMET_RETURN_IF_ERROR(list->CheckDType(dtype_));
    if (n_ != -1 && list->size() != n_) {
      return InvalidArgument("Operation expected a list with ", n_,
                             " elements but got a list with ", list->size(), " elements.");
    }
    RAMET_ASSIGN_OR_RETURN(Shape shape, StatedShape(c.input(1), *list));
    return StackItems(c, dtype_, std::move(shape), list->items,
                      list->items.empty()
                          ? "Tried to stack elements of an empty list with non-fully-defined "
                            "element_shape: "
                          : "Tried to stack list which only contains uninitialized tensors and has "
                            "a non-fully-defined element_shape: ");
  }

 private:
  const DType dtype_;
  const int64_t n_;
};

Status Gather(KernelContext& c, DType dtype) {
  RAMET_ASSIGN_OR_RETURN(const TensorList* list, InputList(c));
  RAMET_RETURN_IF_ERROR(list->CheckDType(dtype));
  RAMET_ASSIGN_OR_RETURN(Shape shape, StatedShape(c.input(2), *list));
  std::vector<Tensor> items;
  for (int32_t index : c.input(1).flat<int32_t>()) {
    RAMET_RETURN_IF_ERROR(list->CheckIndex(index, "Trying to gather"));
    items.push_back(list->items[index]);
  }
  return StackItems(
      c, dtype, std::move(shape), std::move(items),
      c.input(1).num_elements() == 0
          ? "Tried to gather 0-elements from a list with non-fully-defined shape: "
          : "Tried to gather uninitialized tensors from a list with non-fully-defined "
            "element_shape: ");
}

Status CheckAtLeastVector(const Tensor& t) {
  if (t.rank() > 0) return OkStatus();
  return InvalidArgument("Tensor must be at least a vector, but saw shape: ", t.shape());
}

StatusOr<Shape> ElementShapeFor(const Tensor& arg, const Tensor& rows) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, PartialShapeArg(arg));
  RAMET_RETURN_IF_ERROR(CheckAtLeastVector(rows));
  const Shape row = rows.shape().Slice(1, rows.rank());
  if (shape.IsCompatibleWith(row)) return shape;
  return InvalidArgument("Specified a list with shape ", shape, " from a tensor with shape ", row);
}

Status FromTensor(KernelContext& c, DType dtype) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, ElementShapeFor(c.input(1), c.input(0)));
  RAMET_ASSIGN_OR_RETURN(TensorList * list, NewList(c, dtype, std::move(shape)));
  RAMET_ASSIGN_OR_RETURN(list->items, Rows(c, c.input(0)));
  return OkStatus();
}

Status ScatterRows(KernelContext& c, const Tensor& rows, const Tensor& indices, TensorList* list) {
  RAMET_ASSIGN_OR_RETURN(std::vector<Tensor> values, Rows(c, rows));
  for (size_t i = 0; i < values.size(); ++i) {
    list->items[indices.data<int32_t>()[i]] = std::move(values[i]);
  }
  return OkStatus();
}

// Returns the largest index, or -1 if there are none.
// \error kInvalidArgument: an index is negative.
StatusOr<int64_t> LargestIndex(const Tensor& indices, std::string_view op) {
  int64_t largest = -1;
  for (int64_t index : indices.flat<int32_t>()) {
    if (index < 0) return InvalidArgument("Indices in ", op, " must all be non-negative.");
    largest = std::max(largest, index);
  }
  return largest;
}

// The optional input 3 is the number of elements (-1: as many as the indices require).
Status Scatter(KernelContext& c, DType dtype) {
  const Tensor &rows = c.input(0), &indices = c.input(1);
  RAMET_ASSIGN_OR_RETURN(Shape shape, ElementShapeFor(c.input(2), rows));
  int64_t size = -1;
  if (c.num_inputs() > 3) {
    RAMET_ASSIGN_OR_RETURN(size, ScalarInput(c, 3));
  }
  if (size < -1) {
    return InvalidArgument("TensorListScatter expects num_elements >= -1, found: ", size);
  }
  RAMET_ASSIGN_OR_RETURN(const int64_t largest, LargestIndex(indices, "TensorListScatter"));
  if (size >= 0 && largest >= size) {
    return InvalidArgument("TensorListScatter: Trying to scatter at index ", largest,
                           " in list with size ", size);
  }
  if (indices.num_elements() != rows.dim(0)) {
    return InvalidArgument("Invalid number of rows in input tensor. Expected: ",
                           indices.num_elements(), " Actual: ", rows.dim(0));
  }
  RAMET_ASSIGN_OR_RETURN(TensorList * list, NewList(c, dtype, std::move(shape)));
  RAMET_RETURN_IF_ERROR(list->Resize(size >= 0 ? size : largest + 1));
  return ScatterRows(c, rows, indices, list);
}

Status ScatterIntoExisting(KernelContext& c, DType dtype) {
  RAMET_ASSIGN_OR_RETURN(const TensorList* list, InputList(c));
  const Tensor &rows = c.input(1), &indices = c.input(2);
  RAMET_RETURN_IF_ERROR(list->CheckDType(dtype));
  RAMET_RETURN_IF_ERROR(CheckAtLeastVector(rows));
  if (indices.num_elements() != rows.dim(0)) {
    return InvalidArgument("Expected len(indices) == tensor.shape[0], but saw: ",
                           indices.num_elements(), " vs. ", rows.dim(0));
  }
  RAMET_ASSIGN_OR_RETURN(const int64_t largest,
                         LargestIndex(indices, "TensorListScatterIntoExistingList"));
  RAMET_ASSIGN_OR_RETURN(TensorList * changed, ChangedList(c));
  RAMET_RETURN_IF_ERROR(changed->Resize(std::max(changed->size(), largest + 1)));
  return ScatterRows(c, rows, indices, changed);
}

Shape ExceptFirst(const Shape& shape) {
  return shape.unknown_rank() ? Shape::Unknown() : shape.Slice(1, shape.rank());
}

// Concatenates the elements of a list along their first dimension. `stated` is the known part of
// their shape. Elements that are not set take their first dimension from it or from
// leading_dims[i].
class Concat {
 public:
  Concat(KernelContext& c, DType dtype, std::span<const int64_t> leading_dims)
      : c_(c), dtype_(dtype), leading_dims_(leading_dims) {}

  Status Run(const TensorList& list, const Shape& stated) {
    RAMET_RETURN_IF_ERROR(list.CheckDType(dtype_));
    RAMET_ASSIGN_OR_RETURN(stated_, MergePartialShapes(stated, list.element_shape));
    if (stated_.rank() == 0) {
      return InvalidArgument(
          "Concat requires elements to be at least vectors, found scalars instead.");
    }
    rest_ = ExceptFirst(stated_);
    items_ = list.items;
    if (items_.empty() && !rest_.IsFullyDefined()) {
      return InvalidArgument(
          "All except the first dimension must be fully defined when concating an empty tensor "
          "list. element_shape: ",
          rest_);
    }
    RAMET_RETURN_IF_ERROR(CheckItems());
    RAMET_RETURN_IF_ERROR(MakeUnset());
    RAMET_RETURN_IF_ERROR(OutputLengths());
    return OutputConcat(c_, dtype_, rest_, items_);
  }

 private:
  Status CheckItems() {
    for (size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].empty()) continue;
      const Shape& shape = items_[i].shape();
      if (shape.rank() == 0) {
        return InvalidArgument("Concat saw a scalar shape at index ", i,
                               " but requires at least vectors.");
      }
      if (stated_.rank() > 0 && stated_.dim(0) >= 0 && stated_.dim(0) != shape.dim(0)) {
        return InvalidArgument(
            "First entry of element_shape input does not match the first dim of list element at "
            "index: ",
            i, " Expected: ", stated_.dim(0), " Actual: ", shape.dim(0));
      }
      RAMET_ASSIGN_OR_RETURN(rest_, MergePartialShapes(rest_, ExceptFirst(shape)));
    }
    if (rest_.IsFullyDefined()) return OkStatus();
    return InvalidArgument(
        "Trying to concat list with only uninitialized tensors but element_shape_except_first_dim "
        "is not fully defined: ",
        rest_);
  }

  Status MakeUnset() {
    for (size_t i = 0; i < items_.size(); ++i) {
      if (!items_[i].empty()) continue;
      int64_t first = stated_.rank() > 0 ? stated_.dim(0) : -1;
      if (first < 0) {
        if (i >= leading_dims_.size()) {
          return InvalidArgument("List contains uninitialized tensor at index ", i,
                                 " but leading_dims has only ", leading_dims_.size(), " elements.");
        }
        first = leading_dims_[i];
      }
      RAMET_ASSIGN_OR_RETURN(Shape shape, Shape::Make(Shape{first}.Concatenate(rest_).dims()));
      if (first < 0) return InvalidArgument("leading_dims[", i, "] is negative: ", first);
      RAMET_ASSIGN_OR_RETURN(items_[i], ZeroTensor(c_, dtype_, shape));
    }
    return OkStatus();
  }

  Status OutputLengths() {
    RAMET_ASSIGN_OR_RETURN(Tensor * lengths, c_.Allocate(1, kInt64, Shape{std::ssize(items_)}));
    for (size_t i = 0; i < items_.size(); ++i) {
      lengths->mutable_data<int64_t>()[i] = items_[i].dim(0);
    }
    return OkStatus();
  }

  KernelContext& c_;
  const DType dtype_;
  const std::span<const int64_t> leading_dims_;
  Shape stated_, rest_;
  std::vector<Tensor> items_;
};

class ConcatKernel final : public Kernel {
 public:
  explicit ConcatKernel(const KernelNode& node)
      : dtype_(node.output_types[0]),
        shape_(node.attrs->GetOr<Shape>("element_shape", Shape::Unknown())) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<ConcatKernel>(node));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const TensorList* list, InputList(c));
    if (c.num_inputs() == 1) return Concat(c, dtype_, {}).Run(*list, shape_);
    RAMET_ASSIGN_OR_RETURN(Shape shape, PartialShapeArg(c.input(1)));
    return Concat(c, dtype_, c.input(2).flat<int64_t>()).Run(*list, shape);
  }

 private:
  const DType dtype_;
  const Shape shape_;
};

Status CheckSplit(const Tensor& rows, const Tensor& lengths) {
  RAMET_RETURN_IF_ERROR(CheckAtLeastVector(rows));
  int64_t used = 0;
  for (int64_t length : lengths.flat<int64_t>()) {
    if (length < 0) return InvalidArgument("Invalid value in lengths: ", length);
    if (length > rows.dim(0) - used) {
      const auto end = static_cast<uint64_t>(used) + static_cast<uint64_t>(length);
      return InvalidArgument("Attempting to slice [", used, ", ", end, "] from tensor with length ",
                             rows.dim(0));
    }
    used += length;
  }
  if (used == rows.dim(0)) return OkStatus();
  return InvalidArgument("Unused values in tensor. Length of tensor: ", rows.dim(0),
                         " Values used: ", used);
}

Status Split(KernelContext& c, DType dtype) {
  const Tensor &rows = c.input(0), &lengths = c.input(2);
  RAMET_ASSIGN_OR_RETURN(Shape shape, PartialShapeArg(c.input(1)));
  if (lengths.rank() != 1) {
    return InvalidArgument("Expected lengths to be a vector, received shape: ", lengths.shape());
  }
  Shape any_length = shape;
  if (shape.rank() > 0) any_length.set_dim(0, Shape::kUnknownDim);
  if (!any_length.IsCompatibleWith(rows.shape())) {
    return InvalidArgument("tensor shape ", rows.shape(), " is not compatible with element_shape ",
                           any_length);
  }
  RAMET_RETURN_IF_ERROR(CheckSplit(rows, lengths));
  RAMET_ASSIGN_OR_RETURN(TensorList * list, NewList(c, dtype, std::move(shape)));
  RAMET_ASSIGN_OR_RETURN(list->items, Pieces(c, rows, lengths.flat<int64_t>()));
  return OkStatus();
}

StatusOr<const TensorList*> ListAt(const Tensor& lists, int64_t i, DType dtype) {
  const Variant& value = lists.data<Variant>()[i];
  const auto* list = value.get<TensorList>();
  if (list == nullptr) {
    return InvalidArgument("Input handle is not a list. Saw: '", value.ToString(), "'");
  }
  RAMET_RETURN_IF_ERROR(list->CheckDType(dtype));
  return list;
}

Status ConcatLists(KernelContext& c, DType dtype) {
  const Tensor &a = c.input(0), &b = c.input(1);
  if (a.shape() != b.shape()) {
    return InvalidArgument("input_a.shape() and input_b.shape() must be the same, saw: ", a.shape(),
                           " and ", b.shape());
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * out, c.Allocate(0, DType::kVariant, a.shape()));
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    RAMET_ASSIGN_OR_RETURN(const TensorList* first, ListAt(a, i, dtype));
    RAMET_ASSIGN_OR_RETURN(const TensorList* second, ListAt(b, i, dtype));
    if (first->element_shape != second->element_shape) {
      return InvalidArgument(
          "input_a and input_b TensorList element shapes are not identical at index ", i, ".  Saw ",
          first->element_shape, " vs. ", second->element_shape);
    }
    auto joined = std::make_shared<TensorList>(*first);
    joined->items.insert(joined->items.end(), second->items.begin(), second->items.end());
    out->mutable_data<Variant>()[i] = Variant(std::move(joined));
  }
  return OkStatus();
}

Status PushBackBatch(KernelContext& c, DType dtype) {
  const Tensor &lists = c.input(0), &rows = c.input(1);
  if (rows.rank() == 0) {
    return InvalidArgument("Expected tensor to be at least a vector, but saw shape: ",
                           rows.shape());
  }
  if (rows.dim(0) != lists.num_elements()) {
    return InvalidArgument("Expected tensor.shape[0] == input_handles.size, but saw ", rows.dim(0),
                           " vs. ", lists.num_elements());
  }
  RAMET_ASSIGN_OR_RETURN(std::vector<Tensor> values, Rows(c, rows));
  RAMET_ASSIGN_OR_RETURN(Tensor * out, c.Allocate(0, DType::kVariant, lists.shape()));
  for (int64_t i = 0; i < lists.num_elements(); ++i) {
    RAMET_ASSIGN_OR_RETURN(const TensorList* list, ListAt(lists, i, dtype));
    if (!list->element_shape.IsCompatibleWith(values[i].shape())) {
      return InvalidArgument(
          "Tried to append a tensor with incompatible shape to a list. Op element shape: ",
          values[i].shape(), " list shape: ", list->element_shape);
    }
    auto longer = std::make_shared<TensorList>(*list);
    longer->items.push_back(std::move(values[i]));
    out->mutable_data<Variant>()[i] = Variant(std::move(longer));
  }
  return OkStatus();
}

RAMET_OP("TensorListStack")
    .Input("input_handle: variant")
    .Input("element_shape: int32")
    .Output("tensor: element_dtype")
    .Attr("element_dtype: type")
    .Attr("num_elements: int = -1")
    .Doc(
        "Stacks all elements along a new first dimension; elements that are not set are zeros. The "
        "elements must have the same shape, which element_shape and the list may specify. The list "
        "must have num_elements elements unless num_elements is -1. Error: the dtype, the shapes "
        "or the number of elements do not match; no element is set and the shape is not fully "
        "defined.")
    .Shape(tl::StackShape)
    .Gradient(tl::StackGradient)
    .CpuKernelClass<StackKernel>();

RAMET_OP("TensorListFromTensor")
    .Input("tensor: element_dtype")
    .Input("element_shape: shape_type")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Doc(
        "Returns the rows of `tensor` as a list. element_shape is as in EmptyTensorList. Error: "
        "`tensor` is a scalar; its rows are incompatible with element_shape.")
    .Shape(ScalarShape)
    .Gradient(tl::FromTensorGradient)
    .CpuKernelClass<WithElementType<FromTensor>>();

RAMET_OP("TensorListGather")
    .Input("input_handle: variant")
    .Input("indices: int32")
    .Input("element_shape: int32")
    .Output("values: element_dtype")
    .Attr("element_dtype: type")
    .Doc(
        "Stacks the elements `indices` along a new first dimension; elements that are not set are "
        "zeros. The elements must have the same shape, which element_shape and the list may "
        "specify. Error: an index is out of range; the dtype or the shapes do not match; no "
        "element is set and the shape is not fully defined.")
    .Shape(tl::GatherShape)
    .Gradient(tl::GatherGradient)
    .CpuKernelClass<WithElementType<Gather>>();

RAMET_OP("TensorListScatter")
    .Input("tensor: element_dtype")
    .Input("indices: int32")
    .Input("element_shape: shape_type")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Doc(
        "Returns a list as long as the largest index requires, with row i of `tensor` as element "
        "indices[i]. If an index occurs more than once, the last row wins. Elements without an "
        "index are not set. element_shape is as in EmptyTensorList. Error: an index is negative; "
        "the number of rows is not the number of indices; the rows are incompatible with "
        "element_shape; an index is 2^24 or higher (kResourceExhausted).")
    .Shape(ScalarShape)
    .Gradient(tl::ScatterGradient)
    .CpuKernelClass<WithElementType<Scatter>>();

RAMET_OP("TensorListScatterV2")
    .Input("tensor: element_dtype")
    .Input("indices: int32")
    .Input("element_shape: shape_type")
    .Input("num_elements: int32")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Doc(
        "Returns a list of num_elements elements (-1: as many as the largest index requires), with "
        "row i of `tensor` as element indices[i]. If an index occurs more than once, the last row "
        "wins. Elements without an index are not set. element_shape is as in EmptyTensorList. "
        "Error: an index is out of range; num_elements is less than -1; the number of rows is not "
        "the number of indices; the rows are incompatible with element_shape; the list has more "
        "than 2^24 elements (kResourceExhausted).")
    .Shape(ScalarShape)
    .Gradient(tl::ScatterGradient)
    .CpuKernelClass<WithElementType<Scatter>>();

RAMET_OP("TensorListScatterIntoExistingList")
    .Input("input_handle: variant")
    .Input("tensor: element_dtype")
    .Input("indices: int32")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Doc(
        "Returns the list with row i of `tensor` as element indices[i], extended as far as the "
        "largest index requires. Error: an index is negative; the dtype does not match; `tensor` "
        "is a scalar; the number of rows is not the number of indices; an index is 2^24 or higher "
        "(kResourceExhausted).")
    .Shape(ScalarShape)
    .Gradient(tl::ScatterIntoExistingGradient)
    .CpuKernelClass<WithElementType<ScatterIntoExisting>>();

RAMET_OP("TensorListConcat")
    .Input("input_handle: variant")
    .Output("tensor: element_dtype")
    .Output("lengths: int64")
    .Attr("element_dtype: type")
    .Attr("element_shape: shape = unknown")
    .Doc(
        "Concatenates all elements along their first dimension; `lengths` holds their sizes in "
        "that dimension. The remaining dimensions must be equal. Error: the dtype or the shapes do "
        "not match; an element is a scalar; an element is not set and its shape is unknown.")
    .Shape(tl::ConcatShape)
    .Gradient(tl::ConcatGradient)
    .CpuKernelClass<ConcatKernel>();

RAMET_OP("TensorListConcatV2")
    .Input("input_handle: variant")
    .Input("element_shape: shape_type")
    .Input("leading_dims: int64")
    .Output("tensor: element_dtype")
    .Output("lengths: int64")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Doc(
        "Concatenates all elements along their first dimension; `lengths` holds their sizes in "
        "that dimension. The remaining dimensions must be equal. Elements that are not set are "
        "zeros; if element_shape does not specify their first dimension, it is leading_dims[i]. "
        "Error: the dtype or the shapes do not match; an element is a scalar; an element is not "
        "set and its shape is unknown.")
    .Shape(tl::ConcatShape)
    .Gradient(tl::ConcatGradient)
    .CpuKernelClass<ConcatKernel>();

RAMET_OP("TensorListSplit")
    .Input("tensor: element_dtype")
    .Input("element_shape: shape_type")
    .Input("lengths: int64")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Doc(
        "Returns the rows of `tensor` as a list of pieces of lengths[i] rows each. element_shape "
        "is as in EmptyTensorList. Error: `lengths` is not a vector or has a negative element; the "
        "lengths do not add up to the number of rows; the shape of `tensor`, apart from its first "
        "dimension, is incompatible with element_shape.")
    .Shape(ScalarShape)
    .Gradient(tl::SplitGradient)
    .CpuKernelClass<WithElementType<Split>>();

RAMET_OP("TensorListConcatLists")
    .Input("input_a: variant")
    .Input("input_b: variant")
    .Output("output: variant")
    .Attr("element_dtype: type")
    .Doc(
        "Returns, for each pair of lists, the elements of the first list followed by those of the "
        "second. Error: the shapes of the inputs differ; the dtypes or element shapes of two lists "
        "differ; an input is not a list.")
    .Shape(tl::ConcatListsShape)
    .NotDifferentiable()
    .CpuKernelClass<WithElementType<ConcatLists>>();

RAMET_OP("TensorListPushBackBatch")
    .Input("input_handles: variant")
    .Input("tensor: element_dtype")
    .Output("output_handles: variant")
    .Attr("element_dtype: type")
    .Doc(
        "Appends row i of `tensor` to list i of a tensor of lists. Error: the number of rows is "
        "not the number of lists; the dtype or shape does not match; an input is not a list.")
    .Shape(UnchangedShape)
    .NotDifferentiable()
    .CpuKernelClass<WithElementType<PushBackBatch>>();

}  // namespace
}  // namespace ramet
