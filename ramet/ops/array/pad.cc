#include "ramet/op/op.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"

namespace ramet {
namespace {

// The number of elements that Pad adds before and after each dimension.
struct Paddings {
  Dims before, after;
};

StatusOr<Paddings> ReadPaddings(const Tensor& t, const Shape& x) {
  if (t.rank() != 2 || t.dim(1) != 2) {
    return InvalidArgument("paddings must be a matrix with 2 columns: ", t.shape());
  }
  if (t.dim(0) != x.rank()) {
    return InvalidArgument("The first dimension of paddings must be the rank of inputs", t.shape(),
                           " ", x);
  }
  Paddings p;
  for (int i = 0; i < x.rank(); ++i) {
    const int64_t before = IntegerAt(t, 2 * i), after = IntegerAt(t, 2 * i + 1);
    if (before < 0 || after < 0) {
      return InvalidArgument("Paddings must be non-negative: ", before, " ", after);
    }
    p.before.Append(before);
    p.after.Append(after);
  }
  return p;
}

StatusOr<Shape> PaddedShape(const Shape& x, const Paddings& p) {
  Dims padded(x.rank(), Shape::kUnknownDim);
  for (int i = 0; i < x.rank(); ++i) {
    if (x.dim(i) < 0) continue;
    if (__builtin_add_overflow(x.dim(i), p.before[i], &padded[i]) ||
        __builtin_add_overflow(padded[i], p.after[i], &padded[i])) {
      return InvalidArgument("dimension ", i, " of size ", x.dim(i), " padded by ", p.before[i],
                             " and ", p.after[i], " overflows");
    }
  }
  return Shape::Make(padded);
}

Status Pad(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Paddings paddings, ReadPaddings(c.input(1), x.shape()));
  RAMET_ASSIGN_OR_RETURN(Shape shape, PaddedShape(x.shape(), paddings));
  if (c.num_inputs() == 3 && c.input(2).rank() != 0) {
    return InvalidArgument("constant_values must be a scalar. Found: ", c.input(2).shape());
  }
  if (shape == x.shape()) {
    c.SetOutput(0, x);
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
  if (c.num_inputs() == 3) {
    RAMET_RETURN_IF_ERROR(FillWith(c.input(2), *y));
  } else {
    RAMET_RETURN_IF_ERROR(FillZeros(*y));
  }
  if (x.num_elements() == 0) return OkStatus();
  const Dims strides = RowMajorStrides(shape.dims());
  int64_t offset = 0;
  for (int i = 0; i < x.rank(); ++i) offset += paddings.before[i] * strides[i];
  return MoveStrided(x, 0, RowMajorStrides(x.shape().dims()), *y, offset, strides,
                     x.shape().dims());
}

Status PadShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape matrix, c.WithRank(1, 2));
  const Shape& x = c.input(0);
  if (matrix.dim(1) >= 0 && matrix.dim(1) != 2) {
    return InvalidArgument("paddings must be a matrix with 2 columns: ", matrix);
  }
  const Tensor* known = c.constant(1);
  if (x.unknown_rank() || known == nullptr) {
    const int64_t rank = x.unknown_rank() ? matrix.dim(0) : x.rank();
    if (rank >= 0 && rank <= Shape::kMaxRank)
      c.set_output(0, Shape::OfRank(static_cast<int>(rank)));
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Paddings paddings, ReadPaddings(*known, x));
  RAMET_ASSIGN_OR_RETURN(Shape shape, PaddedShape(x, paddings));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// Slices the middle out of the gradient.
Status PadGradient(GradientContext& c) {
  const Output x = c.input(0), paddings = c.input(1);
  const Output column = c.Add("Pack", {RankOf(c, x), Tensor(int32_t{1})}, {{"N", 2}}, "stack");
  const Output zeros = Constant(c.graph(), Tensor::Vector<int32_t>({0, 0}), "Slice/begin");
  const Output size = paddings.dtype() == DType::kInt32
                          ? column
                          : c.Add("Cast", {column}, {{"DstT", paddings.dtype()}});
  const Output from = paddings.dtype() == DType::kInt32
                          ? zeros
                          : c.Add("Cast", {zeros}, {{"DstT", paddings.dtype()}});
  const Output before = c.Add("Slice", {paddings, from, size});
  const Output begin = c.Add("Reshape", {before, Tensor::Vector<int32_t>({-1})});
  std::vector<Gradient> grads(c.num_inputs());
  grads[0] = c.Add("Slice", {c.grad(), begin, ShapeOf(c, x, begin.dtype())});
  return c.Return(std::move(grads));
}

}  // namespace

RAMET_OP("Pad")
    .Foldable()
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Doc(
        "Returns `input` padded in each dimension i with paddings[i, 0] zeros before and "
        "paddings[i, 1] zeros after. `paddings` is [rank, 2]. Error: `paddings` has a different "
        "shape or a negative element; the size of the output overflows.")
    .HostMemory({"paddings"})
    .Shape(PadShape)
    .Gradient(PadGradient)
    .CpuKernel(Pad);

RAMET_OP("PadV2")
    .Foldable()
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Input("constant_values: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Doc(
        "Like Pad, but pads with the scalar constant_values instead of zeros. Error: the same as "
        "Pad; constant_values is not a scalar.")
    .HostMemory({"paddings"})
    .Shape(PadShape)
    .Gradient(PadGradient)
    .CpuKernel(Pad);

}  // namespace ramet
