#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ramet/replica/shm/layout.h"
#include "ramet/replica/shm/shared_pool.h"
#include "ramet/replica/transport.h"

namespace ramet::shm {

// A ValueMemory is the shared memory that holds the values of a publisher's versions. Thread-safe
// after Reserve.
class ValueMemory {
 public:
  // `address` is for messages.
  ValueMemory(std::string address, ReplicaSignature signature)
      : address_(std::move(address)), signature_(std::move(signature)) {}

  // Reserves the memory for the first versions. Call it before the functions below.
  // \error kResourceExhausted: the memory cannot be reserved.
  Status Reserve(const RetentionOptions& retention);
  SharedPool& pool() const { return *pool_; }
  const ReplicaSignature& signature() const { return signature_; }
  // Returns a tensor in this memory, with undefined values.
  // \error kResourceExhausted: there is no room.
  StatusOr<Tensor> Allocate(DType dtype, const Shape& shape) const;
  // Sets `entries` to where the values of a version are, in the order of the signature.
  // \error kInternal: a value is not in this memory.
  Status FindEntries(std::span<const BufferPtr> buffers, std::vector<Entry>* entries) const;

 private:
  const std::string address_;
  const ReplicaSignature signature_;
  std::shared_ptr<SharedPool> pool_;
};

}  // namespace ramet::shm
