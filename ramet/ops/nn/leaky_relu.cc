#include "ramet/linalg/elementwise.h"
#include "ramet/op/op.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

namespace ramet {
namespace {

// The kernel of LeakyRelu (one input) and LeakyReluGrad (two inputs).
class LeakyReluKernel final : public Kernel {
 public:
  explicit LeakyReluKernel(const KernelNode& node) : alpha_(node.attrs->GetOr("alpha", 0.2f)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<LeakyReluKernel>(node));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    const bool grad = c.num_inputs() == 2;
    if (grad && c.input(1).shape() != x.shape()) {
      return InvalidArgument("Inputs must have the same size and shape.  Input 0: ", x.shape(),
                             " != input 1: ", c.input(1).shape());
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
    const linalg::Type type = LinalgType(x.dtype());
    if (grad) {
      linalg::LeakyReluGrad(type, alpha_, x.raw_data(), c.input(1).raw_data(), y->raw_data(),
                            x.num_elements());
    } else {
      linalg::LeakyRelu(type, alpha_, x.raw_data(), y->raw_data(), x.num_elements());
    }
    return OkStatus();
  }

 private:
  const float alpha_;
};

template <class T>
using LeakyReluKernelOf = LeakyReluKernel;

Status LeakyReluGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(float alpha, c.attr<float>("alpha"));
  return c.Return({c.Add("LeakyReluGrad", {c.grad(), c.input(0)}, {{"alpha", alpha}})});
}

Status LeakyReluGradGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(float alpha, c.attr<float>("alpha"));
  Output gradients_grad = c.Add("LeakyReluGrad", {c.grad(), c.input(1)}, {{"alpha", alpha}});
  return c.Return({gradients_grad, ZerosLike(c, c.input(1))});
}

RAMET_OP("LeakyRelu")
    .Input("features: T")
    .Output("activations: T")
    .Attr("alpha: float = 0.2")
    .Attr("T: {half, bfloat16, float, double} = float")
    .Doc(
        "Returns x where x > 0 and alpha * x elsewhere, element-wise. The output has the shape of "
        "the features.")
    .Shape(UnchangedShape)
    .Gradient(LeakyReluGradient)
    .CpuKernelClasses<LeakyReluKernelOf, RAMET_FLOATS>();

RAMET_OP("LeakyReluGrad")
    .Input("gradients: T")
    .Input("features: T")
    .Output("backprops: T")
    .Attr("alpha: float = 0.2")
    .Attr("T: {half, bfloat16, float, double} = float")
    .Doc(
        "Returns the gradients where the features of LeakyRelu are greater than 0, and alpha * "
        "gradients elsewhere. The output has the shape of the inputs. Error: the shapes of the "
        "inputs differ.")
    .Shape(MergedInputsShape)
    .Gradient(LeakyReluGradGradient)
    .CpuKernelClasses<LeakyReluKernelOf, RAMET_FLOATS>();

}  // namespace
}  // namespace ramet
