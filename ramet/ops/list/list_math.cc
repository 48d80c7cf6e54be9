#include "ramet/ops/list/list_math.h"

#include "ramet/linalg/elementwise.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/list/tensor_list.h"

namespace ramet {
namespace {

StatusOr<const TensorList*> ListOf(const Variant& value, std::string_view doing) {
  if (const auto* list = value.get<TensorList>()) return list;
  return InvalidArgument("Input handle is not a list. ", doing, " found: '", value.ToString(), "'");
}

// The maximum depth of lists in lists. Untrusted graphs may nest them deeper than the stack allows.
constexpr int kMaxNesting = 100;
// The maximum number of visits. A list that holds a second list twice, and so on, has exponentially
// many paths.
constexpr int64_t kMaxVisits = int64_t{1} << 22;

// A Walk is one path into nested lists: its depth, and the number of visits that the whole walk has
// left.
struct Walk {
  int depth = 0;
  int64_t* visits_left;
  Walk Inside() const { return {depth + 1, visits_left}; }
  Status Visit() const {
    if (depth >= kMaxNesting) {
      return InvalidArgument("lists are nested deeper than ", kMaxNesting, " levels");
    }
    if (--*visits_left >= 0) return OkStatus();
    return ResourceExhausted("nested lists hold more than ", kMaxVisits,
                             " lists, where a list that is held twice counts twice");
  }
};

StatusOr<Variant> ZerosLike(KernelContext& c, const Variant& value, const Walk& walk);
StatusOr<Variant> Sum(KernelContext& c, const Variant& a, const Variant& b, const Walk& walk);

StatusOr<Tensor> ZerosLike(KernelContext& c, const Tensor& x, const Walk& walk) {
  if (x.empty()) return Tensor();
  RAMET_ASSIGN_OR_RETURN(Tensor zeros, ZeroTensor(c, x.dtype(), x.shape()));
  if (x.dtype() != DType::kVariant) return zeros;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    RAMET_ASSIGN_OR_RETURN(zeros.mutable_data<Variant>()[i],
                           ZerosLike(c, x.data<Variant>()[i], walk));
  }
  return zeros;
}

StatusOr<Variant> ZerosLike(KernelContext& c, const Variant& value, const Walk& walk) {
  RAMET_RETURN_IF_ERROR(walk.Visit());
  RAMET_ASSIGN_OR_RETURN(const TensorList* list, ListOf(value, "ZerosLike"));
  auto zeros = std::make_shared<TensorList>(*list);
  for (Tensor& item : zeros->items) {
    RAMET_ASSIGN_OR_RETURN(item, ZerosLike(c, item, walk.Inside()));
  }
  return Variant(std::move(zeros));
}

StatusOr<Tensor> Sum(KernelContext& c, const Tensor& a, const Tensor& b, const Walk& walk) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  const DType dtype = a.dtype();
  if (a.shape() != b.shape()) {
    return InvalidArgument("Trying to add two tensors with incompatible element shapes. One is ",
                           a.shape(), " and the other is ", b.shape());
  }
  RAMET_ASSIGN_OR_RETURN(Tensor sum, c.AllocateTemp(dtype, a.shape()));
  if (dtype == DType::kVariant) {
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      RAMET_ASSIGN_OR_RETURN(sum.mutable_data<Variant>()[i],
                             Sum(c, a.data<Variant>()[i], b.data<Variant>()[i], walk));
    }
    return sum;
  }
  if (!IsFloating(dtype) && !IsInteger(dtype) && !IsComplex(dtype)) {
    return InvalidArgument("Trying to add unsupported dtype ", static_cast<int>(dtype));
  }
  linalg::Binary(linalg::BinaryOp::kAdd, LinalgType(dtype), a.raw_data(), b.raw_data(),
                 sum.raw_data(), a.num_elements());
  return sum;
}

StatusOr<Variant> Sum(KernelContext& c, const Variant& a, const Variant& b, const Walk& walk) {
  RAMET_RETURN_IF_ERROR(walk.Visit());
  RAMET_ASSIGN_OR_RETURN(const TensorList* x, ListOf(a, "AddN"));
  RAMET_ASSIGN_OR_RETURN(const TensorList* y, ListOf(b, "AddN"));
  if (x->dtype != y->dtype) {
    return InvalidArgument("Trying to add two lists of tensors of different dtypes. One is ",
                           DTypeName(x->dtype), " and the other is ", DTypeName(y->dtype));
  }
  if (x->size() != y->size()) {
    return InvalidArgument("Trying to add two lists of tensors with different lengths. One is ",
                           x->size(), " and the other is ", y->size());
  }
  auto merged = x->element_shape.MergeWith(y->element_shape);
  if (!merged.ok()) {
    return InvalidArgument(
        "Trying to add two lists of tensors with incompatible element shapes. One is ",
        x->element_shape, " and the other is ", y->element_shape);
  }
  auto sum = std::make_shared<TensorList>(*x);
  sum->element_shape = *std::move(merged);
  for (int64_t i = 0; i < x->size(); ++i) {
    RAMET_ASSIGN_OR_RETURN(sum->items[i], Sum(c, x->items[i], y->items[i], walk.Inside()));
  }
  return Variant(std::move(sum));
}

}  // namespace

Status ZerosLikeVariants(KernelContext& c) {
  int64_t visits = kMaxVisits;
  RAMET_ASSIGN_OR_RETURN(Tensor zeros, ZerosLike(c, c.input(0), Walk{0, &visits}));
  c.SetOutput(0, std::move(zeros));
  return OkStatus();
}

Status AddVariants(KernelContext& c) {
  int64_t visits = kMaxVisits;
  Tensor sum = c.input(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    RAMET_ASSIGN_OR_RETURN(sum, Sum(c, sum, c.input(i), Walk{0, &visits}));
  }
  c.SetOutput(0, std::move(sum));
  return OkStatus();
}

}  // namespace ramet
