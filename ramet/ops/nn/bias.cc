#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/reduce.h"
#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// Ops with one bias per channel. The channels are the last dimension (NHWC) or the second one
// (NCHW).

namespace ramet {
namespace {

// The channels of a tensor: dimension `axis`, with `outer` elements before it and `inner` after it.
struct Channels {
  int64_t outer, count, inner;
};

StatusOr<Channels> ChannelsOf(const Shape& value, bool channels_first) {
  if (value.rank() < 2) {
    return InvalidArgument("Input tensor must be at least 2D: ", value);
  }
  const int axis = channels_first ? 1 : value.rank() - 1;
  return Channels{Product(value, 0, axis), value.dim(axis), Product(value, axis + 1, value.rank())};
}

bool ChannelsFirst(const AttrMap& attrs) {
  return attrs.GetOr<std::string>("data_format", "NHWC") == "NCHW";
}

class BiasAddKernel final : public Kernel {
 public:
  explicit BiasAddKernel(const KernelNode& node) : channels_first_(ChannelsFirst(*node.attrs)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<BiasAddKernel>(node));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& value = c.input(0);
    const Tensor& bias = c.input(1);
    RAMET_ASSIGN_OR_RETURN(Channels ch, ChannelsOf(value.shape(), channels_first_));
    if (bias.rank() != 1) return InvalidArgument("Biases must be 1D: ", bias.shape());
    if (bias.dim(0) != ch.count) {
      return InvalidArgument(
          "Must provide as many biases as the ", channels_first_ ? "channel" : "last",
          " dimension of the input tensor: ", bias.shape(), " vs. ", value.shape());
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, value.dtype(), value.shape()));
    return AddRepeated(value, bias, ch.inner, *y);
  }

 private:
  const bool channels_first_;
};

class BiasAddGradKernel final : public Kernel {
 public:
  explicit BiasAddGradKernel(const KernelNode& node)
      : channels_first_(ChannelsFirst(*node.attrs)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<BiasAddGradKernel>(node));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& grad = c.input(0);
    RAMET_ASSIGN_OR_RETURN(Channels ch, ChannelsOf(grad.shape(), channels_first_));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, grad.dtype(), Shape{ch.count}));
    constexpr bool kReduced[3] = {true, false, true};
    const int64_t dims[3] = {ch.outer, ch.count, ch.inner};
    return Reduce(linalg::ReduceOp::kSum, linalg::ReducePlan::Make(dims, kReduced), grad, *y);
  }

 private:
  const bool channels_first_;
};

template <class T>
using BiasAddKernelOf = BiasAddKernel;
template <class T>
using BiasAddGradKernelOf = BiasAddGradKernel;

int ChannelAxis(ShapeContext& c, int rank) { return ChannelsFirst(c.attrs()) ? 1 : rank - 1; }

Status BiasAddShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape value, c.WithRankAtLeast(0, ChannelsFirst(c.attrs()) ? 3 : 2));
  RAMET_ASSIGN_OR_RETURN(Shape bias, c.WithRank(1, 1));
  if (!value.unknown_rank()) {
    const int axis = ChannelAxis(c, value.rank());
    const int64_t channels = value.dim(axis);
    if (channels >= 0 && bias.dim(0) >= 0 && channels != bias.dim(0)) {
      return InvalidArgument("Dimensions must be equal, but are ", channels, " and ", bias.dim(0),
                             " (the value has shape ", value, ", the bias ", bias, ")");
    }
    if (channels < 0) value.set_dim(axis, bias.dim(0));
  }
  c.set_output(0, std::move(value));
  return OkStatus();
}

Status BiasAddGradShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape grad, c.WithRankAtLeast(0, ChannelsFirst(c.attrs()) ? 3 : 2));
  c.set_output(
      0, grad.unknown_rank() ? Shape::OfRank(1) : Shape{grad.dim(ChannelAxis(c, grad.rank()))});
  return OkStatus();
}

Status BiasAddGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(std::string format, c.attr<std::string>("data_format"));
  Output grad = c.grad();
  return c.Return({grad, c.Add("BiasAddGrad", {grad}, {{"data_format", format}})});
}

Status BiasAddV1Gradient(GradientContext& c) {
  Output grad = c.grad();
  Output axes = RangeTo(c, RankOf(c, grad) - 1);
  return c.Return({grad, c.Add("Sum", {grad, axes})});
}

// Returns the gradient repeated along all dimensions except that of the channels.
Status BiasAddGradGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(std::string format, c.attr<std::string>("data_format"));
  const bool first = format == "NCHW";
  Output grad = c.grad();
  Output shape = ShapeOf(c, c.input(0)), channels = ShapeOf(c, grad);
  const int axis = first ? 1 : -1;
  std::vector<Input> sizes = {OnesLike(c, SliceOf(c, shape, 0, axis)), channels};
  if (first) sizes.push_back(OnesLike(c, SliceOf(c, shape, 2, 0)));
  const int64_t parts = static_cast<int64_t>(sizes.size());
  sizes.push_back(0);
  Output all_sizes = c.Add("ConcatV2", sizes, {{"N", parts}}, "concat");
  std::vector<Input> multiples = {SliceOf(c, shape, 0, axis), Tensor::Vector<int32_t>({1})};
  if (first) multiples.push_back(SliceOf(c, shape, 2, 0));
  multiples.push_back(0);
  Output all_multiples = c.Add("ConcatV2", multiples, {{"N", parts}}, "concat");
  return c.Return({c.Add("Tile", {Reshape(c, grad, all_sizes), all_multiples})});
}

RAMET_OP("BiasAdd")
    .Input("value: T")
    .Input("bias: T")
    .Output("output: T")
    .Attr("T: numbertype")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Doc(
        "Returns `value` plus one bias per channel. `bias` is a vector as long as the last "
        "dimension of `value`, or as its second dimension with data_format NCHW. The output has "
        "the shape of `value`. Error: `value` has fewer than two dimensions; `bias` is not a "
        "vector of that length.")
    .Shape(BiasAddShape)
    .Gradient(BiasAddGradient)
    .CpuKernelClasses<BiasAddKernelOf, RAMET_NUMBERS>();

RAMET_OP("BiasAddV1")
    .Input("value: T")
    .Input("bias: T")
    .Output("output: T")
    .Attr("T: numbertype")
    .Doc(
        "Returns `value` plus a bias vector as long as its last dimension. This is the old form of "
        "BiasAdd. The output has the shape of `value`. Error: `value` has fewer than two "
        "dimensions; `bias` is not a vector of that length.")
    .Shape(BiasAddShape)
    .Gradient(BiasAddV1Gradient)
    .CpuKernelClasses<BiasAddKernelOf, RAMET_NUMBERS>();

RAMET_OP("BiasAddGrad")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: numbertype")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Doc(
        "Returns the sum of the incoming gradient over all dimensions except that of the channels "
        "(the last one, or the second one with data_format NCHW), as a vector. Error: out_backprop "
        "has fewer than two dimensions.")
    .Shape(BiasAddGradShape)
    .Gradient(BiasAddGradGradient)
    .CpuKernelClasses<BiasAddGradKernelOf, RAMET_NUMBERS>();

}  // namespace
}  // namespace ramet
