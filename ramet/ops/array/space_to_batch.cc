#include <algorithm>

#include "ramet/linalg/strided_copy.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"

// Ops that turn blocks of space into batch entries (SpaceToBatchND and related ops) or into
// channels (SpaceToDepth), and back.

namespace ramet {
namespace {

// The block size of each spatial dimension, and the elements added before and after it, or cropped.
struct Blocks {
  Dims size, before, after;

  int64_t volume() const {
    int64_t v = 1;
    for (int64_t s : size) v *= s;
    return v;
  }
};

constexpr int64_t kMaxBlocks = int64_t{1} << 31;

// Reads and checks the block sizes and the paddings or crops. `what` is "paddings" or "crops".
StatusOr<Blocks> ReadBlocks(const Dims& size, const Tensor& ends, std::string_view what, int rank) {
  Blocks b;
  b.size = size;
  if (rank < size.size() + 1) {
    return InvalidArgument("input rank should be >= ", size.size() + 1, " instead of ", rank);
  }
  if (ends.rank() != 2 || ends.dim(0) != size.size() || ends.dim(1) != 2) {
    return InvalidArgument(what, " should have shape [", size.size(), ", 2] instead of ",
                           ends.shape());
  }
  int64_t volume = 1;
  for (int d = 0; d < size.size(); ++d) {
    if (size[d] < 1 || size[d] > kMaxBlocks || (volume *= size[d]) > kMaxBlocks) {
      return InvalidArgument("block_shape must be positive and not too large, but block_shape[", d,
                             "] is ", size[d]);
    }
    for (int side = 0; side < 2; ++side) {
      const int64_t end = IntegerAt(ends, 2 * d + side);
      if (end < 0) return InvalidArgument(what, " must be non-negative, but has ", end);
      (side == 0 ? b.before : b.after).Append(end);
    }
  }
  return b;
}

StatusOr<int64_t> BlockSum(int64_t a, int64_t b, int64_t c) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum) || __builtin_add_overflow(sum, c, &sum)) {
    return InvalidArgument("a dimension of size ", a, " with paddings ", b, " and ", c,
                           " overflows");
  }
  return sum;
}

// The two functions below return the shape of one side of the op for that of the other. Dimensions
// may be unknown (-1).
StatusOr<Shape> BatchShape(const Shape& space, const Blocks& b) {
  Shape shape = space;
  for (int d = 0; d < b.size.size(); ++d) {
    if (space.dim(d + 1) < 0) continue;
    RAMET_ASSIGN_OR_RETURN(int64_t padded, BlockSum(space.dim(d + 1), b.before[d], b.after[d]));
    if (padded % b.size[d] != 0) {
      return InvalidArgument("padded_shape[", d, "]=", padded, " is not divisible by block_shape[",
                             d, "]=", b.size[d]);
    }
    shape.set_dim(d + 1, padded / b.size[d]);
  }
  int64_t batch = -1;
  if (space.dim(0) >= 0 && !MultiplyNonNegative(space.dim(0), b.volume(), &batch)) {
    return InvalidArgument("the batch of ", space.dim(0), " entries overflows");
  }
  shape.set_dim(0, batch);
  return Shape::Make(shape.dims());
}

StatusOr<Shape> SpaceShape(const Shape& batch, const Blocks& b) {
  Shape shape = batch;
  if (batch.dim(0) >= 0 && batch.dim(0) % b.volume() != 0) {
    return InvalidArgument("Input batch dimension (", batch.dim(0),
                           ") is not divisible by product of block sizes (", b.volume(), ")");
  }
  if (batch.dim(0) >= 0) shape.set_dim(0, batch.dim(0) / b.volume());
  for (int d = 0; d < b.size.size(); ++d) {
    if (batch.dim(d + 1) < 0) continue;
    int64_t whole;
    if (!MultiplyNonNegative(batch.dim(d + 1), b.size[d], &whole)) {
      return InvalidArgument("dimension ", d + 1, " overflows");
    }
    int64_t left;
    if (__builtin_sub_overflow(whole, b.before[d], &left) ||
        __builtin_sub_overflow(left, b.after[d], &left) || left < 0) {
      return InvalidArgument("cropped_shape[", d, "] must be non-negative: ", whole,
                             " less crops of ", b.before[d], " and ", b.after[d]);
    }
    shape.set_dim(d + 1, left);
  }
  return Shape::Make(shape.dims());
}

// Moves elements between a tensor with spatial dimensions and one with batches of blocks.
Status MoveBlocks(const Blocks& b, bool to_batch, const Tensor& x, Tensor& y) {
  const Shape& space = (to_batch ? x : y).shape();
  const Shape& batch = (to_batch ? y : x).shape();
  const Dims space_steps = RowMajorStrides(space.dims()),
             batch_steps = RowMajorStrides(batch.dims());
  Dims space_strides = space_steps;
  for (int d = 0; d < b.size.size(); ++d) space_strides[d + 1] *= b.size[d];
  for (int64_t block = 0; block < b.volume(); ++block) {
    Dims dims(space.dims());
    int64_t rest = block, space_at = 0, batch_at = block * space.dim(0) * batch_steps[0];
    bool empty = space.dim(0) == 0;
    for (int d = b.size.size() - 1; d >= 0; --d) {
      const int64_t offset = rest % b.size[d] - b.before[d];
      rest /= b.size[d];
      const int64_t first = offset < 0 ? (-offset + b.size[d] - 1) / b.size[d] : 0;
      const int64_t end = (space.dim(d + 1) - offset + b.size[d] - 1) / b.size[d];
      dims[d + 1] = std::min(end, batch.dim(d + 1)) - first;
      empty = empty || dims[d + 1] <= 0;
      space_at += (first * b.size[d] + offset) * space_steps[d + 1];
      batch_at += first * batch_steps[d + 1];
    }
    if (empty) continue;
    RAMET_RETURN_IF_ERROR(
        to_batch ? MoveStrided(x, space_at, space_strides, y, batch_at, batch_steps, dims)
                 : MoveStrided(x, batch_at, batch_steps, y, space_at, space_strides, dims));
  }
  return OkStatus();
}

Status ToBatch(KernelContext& c, const Dims& size, const Tensor& paddings) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Blocks b, ReadBlocks(size, paddings, "paddings", x.rank()));
  RAMET_ASSIGN_OR_RETURN(Shape shape, BatchShape(x.shape(), b));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
  if (y->num_elements() == 0) return OkStatus();
  RAMET_RETURN_IF_ERROR(FillZeros(*y));
  return MoveBlocks(b, true, x, *y);
}

Status ToSpace(KernelContext& c, const Dims& size, const Tensor& crops) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Blocks b, ReadBlocks(size, crops, "crops", x.rank()));
  RAMET_ASSIGN_OR_RETURN(Shape shape, SpaceShape(x.shape(), b));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
  if (y->num_elements() == 0) return OkStatus();
  return MoveBlocks(b, false, x, *y);
}

StatusOr<Dims> BlockShapeArg(const Tensor& t) {
  if (t.rank() != 1) return InvalidArgument("block_shape must have rank 1: ", t.shape());
  return VectorArg(t, "block_shape");
}

template <bool kToBatch>
Status BlocksND(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(Dims size, BlockShapeArg(c.input(1)));
  return (kToBatch ? ToBatch : ToSpace)(c, size, c.input(2));
}

// Returns the product of the block sizes, or -1 if it is unknown or the sizes are invalid.
int64_t KnownVolume(const Tensor* size) {
  if (size == nullptr || size->rank() != 1) return -1;
  int64_t volume = 1;
  for (int64_t i = 0; i < size->num_elements(); ++i) {
    const int64_t s = IntegerAt(*size, i);
    if (s < 1 || s > kMaxBlocks || (volume *= s) > kMaxBlocks) return -1;
  }
  return volume;
}

// Returns the known part of the output shape if the block sizes or the paddings are not all known:
// the dimensions after the blocks, and the batch if the block sizes are known.
Shape PartlyKnownShape(const Shape& x, const Shape& block, const Tensor* size, bool to_batch) {
  Shape shape = Shape::OfRank(x.rank());
  if (block.unknown_rank() || block.dim(0) < 0) return shape;
  for (int d = static_cast<int>(std::min<int64_t>(block.dim(0), x.rank())) + 1; d < x.rank(); ++d) {
    shape.set_dim(d, x.dim(d));
  }
  const int64_t volume = KnownVolume(size);
  if (volume < 0 || x.rank() == 0 || x.dim(0) < 0) return shape;
  int64_t batch = -1;
  if (!to_batch && x.dim(0) % volume == 0) batch = x.dim(0) / volume;
  if (to_batch && !MultiplyNonNegative(x.dim(0), volume, &batch)) batch = -1;
  shape.set_dim(0, batch);
  return shape;
}

template <bool kToBatch>
Status BlocksNDShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  RAMET_RETURN_IF_ERROR(c.WithRank(2, 2).status());
  const Shape& x = c.input(0);
  const Tensor *size = c.constant(1), *ends = c.constant(2);
  if (x.unknown_rank()) return OkStatus();
  if (size == nullptr || ends == nullptr) {
    c.set_output(0, PartlyKnownShape(x, c.input(1), size, kToBatch));
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Dims sizes, BlockShapeArg(*size));
  RAMET_ASSIGN_OR_RETURN(Blocks b,
                         ReadBlocks(sizes, *ends, kToBatch ? "paddings" : "crops", x.rank()));
  RAMET_ASSIGN_OR_RETURN(Shape shape, (kToBatch ? BatchShape : SpaceShape)(x, b));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

int64_t BlockSize(const AttrMap& attrs) { return attrs.GetOr("block_size", int64_t{0}); }

// The older ops for images of rank 4, with the attr block_size.
template <bool kToBatch>
class ImageBlocksKernel final : public Kernel {
 public:
  explicit ImageBlocksKernel(int64_t size) : size_(size) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<ImageBlocksKernel>(BlockSize(*node.attrs)));
  }
  Status Compute(KernelContext& c) override {
    if (c.input(0).rank() != 4) {
      return InvalidArgument("Input rank should be: 4 instead of: ", c.input(0).rank());
    }
    return (kToBatch ? ToBatch : ToSpace)(c, Dims(2, size_), c.input(1));
  }

 private:
  const int64_t size_;
};

template <bool kToBatch>
Status ImageBlocksShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRank(0, 4));
  const Tensor* ends = c.constant(1);
  if (ends == nullptr) {
    const auto size = static_cast<int32_t>(BlockSize(c.attrs()));
    const Tensor sizes = Tensor::Vector<int32_t>({size, size});
    c.set_output(0, PartlyKnownShape(x, Shape{2}, &sizes, kToBatch));
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Blocks b, ReadBlocks(Dims(2, BlockSize(c.attrs())), *ends,
                                              kToBatch ? "paddings" : "crops", 4));
  RAMET_ASSIGN_OR_RETURN(Shape shape, (kToBatch ? BatchShape : SpaceShape)(x, b));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

constexpr char kSpaceToBatchND[] = "SpaceToBatchND", kBatchToSpaceND[] = "BatchToSpaceND";
constexpr char kSpaceToBatch[] = "SpaceToBatch", kBatchToSpace[] = "BatchToSpace";
constexpr char kSpaceToDepth[] = "SpaceToDepth", kDepthToSpace[] = "DepthToSpace";

// The gradient is the opposite op with the same remaining inputs and attrs.
template <const char* kOpposite>
Status OppositeGradient(GradientContext& c) {
  AttrMap attrs;
  for (const char* name : {"block_size", "data_format"}) {
    if (const Attr* value = c.op().attrs()->Find(name)) attrs.Set(name, *value);
  }
  std::vector<Input> inputs = {c.grad()};
  for (int i = 1; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  std::vector<Gradient> grads(c.num_inputs());
  grads[0] = c.Add(kOpposite, inputs, std::move(attrs));
  return c.Return(std::move(grads));
}

// The attrs of SpaceToDepth and DepthToSpace.
struct Depth {
  int64_t block;
  bool channels_first;

  explicit Depth(const AttrMap& attrs)
      : block(BlockSize(attrs)),
        channels_first(attrs.GetOr<std::string>("data_format", "NHWC") == "NCHW") {}
  int channel_axis() const { return channels_first ? 1 : 3; }
  int row_axis() const { return channels_first ? 2 : 1; }
};

StatusOr<Shape> DepthShape(const Depth& depth, bool to_depth, const Shape& x) {
  Shape y = x;
  const int c = depth.channel_axis(), h = depth.row_axis(), w = h + 1;
  const int64_t block = depth.block, area = block * block;
  if (to_depth) {
    if ((x.dim(h) >= 0 && x.dim(h) % block != 0) || (x.dim(w) >= 0 && x.dim(w) % block != 0)) {
      return InvalidArgument("Image width ", x.dim(w), " and height ", x.dim(h),
                             " should be divisible by block_size: ", block);
    }
  } else if (x.dim(c) >= 0 && x.dim(c) % area != 0) {
    return InvalidArgument("Input depth dimension ", x.dim(c), " should be divisible by: ", area);
  }
  for (int axis : {h, w, c}) {
    const bool grows = (axis == c) == to_depth;
    const int64_t factor = axis == c ? area : block;
    int64_t size = x.dim(axis);
    if (size < 0) continue;
    if (!grows) {
      size /= factor;
    } else if (!MultiplyNonNegative(size, factor, &size)) {
      return InvalidArgument("dimension ", axis, " overflows");
    }
    y.set_dim(axis, size);
  }
  return Shape::Make(y.dims());
}

template <bool kToDepth>
class DepthKernel final : public Kernel {
 public:
  explicit DepthKernel(const AttrMap& attrs) : depth_(attrs) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const std::string format = node.attrs->GetOr<std::string>("data_format", "NHWC");
    if (format == "NCHW_VECT_C") return Unimplemented("data_format NCHW_VECT_C is not supported");
    const int64_t block = BlockSize(*node.attrs);
    if (block < 2 || block > (1 << 15)) {
      return InvalidArgument("block_size must be from 2 to 32768, but is ", block);
    }
    return std::unique_ptr<Kernel>(std::make_unique<DepthKernel>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    if (x.rank() != 4) return InvalidArgument("Input rank should be 4 instead of ", x.rank());
    RAMET_ASSIGN_OR_RETURN(Shape shape, DepthShape(depth_, kToDepth, x.shape()));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
    if (y->num_elements() == 0) return OkStatus();
    const Shape& space = kToDepth ? x.shape() : y->shape();
    const int h = depth_.row_axis();
    const int64_t b = depth_.block;
    // [n, rows, block, columns, block, channels] <-> [n, rows, columns, block, block, channels].
    const int64_t rows = space.dim(h) / b, columns = space.dim(h + 1) / b;
    const int64_t n = space.dim(0), channels = space.dim(depth_.channel_axis());
    const int64_t area = rows * columns, pixels = area * b * b;
    Dims dims, space_strides, depth_strides;
    const auto dimension = [&](int64_t size, int64_t in_space, int64_t in_depth) {
      dims.Append(size);
      space_strides.Append(in_space);
      depth_strides.Append(in_depth);
    };
    const bool first = depth_.channels_first;
    const int64_t wide = first ? columns * b : columns * b * channels;  // a row of the image
    const int64_t step = first ? 1 : channels;
    const int64_t deep = first ? 1 : b * b * channels;  // a pixel of the image with depth
    const int64_t plane = first ? area : 1;             // one channel of that image
    dimension(n, pixels * channels, pixels * channels);
    dimension(rows, b * wide, columns * deep);
    dimension(columns, b * step, deep);
    dimension(b, wide, b * channels * plane);
    dimension(b, step, channels * plane);
    dimension(channels, first ? pixels : 1, plane);
    return kToDepth ? MoveStrided(x, 0, space_strides, *y, 0, depth_strides, dims)
                    : MoveStrided(x, 0, depth_strides, *y, 0, space_strides, dims);
  }

 private:
  const Depth depth_;
};

template <bool kToDepth>
Status DepthShapeFn(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRank(0, 4));
  const Depth depth(c.attrs());
  if (c.attrs().GetOr<std::string>("data_format", "NHWC") == "NCHW_VECT_C" || depth.block < 2 ||
      depth.block > (1 << 15)) {
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Shape shape, DepthShape(depth, kToDepth, x));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace

RAMET_OP("SpaceToBatchND")
    .Input("input: T")
    .Input("block_shape: Tblock_shape")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tblock_shape: {int32, int64} = DT_INT32")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Doc(
        "Returns `input`, [batch, space..., rest...], padded with zeros and divided into blocks of "
        "block_shape, a vector of length m. paddings is [m, 2] and gives the zeros before and "
        "after each spatial dimension. Entry b * batch + n of the output holds element b of each "
        "block of entry n. Error: the blocks do not evenly divide the padded sizes; a block size "
        "is not positive or is too large; a padding is negative; the shapes do not fit together.")
    .HostMemory({"block_shape", "paddings"})
    .Shape(BlocksNDShape<true>)
    .Gradient(OppositeGradient<kBatchToSpaceND>)
    .CpuKernel(BlocksND<true>);

RAMET_OP("BatchToSpaceND")
    .Input("input: T")
    .Input("block_shape: Tblock_shape")
    .Input("crops: Tcrops")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tblock_shape: {int32, int64} = DT_INT32")
    .Attr("Tcrops: {int32, int64} = DT_INT32")
    .Doc(
        "The inverse of SpaceToBatchND: turns batch entries into elements of blocks, then removes "
        "the crops, [m, 2], from both ends of the spatial dimensions. Error: the product of "
        "block_shape does not evenly divide the batch; a block size is not positive or is too "
        "large; the crops are negative or larger than the image; the shapes do not fit together.")
    .HostMemory({"block_shape", "crops"})
    .Shape(BlocksNDShape<false>)
    .Gradient(OppositeGradient<kSpaceToBatchND>)
    .CpuKernel(BlocksND<false>);

RAMET_OP("SpaceToBatch")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Attr("block_size: int >= 2")
    .Doc(
        "SpaceToBatchND for images [batch, height, width, depth] with square blocks. Error: the "
        "same as SpaceToBatchND; `input` is not of rank 4.")
    .HostMemory({"paddings"})
    .Shape(ImageBlocksShape<true>)
    .Gradient(OppositeGradient<kBatchToSpace>)
    .CpuKernelClass<ImageBlocksKernel<true>>();

RAMET_OP("BatchToSpace")
    .Input("input: T")
    .Input("crops: Tidx")
    .Output("output: T")
    .Attr("T: type")
    .Attr("block_size: int >= 2")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Doc(
        "BatchToSpaceND for images [batch, height, width, depth] with square blocks. Error: the "
        "same as BatchToSpaceND; `input` is not of rank 4.")
    .HostMemory({"crops"})
    .Shape(ImageBlocksShape<false>)
    .Gradient(OppositeGradient<kSpaceToBatch>)
    .CpuKernelClass<ImageBlocksKernel<false>>();

RAMET_OP("SpaceToDepth")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("block_size: int >= 2")
    .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    .Doc(
        "Turns each square block of the images [batch, height, width, depth] into one pixel of "
        "depth block_size^2 * depth. Element (i, j, c) of a block becomes channel (i * block_size "
        "+ j) * depth + c. Error: `input` is not of rank 4; block_size is not in [2, 32768] or "
        "does not evenly divide the height and width; data_format is NCHW_VECT_C (kUnimplemented).")
    .Shape(DepthShapeFn<true>)
    .Gradient(OppositeGradient<kDepthToSpace>)
    .CpuKernelClass<DepthKernel<true>>();

RAMET_OP("DepthToSpace")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("block_size: int >= 2")
    .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    .Doc(
        "The inverse of SpaceToDepth: turns the channels of each pixel into a block of block_size "
        "x block_size pixels. Error: `input` is not of rank 4; block_size is not in [2, 32768] or "
        "its square does not evenly divide the depth; data_format is NCHW_VECT_C (kUnimplemented).")
    .Shape(DepthShapeFn<false>)
    .Gradient(OppositeGradient<kSpaceToDepth>)
    .CpuKernelClass<DepthKernel<false>>();

}  // namespace ramet
