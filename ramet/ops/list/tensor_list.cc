#include "ramet/ops/list/tensor_list.h"

#include <new>

#include "ramet/ops/array/move.h"

namespace ramet {
namespace {

// The nested lists that the outermost running destructor on this thread still has to destroy.
thread_local std::vector<Tensor>* dying_items = nullptr;

}  // namespace

TensorList::~TensorList() {
  if (dtype != DType::kVariant || items.empty()) return;
  if (dying_items != nullptr) {
    std::ranges::move(items, std::back_inserter(*dying_items));
    return;
  }
  std::vector<Tensor> rest = std::move(items);
  dying_items = &rest;
  while (!rest.empty()) {
    const Tensor item = std::move(rest.back());
    rest.pop_back();
  }
  dying_items = nullptr;
}

Status TensorList::CheckDType(DType found) const {
  if (found == dtype) return OkStatus();
  return InvalidArgument("Invalid data types; op elements ", DTypeName(found),
                         " but list elements ", DTypeName(dtype));
}

Status TensorList::CheckIndex(int64_t index, std::string_view what) const {
  if (index >= 0 && index < size()) return OkStatus();
  return InvalidArgument(what, " element ", index, " in a list with ", size(), " elements.");
}

Status TensorList::Resize(int64_t n) {
  if (n > kMaxElements) {
    return ResourceExhausted("a list of ", n, " tensors exceeds the limit of ", kMaxElements);
  }
  try {
    items.resize(static_cast<size_t>(n));
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory for a list of ", n, " tensors");
  }
  return OkStatus();
}

Status TensorList::Set(int64_t index, const Tensor& value) {
  RAMET_ASSIGN_OR_RETURN(items[index], value.Owned());
  return OkStatus();
}

StatusOr<const TensorList*> InputList(KernelContext& c, int i) {
  const Tensor& handle = c.input(i);
  if (handle.rank() != 0) {
    return InvalidArgument("Input list must be a scalar saw: ", handle.shape());
  }
  const Variant& value = handle.scalar<Variant>();
  if (const auto* list = value.get<TensorList>()) return list;
  return InvalidArgument("Input handle is not a list. Saw: '", value.ToString(), "'");
}

StatusOr<TensorList*> ChangedList(KernelContext& c, int i) {
  RAMET_ASSIGN_OR_RETURN(const TensorList* list, InputList(c, i));
  RAMET_ASSIGN_OR_RETURN(Tensor * out, c.ForwardOrAllocate(0, {i}, DType::kVariant, Shape()));
  Variant& value = *out->mutable_data<Variant>();
  if (TensorList* own = value.unshared<TensorList>()) return own;
  auto copy = std::make_shared<TensorList>(*list);
  value = Variant(copy);
  return copy.get();
}

StatusOr<TensorList*> NewList(KernelContext& c, DType dtype, Shape element_shape) {
  auto list = std::make_shared<TensorList>();
  list->dtype = dtype;
  list->element_shape = std::move(element_shape);
  c.SetOutput(0, VariantScalar(list));
  return list.get();
}

StatusOr<Shape> PartialShapeArg(const Tensor& t) {
  if (t.rank() > 1) {
    return InvalidArgument("Shape must be at most rank 1 but is rank ", t.rank());
  }
  if (t.rank() == 0) {
    if (IntegerAt(t, 0) == -1) return Shape::Unknown();
    return InvalidArgument(
        "The only valid scalar shape tensor is the fully unknown shape specified as -1.");
  }
  RAMET_ASSIGN_OR_RETURN(Dims dims, VectorArg(t, "element_shape"));
  for (int64_t dim : dims) {
    if (dim < -1) return InvalidArgument("Dimension ", dim, " must be >= -1");
  }
  return Shape::Make(dims);
}

StatusOr<Shape> MergePartialShapes(const Shape& a, const Shape& b) {
  if (a.IsCompatibleWith(b)) return a.MergeWith(b);
  if (a.rank() != b.rank()) {
    return InvalidArgument("PartialTensorShape: Incompatible ranks during merge: ", a.rank(),
                           " vs. ", b.rank());
  }
  return InvalidArgument("PartialTensorShape: Incompatible shapes during merge: ", a, " vs. ", b);
}

StatusOr<int64_t> ScalarInput(KernelContext& c, int i) {
  if (c.input(i).rank() == 0) return IntegerAt(c.input(i), 0);
  return InvalidArgument("Expected argument ", i, " to be a scalar. Received a tensor of shape ",
                         c.input(i).shape());
}

StatusOr<Tensor> ZeroTensor(KernelContext& c, DType dtype, const Shape& shape) {
  RAMET_ASSIGN_OR_RETURN(Tensor zeros, c.AllocateTemp(dtype, shape));
  RAMET_RETURN_IF_ERROR(FillZeros(zeros));
  return zeros;
}

}  // namespace ramet
