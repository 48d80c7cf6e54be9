#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "ramet/op/op.h"
#include "ramet/ops/sparse/sparse.h"

// Operations on sets, which are the elements along the last dimension of dense or sparse tensors.

namespace ramet {
namespace {

// The sets of one operand: for each group, its index in the leading dimensions.
template <class T>
struct SetGroup {
  std::vector<int64_t> index;
  std::set<T> elements;
  // The rows of a sparse operand.
  int64_t first_row = 0, num_rows = 0;
};

template <class T>
struct SetOperand {
  std::vector<int64_t> dims;  // of the leading dimensions
  std::vector<SetGroup<T>> groups;
};

enum class SetOperation { kAMinusB, kBMinusA, kIntersection, kUnion };

StatusOr<SetOperation> ParseSetOperation(const KernelNode& node) {
  RAMET_ASSIGN_OR_RETURN(std::string name, node.attrs->Get<std::string>("set_operation"));
  std::ranges::transform(name, name.begin(), [](char ch) {
    return ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch - 'A' + 'a') : ch;
  });
  if (name == "a-b") return SetOperation::kAMinusB;
  if (name == "b-a") return SetOperation::kBMinusA;
  if (name == "intersection") return SetOperation::kIntersection;
  if (name == "union") return SetOperation::kUnion;
  return InvalidArgument("Invalid set_operation ", name, ".");
}

Status CheckSparseSets(const SparseView& s, bool validate) {
  if (s.shape.rank() != 1) return InvalidArgument("Shape must be a 1D tensor.");
  RAMET_RETURN_IF_ERROR(DenseShapeOf(s.dims()).status());
  RAMET_RETURN_IF_ERROR(CheckParts(s));
  return validate ? CheckOrdered(s) : OkStatus();
}

// Returns the leading dimensions.
StatusOr<std::vector<int64_t>> LeadingDims(std::span<const int64_t> dims) {
  if (dims.size() < 2) return InvalidArgument("Invalid rank ", dims.size(), ".");
  return std::vector<int64_t>(dims.begin(), dims.end() - 1);
}

// Each run of elements with the same leading indices is a set.
template <class T>
StatusOr<SetOperand<T>> SparseSets(const SparseView& s, bool validate) {
  SetOperand<T> operand;
  if (s.shape.rank() == 1) {
    RAMET_ASSIGN_OR_RETURN(operand.dims, LeadingDims(s.dims()));
  }
  RAMET_RETURN_IF_ERROR(CheckSparseSets(s, validate));
  const int leading = s.rank() - 1;
  for (int64_t i = 0; i < s.count(); ++i) {
    if (i == 0 || CompareIndices(s.row(i - 1), s.row(i), leading) != 0) {
      operand.groups.push_back({{s.row(i), s.row(i) + leading}, {}, i});
    }
    operand.groups.back().elements.insert(s.values.data<T>()[i]);
    ++operand.groups.back().num_rows;
  }
  return operand;
}

// Checks the indices of one group, whose elements are `num_rows` rows from `first_row`.
// \error kInternal: "indices[0, 1] expected < 3, got 3.", where 0 is a row of the group.
Status CheckGroup(const SparseView& s, int64_t first_row, int64_t num_rows) {
  for (int d = 0; d < s.rank(); ++d) {
    const int64_t size = s.dims()[d];
    if (size == 0) return Internal("Invalid dim_size[", d, "] = 0.");
    for (int64_t i = 0; i < num_rows; ++i) {
      const int64_t index = s.row(first_row + i)[d];
      if (index < size) continue;
      return Internal("indices[", i, ", ", d, "] expected < ", size, ", got ", index, ".");
    }
  }
  return OkStatus();
}

template <class T>
Status CheckGroups(const SparseView& s, const SetOperand<T>& sets) {
  for (const SetGroup<T>& group : sets.groups) {
    RAMET_RETURN_IF_ERROR(CheckGroup(s, group.first_row, group.num_rows));
  }
  return OkStatus();
}

// Removes all groups from the first one on that is out of order or out of bounds. The groups of the
// dense operand never reach it.
template <class T>
void DropUnreachable(SetOperand<T>& sets) {
  const std::vector<int64_t>* last = nullptr;
  const auto reachable = [&](const SetGroup<T>& group) {
    for (size_t d = 0; d < group.index.size(); ++d) {
      if (group.index[d] < 0 || group.index[d] >= sets.dims[d]) return false;
    }
    if (last != nullptr && group.index <= *last) return false;
    last = &group.index;
    return true;
  };
  const auto end = std::ranges::find_if_not(sets.groups, reachable);
  sets.groups.erase(end, sets.groups.end());
}

template <class T>
StatusOr<SetOperand<T>> DenseSets(const Tensor& x) {
  if (x.rank() < 2) return InvalidArgument("Shape ", x.shape(), " has rank ", x.rank(), " < 2");
  SetOperand<T> operand{{x.shape().dims().begin(), x.shape().dims().end() - 1}, {}};
  const int64_t width = x.dim(x.rank() - 1);
  // Sets without elements need no groups.
  const int64_t count = width == 0 ? 0 : Product(x.shape(), 0, x.rank() - 1);
  std::vector<int64_t> index(operand.dims.size());
  for (int64_t i = 0; i < count; ++i) {
    const T* row = x.data<T>() + i * width;
    operand.groups.push_back({index, std::set<T>(row, row + width), 0, 0});
    for (int d = static_cast<int>(index.size()) - 1; d >= 0; --d) {
      if (++index[d] < operand.dims[d]) break;
      index[d] = 0;
    }
  }
  return operand;
}

template <class T>
std::vector<T> Apply(SetOperation operation, const std::set<T>& a, const std::set<T>& b) {
  std::vector<T> result;
  const auto out = std::back_inserter(result);
  switch (operation) {
    case SetOperation::kAMinusB: std::ranges::set_difference(a, b, out); break;
    case SetOperation::kBMinusA: std::ranges::set_difference(b, a, out); break;
    case SetOperation::kIntersection: std::ranges::set_intersection(a, b, out); break;
    case SetOperation::kUnion: std::ranges::set_union(a, b, out); break;
  }
  return result;
}

// The sets of the result; those without elements are left out.
template <class T>
struct SetResult {
  std::vector<std::pair<std::vector<int64_t>, std::vector<T>>> groups;
  int64_t count = 0, widest = 0;

  void Add(const std::vector<int64_t>& index, std::vector<T> elements) {
    if (elements.empty()) return;
    count += std::ssize(elements);
    widest = std::max<int64_t>(widest, std::ssize(elements));
    groups.emplace_back(index, std::move(elements));
  }
};

// Pairs the groups of both operands, which are in ascending order. A group that one of them lacks
// is an empty set.
template <class T>
SetResult<T> Combine(SetOperation operation, const SetOperand<T>& a, const SetOperand<T>& b) {
  const std::set<T> none;
  SetResult<T> result;
  size_t i = 0, k = 0;
  while (i < a.groups.size() || k < b.groups.size()) {
    const bool a_left = i < a.groups.size(), b_left = k < b.groups.size();
    const bool take_a = a_left && (!b_left || a.groups[i].index <= b.groups[k].index);
    const bool take_b = b_left && (!a_left || b.groups[k].index <= a.groups[i].index);
    result.Add(take_a ? a.groups[i].index : b.groups[k].index,
               Apply(operation, take_a ? a.groups[i].elements : none,
                     take_b ? b.groups[k].elements : none));
    i += take_a ? 1 : 0;
    k += take_b ? 1 : 0;
  }
  return result;
}

template <class T>
Status WriteSets(KernelContext& c, std::vector<int64_t> dims, const SetResult<T>& result) {
  const auto leading = dims.size();
  dims.push_back(result.widest);
  RAMET_ASSIGN_OR_RETURN(const SparseOutputs out,
                         AllocateSparse(c, 0, DTypeOf<T>::value, result.count, dims));
  int64_t* row = out.indices->mutable_data<int64_t>();
  T* value = out.values->template mutable_data<T>();
  for (const auto& [index, elements] : result.groups) {
    for (size_t n = 0; n < elements.size(); ++n) {
      row = std::copy_n(index.begin(), leading, row);
      *row++ = static_cast<int64_t>(n);
      *value++ = elements[n];
    }
  }
  return OkStatus();
}

// kSparse is the number of sparse operands; dense ones come first.
template <class T, int kSparse>
class SetOperationKernel final : public Kernel {
 public:
  SetOperationKernel(SetOperation operation, bool validate)
      : operation_(operation), validate_(validate) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const SetOperation operation, ParseSetOperation(node));
    return std::unique_ptr<Kernel>(std::make_unique<SetOperationKernel>(
        operation, node.attrs->GetOr("validate_indices", true)));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const SetOperand<T> a,
                           kSparse == 2 ? Sparse(c, 0) : DenseSets<T>(c.input(0)));
    constexpr int kSecond = kSparse == 2 ? 3 : 1;
    RAMET_ASSIGN_OR_RETURN(SetOperand<T> b,
                           kSparse == 0 ? DenseSets<T>(c.input(1)) : Sparse(c, kSecond));
    if (a.dims != b.dims) {
      return InvalidArgument("Mismatched shapes [", StrJoin(a.dims, ","), "] vs [",
                             StrJoin(b.dims, ","), "]");
    }
    if (kSparse == 1) DropUnreachable(b);
    if (kSparse == 2) RAMET_RETURN_IF_ERROR(CheckGroups(SparseInputs(c, 0), a));
    if (kSparse > 0) RAMET_RETURN_IF_ERROR(CheckGroups(SparseInputs(c, kSecond), b));
    return WriteSets(c, a.dims, Combine(operation_, a, b));
  }

 private:
  StatusOr<SetOperand<T>> Sparse(const KernelContext& c, int first) const {
    return SparseSets<T>(SparseInputs(c, first), validate_);
  }

  const SetOperation operation_;
  const bool validate_;
};

template <class T>
using DenseDenseKernel = SetOperationKernel<T, 0>;
template <class T>
using DenseSparseKernel = SetOperationKernel<T, 1>;
template <class T>
using SparseSparseKernel = SetOperationKernel<T, 2>;

// Returns the position of a set in the output. The index is less than the sizes.
// \error kInternal: the index is negative.
StatusOr<int64_t> SetPosition(const std::vector<int64_t>& index, const Shape& shape) {
  int64_t at = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    if (index[d] < 0) return Internal("indices[0, ", d, "] expected >= 0, got ", index[d], ".");
    at = at * shape.dim(d) + index[d];
  }
  return at;
}

template <class T>
class SetSizeKernel final : public Kernel {
 public:
  explicit SetSizeKernel(bool validate) : validate_(validate) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(
        std::make_unique<SetSizeKernel>(node.attrs->GetOr("validate_indices", true)));
  }
  Status Compute(KernelContext& c) override {
    const SparseView input = SparseInputs(c);
    RAMET_ASSIGN_OR_RETURN(const SetOperand<T> sets, SparseSets<T>(input, validate_));
    RAMET_RETURN_IF_ERROR(CheckGroups(input, sets));
    RAMET_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(sets.dims));
    RAMET_ASSIGN_OR_RETURN(Tensor * sizes, c.Allocate(0, kInt32, shape));
    std::fill_n(sizes->mutable_data<int32_t>(), sizes->num_elements(), 0);
    for (const SetGroup<T>& group : sets.groups) {
      RAMET_ASSIGN_OR_RETURN(const int64_t at, SetPosition(group.index, shape));
      sizes->mutable_data<int32_t>()[at] = static_cast<int32_t>(group.elements.size());
    }
    return OkStatus();
  }

 private:
  const bool validate_;
};

Status DenseSetsShape(ShapeContext& c) {
  const Shape &a = c.input(0), &b = c.input(1);
  for (const int i : {0, 1}) {
    if (!c.input(i).unknown_rank()) RAMET_RETURN_IF_ERROR(c.WithRankAtLeast(i, 2).status());
  }
  if (!a.unknown_rank() && !b.unknown_rank()) {
    RAMET_RETURN_IF_ERROR(a.Slice(0, a.rank() - 1).MergeWith(b.Slice(0, b.rank() - 1)).status());
  }
  SetSparseOutputs(c, 0, std::max(a.rank(), b.rank()));
  return OkStatus();
}

Status DenseToSparseSetsShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const int64_t rank, SparseInputRank(c, 1));
  const Shape& a = c.input(0);
  if (!a.unknown_rank()) RAMET_RETURN_IF_ERROR(c.WithRankAtLeast(0, 2).status());
  SetSparseOutputs(c, 0, a.unknown_rank() ? rank : a.rank());
  return OkStatus();
}

Status SparseSetsShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const int64_t a, SparseInputRank(c, 0));
  RAMET_ASSIGN_OR_RETURN(const int64_t b, SparseInputRank(c, 3));
  RAMET_ASSIGN_OR_RETURN(const Shape rank, Shape{a}.MergeWith(Shape{b}));
  SetSparseOutputs(c, 0, rank.dim(0));
  return OkStatus();
}

#define RAMET_SET_TYPES int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, std::string
#define RAMET_SET_DOC(operands)                                                                   \
  "Combines pairs of sets, which are the elements along the last dimension of " operands          \
  ". set_operation is \"a-b\", \"b-a\", \"intersection\" or \"union\". Returns a sparse tensor "  \
  "with the same leading dimensions and the sorted elements of each set. Error: set_operation "   \
  "is unknown; the ranks are below 2; the leading dimensions differ; a sparse input is not one, " \
  "or its elements are not sorted (checked with validate_indices) and within its shape."
#define RAMET_SET_OP(name)                   \
  RAMET_OP(name)                             \
      .Output("result_indices: int64")       \
      .Output("result_values: T")            \
      .Output("result_shape: int64")         \
      .Attr("set_operation: string")         \
      .Attr("validate_indices: bool = true") \
      .Attr("T: {int8, int16, int32, int64, uint8, uint16, string}")

RAMET_SET_OP("DenseToDenseSetOperation")
    .Input("set1: T")
    .Input("set2: T")
    .Doc(RAMET_SET_DOC("two tensors"))
    .Shape(DenseSetsShape)
    .NotDifferentiable()
    .CpuKernelClasses<DenseDenseKernel, RAMET_SET_TYPES>();

RAMET_SET_OP("DenseToSparseSetOperation")
    .Input("set1: T")
    .Input("set2_indices: int64")
    .Input("set2_values: T")
    .Input("set2_shape: int64")
    .Doc(RAMET_SET_DOC("a tensor and a sparse tensor"))
    .Shape(DenseToSparseSetsShape)
    .NotDifferentiable()
    .CpuKernelClasses<DenseSparseKernel, RAMET_SET_TYPES>();

RAMET_SET_OP("SparseToSparseSetOperation")
    .Input("set1_indices: int64")
    .Input("set1_values: T")
    .Input("set1_shape: int64")
    .Input("set2_indices: int64")
    .Input("set2_values: T")
    .Input("set2_shape: int64")
    .Doc(RAMET_SET_DOC("two sparse tensors"))
    .Shape(SparseSetsShape)
    .NotDifferentiable()
    .CpuKernelClasses<SparseSparseKernel, RAMET_SET_TYPES>();

RAMET_OP("SetSize")
    .Input("set_indices: int64")
    .Input("set_values: T")
    .Input("set_shape: int64")
    .Output("size: int32")
    .Attr("validate_indices: bool = true")
    .Attr("T: {int8, int16, int32, int64, uint8, uint16, string}")
    .Doc(
        "Returns the number of distinct elements of each set along the last dimension of a sparse "
        "tensor, in a tensor of the leading dimensions. Error: the inputs are not the parts of a "
        "sparse tensor of rank 2 or more; the elements are not sorted (checked with "
        "validate_indices); an index is out of bounds.")
    .Shape(UnknownShape)
    .NotDifferentiable()
    .CpuKernelClasses<SetSizeKernel, RAMET_SET_TYPES>();

}  // namespace
}  // namespace ramet
