#include <memory>

#include "ramet/backends/gpu/ops/cpu_kernels.h"
#include "ramet/backends/gpu/ops/fused_elementwise.h"
#include "ramet/backends/gpu/ops/type_sets.h"
#include "ramet/op/op.h"

// AddN, the sum of tensors of one shape, which becomes a part of fused kernels.

namespace ramet::gpu {
namespace {

class AddNKernel final : public Kernel, public FusableElementwise {
 public:
  AddNKernel(std::unique_ptr<Kernel> kernel, const KernelNode& node)
      : kernel_(std::move(kernel)),
        dtype_(BaseType(node.input_types[0])),
        has_one_input_(node.input_types.size() == 1) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(auto kernel, MakeCpuKernel(node));
    return std::unique_ptr<Kernel>(std::make_unique<AddNKernel>(std::move(kernel), node));
  }

  Status Compute(KernelContext& c) override { return kernel_->Compute(c); }

 private:
  ElementwiseCode code() const override {
    if (has_one_input_) return {ElementwiseForm::kUnary, dtype_, dtype_, "a"};
    return {ElementwiseForm::kSameShape, dtype_, dtype_,
            IsFloating(dtype_) ? "a + b" : "ADD(a, b)"};
  }

  const std::unique_ptr<Kernel> kernel_;
  const DType dtype_;
  const bool has_one_input_;
};

[[maybe_unused]] const bool add_n_registered = [] {
  for (DType dtype : kRealTypes) {
    KernelRegistrar("AddN", {"GPU", "T", dtype, &AddNKernel::Make, nullptr});
  }
  return true;
}();

}  // namespace
}  // namespace ramet::gpu
