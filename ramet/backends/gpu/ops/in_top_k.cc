#include <memory>
#include <string_view>

#include "ramet/backends/gpu/kernels/kernels.h"
#include "ramet/backends/gpu/launch.h"
#include "ramet/op/op.h"

// InTopK and InTopKV2, whose k is an attr or an input in host memory.

namespace ramet::gpu {
namespace {

class InTopKKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<InTopKKernel>(node));
  }
  explicit InTopKKernel(const KernelNode& node)
      : k_(node.attrs->GetOr("k", int64_t{0})),
        kernel_{kInTopKProgram, "in_top_k", InTopKDefinitions(BaseType(node.input_types[1]))} {}

  Status Compute(KernelContext& c) override {
    const Tensor& predictions = c.input(0);
    const Tensor& targets = c.input(1);
    RAMET_ASSIGN_OR_RETURN(const int64_t k, NumberOf(c));
    if (predictions.rank() != 2) return InvalidArgument("predictions must be 2-dimensional");
    if (targets.rank() != 1) return InvalidArgument("targets must be 1-dimensional");
    const int64_t rows = predictions.dim(0);
    if (rows != targets.dim(0)) {
      return InvalidArgument("First dimension of predictions ", rows,
                             " must match length of targets ", targets.dim(0));
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, kBool, targets.shape()));
    return LaunchForEach(c, kernel_, rows,
                         {predictions, targets, *y, Index{predictions.dim(1)}, k, Index{rows}});
  }

 private:
  StatusOr<int64_t> NumberOf(KernelContext& c) const {
    if (c.num_inputs() == 2) return k_;
    const Tensor& k = c.input(2);
    if (k.rank() != 0) return InvalidArgument("k must be 0-D, got shape ", k.shape());
    return k.dtype() == kInt32 ? int64_t{k.scalar<int32_t>()} : k.scalar<int64_t>();
  }

  const int64_t k_;
  const KernelSpec kernel_;
};

[[maybe_unused]] const bool in_top_k_registered = [] {
  for (std::string_view op : {"InTopK", "InTopKV2"}) {
    for (DType dtype : {kInt32, kInt64}) {
      KernelRegistrar(op, {"GPU", "T", dtype, &InTopKKernel::Make, nullptr});
    }
  }
  return true;
}();

}  // namespace
}  // namespace ramet::gpu
