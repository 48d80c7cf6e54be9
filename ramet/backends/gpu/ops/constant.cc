#include "ramet/backends/gpu/launch.h"
#include "ramet/base/mutex.h"
#include "ramet/op/op.h"

namespace ramet::gpu {
namespace {

// Copies the value to the device on the first run and keeps it there.
class ConstKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(Tensor value, node.attrs->Get<Tensor>("value"));
    RAMET_ASSIGN_OR_RETURN(DType dtype, node.attrs->Get<DType>("dtype"));
    if (value.dtype() != dtype) {
      return InvalidArgument("Inconsistent dtypes: attr 'value' holds a ", DTypeName(value.dtype()),
                             " tensor, but attr 'dtype' is ", DTypeName(dtype));
    }
    return std::unique_ptr<Kernel>(std::make_unique<ConstKernel>(std::move(value)));
  }
  explicit ConstKernel(Tensor value) : value_(std::move(value)) {}

  Status Compute(KernelContext& c) override {
    MutexLock lock(mutex_);
    if (device_value_.empty()) {
      RAMET_ASSIGN_OR_RETURN(device_value_, DeviceOf(c).CopyFromHost(value_));
    }
    c.SetOutput(0, device_value_);
    return OkStatus();
  }

 private:
  const Tensor value_;
  Mutex mutex_;
  Tensor device_value_ RAMET_GUARDED_BY(mutex_);
};

const KernelRegistrar const_kernel("Const",
                                   {"GPU", "", DType::kInvalid,
                                    [](const KernelNode& node) { return ConstKernel::Make(node); },
                                    nullptr});

}  // namespace
}  // namespace ramet::gpu
