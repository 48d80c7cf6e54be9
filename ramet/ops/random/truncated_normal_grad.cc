#include "ramet/ops/random/truncated_normal_grad.h"

#include <array>
#include <cmath>
#include <limits>

#include "ramet/ops/math/gradient_util.h"

namespace ramet {
namespace {

constexpr int kFirstParameter = 2;  // after the shape and the seed
constexpr int kParameterCount = 4;
using PerParameter = std::array<Output, kParameterCount>;

// Returns the distribution function of the standard normal distribution at x.
Output NormalDistribution(GradientContext& c, const Output& x) {
  const Output half_root = ScalarLike(c, x.dtype(), 0.5 * std::sqrt(2.0), "half_sqrt_2");
  const Output w = x * half_root;
  const Output z = c.Add("Abs", {w});
  const Output is_small = c.Add("Less", {z, half_root});
  const Output near = 1.0 + c.Add("Erf", {w});
  const Output positive = c.Add("Greater", {w, 0.0});
  const Output above = 2.0 - c.Add("Erfc", {z});
  const Output far = c.Add("Select", {positive, above, c.Add("Erfc", {z})});
  return 0.5 * c.Add("Select", {is_small, near, far});
}

// Returns the smallest normal number and the distance of 1 to the next number.
std::array<double, 2> TinyAndEpsilon(DType type) {
  if (type == kHalf) return {0x1p-14, 0x1p-10};
  if (type == kDouble) {
    return {std::numeric_limits<double>::min(), std::numeric_limits<double>::epsilon()};
  }
  return {std::numeric_limits<float>::min(), std::numeric_limits<float>::epsilon()};
}

// Returns the probability that a number of the truncated distribution is below `sample`, inside of
// (0, 1). All arguments are in standard deviations from the mean.
Output BelowSample(GradientContext& c, const Output& sample, const Output& low,
                   const Output& high) {
  const Output below = NormalDistribution(c, sample);
  const Output inside = below - NormalDistribution(c, low);
  const Output upper = NormalDistribution(c, high);
  const Output all = upper - NormalDistribution(c, low);
  const auto [tiny, epsilon] = TinyAndEpsilon(BaseType(sample.dtype()));
  const Output limited = c.Add("Minimum", {inside / all, 1 - epsilon}, {}, "clip_by_value/Minimum");
  return c.Add("Maximum", {limited, tiny}, {}, "clip_by_value");
}

// Returns exp(0.5 * (sample ** 2 - bound ** 2) + log(probability)).
template <class Log>
Output BoundSlope(GradientContext& c, const Output& sample, const Output& bound, const Log& log) {
  const Output square = c.Add("Pow", {sample, 2.0}, {}, "pow");
  const Output exponent = 0.5 * (square - c.Add("Pow", {bound, 2.0}, {}, "pow"));
  return c.Add("Exp", {exponent + log()});
}

// Returns the derivatives of the samples by the mean, the deviation and the bounds.
PerParameter Slopes(GradientContext& c) {
  const Output mean = c.input(kFirstParameter), deviation = c.input(kFirstParameter + 1);
  const auto standard = [&](const Output& x) { return (x - mean) / deviation; };
  const Output low = standard(c.input(kFirstParameter + 2));
  const Output high = standard(c.input(kFirstParameter + 3));
  const Output sample = standard(c.output());
  const Output below = BelowSample(c, sample, low, high);
  const Output by_high = BoundSlope(c, sample, high, [&] { return c.Add("Log", {below}); });
  const Output by_low = BoundSlope(c, sample, low, [&] { return c.Add("Log1p", {-below}); });
  return {OnesLike(c, sample), sample, by_low, by_high};
}

}  // namespace

Status TruncatedNormalGradient(GradientContext& c) {
  const Output grad = c.grad();
  AfterGradient after(c, grad);
  const PerParameter slopes = Slopes(c);
  PerParameter shapes, sums, axes;
  for (int i = 0; i < kParameterCount; ++i) shapes[i] = ShapeOf(c, c.input(kFirstParameter + i));
  Output batch = c.Add("BroadcastArgs", {shapes[0], shapes[1]});
  for (int i = 2; i < kParameterCount; ++i) batch = c.Add("BroadcastArgs", {shapes[i], batch});
  const Output size = SizeOf(c, c.input(0));
  const Output extra = RangeTo(c, size - SizeOf(c, batch));
  for (int i = 0; i < kParameterCount; ++i) sums[i] = c.Add("Sum", {grad * slopes[i], extra});
  for (int i = 0; i < kParameterCount; ++i) {
    const Operation args = c.AddOperation("BroadcastGradientArgs", {batch, shapes[i]});
    if (!args.valid()) return NoGradient(c);
    axes[i] = args.output(1);
  }
  std::vector<Gradient> grads(kFirstParameter);
  for (int i = 0; i < kParameterCount; ++i) {
    const Output sum = c.Add("Sum", {sums[i], axes[i]}, {{"keep_dims", true}});
    grads.emplace_back(Reshape(c, sum, shapes[i]));
  }
  return c.Return(std::move(grads));
}

}  // namespace ramet
