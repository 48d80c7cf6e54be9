#include <atomic>
#include <cstring>

#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/parallel_rows.h"
#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/array/indices.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/state/handle.h"

namespace ramet {
namespace {

// How the rows of an update are combined with those of the variable.
enum class ScatterMode { kUpdate, kAdd, kSub, kMul, kDiv, kMax, kMin };

linalg::BinaryOp BinaryOpOf(ScatterMode mode) {
  switch (mode) {
    case ScatterMode::kSub: return linalg::BinaryOp::kSub;
    case ScatterMode::kMul: return linalg::BinaryOp::kMul;
    case ScatterMode::kDiv: return linalg::BinaryOp::kDiv;
    case ScatterMode::kMax: return linalg::BinaryOp::kMaximum;
    case ScatterMode::kMin: return linalg::BinaryOp::kMinimum;
    default: return linalg::BinaryOp::kAdd;
  }
}

// Returns the op for bools: a sum is true if one operand is, a difference if they differ.
linalg::BinaryOp LogicalOpOf(ScatterMode mode) {
  return mode == ScatterMode::kSub ? linalg::BinaryOp::kNotEqual : linalg::BinaryOp::kLogicalOr;
}

// Combines the n elements of `row` with those of `update`. Returns false if an integer would be
// divided by zero.
bool CombineRow(ScatterMode mode, DType dtype, void* row, const void* update, int64_t n) {
  if (mode == ScatterMode::kUpdate) {
    if (n > 0) std::memcpy(row, update, static_cast<size_t>(n) * DTypeSize(dtype));
    return true;
  }
  const linalg::BinaryOp op = dtype == DType::kBool ? LogicalOpOf(mode) : BinaryOpOf(mode);
  return linalg::Binary(op, LinalgType(dtype), row, update, row, n);
}

// Combines n elements of y starting at `to` with those of x starting at `from`. Returns the result
// of CombineRow.
bool Combine(ScatterMode mode, const Tensor& x, int64_t from, Tensor& y, int64_t to, int64_t n) {
  const int64_t width = static_cast<int64_t>(DTypeSize(x.dtype()));
  if (width == 0) {
    CopyElements(x, from, y, to, n);
    return true;
  }
  char* row = static_cast<char*>(y.raw_data()) + to * width;
  const char* update = static_cast<const char*>(x.raw_data()) + from * width;
  return CombineRow(mode, x.dtype(), row, update, n);
}

Status DivisionByZero() { return InvalidArgument("Integer division by zero"); }

Status CheckUpdates(const Tensor& old, const Tensor& indices, const Tensor& updates) {
  RAMET_RETURN_IF_ERROR(CheckVariableType("update", updates.dtype(), old.dtype()));
  if (old.rank() < 1) {
    return InvalidArgument("params must be at least 1-D, got shape ", old.shape());
  }
  const Shape expected = indices.shape().Concatenate(old.shape().Slice(1, old.rank()));
  if (updates.rank() != 0 && !(updates.shape() == expected)) {
    return InvalidArgument(
        "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
        "updates.shape ",
        updates.shape(), ", indices.shape ", indices.shape(), ", params.shape ", old.shape());
  }
  if (DeviceMath::Of(old) != nullptr) return OkStatus();
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    const int64_t at = IntegerAt(indices, i);
    if (at < 0 || at >= old.dim(0)) return IndexOutside(indices, i, old.dim(0));
  }
  return OkStatus();
}

// Combines n elements of `updates` with each row of `out` that `indices` names; the elements for
// the next row start `step` elements later.
Status CombineRows(ScatterMode mode, const Tensor& indices, const Tensor& updates, int64_t step,
                   int64_t n, Tensor& out) {
  const int64_t count = indices.num_elements();
  if (count == 0 || n == 0) return OkStatus();
  const int64_t width = static_cast<int64_t>(DTypeSize(out.dtype())), row_bytes = n * width;
  const auto row = [&](int64_t i) { return IntegerAt(indices, i); };
  if (width == 0) {
    for (int64_t i = 0; i < count; ++i) CopyElements(updates, i * step, out, row(i) * n, n);
    return OkStatus();
  }
  char* rows = static_cast<char*>(out.raw_data());
  const char* update = static_cast<const char*>(updates.raw_data());
  const auto prefetch = [&](int64_t i) { PrefetchToWrite(rows + row(i) * row_bytes, row_bytes); };
  std::atomic<bool> failed = false;
  const auto combine = [&](int64_t i) {
    if (failed.load(std::memory_order_relaxed)) return;
    char* to = rows + row(i) * row_bytes;
    if (!CombineRow(mode, out.dtype(), to, update + i * step * width, n)) failed = true;
  };
  // One lane, so that the elements left by a division by zero do not depend on the number of
  // threads.
  const auto lanes =
      mode == ScatterMode::kDiv ? linalg::RowLanes::One() : linalg::RowLanes(count, row_bytes);
  linalg::ParallelForRows(lanes, count, row, prefetch, combine);
  return failed ? DivisionByZero() : OkStatus();
}

constexpr RowUpdate RowUpdateOf(ScatterMode mode) {
  switch (mode) {
    case ScatterMode::kUpdate: return RowUpdate::kAssign;
    case ScatterMode::kAdd: return RowUpdate::kAdd;
    case ScatterMode::kSub: return RowUpdate::kSub;
    case ScatterMode::kMul: return RowUpdate::kMul;
    case ScatterMode::kDiv: return RowUpdate::kDiv;
    case ScatterMode::kMax: return RowUpdate::kMax;
    case ScatterMode::kMin: return RowUpdate::kMin;
  }
}

// Scatters on a device, where indices that are out of range are ignored.
template <ScatterMode mode>
Status ScatterOnDevice(KernelContext& c, const DeviceMath& math) {
  const Tensor &indices = c.input(1), &updates = c.input(2);
  return c.ModifyRef(0, [&](const Tensor& old, Tensor& out) -> Status {
    RAMET_RETURN_IF_ERROR(CheckUpdates(old, indices, updates));
    RAMET_RETURN_IF_ERROR(CopyUnlessInPlace(old, out));
    return math.UpdateRows(RowUpdateOf(mode), old.dim(0), Product(old.shape(), 1, old.rank()),
                           indices, updates, out);
  });
}

// Checks all arguments first, so that an error cannot leave a variable that is updated in place
// half-updated.
template <ScatterMode mode>
Status Scatter(KernelContext& c) {
  RAMET_RETURN_IF_ERROR(TakeTarget(c));
  const Tensor &indices = c.input(1), &updates = c.input(2);
  if (const DeviceMath* math = DeviceMath::Of(indices)) return ScatterOnDevice<mode>(c, *math);
  return c.ModifyRefRows(0, indices, [&](const Tensor& old, Tensor& out) -> Status {
    RAMET_RETURN_IF_ERROR(CheckUpdates(old, indices, updates));
    const int64_t n = Product(old.shape(), 1, old.rank());
    Tensor row = updates;
    if (updates.rank() == 0 && n != 1) {
      RAMET_ASSIGN_OR_RETURN(row, c.AllocateTemp(updates.dtype(), Shape{n}));
      RAMET_RETURN_IF_ERROR(FillWith(updates, row));
    }
    return CombineRows(mode, indices, row, updates.rank() == 0 ? 0 : n, n, out);
  });
}

Status CheckNdUpdates(const NdIndex& index, const Tensor& old, const Tensor& indices,
                      const Tensor& updates, bool ignore_bad) {
  RAMET_RETURN_IF_ERROR(CheckVariableType("update", updates.dtype(), old.dtype()));
  const Shape expected = indices.shape()
                             .Slice(0, indices.rank() - 1)
                             .Concatenate(old.shape().Slice(index.depth(), old.rank()));
  if (!(updates.shape() == expected)) {
    return InvalidArgument(
        "updates must have the shape indices.shape[:-1] + "
        "ref.shape[indices.shape[-1]:] = ",
        expected, ", got updates.shape ", updates.shape(), ", indices.shape ", indices.shape(),
        ", ref.shape ", old.shape());
  }
  if (DeviceMath::Of(old) != nullptr) return OkStatus();
  for (int64_t i = 0; i < index.num_tuples() && !ignore_bad; ++i) {
    if (index(i) < 0) return index.Outside(i, "shape", old.shape());
  }
  return OkStatus();
}

template <ScatterMode mode>
Status ScatterNd(KernelContext& c, bool ignore_bad) {
  RAMET_RETURN_IF_ERROR(TakeTarget(c));
  const Tensor &indices = c.input(1), &updates = c.input(2);
  return c.ModifyRef(0, [&](const Tensor& old, Tensor& out) -> Status {
    if (old.rank() < 1) {
      return InvalidArgument("Output must be at least 1-D, got shape: ", old.shape());
    }
    RAMET_ASSIGN_OR_RETURN(NdIndex index, NdIndex::Make(indices, old.shape()));
    RAMET_RETURN_IF_ERROR(CheckNdUpdates(index, old, indices, updates, ignore_bad));
    RAMET_RETURN_IF_ERROR(CopyUnlessInPlace(old, out));
    const int64_t n = index.slice_size();
    if (const DeviceMath* math = DeviceMath::Of(out)) {
      RAMET_ASSIGN_OR_RETURN(const Tensor rows, math->RowsOfTuples(indices, index.dims()));
      return math->UpdateRows(RowUpdateOf(mode), index.num_slices(), n, rows, updates, out);
    }
    for (int64_t i = 0; i < index.num_tuples(); ++i) {
      const int64_t slice = index(i);
      if (slice < 0) continue;
      if (!Combine(mode, updates, i * n, out, slice * n, n)) return DivisionByZero();
    }
    return OkStatus();
  });
}

template <class T>
using ScatterNdAdd = PolicyKernel<ScatterNd<ScatterMode::kAdd>>;
template <class T>
using ScatterNdSub = PolicyKernel<ScatterNd<ScatterMode::kSub>>;
template <class T>
using ScatterNdMax = PolicyKernel<ScatterNd<ScatterMode::kMax>>;
template <class T>
using ScatterNdMin = PolicyKernel<ScatterNd<ScatterMode::kMin>>;

// Runs the same code for each dtype of an op.
template <Status (*fn)(KernelContext&)>
constexpr auto kFor = []<class T>(KernelContext& c) -> Status { return fn(c); };

Status ScatterShape(ShapeContext& c) {
  Shape var = TargetShape(c);
  if (var.rank() == 0) {
    return InvalidArgument("Shape must be at least rank 1 but is rank 0 (a scalar has no rows)");
  }
  const Shape &indices = c.input(1), &updates = c.input(2);
  if (!var.unknown_rank() && !indices.unknown_rank() && updates.rank() != 0) {
    RAMET_RETURN_IF_ERROR(
        indices.Concatenate(var.Slice(1, var.rank())).MergeWith(updates).status());
  }
  SetTargetOutput(c, std::move(var));
  return OkStatus();
}

}  // namespace

#define RAMET_NUMBERS_LIST                                                                       \
  float, double, Half, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, \
      uint64_t, std::complex<float>, std::complex<double>

#define RAMET_ORDERED_LIST                                                                       \
  float, double, Half, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, \
      uint64_t

#define RAMET_SCATTER(name, types, locking, doc)                                                  \
  RAMET_OP(name)                                                                                  \
      .Input("ref: Ref(T)")                                                                       \
      .Input("indices: Tindices")                                                                 \
      .Input("updates: T")                                                                        \
      .Output("output_ref: Ref(T)")                                                               \
      .Attr("T: " types)                                                                          \
      .Attr("Tindices: {int32, int64}")                                                           \
      .Attr("use_locking: bool = " locking)                                                       \
      .Doc(doc                                                                                    \
           " `updates` has the shape indices.shape + ref.shape[1:], or is a scalar that applies " \
           "to all rows. If an index occurs more than once, its updates are applied in order. "   \
           "Returns the variable. Error: an index is out of range (\"indices[0] = 5 is not in "   \
           "[0, 3)\"); the shapes do not fit together; the variable is uninitialized "            \
           "(kFailedPrecondition).")                                                              \
      .Shape(ScatterShape)

RAMET_SCATTER("ScatterUpdate", "type", "true", "Replaces the rows `indices` of a variable.")
    .CpuKernel(Scatter<ScatterMode::kUpdate>);
RAMET_SCATTER("ScatterAdd", "numbertype", "false", "Adds to the rows `indices` of a variable.")
    .NotDifferentiable()
    .CpuKernels<RAMET_NUMBERS_LIST>(kFor<Scatter<ScatterMode::kAdd>>);
RAMET_SCATTER("ScatterSub", "numbertype", "false",
              "Subtracts from the rows `indices` of a variable.")
    .NotDifferentiable()
    .CpuKernels<RAMET_NUMBERS_LIST>(kFor<Scatter<ScatterMode::kSub>>);
RAMET_SCATTER("ScatterMul", "numbertype", "false", "Multiplies the rows `indices` of a variable.")
    .NotDifferentiable()
    .CpuKernels<RAMET_NUMBERS_LIST>(kFor<Scatter<ScatterMode::kMul>>);
RAMET_SCATTER("ScatterDiv", "numbertype", "false", "Divides the rows `indices` of a variable.")
    .NotDifferentiable()
    .CpuKernels<RAMET_NUMBERS_LIST>(kFor<Scatter<ScatterMode::kDiv>>);
RAMET_SCATTER("ScatterMax", "{half, bfloat16, float, double, int32, int64}", "false",
              "Replaces the elements of the rows `indices` of a variable by the larger of old "
              "value and update.")
    .CpuKernels<Half, BFloat16, float, double, int32_t, int64_t>(kFor<Scatter<ScatterMode::kMax>>);
RAMET_SCATTER("ScatterMin", "{half, bfloat16, float, double, int32, int64}", "false",
              "Replaces the elements of the rows `indices` of a variable by the smaller of old "
              "value and update.")
    .CpuKernels<Half, BFloat16, float, double, int32_t, int64_t>(kFor<Scatter<ScatterMode::kMin>>);

#define RAMET_SCATTER_ND(name, types, locking, doc)                                                \
  RAMET_OP(name)                                                                                   \
      .Input("ref: Ref(T)")                                                                        \
      .Input("indices: Tindices")                                                                  \
      .Input("updates: T")                                                                         \
      .Output("output_ref: Ref(T)")                                                                \
      .Attr("T: " types)                                                                           \
      .Attr("Tindices: {int32, int64}")                                                            \
      .Attr("use_locking: bool = " locking)                                                        \
      .Attr("bad_indices_policy: string = ''")                                                     \
      .Doc(doc                                                                                     \
           " Each index tuple along the last dimension of `indices` selects a slice; `updates` "   \
           "has the shape indices.shape[:-1] + ref.shape[indices.shape[-1]:]. Returns the "        \
           "variable. Error: a tuple is out of range (\"indices[0] = [5] does not index into "     \
           "shape [3,2]\"), except with bad_indices_policy IGNORE, which skips it; the shapes do " \
           "not fit together; the variable is uninitialized (kFailedPrecondition).")               \
      .Shape(UnchangedShape)

RAMET_SCATTER_ND("ScatterNdUpdate", "type", "true", "Replaces slices of a variable.")
    .NotDifferentiable()
    .CpuKernelClass<PolicyKernel<ScatterNd<ScatterMode::kUpdate>>>();
RAMET_SCATTER_ND("ScatterNdAdd", "numbertype", "false", "Adds to slices of a variable.")
    .NotDifferentiable()
    .CpuKernelClasses<ScatterNdAdd, RAMET_NUMBERS_LIST>();
RAMET_SCATTER_ND("ScatterNdSub", "numbertype", "false", "Subtracts from slices of a variable.")
    .NotDifferentiable()
    .CpuKernelClasses<ScatterNdSub, RAMET_NUMBERS_LIST>();
RAMET_SCATTER_ND(
    "ScatterNdMax", "numbertype", "false",
    "Replaces the elements of slices of a variable by the larger of old value and update.")
    .CpuKernelClasses<ScatterNdMax, RAMET_ORDERED_LIST>();
RAMET_SCATTER_ND(
    "ScatterNdMin", "numbertype", "false",
    "Replaces the elements of slices of a variable by the smaller of old value and update.")
    .CpuKernelClasses<ScatterNdMin, RAMET_ORDERED_LIST>();

#define RAMET_RESOURCE_SCATTER(name, types, doc)                                                  \
  RAMET_OP(name)                                                                                  \
      .Input("resource: resource")                                                                \
      .Input("indices: Tindices")                                                                 \
      .Input("updates: dtype")                                                                    \
      .Attr("dtype: " types)                                                                      \
      .Attr("Tindices: {int32, int64}")                                                           \
      .Doc(doc                                                                                    \
           " `updates` has the shape indices.shape + shape[1:], where shape is that of the "      \
           "variable, or is a scalar that applies to all rows. If an index occurs more than "     \
           "once, its updates are applied in order. Error: an index is out of range "             \
           "(\"indices[0] = 5 is not in [0, 3)\"); the shapes do not fit together; the variable " \
           "has no value (kNotFound).")                                                           \
      .Shape(ScatterShape)

RAMET_RESOURCE_SCATTER("ResourceScatterUpdate", "type",
                       "Replaces the rows `indices` of a resource variable.")
    .CpuKernel(Scatter<ScatterMode::kUpdate>);
RAMET_RESOURCE_SCATTER("ResourceScatterAdd", "numbertype",
                       "Adds to the rows `indices` of a resource variable.")
    .CpuKernels<RAMET_NUMBERS_LIST>(kFor<Scatter<ScatterMode::kAdd>>, "dtype");
RAMET_RESOURCE_SCATTER("ResourceScatterSub", "numbertype",
                       "Subtracts from the rows `indices` of a resource variable.")
    .CpuKernels<RAMET_NUMBERS_LIST>(kFor<Scatter<ScatterMode::kSub>>, "dtype");
RAMET_RESOURCE_SCATTER("ResourceScatterMul", "numbertype",
                       "Multiplies the rows `indices` of a resource variable.")
    .CpuKernels<RAMET_NUMBERS_LIST>(kFor<Scatter<ScatterMode::kMul>>, "dtype");
RAMET_RESOURCE_SCATTER("ResourceScatterDiv", "numbertype",
                       "Divides the rows `indices` of a resource variable.")
    .CpuKernels<RAMET_NUMBERS_LIST>(kFor<Scatter<ScatterMode::kDiv>>, "dtype");
RAMET_RESOURCE_SCATTER("ResourceScatterMax", "numbertype",
                       "Replaces the elements of the rows `indices` of a resource variable by the "
                       "larger of old value and update.")
    .CpuKernels<RAMET_ORDERED_LIST>(kFor<Scatter<ScatterMode::kMax>>, "dtype");
RAMET_RESOURCE_SCATTER("ResourceScatterMin", "numbertype",
                       "Replaces the elements of the rows `indices` of a resource variable by the "
                       "smaller of old value and update.")
    .CpuKernels<RAMET_ORDERED_LIST>(kFor<Scatter<ScatterMode::kMin>>, "dtype");

#define RAMET_RESOURCE_SCATTER_ND(name, doc)                                                       \
  RAMET_OP(name)                                                                                   \
      .Input("ref: resource")                                                                      \
      .Input("indices: Tindices")                                                                  \
      .Input("updates: T")                                                                         \
      .Attr("T: type")                                                                             \
      .Attr("Tindices: {int32, int64}")                                                            \
      .Attr("use_locking: bool = true")                                                            \
      .Attr("bad_indices_policy: string = ''")                                                     \
      .Doc(doc                                                                                     \
           " Each index tuple along the last dimension of `indices` selects a slice; `updates` "   \
           "has the shape indices.shape[:-1] + shape[indices.shape[-1]:], where shape is that of " \
           "the variable. Error: a tuple is out of range (\"indices[0] = [5] does not index into " \
           "shape [3,2]\"), except with bad_indices_policy IGNORE, which skips it; the shapes do " \
           "not fit together; the variable has no value (kNotFound).")                             \
      .Shape(NoOutputs)

RAMET_RESOURCE_SCATTER_ND("ResourceScatterNdUpdate", "Replaces slices of a resource variable.")
    .CpuKernelClass<PolicyKernel<ScatterNd<ScatterMode::kUpdate>>>();
RAMET_RESOURCE_SCATTER_ND("ResourceScatterNdAdd", "Adds to slices of a resource variable.")
    .CpuKernelClasses<ScatterNdAdd, RAMET_NUMBERS_LIST, bool>();
RAMET_RESOURCE_SCATTER_ND("ResourceScatterNdSub", "Subtracts from slices of a resource variable.")
    .CpuKernelClasses<ScatterNdSub, RAMET_NUMBERS_LIST, bool>();
RAMET_RESOURCE_SCATTER_ND(
    "ResourceScatterNdMax",
    "Replaces the elements of slices of a resource variable by the larger of old value and update.")
    .CpuKernelClasses<ScatterNdMax, RAMET_ORDERED_LIST>();
RAMET_RESOURCE_SCATTER_ND("ResourceScatterNdMin",
                          "Replaces the elements of slices of a resource variable by the smaller "
                          "of old value and update.")
    .CpuKernelClasses<ScatterNdMin, RAMET_ORDERED_LIST>();

}  // namespace ramet
