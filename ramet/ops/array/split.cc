#include "ramet/op/op.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"

namespace ramet {
namespace {

Shape WithSize(Shape shape, int axis, int64_t size) {
  shape.set_dim(axis, size);
  return shape;
}

// Sets output i of a split of `x` along `axis`: `size` entries starting at `begin`, in the shape
// `shape`.
Status CutPiece(KernelContext& c, int i, const Tensor& x, int axis, int64_t begin, int64_t size,
                const Shape& shape) {
  const int64_t inner = Product(x.shape(), axis + 1, x.rank());
  if (size == x.dim(axis)) {
    c.SetOutput(i, x.Reshaped(shape));
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(i, x.dtype(), shape));
  const int64_t dims[] = {Product(x.shape(), 0, axis), size * inner};
  const int64_t from[] = {x.dim(axis) * inner, 1}, to[] = {size * inner, 1};
  return MoveStrided(x, begin * inner, from, *y, 0, to, dims);
}

StatusOr<int> SplitAxis(int64_t axis, int rank) {
  if (axis >= -rank && axis < rank) return static_cast<int>(axis < 0 ? axis + rank : axis);
  return InvalidArgument("-input rank(-", rank, ") <= split_dim < input rank (", rank,
                         "), but got ", axis);
}

Status UnevenSplit(int axis, int64_t size, int n) {
  return InvalidArgument(
      "Number of ways to split should evenly divide the split dimension, but got split_dim ", axis,
      " (size = ", size, ") and num_split ", n);
}

Status Split(KernelContext& c) {
  const Tensor& x = c.input(1);
  const int n = c.num_outputs();
  if (c.input(0).rank() != 0) {
    return InvalidArgument("split_dim must be a scalar but has rank ", c.input(0).rank());
  }
  RAMET_ASSIGN_OR_RETURN(int axis, SplitAxis(IntegerAt(c.input(0), 0), x.rank()));
  if (x.dim(axis) % n != 0) return UnevenSplit(axis, x.dim(axis), n);
  const int64_t size = x.dim(axis) / n;
  const Shape shape = WithSize(x.shape(), axis, size);
  for (int i = 0; i < n; ++i) {
    RAMET_RETURN_IF_ERROR(CutPiece(c, i, x, axis, i * size, size, shape));
  }
  return OkStatus();
}

Status SplitShape(ShapeContext& c) {
  const Shape& x = c.input(1);
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  if (x.unknown_rank()) return OkStatus();
  Shape shape = Shape::OfRank(x.rank());
  if (auto asked = KnownScalar(c, 0)) {
    const int n = c.num_outputs();
    RAMET_ASSIGN_OR_RETURN(int axis, SplitAxis(*asked, x.rank()));
    const int64_t size = x.dim(axis);
    if (size >= 0 && size % n != 0) return UnevenSplit(axis, size, n);
    shape = WithSize(x, axis, size < 0 ? size : size / n);
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shape);
  return OkStatus();
}

Output JoinGradients(GradientContext& c, const Output& axis) {
  std::vector<Input> parts;
  for (int i = 0; i < c.num_outputs(); ++i) parts.emplace_back(c.grad(i));
  if (parts.size() == 1) return parts[0].output();
  parts.emplace_back(axis);
  return c.Add("ConcatV2", parts, {{"N", int64_t{c.num_outputs()}}}, "concat");
}

Status SplitGradient(GradientContext& c) {
  return c.Return({Gradient(), JoinGradients(c, c.input(0))});
}

Status SplitVGradient(GradientContext& c) {
  return c.Return({JoinGradients(c, c.input(2)), Gradient(), Gradient()});
}

// Fills in the size that is -1 in a split of `total` entries. `total` may be unknown.
Status FillInSizes(std::vector<int64_t>& sizes, int64_t total) {
  int missing = -1;
  int64_t sum = 0;
  for (int i = 0; i < std::ssize(sizes); ++i) {
    if (sizes[i] == -1) {
      if (missing >= 0) return InvalidArgument("There can only be one -1 in the input.");
      missing = i;
    } else if (sizes[i] < 0 || __builtin_add_overflow(sum, sizes[i], &sum)) {
      return InvalidArgument("Split size at index ", i, " must be >= 0. Got: ", sizes[i]);
    }
  }
  if (total < 0) return OkStatus();
  if (missing < 0 ? sum != total : sum > total) {
    return InvalidArgument(
        "Determined shape must either match input shape along split_dim exactly if fully "
        "specified, "
        "or be less than the size of the input along split_dim if not fully specified.  Got: ",
        sum, " (the input has ", total, ")");
  }
  if (missing >= 0) sizes[missing] = total - sum;
  return OkStatus();
}

StatusOr<std::vector<int64_t>> SplitSizes(const Tensor& sizes, int n) {
  if (sizes.rank() == 1 && sizes.num_elements() == n) return IntegerValues(sizes);
  return InvalidArgument("Length of size_splits should be equal to num_outputs. Got shape: ",
                         sizes.shape(), ", expected: [", n, "]");
}

Status SplitV(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (c.input(2).num_elements() != 1) {
    return InvalidArgument("split_dim_tensor must have exactly one element.");
  }
  RAMET_ASSIGN_OR_RETURN(int axis, SplitAxis(IntegerAt(c.input(2), 0), x.rank()));
  RAMET_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, SplitSizes(c.input(1), c.num_outputs()));
  RAMET_RETURN_IF_ERROR(FillInSizes(sizes, x.dim(axis)));
  int64_t begin = 0;
  for (int i = 0; i < c.num_outputs(); ++i) {
    RAMET_RETURN_IF_ERROR(
        CutPiece(c, i, x, axis, begin, sizes[i], WithSize(x.shape(), axis, sizes[i])));
    begin += sizes[i];
  }
  return OkStatus();
}

Status SplitVShape(ShapeContext& c) {
  const Shape& x = c.input(0);
  const auto asked = KnownScalar(c, 2);
  if (x.unknown_rank()) return OkStatus();
  if (!asked) {
    for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, Shape::OfRank(x.rank()));
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(int axis, SplitAxis(*asked, x.rank()));
  std::vector<int64_t> sizes(c.num_outputs(), Shape::kUnknownDim);
  if (const Tensor* known = c.constant(1)) {
    RAMET_ASSIGN_OR_RETURN(sizes, SplitSizes(*known, c.num_outputs()));
    RAMET_RETURN_IF_ERROR(FillInSizes(sizes, x.dim(axis)));
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, WithSize(x, axis, sizes[i]));
  return OkStatus();
}

Shape Without(const Shape& shape, int axis) {
  return shape.Slice(0, axis).Concatenate(shape.Slice(axis + 1, shape.rank()));
}

class UnpackKernel final : public Kernel {
 public:
  static std::unique_ptr<UnpackKernel> Make(const KernelNode& node) {
    return std::make_unique<UnpackKernel>(node.attrs->GetOr<int64_t>("axis", 0));
  }
  explicit UnpackKernel(int64_t axis) : axis_(axis) {}

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(int axis, AxisArg(axis_, x.rank(), "axis"));
    if (x.dim(axis) != c.num_outputs()) {
      return InvalidArgument("Input shape axis ", axis, " must equal ", c.num_outputs(),
                             ", got shape ", x.shape());
    }
    const Shape shape = Without(x.shape(), axis);
    for (int i = 0; i < c.num_outputs(); ++i) {
      RAMET_RETURN_IF_ERROR(CutPiece(c, i, x, axis, i, 1, shape));
    }
    return OkStatus();
  }

 private:
  const int64_t axis_;
};

Status UnpackShape(ShapeContext& c) {
  const Shape& x = c.input(0);
  if (x.unknown_rank()) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(int axis, AxisArg(c.attrs().GetOr<int64_t>("axis", 0), x.rank(), "axis"));
  if (x.dim(axis) >= 0 && x.dim(axis) != c.num_outputs()) {
    return InvalidArgument("Dimension must be ", c.num_outputs(), " but is ", x.dim(axis),
                           " (axis ", axis, " of shape ", x, ")");
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, Without(x, axis));
  return OkStatus();
}

Status UnpackGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(int64_t axis, c.attr<int64_t>("axis"));
  std::vector<Input> parts;
  for (int i = 0; i < c.num_outputs(); ++i) parts.emplace_back(c.grad(i));
  return c.Return(
      {c.Add("Pack", parts, {{"N", int64_t{c.num_outputs()}}, {"axis", axis}}, "stack")});
}

}  // namespace

RAMET_OP("Split")
    .Foldable()
    .Input("split_dim: int32")
    .Input("value: T")
    .Output("output: num_split * T")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .Doc(
        "Splits `value` into num_split equal pieces along dimension split_dim, a scalar in [-rank, "
        "rank). Error: split_dim is not a scalar or is out of range; num_split does not evenly "
        "divide that dimension.")
    .HostMemory({"split_dim"})
    .Shape(SplitShape)
    .Gradient(SplitGradient)
    .CpuKernel(Split);

RAMET_OP("SplitV")
    .Foldable()
    .Input("value: T")
    .Input("size_splits: Tlen")
    .Input("split_dim: int32")
    .Output("output: num_split * T")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .Attr("Tlen: {int8, int32, int64} = DT_INT64")
    .Doc(
        "Splits `value` into num_split pieces along dimension split_dim, a scalar in [-rank, "
        "rank). The vector size_splits gives the sizes of the pieces; one size may be -1 and is "
        "then computed from the others. Error: split_dim is not a scalar or is out of range; "
        "size_splits does not have num_split elements, more than one is -1 or one is less than -1; "
        "the sizes do not add up to the dimension.")
    .HostMemory({"size_splits", "split_dim"})
    .Shape(SplitVShape)
    .Gradient(SplitVGradient)
    .CpuKernel(SplitV);

RAMET_OP("Unpack")
    .Foldable()
    .Input("value: T")
    .Output("output: num * T")
    .Attr("num: int >= 0")
    .Attr("T: type")
    .Attr("axis: int = 0")
    .Doc(
        "Returns the `num` slices of `value` along dimension `axis`, without that dimension. "
        "Error: `axis` is out of range; the size of the dimension is not `num`.")
    .Shape(UnpackShape)
    .Gradient(UnpackGradient)
    .CpuKernelClass<UnpackKernel>();

}  // namespace ramet
