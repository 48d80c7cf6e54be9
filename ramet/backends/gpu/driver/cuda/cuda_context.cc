#include "ramet/backends/gpu/driver/cuda/cuda_context.h"

namespace ramet::gpu::cuda {

Status Context::Make() {
  if (context_ != nullptr) return OkStatus();
  MutexLock lock(mutex_);
  if (context_ != nullptr) return OkStatus();
  api::Context* made = nullptr;
  RAMET_RETURN_IF_ERROR(StatusOfResult(cuda_, cuda_.DevicePrimaryCtxRetain(&made, device_),
                                       "cuDevicePrimaryCtxRetain"));
  context_ = made;
  return OkStatus();
}

Scope::Scope(const Context& context)
    : context_(context),
      pushed_(context.cuda().CtxPushCurrent(context.get()) == api::k_CUDA_SUCCESS) {}

Scope::~Scope() {
  api::Context* popped = nullptr;
  if (pushed_) context_.cuda().CtxPopCurrent(&popped);
}

}  // namespace ramet::gpu::cuda
