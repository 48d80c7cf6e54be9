#include <memory>
#include <string_view>

#include "ramet/backends/gpu/kernels/kernels.h"
#include "ramet/backends/gpu/launch.h"
#include "ramet/backends/gpu/ops/type_sets.h"
#include "ramet/op/op.h"

// LeakyRelu and its gradient.

namespace ramet::gpu {
namespace {

class LeakyReluKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<LeakyReluKernel>(node));
  }
  explicit LeakyReluKernel(const KernelNode& node)
      : alpha_(node.attrs->GetOr("alpha", 0.2f)),
        kernel_{kLeakyReluProgram, node.op == "LeakyRelu" ? "leaky_relu" : "leaky_relu_grad",
                LeakyReluDefinitions(BaseType(node.input_types[0]))} {}

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    if (c.num_inputs() == 2 && c.input(1).shape() != x.shape()) {
      return InvalidArgument("Inputs must have the same size and shape.  Input 0: ", x.shape(),
                             " != input 1: ", c.input(1).shape());
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
    const int64_t n = x.num_elements();
    if (c.num_inputs() == 1) return LaunchForEach(c, kernel_, n, {x, *y, alpha_, Index{n}});
    return LaunchForEach(c, kernel_, n, {x, c.input(1), *y, alpha_, Index{n}});
  }

 private:
  const float alpha_;
  const KernelSpec kernel_;
};

[[maybe_unused]] const bool leaky_relu_registered = [] {
  for (std::string_view op : {"LeakyRelu", "LeakyReluGrad"}) {
    for (DType dtype : kFloatTypes) {
      KernelRegistrar(op, {"GPU", "T", dtype, &LeakyReluKernel::Make, nullptr});
    }
  }
  return true;
}();

}  // namespace
}  // namespace ramet::gpu
