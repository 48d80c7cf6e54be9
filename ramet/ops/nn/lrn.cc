#include <algorithm>
#include <cmath>

#include "ramet/linalg/parallel.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// Local response normalization: each element is divided by a power of a sum of squares of its
// neighbours along the last dimension.

namespace ramet {
namespace {

struct LrnAttrs {
  explicit LrnAttrs(const AttrMap& attrs)
      : radius(attrs.GetOr("depth_radius", int64_t{5})),
        bias(attrs.GetOr("bias", 1.0f)),
        alpha(attrs.GetOr("alpha", 1.0f)),
        beta(attrs.GetOr("beta", 0.5f)) {}

  int64_t radius;
  float bias, alpha, beta;
};

// bias + alpha * sum of squares around element i of a row.
template <class T>
float Norm(const LrnAttrs& a, const T* row, int64_t depth, int64_t i) {
  float sum = 0;
  const int64_t end = std::min(depth, i + a.radius + 1);
  for (int64_t k = std::max<int64_t>(0, i - a.radius); k < end; ++k) {
    const float x = static_cast<float>(row[k]);
    sum += x * x;
  }
  return a.bias + a.alpha * sum;
}

template <class T>
void NormalizeRow(const LrnAttrs& a, const T* x, int64_t depth, T* y) {
  for (int64_t i = 0; i < depth; ++i) {
    y[i] = static_cast<T>(static_cast<float>(x[i]) * std::pow(Norm(a, x, depth, i), -a.beta));
  }
}

template <class T>
void GradRow(const LrnAttrs& a, const T* dy, const T* x, const T* y, int64_t depth, T* dx) {
  for (int64_t k = 0; k < depth; ++k) {
    float sum = 0;
    const int64_t end = std::min(depth, k + a.radius + 1);
    for (int64_t i = std::max<int64_t>(0, k - a.radius); i < end; ++i) {
      const float norm = Norm(a, x, depth, i);
      float slope =
          -2 * a.alpha * a.beta * static_cast<float>(x[k]) * static_cast<float>(y[i]) / norm;
      if (i == k) slope += std::pow(norm, -a.beta);
      sum += slope * static_cast<float>(dy[i]);
    }
    dx[k] = static_cast<T>(sum);
  }
}

// LRN with one input, LRNGrad with three.
template <class T>
class LrnKernel final : public Kernel {
 public:
  explicit LrnKernel(const AttrMap& attrs) : attrs_(attrs) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const int64_t radius = LrnAttrs(*node.attrs).radius;
    if (radius < 0 || radius > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("depth_radius = ", radius, " larger than int max or negative");
    }
    return std::unique_ptr<Kernel>(std::make_unique<LrnKernel>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& in = c.input(0);
    if (in.rank() != 4) return InvalidArgument("in must be 4-dimensional: ", in.shape());
    for (int i = 1; i < c.num_inputs(); ++i) {
      if (c.input(i).shape() == in.shape()) continue;
      return InvalidArgument("input_grads, input_image and output_image must have the same shape: ",
                             in.shape(), " and ", c.input(i).shape());
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * out, c.Allocate(0, in.dtype(), in.shape()));
    const int64_t depth = in.dim(3);
    if (in.num_elements() == 0) return OkStatus();
    const bool grad = c.num_inputs() == 3;
    constexpr int64_t kGrain = 1 << 11;
    linalg::ParallelFor(
        in.num_elements() / depth, kGrain / depth + 1, [&](int64_t begin, int64_t end) {
          for (int64_t at = begin * depth; at < end * depth; at += depth) {
            if (grad) {
              GradRow(attrs_, in.data<T>() + at, c.input(1).data<T>() + at,
                      c.input(2).data<T>() + at, depth, out->mutable_data<T>() + at);
            } else {
              NormalizeRow(attrs_, in.data<T>() + at, depth, out->mutable_data<T>() + at);
            }
          }
        });
    return OkStatus();
  }

 private:
  const LrnAttrs attrs_;
};

Status LrnShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRank(0, 4));
  for (int i = 1; i < c.num_inputs(); ++i) {
    RAMET_ASSIGN_OR_RETURN(x, x.MergeWith(c.input(i)));
  }
  c.set_output(0, std::move(x));
  return OkStatus();
}

Status LrnGradient(GradientContext& c) {
  AttrMap attrs;
  const auto own = c.op().attrs();
  for (const char* name : {"depth_radius", "bias", "alpha", "beta"}) {
    if (const Attr* value = own->Find(name)) attrs.Set(name, *value);
  }
  return c.Return({c.Add("LRNGrad", {c.grad(), c.input(0), c.output()}, std::move(attrs))});
}

RAMET_OP("LRN")
    .Input("input: T")
    .Output("output: T")
    .Attr("depth_radius: int = 5")
    .Attr("bias: float = 1.0")
    .Attr("alpha: float = 1.0")
    .Attr("beta: float = 0.5")
    .Attr("T: {half, bfloat16, float} = float")
    .Doc(
        "Returns input / (bias + alpha * s)^beta, where s is the sum of squares of the elements at "
        "most depth_radius away along the last dimension. Error: the rank is not 4; depth_radius "
        "is negative.")
    .Shape(LrnShape)
    .Gradient(LrnGradient)
    .CpuKernelClasses<LrnKernel, BFloat16, Half, float>();

RAMET_OP("LRNGrad")
    .Input("input_grads: T")
    .Input("input_image: T")
    .Input("output_image: T")
    .Output("output: T")
    .Attr("depth_radius: int = 5")
    .Attr("bias: float = 1.0")
    .Attr("alpha: float = 1.0")
    .Attr("beta: float = 0.5")
    .Attr("T: {half, bfloat16, float} = float")
    .Doc(
        "Returns the gradient of LRN for its input, where input_grads arrives at its output. "
        "Error: "
        "the shapes differ.")
    .Shape(LrnShape)
    .CpuKernelClasses<LrnKernel, BFloat16, Half, float>();

}  // namespace
}  // namespace ramet
