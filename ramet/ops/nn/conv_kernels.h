#pragma once

#include <optional>

#include "ramet/linalg/bias.h"
#include "ramet/linalg/conv.h"
#include "ramet/linalg/direct_conv.h"
#include "ramet/op/channel_steps.h"
#include "ramet/op/epilogue.h"
#include "ramet/op/tensor_math.h"
#include "ramet/op/weights_kernel.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/nn/conv_geometry.h"
#include "ramet/tensor/kept_forms.h"

// The kernels of convolutions and of their gradients.

namespace ramet {

// Selects an op of a family: the convolution or one of its gradients.
enum class ConvOpPart { kForward, kInput, kFilter };

// The convolutions of one rank, or the depthwise convolutions.
struct ConvFamily {
  int spatial;
  bool depthwise;
  const char* op;
  const char* backprop_input;
  const char* backprop_filter;
  const char* input_label;  // for messages
  const char* filter_label;
};

template <const ConvFamily& kFamily, ConvOpPart kPart>
class ConvKernel : public Kernel {
 public:
  explicit ConvKernel(ConvAttrs attrs) : attrs_(std::move(attrs)) {}

  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    constexpr const char* kLabel = kPart == ConvOpPart::kForward ? kFamily.op
                                   : kPart == ConvOpPart::kInput ? kFamily.input_label
                                                                 : kFamily.filter_label;
    RAMET_ASSIGN_OR_RETURN(
        ConvAttrs attrs, ConvAttrs::Parse(*node.attrs, kFamily.spatial, kFamily.depthwise, kLabel));
    return std::unique_ptr<Kernel>(std::make_unique<ConvKernel>(std::move(attrs)));
  }

  Status Compute(KernelContext& c) override {
    if constexpr (kPart == ConvOpPart::kForward) return Forward(c);
    return kPart == ConvOpPart::kInput ? BackpropInput(c) : BackpropFilter(c);
  }

 protected:
  const ConvAttrs& attrs() const { return attrs_; }

 private:
  Status Forward(KernelContext& c) const {
    const Tensor& input = c.input(0);
    const Tensor& filter = c.input(1);
    const int rank = attrs_.window.rank();
    if (input.rank() != rank) {
      return InvalidArgument("convolution input must be ", rank, "-dimensional: ", input.shape());
    }
    if (filter.rank() != rank) {
      return InvalidArgument("convolution filter must be ", rank, "-dimensional: ", filter.shape());
    }
    if (filter.num_elements() == 0) {
      return InvalidArgument(
          "filter must not have zero elements (i.e. all dimensions must be non-zero)");
    }
    RAMET_ASSIGN_OR_RETURN(linalg::ConvGeometry g,
                           ConvGeometryOf(attrs_, input.shape(), filter.shape()));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, input.dtype(), ConvOutputShape(attrs_, g)));
    return Convolve(ConvPart::kForward, g, input, filter, *y);
  }

  Status BackpropInput(KernelContext& c) const {
    const Tensor& filter = c.input(1);
    const Tensor& dy = c.input(2);
    RAMET_ASSIGN_OR_RETURN(Shape input, InputShape(c.input(0), filter.shape(), dy.shape()));
    RAMET_ASSIGN_OR_RETURN(linalg::ConvGeometry g,
                           BackpropGeometryOf(attrs_, input, filter.shape(), dy.shape()));
    RAMET_ASSIGN_OR_RETURN(Tensor * dx, c.Allocate(0, dy.dtype(), input));
    return Convolve(ConvPart::kBackpropInput, g, filter, dy, *dx);
  }

  Status BackpropFilter(KernelContext& c) const {
    const Tensor& input = c.input(0);
    const Tensor& dy = c.input(2);
    RAMET_ASSIGN_OR_RETURN(Shape filter, ShapeArg(c.input(1), "filter_sizes"));
    RAMET_ASSIGN_OR_RETURN(linalg::ConvGeometry g,
                           BackpropGeometryOf(attrs_, input.shape(), filter, dy.shape()));
    RAMET_ASSIGN_OR_RETURN(Tensor * df, c.Allocate(0, dy.dtype(), filter));
    return Convolve(ConvPart::kBackpropFilter, g, input, dy, *df);
  }

  // Returns the input shape from input_sizes; for Conv2D, input_sizes may be only height and width.
  StatusOr<Shape> InputShape(const Tensor& sizes, const Shape& filter, const Shape& dy) const {
    if (sizes.rank() != 1) {
      return InvalidArgument(kFamily.backprop_input, ": input_sizes input must be 1-dim, not ",
                             sizes.rank());
    }
    const bool short_form = kFamily.spatial == 2 && !kFamily.depthwise && sizes.dim(0) == 2;
    const WindowAttrs& w = attrs_.window;
    if (!short_form || filter.rank() != w.rank() || dy.rank() != w.rank()) {
      if (sizes.dim(0) != w.rank()) {
        return InvalidArgument(kFamily.backprop_input, " requires input_sizes to contain ",
                               w.rank(), " values", kFamily.depthwise ? "" : " or 2 values",
                               ", but got: ", sizes.dim(0));
      }
      return ShapeArg(sizes, "input_sizes");
    }
    Dims dims(w.rank(), 0);
    dims[w.batch_axis()] = dy.dim(w.batch_axis());
    dims[w.channel_axis()] = filter.dim(2);
    for (int d = 0; d < 2; ++d) dims[w.spatial_axis(d)] = IntegerAt(sizes, d);
    return Shape::Make(dims);
  }

  const ConvAttrs attrs_;
};

// A convolution that can apply an epilogue, and keep its filter packed.
template <const ConvFamily& kFamily>
class EpilogueConvKernel final : public ConvKernel<kFamily, ConvOpPart::kForward>,
                                 public EpilogueKernel,
                                 public WeightsKernel {
 public:
  using ConvKernel<kFamily, ConvOpPart::kForward>::ConvKernel;

  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(ConvAttrs attrs, ConvAttrs::Parse(*node.attrs, kFamily.spatial,
                                                             kFamily.depthwise, kFamily.op));
    return std::unique_ptr<Kernel>(std::make_unique<EpilogueConvKernel>(std::move(attrs)));
  }

  bool ComputeWith(Epilogue epilogue, KernelContext& c) override {
    return ComputeBiased(epilogue, c, nullptr);
  }
  bool ComputeWithWeights(Epilogue epilogue, KernelContext& c) override {
    return ComputeBiased(epilogue, c, &packed_);
  }
  bool ComputeWithSteps(std::span<const ChannelStep> steps, KernelContext& c) override {
    return ComputeSteps(steps, c, nullptr);
  }
  bool ComputeStepsWithWeights(std::span<const ChannelStep> steps, KernelContext& c) override {
    return ComputeSteps(steps, c, &packed_);
  }

 private:
  // `packed`, if not null, keeps the packed filter.
  bool ComputeBiased(Epilogue epilogue, KernelContext& c, FormUser* packed) {
    const auto g = GeometryOf(c);
    if (!g) return false;
    linalg::ChannelEpilogue bias;
    if (epilogue != Epilogue::kNone) {
      const Tensor& addend = c.input(2);
      if (addend.rank() != 1 || addend.dim(0) != g->out_channels) return false;
      bias.before = addend.data<float>();
      bias.relu = epilogue == Epilogue::kAddRelu;
    }
    const auto y = c.Allocate(0, kFloat, ConvOutputShape(this->attrs(), *g));
    if (!y.ok()) return false;
    if (ComputePacked(*g, c, bias, packed, **y)) return true;
    const void *x = c.input(0).raw_data(), *filter = c.input(1).raw_data();
    if (bias.before == nullptr) {
      linalg::Conv(linalg::Type::kFloat, *g, x, filter, (*y)->raw_data());
    } else {
      linalg::ConvBias(linalg::Type::kFloat, *g, x, filter, bias.before, bias.relu,
                       (*y)->raw_data());
    }
    return true;
  }

  bool ComputeSteps(std::span<const ChannelStep> steps, KernelContext& c, FormUser* packed) {
    const auto g = GeometryOf(c);
    if (!g) return false;
    const Shape shape = ConvOutputShape(this->attrs(), *g);
    linalg::ChannelEpilogue epilogue;
    if (!ResolveChannelSteps(steps, c, 2, shape, &epilogue)) return false;
    const auto y = c.Allocate(0, kFloat, shape);
    if (!y.ok()) return false;
    if (ComputePacked(*g, c, epilogue, packed, **y)) return true;
    linalg::ConvWithEpilogue(*g, c.input(0).data<float>(), c.input(1).data<float>(), epilogue,
                             (*y)->mutable_data<float>());
    return true;
  }

  // Convolves with the packed filter. Returns false if there is none.
  bool ComputePacked(const linalg::ConvGeometry& g, KernelContext& c,
                     const linalg::ChannelEpilogue& epilogue, FormUser* packed, Tensor& y) {
    if (packed == nullptr || !linalg::DirectConvPays(g, epilogue)) return false;
    const Tensor& filter = c.input(1);
    const int64_t size = linalg::PackedFilterSize(g);
    const FormLayout layout = {kFilterForm, g.taps() * g.in_channels, g.out_channels};
    const Tensor form =
        packed->Use(filter, layout, size * sizeof(float), [&]() -> StatusOr<Tensor> {
          RAMET_ASSIGN_OR_RETURN(Tensor made, Tensor::Allocate(kFloat, Shape{size}));
          linalg::PackFilter(g, filter.data<float>(), made.mutable_data<float>());
          return made;
        });
    if (form.empty()) return false;
    linalg::ConvPacked(g, c.input(0).data<float>(), form.data<float>(), epilogue,
                       y.mutable_data<float>());
    return true;
  }

  // Returns the geometry if an epilogue can be applied, or nothing.
  std::optional<linalg::ConvGeometry> GeometryOf(KernelContext& c) const {
    const Tensor &input = c.input(0), &filter = c.input(1);
    const int rank = this->attrs().window.rank();
    if (DeviceMath::Of(input) != nullptr || input.dtype() != kFloat) return std::nullopt;
    if (input.rank() != rank || filter.rank() != rank) return std::nullopt;
    if (input.num_elements() == 0 || filter.num_elements() == 0) return std::nullopt;
    const auto g = ConvGeometryOf(this->attrs(), input.shape(), filter.shape());
    if (!g.ok() || g->channels_first) return std::nullopt;
    return *g;
  }

  // Tells packed filters from packed matrices in the same buffer.
  static constexpr int64_t kFilterForm = 2;

  FormUser packed_;
};

template <const ConvFamily& kFamily, ConvOpPart kPart>
struct ConvKernelOf {
  template <class T>
  using Type = std::conditional_t<kPart == ConvOpPart::kForward, EpilogueConvKernel<kFamily>,
                                  ConvKernel<kFamily, kPart>>;
};

}  // namespace ramet
