#include "ramet/backends/gpu/memory/shared_block.h"

#include <utility>

#include "ramet/tensor/copyable_buffer.h"

namespace ramet::gpu {

// A value in a block. Copies of it are ordinary buffers of the device.
class GpuSharedBlock::Value final : public GpuBuffer, public CopyableBuffer {
 public:
  Value(std::shared_ptr<GpuSharedBlock> block, size_t offset, size_t size,
        std::shared_ptr<const void> hold)
      : GpuBuffer(size, block->shared_->At(offset), block->memory_, /*borrowed=*/true),
        block_(std::move(block)),
        hold_(std::move(hold)) {}

  StatusOr<BufferPtr> CopyInMemory() override {
    RAMET_ASSIGN_OR_RETURN(BufferPtr copy, block_->allocator_.Allocate(size()));
    RAMET_RETURN_IF_ERROR(block_->queue_.Copy(BlockOf(*copy.get()), BlockOf(*this), size()));
    return copy;
  }

 private:
  // The hold goes before the block: what it waits for may still use the block.
  void Dispose() override {
    hold_.reset();
    TakeBlock().reset();
    delete this;
  }
  std::shared_ptr<GpuSharedBlock> block_;
  std::shared_ptr<const void> hold_;
};

GpuSharedBlock::~GpuSharedBlock() {
  if (is_own_) allocator_.ReleaseShared(std::move(shared_));
}

Tensor GpuSharedBlock::ValueAt(size_t offset, DType dtype, const Shape& shape,
                               std::shared_ptr<const void> hold) {
  const size_t bytes = static_cast<size_t>(shape.num_elements()) * DTypeSize(dtype);
  return Tensor(dtype, shape,
                BufferPtr::Adopt(new Value(shared_from_this(), offset, bytes, std::move(hold))));
}

}  // namespace ramet::gpu
