#include "ramet/linalg/broadcast.h"

#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"

namespace ramet {
namespace {

// Returns the strides for reading `from` so that it fills a tensor of shape `to`.
StatusOr<Dims> BroadcastStrides(const Shape& from, const Shape& to) {
  const int lead = to.rank() - from.rank();
  if (lead < 0) {
    return InvalidArgument("Rank of input (", from.rank(),
                           ") must be no greater than rank of output shape (", to.rank(), ").");
  }
  const Dims dense = RowMajorStrides(from.dims());
  Dims strides(to.rank(), 0);
  for (int i = 0; i < from.rank(); ++i) {
    if (from.dim(i) == to.dim(lead + i)) {
      strides[lead + i] = dense[i];
    } else if (from.dim(i) != 1) {
      return InvalidArgument("Incompatible shapes: ", from, " vs. ", to);
    }
  }
  return strides;
}

Status BroadcastTo(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Shape shape, ShapeArg(c.input(1), "shape"));
  if (shape == x.shape()) {
    c.SetOutput(0, x);
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Dims strides, BroadcastStrides(x.shape(), shape));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
  return MoveStrided(x, 0, strides, *y, 0, RowMajorStrides(shape.dims()), shape.dims());
}

Status BroadcastToShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.constant_as_shape(1));
  const Shape& x = c.input(0);
  if (!shape.unknown_rank() && !x.unknown_rank()) {
    if (x.rank() > shape.rank()) {
      return InvalidArgument("Rank of input (", x.rank(),
                             ") must be no greater than rank of output shape (", shape.rank(),
                             ").");
    }
    const int lead = shape.rank() - x.rank();
    for (int i = 0; i < x.rank(); ++i) {
      const int64_t from = x.dim(i), to = shape.dim(lead + i);
      if (from >= 0 && to >= 0 && from != 1 && from != to) {
        return InvalidArgument("Incompatible shapes: ", x, " vs. ", shape);
      }
    }
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status BroadcastToGradient(GradientContext& c) {
  const DType type = c.input(1).dtype();
  const Output shape = ShapeOf(c, c.input(0), type);
  const Tensor known = ConstantValue(c.input(1));
  const Output wanted = known.empty() ? c.input(1) : Constant(c.graph(), known, "Const");
  const Operation args =
      c.AddOperation("BroadcastGradientArgs", {wanted, shape}, {}, "BroadcastGradientArgs");
  const Output sum = c.Add("Sum", {c.grad(), Output(args, 1)}, {{"keep_dims", true}});
  return c.Return({c.Add("Reshape", {sum, shape}), Gradient()});
}

template <class T>
Status OutputVector(KernelContext& c, int i, std::span<const int64_t> values) {
  RAMET_ASSIGN_OR_RETURN(
      Tensor * y, c.Allocate(i, DTypeOf<T>::value, Shape{static_cast<int64_t>(values.size())}));
  std::ranges::transform(values, y->mutable_data<T>(), [](int64_t v) { return static_cast<T>(v); });
  return OkStatus();
}

constexpr auto kBroadcastArgs = []<class T>(KernelContext& c) -> Status {
  RAMET_ASSIGN_OR_RETURN(Dims a, VectorArg(c.input(0), "s0"));
  RAMET_ASSIGN_OR_RETURN(Dims b, VectorArg(c.input(1), "s1"));
  Dims both(std::max(a.size(), b.size()), 0);
  if (!linalg::BroadcastShape(a, b, std::span(&both[0], both.size()))) {
    return InvalidArgument("Incompatible shapes: [", StrJoin(a, ","), "] vs. [", StrJoin(b, ","),
                           "]");
  }
  return OutputVector<T>(c, 0, both);
};

// For each of two shapes, outputs the axes of their broadcast along which a gradient is summed.
constexpr auto kBroadcastGradientArgs = []<class T>(KernelContext& c) -> Status {
  RAMET_ASSIGN_OR_RETURN(Dims a, VectorArg(c.input(0), "s0"));
  RAMET_ASSIGN_OR_RETURN(Dims b, VectorArg(c.input(1), "s1"));
  const int rank = std::max(a.size(), b.size());
  Dims sum_a, sum_b;
  const bool same = std::ranges::equal(a, b);
  for (int i = 0; i < rank && !same; ++i) {
    const int64_t da = i < rank - a.size() ? 1 : a[i - (rank - a.size())];
    const int64_t db = i < rank - b.size() ? 1 : b[i - (rank - b.size())];
    if (da != db && da != 1 && db != 1) {
      return InvalidArgument("Incompatible shapes: [", StrJoin(a, ","), "] vs. [", StrJoin(b, ","),
                             "]");
    }
    if (da == 1) sum_a.Append(i);
    if (db == 1) sum_b.Append(i);
  }
  RAMET_RETURN_IF_ERROR(OutputVector<T>(c, 0, sum_a));
  return OutputVector<T>(c, 1, sum_b);
};

Status BroadcastArgsShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape a, c.WithRank(0, 1));
  RAMET_ASSIGN_OR_RETURN(Shape b, c.WithRank(1, 1));
  const bool known = a.dim(0) >= 0 && b.dim(0) >= 0;
  c.set_output(0, Shape{known ? std::max(a.dim(0), b.dim(0)) : Shape::kUnknownDim});
  return OkStatus();
}

Status VectorsOfUnknownSize(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) RAMET_RETURN_IF_ERROR(c.WithRank(i, 1).status());
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, Shape::OfRank(1));
  return OkStatus();
}

// Returns the shape of `x` repeated; dimensions and multiples may be unknown (-1).
StatusOr<Shape> TiledShape(const Shape& x, const Dims& multiples, bool runs) {
  if (x.rank() != multiples.size()) {
    return InvalidArgument("Expected multiples argument to be a vector of length ", x.rank(),
                           " but got length ", multiples.size());
  }
  Dims tiled(x.rank(), Shape::kUnknownDim);
  for (int i = 0; i < x.rank(); ++i) {
    if (multiples[i] < 0 && runs) {
      return InvalidArgument("Expected multiples[", i, "] >= 0, but got ", multiples[i]);
    }
    if (x.dim(i) == 0 || multiples[i] == 0) tiled[i] = 0;
    if (x.dim(i) < 0 || multiples[i] < 0) continue;
    if (!MultiplyNonNegative(x.dim(i), multiples[i], &tiled[i])) {
      return InvalidArgument("dimension ", i, " of size ", x.dim(i), " repeated ", multiples[i],
                             " times overflows");
    }
  }
  return Shape::Make(tiled);
}

// Tiles on a device: y has the dimensions of x, each after its multiple, along which x is read
// again.
Status TileStrided(const Tensor& x, const Dims& multiples, Tensor& y) {
  const Dims dense = RowMajorStrides(x.shape().dims());
  Dims dims, strides;
  for (int d = 0; d < x.rank(); ++d) {
    dims.Append(multiples[d]);
    dims.Append(x.dim(d));
    strides.Append(0);
    strides.Append(dense[d]);
  }
  return MoveStrided(x, 0, strides, y, 0, RowMajorStrides(dims), dims);
}

Status Tile(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (c.input(1).rank() != 1) {
    return InvalidArgument("Expected multiples to be 1-D, but got shape ", c.input(1).shape());
  }
  RAMET_ASSIGN_OR_RETURN(Dims multiples, VectorArg(c.input(1), "multiples"));
  RAMET_ASSIGN_OR_RETURN(Shape shape, TiledShape(x.shape(), multiples, true));
  if (shape == x.shape()) {
    c.SetOutput(0, x);
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
  if (y->num_elements() == 0) return OkStatus();
  if (DeviceMath::Of(*y) != nullptr) return TileStrided(x, multiples, *y);
  return MoveElements(x, *y, [&](int64_t width, const char* from, char* to) {
    linalg::Tile(width, x.shape().dims(), multiples, from, to);
  });
}

Status TileShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape multiples, c.constant_as_shape(1));
  const Shape& x = c.input(0);
  if (multiples.unknown_rank() || x.unknown_rank()) {
    const int rank = std::max(x.rank(), multiples.rank());
    if (rank < 0) return OkStatus();
    Shape shape = Shape::OfRank(rank);
    // A size of 0 stays 0, however often it is repeated, and any size repeated 0 times is 0.
    const Shape& known = x.unknown_rank() ? multiples : x;
    for (int i = 0; i < rank; ++i) {
      if (known.dim(i) == 0) shape.set_dim(i, 0);
    }
    c.set_output(0, std::move(shape));
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Shape shape, TiledShape(x, Dims(multiples.dims()), false));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// Splits each dimension d * m of the gradient into [m, d] and sums over m.
Status TileGradient(GradientContext& c) {
  const Output shape = ShapeOf(c, c.input(0), c.input(1).dtype());
  const Output pairs = c.Add("Pack", {c.input(1), shape}, {{"N", 2}, {"axis", 0}}, "stack");
  const Output columns =
      c.Add("Transpose", {pairs, Tensor::Vector<int32_t>({1, 0})}, {}, "transpose");
  const Output split = c.Add("Reshape", {columns, Tensor::Vector<int32_t>({-1})});
  const Output axes =
      c.Add("Range", {Tensor(int32_t{0}), SizeOf(c, split), Tensor(int32_t{2})}, {}, "range");
  const Output pieces = c.Add("Reshape", {c.grad(), split});
  return c.Return({c.Add("Sum", {pieces, axes}), Gradient()});
}

}  // namespace

RAMET_OP("BroadcastTo")
    .Foldable()
    .Input("input: T")
    .Input("shape: Tidx")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Doc(
        "Returns `input` repeated along dimensions of size 1 and new leading dimensions until it "
        "has the shape `shape`, a vector. Error: `shape` is not a vector or has a negative "
        "dimension; it has fewer dimensions than `input`; the shapes do not broadcast "
        "(\"Incompatible shapes: [3] vs. [2]\").")
    .HostMemory({"shape"})
    .Shape(BroadcastToShape)
    .Gradient(BroadcastToGradient)
    .CpuKernel(BroadcastTo);

RAMET_OP("BroadcastArgs")
    .Foldable()
    .Input("s0: T")
    .Input("s1: T")
    .Output("r0: T")
    .Attr("T: {int32, int64} = DT_INT32")
    .Doc(
        "Returns the shape to which tensors of the shapes s0 and s1 (vectors) broadcast. Error: s0 "
        "or s1 is not a vector; the shapes do not broadcast (\"Incompatible shapes: [3] vs. "
        "[2]\").")
    .HostMemory({"s0", "s1", "r0"})
    .Shape(BroadcastArgsShape)
    .CpuKernels<int32_t, int64_t>(kBroadcastArgs);

RAMET_OP("BroadcastGradientArgs")
    .Foldable()
    .Input("s0: T")
    .Input("s1: T")
    .Output("r0: T")
    .Output("r1: T")
    .Attr("T: {int32, int64} = DT_INT32")
    .Doc(
        "Returns the axes along which to sum the gradient of an element-wise op on tensors of the "
        "shapes s0 and s1 (vectors): r0 gives the axes for the first tensor, r1 those for the "
        "second. Both are empty for equal shapes. Error: s0 or s1 is not a vector; the shapes do "
        "not broadcast (\"Incompatible shapes: [3] vs. [2]\").")
    .HostMemory({"s0", "s1", "r0", "r1"})
    .Shape(VectorsOfUnknownSize)
    .NotDifferentiable()
    .CpuKernels<int32_t, int64_t>(kBroadcastGradientArgs);

RAMET_OP("Tile")
    .Foldable()
    .Input("input: T")
    .Input("multiples: Tmultiples")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tmultiples: {int32, int64} = DT_INT32")
    .Doc(
        "Returns `input` repeated multiples[i] times along dimension i. `multiples` is a vector "
        "with one element per dimension of `input`. Error: `multiples` is not a vector of that "
        "length or has a negative element; the size of the output overflows.")
    .HostMemory({"multiples"})
    .Shape(TileShape)
    .Gradient(TileGradient)
    .CpuKernel(Tile);

}  // namespace ramet
