#include <algorithm>
#include <cmath>

#include "ramet/gradients/gradient_context.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"

// FakeQuant ops: floats rounded to values that an integer of few bits can represent.

namespace ramet {
namespace {

// The steps that divide a range [min, max], shifted so that 0 is one of them.
struct Steps {
  float low, high, scale;
  // A number is divided by `divisor` or multiplied by `factor`, of which the other one is 1.
  float divisor = 1, factor = 1;

  // TensorFlow divides if the range is an input that all channels share, which matters halfway
  // between two steps.
  Steps(float min, float max, int64_t lowest, int64_t highest, bool divide) {
    const auto first = static_cast<float>(lowest), last = static_cast<float>(highest);
    scale = (max - min) / (last - first);
    const float zero = first - min / scale;
    const float nudged = zero < first ? first : zero > last ? last : std::round(zero);
    low = (first - nudged) * scale;
    high = (last - nudged) * scale;
    (divide ? divisor : factor) = divide ? scale : (last - first) / (max - min);
  }

  bool Inside(float x) const { return x >= low && x <= high; }
  float Round(float x) const {
    const float below = std::isnan(x) ? x : std::max(std::min(x, high), low);
    const float zero = std::floor(-low / divisor * factor + 0.5F);
    return std::floor((below - low) / divisor * factor - zero + 0.5F) * scale;
  }
};

// The attrs that all these ops share.
struct Bits {
  int64_t lowest = 0, highest = 0;
  float min = 0, max = 0;

  static StatusOr<Bits> Of(const KernelNode& node, bool has_range) {
    const auto count = node.attrs->GetOr<int64_t>("num_bits", 8);
    if (count < 2 || count > 16) {
      return InvalidArgument("num_bits must be between 2 and 16, inclusive");
    }
    Bits bits;
    bits.lowest = node.attrs->GetOr("narrow_range", false) ? 1 : 0;
    bits.highest = (int64_t{1} << count) - 1;
    if (!has_range) return bits;
    bits.min = node.attrs->GetOr("min", -6.0F);
    bits.max = node.attrs->GetOr("max", 6.0F);
    if (bits.min < bits.max) return bits;
    return InvalidArgument("min has to be smaller than max, was: ", bits.min, " >= ", bits.max);
  }
};

template <class K, bool kHasRange>
StatusOr<std::unique_ptr<Kernel>> MakeWithBits(const KernelNode& node) {
  RAMET_ASSIGN_OR_RETURN(Bits bits, Bits::Of(node, kHasRange));
  return std::unique_ptr<Kernel>(std::make_unique<K>(bits));
}

Status CheckSameSize(const Tensor& gradients, const Tensor& inputs) {
  if (gradients.shape() == inputs.shape()) return OkStatus();
  return InvalidArgument("gradient and input must be the same size");
}

Steps StepsOf(const Bits& bits) { return {bits.min, bits.max, bits.lowest, bits.highest, false}; }

class Args final : public Kernel {
 public:
  explicit Args(const Bits& bits) : steps_(StepsOf(bits)) {}
  static auto Make(const KernelNode& node) { return MakeWithBits<Args, true>(node); }
  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, kFloat, x.shape()));
    std::ranges::transform(x.flat<float>(), y->mutable_data<float>(),
                           [&](float v) { return steps_.Round(v); });
    return OkStatus();
  }

 private:
  const Steps steps_;
};

class ArgsGradient final : public Kernel {
 public:
  explicit ArgsGradient(const Bits& bits) : steps_(StepsOf(bits)) {}
  static auto Make(const KernelNode& node) { return MakeWithBits<ArgsGradient, true>(node); }
  Status Compute(KernelContext& c) override {
    const Tensor &gradients = c.input(0), &x = c.input(1);
    RAMET_RETURN_IF_ERROR(CheckSameSize(gradients, x));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, kFloat, x.shape()));
    std::ranges::transform(gradients.flat<float>(), x.flat<float>(), y->mutable_data<float>(),
                           [&](float g, float v) { return steps_.Inside(v) ? g : 0.0F; });
    return OkStatus();
  }

 private:
  const Steps steps_;
};

// Checks `min` or `max` of the channels: a scalar for all of x, or one element for each element of
// the last dimension.
Status CheckRange(const Tensor& x, const Tensor& t, std::string_view name, bool per_channel) {
  if (t.rank() != (per_channel ? 1 : 0)) {
    return InvalidArgument("`", name, "` must be rank ", per_channel ? 1 : 0, " but is rank ",
                           t.rank());
  }
  if (!per_channel) return OkStatus();
  if (x.rank() < 1) return InvalidArgument("inputs must have at least one dimension");
  if (t.dim(0) == x.dim(x.rank() - 1)) return OkStatus();
  return InvalidArgument(name, " has incorrect size, expected ", x.dim(x.rank() - 1), " was ",
                         t.dim(0));
}

struct Channel {
  bool zero;
  Steps steps;
  Channel(const Bits& bits, float min, float max, bool divide)
      : zero(min == 0 && max == 0), steps(min, max, bits.lowest, bits.highest, divide) {}
};

std::vector<Channel> Channels(const Bits& bits, const Tensor& min, const Tensor& max) {
  const bool shared = min.rank() == 0;
  std::vector<Channel> channels;
  for (int64_t i = 0; i < min.num_elements(); ++i) {
    channels.emplace_back(bits, min.data<float>()[i], max.data<float>()[i], shared);
  }
  return channels;
}

template <bool kPerChannel>
class Vars final : public Kernel {
 public:
  explicit Vars(const Bits& bits) : bits_(bits) {}
  static auto Make(const KernelNode& node) { return MakeWithBits<Vars, false>(node); }
  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_RETURN_IF_ERROR(CheckRange(x, c.input(1), "min", kPerChannel));
    RAMET_RETURN_IF_ERROR(CheckRange(x, c.input(2), "max", kPerChannel));
    const std::vector<Channel> channels = Channels(bits_, c.input(1), c.input(2));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, kFloat, x.shape()));
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      const Channel& channel = channels[i % channels.size()];
      y->mutable_data<float>()[i] = channel.zero ? 0 : channel.steps.Round(x.data<float>()[i]);
    }
    return OkStatus();
  }

 private:
  const Bits bits_;
};

template <bool kPerChannel>
class VarsGradient final : public Kernel {
 public:
  explicit VarsGradient(const Bits& bits) : bits_(bits) {}
  static auto Make(const KernelNode& node) { return MakeWithBits<VarsGradient, false>(node); }
  Status Compute(KernelContext& c) override {
    const Tensor &gradients = c.input(0), &x = c.input(1), &min = c.input(2), &max = c.input(3);
    RAMET_RETURN_IF_ERROR(CheckSameSize(gradients, x));
    RAMET_RETURN_IF_ERROR(CheckRange(x, min, "min", kPerChannel));
    RAMET_RETURN_IF_ERROR(CheckRange(x, max, "max", kPerChannel));
    const std::vector<Channel> channels = Channels(bits_, min, max);
    RAMET_ASSIGN_OR_RETURN(Tensor * by_min, c.Allocate(1, kFloat, min.shape()));
    RAMET_ASSIGN_OR_RETURN(Tensor * by_max, c.Allocate(2, kFloat, max.shape()));
    RAMET_ASSIGN_OR_RETURN(Tensor * by_x, c.Allocate(0, kFloat, x.shape()));
    std::vector<double> low(channels.size(), 0), high(channels.size(), 0);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      const size_t k = i % channels.size();
      const float g = gradients.data<float>()[i], value = x.data<float>()[i];
      const bool inside = channels[k].zero || channels[k].steps.Inside(value);
      by_x->mutable_data<float>()[i] = inside ? g : 0;
      if (!channels[k].zero && value < channels[k].steps.low) low[k] += g;
      if (!channels[k].zero && value > channels[k].steps.high) high[k] += g;
    }
    for (size_t k = 0; k < channels.size(); ++k) {
      by_min->mutable_data<float>()[k] = static_cast<float>(low[k]);
      by_max->mutable_data<float>()[k] = static_cast<float>(high[k]);
    }
    return OkStatus();
  }

 private:
  const Bits bits_;
};

// min and max (the last two inputs) are scalars, or vectors as long as the last dimension.
template <bool kPerChannel>
Status VarsShape(ShapeContext& c) {
  const int first = c.num_inputs() - 2;
  Shape x = c.input(first - 1);
  if (first == 2) {
    RAMET_ASSIGN_OR_RETURN(x, x.MergeWith(c.input(0)));
  }
  RAMET_ASSIGN_OR_RETURN(Shape min, c.WithRank(first, kPerChannel ? 1 : 0));
  RAMET_ASSIGN_OR_RETURN(Shape range, min.MergeWith(c.input(first + 1)));
  if (kPerChannel && !x.unknown_rank()) {
    if (x.rank() < 1) return InvalidArgument("Shape must be at least rank 1 but is rank 0");
    RAMET_ASSIGN_OR_RETURN(range, range.MergeWith(x.Slice(x.rank() - 1, x.rank())));
  }
  c.set_output(0, std::move(x));
  for (int i = 1; i < c.num_outputs(); ++i) c.set_output(i, range);
  return OkStatus();
}

AttrMap CopiedAttrs(GradientContext& c, std::initializer_list<const char*> floats) {
  AttrMap attrs;
  for (const char* name : floats) attrs.Set(name, c.attr<float>(name).value());
  attrs.Set("num_bits", c.attr<int64_t>("num_bits").value());
  attrs.Set("narrow_range", c.attr<bool>("narrow_range").value());
  return attrs;
}

Status ArgsGradientOf(GradientContext& c) {
  return c.Return({c.Add("FakeQuantWithMinMaxArgsGradient", {c.grad(), c.input(0)},
                         CopiedAttrs(c, {"min", "max"}))});
}

Status VarsGradientOf(GradientContext& c) {
  const Operation grads =
      c.AddOperation(StrCat(c.op().type(), "Gradient"),
                     {c.grad(), c.input(0), c.input(1), c.input(2)}, CopiedAttrs(c, {}));
  if (!grads.valid()) return c.Return({Gradient(), Gradient(), Gradient()});
  return c.Return({grads.output(0), grads.output(1), grads.output(2)});
}

RAMET_OP("FakeQuantWithMinMaxArgs")
    .Input("inputs: float")
    .Output("outputs: float")
    .Attr("min: float = -6.0")
    .Attr("max: float = 6.0")
    .Attr("num_bits: int = 8")
    .Attr("narrow_range: bool = false")
    .Doc(
        "Returns the inputs clamped to [min, max] and rounded to the nearest of 2^num_bits evenly "
        "spaced values (one fewer with narrow_range), one of which is 0. The output has the shape "
        "of the inputs. Error: num_bits is not in [2, 16]; min is not less than max.")
    .Shape(UnchangedShape)
    .Gradient(ArgsGradientOf)
    .CpuKernelClass<Args>();

RAMET_OP("FakeQuantWithMinMaxArgsGradient")
    .Input("gradients: float")
    .Input("inputs: float")
    .Output("backprops: float")
    .Attr("min: float = -6.0")
    .Attr("max: float = 6.0")
    .Attr("num_bits: int = 8")
    .Attr("narrow_range: bool = false")
    .Doc(
        "Returns the gradient of FakeQuantWithMinMaxArgs: `gradients` where the inputs are in the "
        "range, 0 elsewhere. Error: the shapes differ; num_bits is not in [2, 16]; min is not less "
        "than max.")
    .Shape(MergedInputsShape)
    .NotDifferentiable()
    .CpuKernelClass<ArgsGradient>();

#define RAMET_FAKE_QUANT(name, per_channel, what)                                                  \
  RAMET_OP(name)                                                                                   \
      .Input("inputs: float")                                                                      \
      .Input("min: float")                                                                         \
      .Input("max: float")                                                                         \
      .Output("outputs: float")                                                                    \
      .Attr("num_bits: int = 8")                                                                   \
      .Attr("narrow_range: bool = false")                                                          \
      .Doc(                                                                                        \
          "Returns the inputs clamped to [min, max] and rounded to the nearest of 2^num_bits "     \
          "evenly spaced values (one fewer with narrow_range), one of which is 0. The result is "  \
          "0 where min and max are both 0. min and max are " what                                  \
          ". The output has the shape of the inputs. Error: num_bits is not in [2, 16]; the "      \
          "shapes do not fit together.")                                                           \
      .Shape(VarsShape<per_channel>)                                                               \
      .Gradient(VarsGradientOf)                                                                    \
      .CpuKernelClass<Vars<per_channel>>();                                                        \
  RAMET_OP(name "Gradient")                                                                        \
      .Input("gradients: float")                                                                   \
      .Input("inputs: float")                                                                      \
      .Input("min: float")                                                                         \
      .Input("max: float")                                                                         \
      .Output("backprops_wrt_input: float")                                                        \
      .Output("backprop_wrt_min: float")                                                           \
      .Output("backprop_wrt_max: float")                                                           \
      .Attr("num_bits: int = 8")                                                                   \
      .Attr("narrow_range: bool = false")                                                          \
      .Doc("Returns the gradients of " name                                                        \
           ": gradients inside the range go to the inputs, those below it to min and those above " \
           "it to max. Error: num_bits is not in [2, 16]; the shapes do not fit together.")        \
      .Shape(VarsShape<per_channel>)                                                               \
      .NotDifferentiable()                                                                         \
      .CpuKernelClass<VarsGradient<per_channel>>()

RAMET_FAKE_QUANT("FakeQuantWithMinMaxVars", false, "scalars");
RAMET_FAKE_QUANT("FakeQuantWithMinMaxVarsPerChannel", true,
                 "vectors with one element for each element of the last dimension");

}  // namespace
}  // namespace ramet
