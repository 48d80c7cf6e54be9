#include "ramet/backends/gpu/memory/gpu_memory.h"

#include <utility>

#include "ramet/backends/gpu/memory/shared_block.h"
#include "ramet/base/log.h"

namespace ramet::gpu {

std::unique_ptr<HostRegistration> GpuMemory::Register(std::span<const std::byte> memory,
                                                      HostAccess access) const {
  auto registered = parts_.driver.RegisterHostMemory(memory, access);
  if (registered.ok()) return *std::move(registered);
  LogOnce(LogLevel::kDebug, "registered host memory", parts_.driver.info().name,
          ": values are copied through a buffer of the driver, because host memory cannot be ",
          "registered: ", registered.status().message());
  return nullptr;
}

StatusOr<std::shared_ptr<SharedBlock>> GpuMemory::AllocateShared(size_t bytes) const {
  RAMET_ASSIGN_OR_RETURN(auto shared, parts_.allocator.AllocateShared(bytes));
  return BlockOf(std::move(shared), true);
}

StatusOr<std::shared_ptr<SharedBlock>> GpuMemory::OpenShared(int fd, size_t bytes) const {
  RAMET_ASSIGN_OR_RETURN(auto shared, parts_.driver.OpenShared(fd, bytes));
  return BlockOf(std::move(shared), false);
}

std::shared_ptr<SharedBlock> GpuMemory::BlockOf(std::unique_ptr<DriverSharedMemory> shared,
                                                bool is_own) const {
  return std::make_shared<GpuSharedBlock>(std::move(shared), is_own, parts_.allocator, parts_.queue,
                                          this);
}

void GpuMemory::WaitForWork() const {
  const auto mark = parts_.copies.Mark();
  if (mark.ok()) static_cast<QueueMark&>(**mark).event().Wait().IgnoreError();
}

}  // namespace ramet::gpu
