#include "ramet/op/op.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"

namespace ramet {
namespace {

Status CheckVector(const Tensor& t, std::string_view name) {
  if (t.rank() <= 1) return OkStatus();
  return InvalidArgument(name, " must be a scalar or a 1-D vector. Found: ", t.shape());
}

// Returns the shift of each dimension, from 0 to its size.
StatusOr<Dims> Shifts(const Tensor& x, const Tensor& shift, const Tensor& axis) {
  if (x.rank() < 1) return InvalidArgument("input must be 1-D or higher");
  RAMET_RETURN_IF_ERROR(CheckVector(shift, "shift"));
  RAMET_RETURN_IF_ERROR(CheckVector(axis, "axis"));
  if (shift.shape() != axis.shape()) {
    return InvalidArgument("shift and axis must have the same size");
  }
  Dims shifts(x.rank(), 0);
  for (int64_t i = 0; i < shift.num_elements(); ++i) {
    int64_t d = IntegerAt(axis, i);
    if (d < 0) d += x.rank();
    if (d < 0 || d >= x.rank()) return InvalidArgument("axis ", d, " is out of range");
    const int64_t size = std::max<int64_t>(x.dim(static_cast<int>(d)), 1);
    const int64_t total = shifts[static_cast<int>(d)] + IntegerAt(shift, i) % size;
    shifts[static_cast<int>(d)] = (total % size + size) % size;
  }
  return shifts;
}

// Moves x to y in blocks. A rolled dimension is split in two where it wraps around; each
// combination of parts is one block.
Status MoveParts(const Tensor& x, const Dims& shifts, Tensor& y) {
  const Dims strides = RowMajorStrides(x.shape().dims());
  Dims second(x.rank(), 0);
  while (true) {
    Dims dims(x.shape().dims());
    int64_t from = 0, to = 0;
    for (int d = 0; d < x.rank(); ++d) {
      const int64_t before = x.dim(d) - shifts[d];
      dims[d] = second[d] ? shifts[d] : before;
      from += second[d] ? before * strides[d] : 0;
      to += second[d] ? 0 : shifts[d] * strides[d];
    }
    RAMET_RETURN_IF_ERROR(MoveStrided(x, from, strides, y, to, strides, dims));
    int d = x.rank() - 1;
    for (; d >= 0; --d) {
      if (shifts[d] == 0) continue;
      second[d] = 1 - second[d];
      if (second[d]) break;
    }
    if (d < 0) return OkStatus();
  }
}

Status Roll(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Dims shifts, Shifts(x, c.input(1), c.input(2)));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape()));
  if (x.num_elements() == 0) return OkStatus();
  return MoveParts(x, shifts, *y);
}

Status RollShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRankAtLeast(0, 1));
  for (int i : {1, 2}) {
    if (c.input(i).rank() > 1) {
      return InvalidArgument("Shape must be at most rank 1 but is rank ", c.input(i).rank());
    }
  }
  RAMET_RETURN_IF_ERROR(c.input(1).MergeWith(c.input(2)).status());
  c.set_output(0, std::move(x));
  return OkStatus();
}

Status RollGradient(GradientContext& c) {
  Output grad = c.grad();
  Output back = c.Add("Neg", {c.input(1)});
  return c.Return({c.Add("Roll", {grad, back, c.input(2)}), Gradient(), Gradient()});
}

}  // namespace

RAMET_OP("Roll")
    .Foldable()
    .Input("input: T")
    .Input("shift: Tshift")
    .Input("axis: Taxis")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tshift: {int32, int64}")
    .Attr("Taxis: {int32, int64}")
    .Doc(
        "Returns `input` with the elements along dimension axis[i] shifted by shift[i]. Elements "
        "shifted past the end wrap around to the start. shift and axis are scalars or vectors of "
        "the same shape. Error: an axis is out of range; `input` is a scalar; the shapes of shift "
        "and axis differ or have a rank above 1.")
    .HostMemory({"shift", "axis"})
    .Shape(RollShape)
    .Gradient(RollGradient)
    .CpuKernel(Roll);

}  // namespace ramet
