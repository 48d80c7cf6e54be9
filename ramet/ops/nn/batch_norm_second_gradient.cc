#include "ramet/ops/nn/batch_norm_second_gradient.h"

#include <string>
#include <vector>

#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/nn/window.h"

namespace ramet {
namespace {

// A BatchNormGradUse is an operation FusedBatchNormGrad, whose results have the gradients u, v and
// w. Vectors have one element per channel.
class BatchNormGradUse {
 public:
  BatchNormGradUse(GradientContext& c, const std::string& format, float epsilon)
      : c_(c),
        rank_(static_cast<int>(format.size())),
        channels_first_(IsChannelsFirst(format)),
        epsilon_(Constant(c.graph(), Tensor(epsilon), "epsilon")),
        dtype_(c.input(1).dtype()),
        dy_(AsFloat(c.input(0))),
        x_(AsFloat(c.input(1))),
        scale_(c.input(2)),
        u_(AsFloat(c.grad(0))),
        v_(c.grad(1)),
        w_(c.grad(2)) {
    std::vector<int64_t> axes;
    for (int d = 0; d < rank_; ++d) {
      if (d != (channels_first_ ? 1 : rank_ - 1)) axes.push_back(d);
    }
    axes_ = Int32Vector(c, axes, "axes");
  }

  Status ReturnTrained();
  Status ReturnFixed();

 private:
  Output AsFloat(const Output& x) {
    return dtype_ == DType::kFloat ? x : c_.Add("Cast", {x}, {{"DstT", DType::kFloat}});
  }
  Output Reduced(const char* op, const Output& x) { return c_.Add(op, {x, axes_}); }
  Output Mean(const Output& x) { return Reduced("Mean", x); }
  // Makes a vector broadcast along the channels.
  Output Spread(const Output& vector) {
    if (!channels_first_) return vector;
    std::vector<int64_t> shape(static_cast<size_t>(rank_), 1);
    shape[1] = -1;
    return c_.Add("Reshape", {vector, Int32Vector(c_, shape, "spread")});
  }
  Output InverseDeviation(const Output& variance) { return c_.Add("Rsqrt", {variance + epsilon_}); }
  // Returns the part of t that is neither constant nor proportional to the normalized x.
  Output Projected(const Output& t) {
    return t - Spread(Mean(t)) - normalized_ * Spread(Mean(t * normalized_));
  }
  Status Return(Output dy, Output dx, const Output& dscale) {
    if (dtype_ != DType::kFloat) {
      dy = c_.Add("Cast", {dy}, {{"DstT", dtype_}});
      dx = c_.Add("Cast", {dx}, {{"DstT", dtype_}});
    }
    std::vector<Gradient> gradients = {dy, dx, dscale};
    gradients.resize(static_cast<size_t>(c_.num_inputs()));
    return c_.Return(std::move(gradients));
  }

  GradientContext& c_;
  const int rank_;
  const bool channels_first_;
  const Output epsilon_;
  const DType dtype_;
  const Output dy_, x_, scale_;
  const Output u_, v_, w_;
  Output axes_;
  Output normalized_;  // x, with the mean 0 and a variance below 1
};

// With n = normalized x, s = 1 / deviation and P = Projected, the results are
//   dx = scale s P(dy), dscale = sum(dy n), doffset = sum(dy).
// P is linear and self-adjoint, and d n / d x and d s / d x are s P and -s^2 n / count.
Status BatchNormGradUse::ReturnTrained() {
  const Output centered = x_ - Spread(Mean(x_));
  const Output s = InverseDeviation(Mean(centered * centered));
  normalized_ = centered * Spread(s);
  const Output pu = Projected(u_), pdy = Projected(dy_);
  const Output scale_s = scale_ * s;

  const Output of_dy = Spread(scale_s) * pu + Spread(v_) * normalized_ + Spread(w_);
  const Output through_s = normalized_ * Spread(Mean(u_ * pdy));
  const Output through_p =
      Spread(Mean(dy_ * normalized_)) * pu + Spread(Mean(u_ * normalized_)) * pdy;
  const Output of_x = Spread(v_ * s) * pdy - Spread(scale_s * s) * (through_s + through_p);
  return Return(of_dy, of_x, s * Reduced("Sum", u_ * pdy));
}

// The results are dx = scale s dy, dscale = sum(dy (x - mean) s) and doffset = sum(dy).
Status BatchNormGradUse::ReturnFixed() {
  const Output mean = c_.input(3);
  const Output s = InverseDeviation(c_.input(4));
  const Output v_s = Spread(v_ * s);
  const Output of_dy = Spread(scale_ * s) * u_ + v_s * (x_ - Spread(mean)) + Spread(w_);
  return Return(of_dy, v_s * dy_, s * Reduced("Sum", u_ * dy_));
}

}  // namespace

Status BatchNormSecondGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(const std::string format, c.attr<std::string>("data_format"));
  RAMET_ASSIGN_OR_RETURN(const float epsilon, c.attr<float>("epsilon"));
  RAMET_ASSIGN_OR_RETURN(const bool training, c.attr<bool>("is_training"));
  BatchNormGradUse use(c, format, epsilon);
  return training ? use.ReturnTrained() : use.ReturnFixed();
}

}  // namespace ramet
