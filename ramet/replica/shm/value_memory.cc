#include "ramet/replica/shm/value_memory.h"

#include "ramet/base/strings.h"

namespace ramet::shm {
namespace {

// The pool grows by segments of at least this fraction of a version.
constexpr uint64_t kSegmentsPerVersion = 8;

uint64_t SetBytes(const ReplicaSignature& signature) {
  uint64_t bytes = 0;
  for (const VariableSpec& spec : signature) {
    bytes += SharedPool::RoundedBytes(*TensorBytes(spec.dtype, spec.shape));
  }
  return bytes;
}

}  // namespace

Status ValueMemory::Reserve(const RetentionOptions& retention) {
  const uint64_t set = SetBytes(signature_);
  pool_ = SharedPool::Create(address_, retention.LimitFor(set), set / kSegmentsPerVersion);
  return pool_->Reserve(set * (static_cast<uint64_t>(retention.retained) + 1));
}

StatusOr<Tensor> ValueMemory::Allocate(DType dtype, const Shape& shape) const {
  return Tensor::Allocate(dtype, shape, pool_.get());
}

Status ValueMemory::FindEntries(std::span<const BufferPtr> buffers,
                                std::vector<Entry>* entries) const {
  entries->resize(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    PoolPosition position;
    if (!pool_->Find(buffers[i].get(), &position)) {
      return Internal("the value of '", signature_[i].name, "' is not in the publisher's memory");
    }
    (*entries)[i] = {position.offset, position.segment, 0};
  }
  return OkStatus();
}

}  // namespace ramet::shm
