#include "ramet/op/op.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"

namespace ramet {
namespace {

// Sets output 0 to x with the dimensions marked in `reversed` read backwards.
Status ReverseDims(KernelContext& c, const Tensor& x, const Dims& reversed) {
  Dims strides = RowMajorStrides(x.shape().dims());
  const Dims dense = strides;
  int64_t offset = 0;
  bool changes = false;
  for (int i = 0; i < x.rank(); ++i) {
    if (reversed[i] == 0 || x.dim(i) < 2) continue;
    offset += (x.dim(i) - 1) * strides[i];
    strides[i] = -strides[i];
    changes = true;
  }
  if (!changes) {
    c.SetOutput(0, x);
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape()));
  return MoveStrided(x, offset, strides, *y, 0, dense, x.shape().dims());
}

StatusOr<Dims> AxesToReverse(const Tensor& axes, int rank) {
  if (axes.rank() > 1) {
    return InvalidArgument("'dims' is required to be a vector or scalar, but has shape ",
                           axes.shape());
  }
  Dims reversed(rank, 0);
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    const int64_t asked = IntegerAt(axes, i), axis = asked < 0 ? asked + rank : asked;
    if (axis < 0 || axis >= rank) {
      return InvalidArgument("'axis'[", i, "] = ", asked, " is out of valid range [0, ", rank - 1,
                             "]");
    }
    if (reversed[static_cast<int>(axis)]++ != 0) {
      return InvalidArgument("axis ", axis, " specified more than once.");
    }
  }
  return reversed;
}

// Like TensorFlow, this does not look at the axes if the order of elements cannot change.
Status ReverseV2(KernelContext& c) {
  if (c.input(0).rank() == 0 || c.input(0).num_elements() == 0) {
    c.SetOutput(0, c.input(0));
    return OkStatus();
  }
  if (c.input(1).rank() != 1) {
    return InvalidArgument("'dims' must be 1-dimension, not ", c.input(1).rank());
  }
  RAMET_ASSIGN_OR_RETURN(Dims reversed, AxesToReverse(c.input(1), c.input(0).rank()));
  return ReverseDims(c, c.input(0), reversed);
}

// The length of `dims` is the rank.
Status ReverseShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape dims, c.WithRank(1, 1));
  if (dims.dim(0) < 0 || dims.dim(0) > 8) return UnchangedShape(c);
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRank(0, static_cast<int>(dims.dim(0))));
  c.set_output(0, std::move(x));
  return OkStatus();
}

Status ReverseV2Shape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  const Tensor* axes = c.constant(1);
  if (axes != nullptr && !c.input(0).unknown_rank()) {
    RAMET_RETURN_IF_ERROR(AxesToReverse(*axes, c.input(0).rank()).status());
  }
  return UnchangedShape(c);
}

Status Reverse(KernelContext& c) {
  const Tensor &x = c.input(0), &dims = c.input(1);
  if (dims.rank() != 1 || dims.num_elements() != x.rank()) {
    return InvalidArgument("'dims' must be a vector with one bool for each of the ", x.rank(),
                           " dimensions, but has shape ", dims.shape());
  }
  Dims reversed(x.rank(), 0);
  for (int i = 0; i < x.rank(); ++i) reversed[i] = dims.data<bool>()[i];
  return ReverseDims(c, x, reversed);
}

template <const char* op>
Status ReverseGradient(GradientContext& c) {
  return c.Return({c.Add(op, {c.grad(), c.input(1)}), Gradient()});
}
constexpr char kReverse[] = "Reverse", kReverseV2[] = "ReverseV2";

class ReverseSequenceKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(int64_t seq, node.attrs->Get<int64_t>("seq_dim"));
    return std::make_unique<ReverseSequenceKernel>(seq, node.attrs->GetOr<int64_t>("batch_dim", 0));
  }
  ReverseSequenceKernel(int64_t seq, int64_t batch) : seq_(seq), batch_(batch) {}

  Status Compute(KernelContext& c) override {
    const Tensor &x = c.input(0), &lengths = c.input(1);
    RAMET_RETURN_IF_ERROR(Check(x, lengths));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape()));
    RAMET_RETURN_IF_ERROR(CopyAll(x, *y));
    const Dims dense = RowMajorStrides(x.shape().dims());
    const int seq = static_cast<int>(seq_), batch = static_cast<int>(batch_);
    Dims dims(x.shape().dims()), steps = dense;
    dims[batch] = 1;
    steps[seq] = -steps[seq];
    for (int64_t b = 0; b < x.dim(batch); ++b) {
      const int64_t length = IntegerAt(lengths, b);
      if (length < 2) continue;
      dims[seq] = length;
      const int64_t from = b * dense[batch] + (length - 1) * dense[seq];
      RAMET_RETURN_IF_ERROR(MoveStrided(x, from, steps, *y, b * dense[batch], dense, dims));
    }
    return OkStatus();
  }

 private:
  Status Check(const Tensor& x, const Tensor& lengths) const {
    if (batch_ == seq_) return InvalidArgument("batch_dim == seq_dim == ", seq_);
    for (const auto& [name, d] : {std::pair{"seq_dim", seq_}, std::pair{"batch_dim", batch_}}) {
      if (d >= x.rank()) {
        return InvalidArgument(name, " must be < input rank ( ", d, " vs. ", x.rank(), ")");
      }
      if (d < 0) return InvalidArgument(name, " must be >= 0, but is ", d);
    }
    if (lengths.rank() != 1 || lengths.num_elements() != x.dim(static_cast<int>(batch_))) {
      return InvalidArgument("Length of seq_lengths != input.dims(", batch_, "), (",
                             lengths.shape(), " vs. ", x.dim(static_cast<int>(batch_)), ")");
    }
    for (int64_t b = 0; b < lengths.num_elements(); ++b) {
      const int64_t n = IntegerAt(lengths, b);
      if (n < 0) return InvalidArgument("seq_lens(", b, ") < 0");
      if (n > x.dim(static_cast<int>(seq_))) {
        return InvalidArgument("seq_lens(", b, ") > input.dims(", seq_, ")");
      }
    }
    return OkStatus();
  }

  const int64_t seq_, batch_;
};

// The number of lengths is the size of dimension batch_dim.
Status ReverseSequenceShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape lengths, c.WithRank(1, 1));
  Shape x = c.input(0);
  if (x.unknown_rank()) return OkStatus();
  const int64_t batch = c.attrs().GetOr<int64_t>("batch_dim", 0);
  const int64_t sequence = c.attrs().GetOr<int64_t>("seq_dim", 0);
  if (batch >= x.rank()) {
    return InvalidArgument("batch_dim must be < input rank: ", batch, " vs. ", x.rank());
  }
  if (sequence >= x.rank()) {
    return InvalidArgument("seq_dim must be < input rank: ", sequence, " vs. ", x.rank());
  }
  if (batch >= 0) {
    const int dim = static_cast<int>(batch);
    RAMET_ASSIGN_OR_RETURN(const Shape size, Shape{x.dim(dim)}.MergeWith(lengths));
    x.set_dim(dim, size.dim(0));
  }
  c.set_output(0, std::move(x));
  return OkStatus();
}

Status ReverseSequenceGradient(GradientContext& c) {
  AttrMap attrs;
  for (const char* name : {"seq_dim", "batch_dim"}) {
    attrs.Set(name, c.op().attrs()->GetOr<int64_t>(name, 0));
  }
  return c.Return({c.Add("ReverseSequence", {c.grad(), c.input(1)}, attrs), Gradient()});
}

}  // namespace

RAMET_OP("ReverseV2")
    .Foldable()
    .Input("tensor: T")
    .Input("axis: Tidx")
    .Output("output: T")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Attr(
        "T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, half, "
        "float, "
        "double, complex64, complex128, string}")
    .Doc(
        "Returns `tensor` with the dimensions in `axis`, a vector of distinct values in [-rank, "
        "rank), reversed. Error: an axis is out of range or occurs twice.")
    .HostMemory({"axis"})
    .Shape(ReverseV2Shape)
    .Gradient(ReverseGradient<kReverseV2>)
    .CpuKernel(ReverseV2);

RAMET_OP("Reverse")
    .Foldable()
    .Input("tensor: T")
    .Input("dims: bool")
    .Output("output: T")
    .Attr(
        "T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, half, "
        "float, "
        "double, complex64, complex128, string}")
    .Doc(
        "Returns `tensor` with each dimension i for which dims[i] is true reversed. `dims` is a "
        "vector with one element per dimension. Error: `dims` has a different shape.")
    .HostMemory({"dims"})
    .Shape(ReverseShape)
    .Gradient(ReverseGradient<kReverse>)
    .CpuKernel(Reverse);

RAMET_OP("ReverseSequence")
    .Input("input: T")
    .Input("seq_lengths: Tlen")
    .Output("output: T")
    .Attr("seq_dim: int")
    .Attr("batch_dim: int = 0")
    .Attr("T: type")
    .Attr("Tlen: {int32, int64} = DT_INT64")
    .Doc(
        "Returns `input` with the first seq_lengths[b] entries along dimension seq_dim reversed, "
        "for each b along dimension batch_dim. Error: a length is not in [0, size of seq_dim]; "
        "seq_lengths is not a vector as long as batch_dim; seq_dim and batch_dim are equal or out "
        "of range.")
    .HostMemory({"seq_lengths"})
    .Shape(ReverseSequenceShape)
    .Gradient(ReverseSequenceGradient)
    .CpuKernelClass<ReverseSequenceKernel>();

}  // namespace ramet
