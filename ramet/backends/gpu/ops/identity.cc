#include <algorithm>
#include <memory>

#include "ramet/backends/gpu/ops/cpu_kernels.h"
#include "ramet/backends/gpu/ops/fused_elementwise.h"
#include "ramet/backends/gpu/ops/type_sets.h"
#include "ramet/op/op.h"

// Ops that return their input. Element-wise ops on both sides of them can be in one fused kernel.

namespace ramet::gpu {
namespace {

class IdentityKernel final : public Kernel, public FusableElementwise {
 public:
  IdentityKernel(std::unique_ptr<Kernel> kernel, DType dtype)
      : kernel_(std::move(kernel)), dtype_(dtype) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(auto kernel, MakeCpuKernel(node));
    const DType dtype = BaseType(node.input_types[0]);
    if (std::ranges::find(kAllTypes, dtype) == std::end(kAllTypes)) return kernel;
    return std::unique_ptr<Kernel>(std::make_unique<IdentityKernel>(std::move(kernel), dtype));
  }

  Status Compute(KernelContext& c) override { return kernel_->Compute(c); }
  bool returns_input() const override { return true; }

 private:
  ElementwiseCode code() const override { return {ElementwiseForm::kUnary, dtype_, dtype_, "a"}; }

  const std::unique_ptr<Kernel> kernel_;
  const DType dtype_;
};

[[maybe_unused]] const bool identities_registered = [] {
  for (std::string_view op : {"Identity", "PreventGradient", "StopGradient"}) {
    KernelRegistrar(op, {"GPU", "", DType::kInvalid, &IdentityKernel::Make, nullptr});
  }
  return true;
}();

}  // namespace
}  // namespace ramet::gpu
