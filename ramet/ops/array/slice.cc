#include "ramet/op/op.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/array/strided_slice.h"

namespace ramet {
namespace {

// Returns the sizes of the slice of `x` at `begin`, with -1 (to the end) resolved.
StatusOr<Shape> SliceSizes(const Shape& x, const Dims& begin, const Dims& size) {
  if (begin.size() != x.rank() || size.size() != x.rank()) {
    return InvalidArgument("Expected begin and size arguments to be 1-D tensors of size ", x.rank(),
                           ", but got shapes [", begin.size(), "] and [", size.size(),
                           "] instead.");
  }
  Shape sizes = x;
  for (int i = 0; i < x.rank(); ++i) {
    const int64_t b = begin[i];
    if (b < 0 || b > x.dim(i)) {
      return InvalidArgument("Expected begin[", i, "] in [0, ", x.dim(i), "], but got ", b);
    }
    const int64_t size_left = x.dim(i) - b, n = size[i] == -1 ? size_left : size[i];
    if (n < 0 || n > size_left) {
      return InvalidArgument("Expected size[", i, "] in [0, ", size_left, "], but got ", n);
    }
    sizes.set_dim(i, n);
  }
  return sizes;
}

Status Slice(KernelContext& c) {
  const Tensor& x = c.input(0);
  for (int i : {1, 2}) {
    if (c.input(i).rank() == 1 && c.input(i).num_elements() == x.rank()) continue;
    return InvalidArgument("Expected begin and size arguments to be 1-D tensors of size ", x.rank(),
                           ", but got shapes ", c.input(1).shape(), " and ", c.input(2).shape(),
                           " instead.");
  }
  RAMET_ASSIGN_OR_RETURN(Dims begin, VectorArg(c.input(1), "begin"));
  RAMET_ASSIGN_OR_RETURN(Dims size, VectorArg(c.input(2), "size"));
  RAMET_ASSIGN_OR_RETURN(Shape shape, SliceSizes(x.shape(), begin, size));
  if (shape == x.shape()) {
    c.SetOutput(0, x);
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
  if (y->num_elements() == 0) return OkStatus();
  const Dims strides = RowMajorStrides(x.shape().dims());
  int64_t offset = 0;
  for (int i = 0; i < x.rank(); ++i) offset += begin[i] * strides[i];
  return MoveStrided(x, offset, strides, *y, 0, RowMajorStrides(shape.dims()), shape.dims());
}

// Returns the length of a slice of a dimension as far as it is known.
StatusOr<int64_t> SliceLength(int64_t dim, std::optional<int64_t> begin,
                              std::optional<int64_t> size, int i) {
  const bool has_begin = begin && *begin >= 0;
  if (size && *size >= 0) {
    if (has_begin && dim >= 0 && *size > dim - *begin) {
      return InvalidArgument("Expected size[", i, "] in [0, ", dim - *begin, "], but got ", *size);
    }
    return *size;
  }
  if (!size || *size != -1 || !has_begin || dim < 0) return Shape::kUnknownDim;
  if (*begin > dim) {
    return InvalidArgument("Expected begin[", i, "] in [0, ", dim, "], but got ", *begin);
  }
  return dim - *begin;
}

Status SliceShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto begin, KnownVector(c, 1));
  RAMET_ASSIGN_OR_RETURN(auto size, KnownVector(c, 2));
  const Shape& x = c.input(0);
  int64_t rank = x.rank();
  for (int i : {1, 2}) {
    const int64_t n = c.input(i).unknown_rank() ? -1 : c.input(i).dim(0);
    if (rank >= 0 && n >= 0 && n != rank) {
      return InvalidArgument("Expected begin and size arguments to be 1-D tensors of size ", rank,
                             ", but got shape [", n, "]");
    }
    rank = std::max(rank, n);
  }
  if (rank < 0 || rank > Shape::kMaxRank) return OkStatus();
  Shape shape = Shape::OfRank(static_cast<int>(rank));
  for (int i = 0; i < rank; ++i) {
    auto at = [i](const std::optional<Dims>& v) {
      return v ? std::optional<int64_t>((*v)[i]) : std::nullopt;
    };
    RAMET_ASSIGN_OR_RETURN(int64_t length,
                           SliceLength(x.unknown_rank() ? -1 : x.dim(i), at(begin), at(size), i));
    shape.set_dim(i, length);
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// Pads the gradient with zeros to the shape of the input.
Status SliceGradient(GradientContext& c) {
  const Output x = c.input(0), begin = c.input(1);
  const DType type = begin.dtype();
  const Output column = c.Add("Pack", {RankOf(c, x), Tensor(int32_t{1})}, {{"N", 2}}, "stack");
  const Output before = c.Add("Reshape", {begin, column});
  const Output size = ShapeOf(c, c.output(), type);
  const Output left = c.Add("Sub", {ShapeOf(c, x, type), size}, {}, "sub");
  const Output after = c.Add("Reshape", {c.Add("Sub", {left, begin}, {}, "sub"), column});
  const Output paddings =
      c.Add("ConcatV2", {before, after, Tensor(int32_t{1})}, {{"N", 2}}, "concat");
  return c.Return({c.Add("Pad", {c.grad(), paddings}), Gradient(), Gradient()});
}

class StridedSliceKernel final : public Kernel {
 public:
  static std::unique_ptr<StridedSliceKernel> Make(const KernelNode& node) {
    return std::make_unique<StridedSliceKernel>(SliceMasks::FromAttrs(*node.attrs));
  }
  explicit StridedSliceKernel(const SliceMasks& masks) : masks_(masks) {}

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(SliceEntries entries,
                           CheckedEntries(c.input(1), c.input(2), c.input(3)));
    RAMET_ASSIGN_OR_RETURN(SlicePlan plan, SlicePlan::Make(x.shape(), entries, masks_));
    if (plan.everything) {
      c.SetOutput(0, x.Reshaped(plan.result));
      return OkStatus();
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), plan.result));
    const Dims dense = RowMajorStrides(x.shape().dims());
    return MoveStrided(x, plan.Offset(dense), plan.Steps(dense), *y, 0,
                       RowMajorStrides(plan.counts), plan.counts);
  }

 private:
  const SliceMasks masks_;
};

Status StridedSliceShape(ShapeContext& c) {
  int64_t entries = -1;
  for (int i : {1, 2, 3}) {
    RAMET_ASSIGN_OR_RETURN(Shape s, c.WithRank(i, 1));
    if (entries >= 0 && s.dim(0) >= 0 && s.dim(0) != entries) {
      return InvalidArgument(
          "Expected begin, end, and strides to be 1D equal size tensors, but got shapes ",
          c.input(1), ", ", c.input(2), ", and ", c.input(3), " instead.");
    }
    entries = std::max(entries, s.dim(0));
  }
  if (c.input(0).unknown_rank() || entries < 0 || entries > Shape::kMaxRank) return OkStatus();
  const SliceEntries known = {static_cast<int>(entries), c.constant(1), c.constant(2),
                              c.constant(3)};
  RAMET_ASSIGN_OR_RETURN(SlicePlan plan,
                         SlicePlan::Make(c.input(0), known, SliceMasks::FromAttrs(c.attrs())));
  c.set_output(0, plan.result);
  return OkStatus();
}

AttrMap MasksOf(GradientContext& c) {
  AttrMap masks;
  for (const char* name :
       {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
    masks.Set(name, c.op().attrs()->GetOr<int64_t>(name, 0));
  }
  return masks;
}

// Returns a new constant if the value is known, so that a loop does not have to save it.
Input KnownOr(const Output& x) {
  Tensor known = ConstantValue(x);
  return known.empty() ? Input(x) : Input(std::move(known));
}

Status StridedSliceGradient(GradientContext& c) {
  const Output shape = ShapeOf(c, c.input(0), c.input(1).dtype());
  const Output grad = c.Add(
      "StridedSliceGrad",
      {KnownOr(shape), KnownOr(c.input(1)), KnownOr(c.input(2)), KnownOr(c.input(3)), c.grad()},
      MasksOf(c));
  return c.Return({grad, Gradient(), Gradient(), Gradient()});
}

class StridedSliceGradKernel final : public Kernel {
 public:
  static std::unique_ptr<StridedSliceGradKernel> Make(const KernelNode& node) {
    return std::make_unique<StridedSliceGradKernel>(SliceMasks::FromAttrs(*node.attrs));
  }
  explicit StridedSliceGradKernel(const SliceMasks& masks) : masks_(masks) {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(Shape shape, ShapeArg(c.input(0), "shape"));
    RAMET_ASSIGN_OR_RETURN(SliceEntries entries,
                           CheckedEntries(c.input(1), c.input(2), c.input(3)));
    RAMET_ASSIGN_OR_RETURN(SlicePlan plan, SlicePlan::Make(shape, entries, masks_));
    const Tensor& dy = c.input(4);
    if (!(dy.shape() == plan.result)) {
      return InvalidArgument("shape of dy was ", dy.shape(), " instead of ", plan.result);
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, dy.dtype(), shape));
    RAMET_RETURN_IF_ERROR(FillZeros(*y));
    const Dims dense = RowMajorStrides(shape.dims());
    return MoveStrided(dy, 0, RowMajorStrides(plan.counts), *y, plan.Offset(dense),
                       plan.Steps(dense), plan.counts);
  }

 private:
  const SliceMasks masks_;
};

Status StridedSliceGradGradient(GradientContext& c) {
  const Output grad =
      c.Add("StridedSlice", {c.grad(), c.input(1), c.input(2), c.input(3)}, MasksOf(c));
  return c.Return({Gradient(), Gradient(), Gradient(), Gradient(), grad});
}

}  // namespace

RAMET_OP("Slice")
    .Foldable()
    .Input("input: T")
    .Input("begin: Index")
    .Input("size: Index")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Doc(
        "Returns size[i] entries of each dimension i of `input`, starting at begin[i]. A size of "
        "-1 means up to the end. begin and size are vectors with one element per dimension. Error: "
        "begin or size has a different shape; the slice is not within the input.")
    .HostMemory({"begin", "size"})
    .Shape(SliceShape)
    .Gradient(SliceGradient)
    .CpuKernel(Slice);

RAMET_OP("StridedSlice")
    .Foldable()
    .Input("input: T")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int16, int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .Doc(
        "Returns input[begin:end:strides] as in Python. begin, end and strides are vectors with "
        "one entry for each dimension, from the first on. Bit i of a mask changes the meaning of "
        "entry i: begin_mask and end_mask omit that bound; ellipsis_mask stands for \"...\"; "
        "new_axis_mask inserts a dimension of size 1; shrink_axis_mask selects the single index "
        "begin[i] and drops the dimension. Error: the vectors differ in length; a stride is 0; a "
        "single index is out of range; there are more entries than dimensions; there is more than "
        "one ellipsis.")
    .HostMemory({"begin", "end", "strides"})
    .Shape(StridedSliceShape)
    .Gradient(StridedSliceGradient)
    .CpuKernelClass<StridedSliceKernel>();

RAMET_OP("StridedSliceGrad")
    .Input("shape: Index")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Input("dy: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .Doc(
        "Returns the gradient of StridedSlice: a tensor of zeros of shape `shape`, a vector, with "
        "`dy` at the positions that the slice selects. Error: the same as StridedSlice; `dy` does "
        "not have the shape of the slice.")
    .HostMemory({"shape", "begin", "end", "strides"})
    .Shape(ShapeFromInput<0>)
    .Gradient(StridedSliceGradGradient)
    .CpuKernelClass<StridedSliceGradKernel>();

}  // namespace ramet
