#include <cmath>
#include <vector>

#include "ramet/gradients/gradient_context.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/math/types.h"

// BatchNormWithGlobalNormalization, which graphs from before FusedBatchNorm use, and its gradient.

namespace ramet {
namespace {

// Sums of half and bfloat16 are kept in float.
template <class T>
using SumOf = std::conditional_t<std::is_same_v<T, double>, double, float>;

struct GlobalNormAttrs {
  explicit GlobalNormAttrs(const AttrMap& attrs)
      : epsilon(attrs.GetOr("variance_epsilon", 0.0f)),
        scales(attrs.GetOr("scale_after_normalization", true)) {}
  float epsilon;
  bool scales;
};

// Checks the input and its vectors, which have one element per channel.
Status CheckGlobalNorm(const KernelContext& c, std::initializer_list<int> vectors,
                       std::initializer_list<std::string_view> names) {
  const Tensor& x = c.input(0);
  if (x.rank() != 4) return InvalidArgument("input must be 4-dimensional", x.shape());
  auto name = names.begin();
  for (int i : vectors) {
    const Tensor& vector = c.input(i);
    if (vector.rank() != 1) {
      return InvalidArgument(*name, " must be 1-dimensional", vector.shape());
    }
    if (vector.dim(0) != x.dim(3)) {
      return InvalidArgument(*name, " must have one element for each of the ", x.dim(3),
                             " channels of the input, got ", vector.dim(0));
    }
    ++name;
  }
  return OkStatus();
}

template <class T>
class GlobalNormKernel final : public Kernel {
 public:
  explicit GlobalNormKernel(const AttrMap& attrs) : attrs_(attrs) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<GlobalNormKernel>(*node.attrs);
  }

  Status Compute(KernelContext& c) override {
    RAMET_RETURN_IF_ERROR(CheckGlobalNorm(c, {1, 2, 3, 4}, {"mean", "var", "beta", "gamma"}));
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
    using S = SumOf<T>;
    const int64_t depth = x.dim(3);
    std::vector<S> factor(depth);
    for (int64_t i = 0; i < depth; ++i) {
      factor[i] = 1 / std::sqrt(static_cast<S>(c.input(2).data<T>()[i]) + attrs_.epsilon);
      if (attrs_.scales) factor[i] *= static_cast<S>(c.input(4).data<T>()[i]);
    }
    const T *from = x.data<T>(), *mean = c.input(1).data<T>(), *beta = c.input(3).data<T>();
    T* to = y->mutable_data<T>();
    for (int64_t row = 0; row < x.num_elements(); row += std::max<int64_t>(1, depth)) {
      for (int64_t i = 0; i < depth; ++i) {
        const S centered = static_cast<S>(from[row + i]) - static_cast<S>(mean[i]);
        to[row + i] = T(centered * factor[i] + static_cast<S>(beta[i]));
      }
    }
    return OkStatus();
  }

 private:
  const GlobalNormAttrs attrs_;
};

template <class T>
class GlobalNormGradKernel final : public Kernel {
 public:
  explicit GlobalNormGradKernel(const AttrMap& attrs) : attrs_(attrs) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<GlobalNormGradKernel>(*node.attrs);
  }

  Status Compute(KernelContext& c) override {
    RAMET_RETURN_IF_ERROR(CheckGlobalNorm(c, {1, 2, 3}, {"mean", "var", "gamma"}));
    const Tensor &x = c.input(0), &grad = c.input(4);
    if (grad.shape() != x.shape()) {
      return InvalidArgument("out_backprop must have the shape ", x.shape(), " of the input, got ",
                             grad.shape());
    }
    Tensor* out[5];
    for (int i = 0; i < 5; ++i) {
      const Shape shape = i == 0 ? x.shape() : Shape{x.dim(3)};
      RAMET_ASSIGN_OR_RETURN(out[i], c.Allocate(i, x.dtype(), shape));
    }
    const Sums sums = SumsOf(x, c.input(1), grad);
    Vectors(c, sums, out);
    Centered(c, grad, *out[0]);
    return OkStatus();
  }

 private:
  using S = SumOf<T>;
  // Sums over all but the channels: of the gradient, and of the gradient times the centered input.
  struct Sums {
    std::vector<S> grad, product;
  };

  static Sums SumsOf(const Tensor& x, const Tensor& mean, const Tensor& grad) {
    const int64_t depth = x.dim(3);
    Sums sums{std::vector<S>(depth), std::vector<S>(depth)};
    for (int64_t row = 0; row < x.num_elements(); row += std::max<int64_t>(1, depth)) {
      for (int64_t i = 0; i < depth; ++i) {
        const S g = static_cast<S>(grad.data<T>()[row + i]);
        const S centered = static_cast<S>(x.data<T>()[row + i]) - static_cast<S>(mean.data<T>()[i]);
        sums.grad[i] += g;
        sums.product[i] += g * centered;
      }
    }
    return sums;
  }

  S Gamma(const KernelContext& c, int64_t i) const {
    return attrs_.scales ? static_cast<S>(c.input(3).data<T>()[i]) : S{1};
  }
  S Variance(const KernelContext& c, int64_t i) const {
    return static_cast<S>(c.input(2).data<T>()[i]) + attrs_.epsilon;
  }

  void Vectors(const KernelContext& c, const Sums& sums, Tensor* const* out) const {
    for (int64_t i = 0; i < std::ssize(sums.grad); ++i) {
      const S factor = 1 / std::sqrt(Variance(c, i));
      out[1]->mutable_data<T>()[i] = T(-sums.grad[i] * factor * Gamma(c, i));
      out[2]->mutable_data<T>()[i] =
          T(sums.product[i] * factor * S{-0.5} / Variance(c, i) * Gamma(c, i));
      out[3]->mutable_data<T>()[i] = T(sums.grad[i]);
      out[4]->mutable_data<T>()[i] = T(attrs_.scales ? sums.product[i] * factor : S{0});
    }
  }

  void Centered(const KernelContext& c, const Tensor& grad, Tensor& dx) const {
    const int64_t depth = dx.dim(3);
    std::vector<S> factor(depth);
    for (int64_t i = 0; i < depth; ++i) {
      factor[i] = Gamma(c, i) / std::sqrt(Variance(c, i));
    }
    for (int64_t row = 0; row < dx.num_elements(); row += std::max<int64_t>(1, depth)) {
      for (int64_t i = 0; i < depth; ++i) {
        dx.mutable_data<T>()[row + i] = T(static_cast<S>(grad.data<T>()[row + i]) * factor[i]);
      }
    }
  }

  const GlobalNormAttrs attrs_;
};

// Returns the channels of inputs `vectors` and of the last dimension of `x`, merged.
StatusOr<int64_t> GlobalNormDepth(ShapeContext& c, const Shape& x,
                                  std::initializer_list<int> vectors) {
  Shape depth{x.dim(3)};
  for (int i : vectors) {
    RAMET_ASSIGN_OR_RETURN(const Shape vector, c.WithRank(i, 1));
    RAMET_ASSIGN_OR_RETURN(depth, depth.MergeWith(vector));
  }
  return depth.dim(0);
}

Status GlobalNormShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape x, c.WithRank(0, 4));
  RAMET_ASSIGN_OR_RETURN(const int64_t depth, GlobalNormDepth(c, x, {1, 2, 3, 4}));
  c.set_output(0, Shape{x.dim(0), x.dim(1), x.dim(2), depth});
  return OkStatus();
}

Status GlobalNormGradShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRank(0, 4));
  RAMET_ASSIGN_OR_RETURN(const Shape grad, c.WithRank(4, 4));
  RAMET_ASSIGN_OR_RETURN(x, x.MergeWith(grad));
  RAMET_ASSIGN_OR_RETURN(const int64_t depth, GlobalNormDepth(c, x, {1, 2, 3}));
  c.set_output(0, Shape{x.dim(0), x.dim(1), x.dim(2), depth});
  for (int i = 1; i < 5; ++i) c.set_output(i, Shape{depth});
  return OkStatus();
}

Status GlobalNormGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(const float epsilon, c.attr<float>("variance_epsilon"));
  RAMET_ASSIGN_OR_RETURN(const bool scales, c.attr<bool>("scale_after_normalization"));
  const Operation dx =
      c.AddOperation("BatchNormWithGlobalNormalizationGrad",
                     {c.input(0), c.input(1), c.input(2), c.input(4), c.grad()},
                     {{"variance_epsilon", epsilon}, {"scale_after_normalization", scales}});
  std::vector<Gradient> grads;
  for (int i = 0; i < 5; ++i) grads.push_back(dx.output(i));
  return c.Return(grads);
}

RAMET_OP("BatchNormWithGlobalNormalization")
    .Input("t: T")
    .Input("m: T")
    .Input("v: T")
    .Input("beta: T")
    .Input("gamma: T")
    .Output("result: T")
    .Attr("T: numbertype")
    .Attr("variance_epsilon: float")
    .Attr("scale_after_normalization: bool")
    .Doc(
        "Returns (t - m) / sqrt(v + variance_epsilon), times gamma if scale_after_normalization is "
        "set, plus beta. t has rank 4; the others are vectors with one element per channel, the "
        "last dimension of t. Error: a rank or the number of channels differs.")
    .Shape(GlobalNormShape)
    .Gradient(GlobalNormGradient)
    .CpuKernelClasses<GlobalNormKernel, Half, float, double>();

RAMET_OP("BatchNormWithGlobalNormalizationGrad")
    .Input("t: T")
    .Input("m: T")
    .Input("v: T")
    .Input("gamma: T")
    .Input("backprop: T")
    .Output("dx: T")
    .Output("dm: T")
    .Output("dv: T")
    .Output("db: T")
    .Output("dg: T")
    .Attr("T: numbertype")
    .Attr("variance_epsilon: float")
    .Attr("scale_after_normalization: bool")
    .Doc(
        "Returns the gradients of BatchNormWithGlobalNormalization with respect to its inputs t, "
        "m, "
        "v, beta and gamma, given the gradient `backprop` of its result. Error: a rank or the "
        "number of channels differs.")
    .Shape(GlobalNormGradShape)
    .CpuKernelClasses<GlobalNormGradKernel, Half, float, double>();

}  // namespace
}  // namespace ramet
