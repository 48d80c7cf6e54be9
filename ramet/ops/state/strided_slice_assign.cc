#include <algorithm>

#include "ramet/op/op.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/strided_slice.h"
#include "ramet/ops/state/handle.h"

namespace ramet {
namespace {

// Returns the strides for reading `value` along the dimensions of the result of a slice, to which
// it is broadcast.
StatusOr<Dims> StepsInValue(const Shape& value, const Shape& result) {
  const Dims dense = RowMajorStrides(value.dims());
  const int extra = value.rank() - result.rank();
  Dims steps(result.rank(), 0);
  for (int i = 0; i < value.rank(); ++i) {
    const int at = i - extra;
    if (value.dim(i) == 1) continue;
    if (at < 0 || value.dim(i) != result.dim(at)) {
      return InvalidArgument("Cannot broadcast input shape ", value, " into final shape ", result);
    }
    steps[at] = dense[i];
  }
  return steps;
}

// Returns the same strides along the dimensions of the sliced tensor. Its dimensions longer than 1
// appear in the result in the same order.
Dims StepsAlong(const Dims& counts, const Shape& result, const Dims& steps) {
  Dims along(counts.size(), 0);
  int r = 0;
  for (int i = 0; i < counts.size(); ++i) {
    if (counts[i] == 1) continue;
    while (result.dim(r) == 1) ++r;
    along[i] = steps[r++];
  }
  return along;
}

class StridedSliceAssignKernel final : public Kernel {
 public:
  static std::unique_ptr<StridedSliceAssignKernel> Make(const KernelNode& node) {
    return std::make_unique<StridedSliceAssignKernel>(SliceMasks::FromAttrs(*node.attrs));
  }
  explicit StridedSliceAssignKernel(const SliceMasks& masks) : masks_(masks) {}

  Status Compute(KernelContext& c) override {
    RAMET_RETURN_IF_ERROR(TakeTarget(c));
    RAMET_ASSIGN_OR_RETURN(const SliceEntries entries,
                           CheckedEntries(c.input(1), c.input(2), c.input(3)));
    return c.ModifyRef(0, [&](const Tensor& old, Tensor& out) -> Status {
      return Assign(c.input(4), entries, old, out);
    });
  }

 private:
  Status Assign(const Tensor& value, const SliceEntries& entries, const Tensor& old,
                Tensor& out) const {
    RAMET_RETURN_IF_ERROR(CheckVariableType("update", value.dtype(), old.dtype()));
    RAMET_ASSIGN_OR_RETURN(const SlicePlan plan, SlicePlan::Make(old.shape(), entries, masks_));
    const bool nothing = std::ranges::count(plan.counts, 0) > 0;
    Dims steps;
    if (!nothing) {
      RAMET_ASSIGN_OR_RETURN(steps, StepsInValue(value.shape(), plan.result));
    }
    RAMET_RETURN_IF_ERROR(CopyUnlessInPlace(old, out));
    if (nothing) return OkStatus();
    const Dims dense = RowMajorStrides(old.shape().dims());
    return MoveStrided(value, 0, StepsAlong(plan.counts, plan.result, steps), out,
                       plan.Offset(dense), plan.Steps(dense), plan.counts);
  }

  const SliceMasks masks_;
};

}  // namespace

RAMET_OP("StridedSliceAssign")
    .Input("ref: Ref(T)")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Input("value: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .Doc(
        "Assigns `value` to the slice of a variable that the remaining arguments select as in "
        "StridedSlice; `value` is broadcast to the shape of the slice. Returns the variable. "
        "Error: `value` cannot be broadcast (\"Cannot broadcast input shape [2] into final shape "
        "[1,3]\"); the slice is invalid (see StridedSlice); the variable is uninitialized "
        "(kFailedPrecondition).")
    .HostMemory({"begin", "end", "strides"})
    .Shape(UnchangedShape)
    .CpuKernelClass<StridedSliceAssignKernel>();

RAMET_OP("ResourceStridedSliceAssign")
    .Input("ref: resource")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Input("value: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .Doc(
        "Assigns `value` to a slice of a resource variable, like StridedSliceAssign. Error: the "
        "same as StridedSliceAssign; the variable has no value (kNotFound).")
    .HostMemory({"begin", "end", "strides"})
    .Shape(NoOutputs)
    .CpuKernelClass<StridedSliceAssignKernel>();

}  // namespace ramet
