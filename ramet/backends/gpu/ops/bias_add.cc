#include <memory>
#include <string>
#include <string_view>

#include "ramet/backends/gpu/ops/cpu_kernels.h"
#include "ramet/backends/gpu/ops/fused_elementwise.h"
#include "ramet/backends/gpu/ops/type_sets.h"
#include "ramet/op/op.h"

// BiasAdd, which becomes a part of a fused kernel if the channels are the last dimension.

namespace ramet::gpu {
namespace {

class BiasAddKernel final : public Kernel, public FusableElementwise {
 public:
  BiasAddKernel(std::unique_ptr<Kernel> kernel, DType dtype)
      : kernel_(std::move(kernel)), dtype_(dtype) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(auto kernel, MakeCpuKernel(node));
    if (node.attrs->GetOr<std::string>("data_format", "NHWC") != "NHWC") return kernel;
    const DType dtype = BaseType(node.input_types[0]);
    return std::unique_ptr<Kernel>(std::make_unique<BiasAddKernel>(std::move(kernel), dtype));
  }

  Status Compute(KernelContext& c) override { return kernel_->Compute(c); }

 private:
  ElementwiseCode code() const override {
    return {ElementwiseForm::kBias, dtype_, dtype_, IsFloating(dtype_) ? "a + b" : "ADD(a, b)"};
  }

  const std::unique_ptr<Kernel> kernel_;
  const DType dtype_;
};

[[maybe_unused]] const bool bias_add_registered = [] {
  for (std::string_view op : {"BiasAdd", "BiasAddV1"}) {
    for (DType dtype : kRealTypes) {
      KernelRegistrar(op, {"GPU", "T", dtype, &BiasAddKernel::Make, nullptr});
    }
  }
  return true;
}();

}  // namespace
}  // namespace ramet::gpu
