#include "ramet/backends/gpu/driver/cuda/cuda_shared_memory.h"

#include <fcntl.h>

#include <cstdint>

#include "ramet/base/log.h"
#include "ramet/base/strings.h"

namespace ramet::gpu::cuda {
namespace {

constexpr int kDescriptor = api::k_CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

bool Has(const api::Functions& cuda, api::Device device, int attribute) {
  int value = 0;
  return cuda.DeviceGetAttribute(&value, attribute, device) == api::k_CUDA_SUCCESS && value != 0;
}

api::MemoryProperties PropertiesOn(api::Device device) {
  api::MemoryProperties properties = {};
  properties.type = api::k_CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.handle_types = kDescriptor;
  properties.location = {api::k_CU_MEM_LOCATION_TYPE_DEVICE, device};
  return properties;
}

// Returns the unit of sizes.
StatusOr<size_t> UnitOf(const api::Functions& cuda, api::Device device) {
  const api::MemoryProperties properties = PropertiesOn(device);
  size_t unit = 0;
  RAMET_RETURN_IF_ERROR(StatusOfResult(
      cuda,
      cuda.MemGetAllocationGranularity(&unit, &properties, api::k_CU_MEM_ALLOC_GRANULARITY_MINIMUM),
      "cuMemGetAllocationGranularity"));
  if (unit == 0) return Internal("cuMemGetAllocationGranularity returned 0");
  return unit;
}

}  // namespace

std::string SharedMemory::KeyOf(const api::Functions& cuda, api::Device device) {
  api::Uuid uuid = {};
  if (cuda.DeviceGetUuid == nullptr ||
      !Has(cuda, device, api::k_CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) ||
      !Has(cuda, device, api::k_CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED) ||
      cuda.DeviceGetUuid(&uuid, device) != api::k_CUDA_SUCCESS) {
    return "";
  }
  constexpr char kDigits[] = "0123456789abcdef";
  std::string key = StrCat("cuda:", cuda.version, ":");
  for (const char c : uuid.bytes) {
    const auto byte = static_cast<unsigned char>(c);
    key += kDigits[byte >> 4];
    key += kDigits[byte & 15];
  }
  return key;
}

StatusOr<std::unique_ptr<DriverSharedMemory>> SharedMemory::Allocate(const Context& context,
                                                                     api::Device device,
                                                                     size_t bytes) {
  const Scope scope(context);
  RAMET_ASSIGN_OR_RETURN(const size_t unit, UnitOf(context.cuda(), device));
  if (bytes == 0 || bytes > SIZE_MAX - unit) {
    return ResourceExhausted("cannot allocate ", bytes, " bytes of shared device memory");
  }
  std::unique_ptr<SharedMemory> memory(
      new SharedMemory(context, device, (bytes + unit - 1) / unit * unit));
  RAMET_RETURN_IF_ERROR(memory->Create());
  RAMET_RETURN_IF_ERROR(memory->Map());
  RAMET_RETURN_IF_ERROR(memory->Allow(api::k_CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  return std::unique_ptr<DriverSharedMemory>(std::move(memory));
}

// Drivers that know no read-only mappings map the memory for writing, too; no kernel writes to it.
StatusOr<std::unique_ptr<DriverSharedMemory>> SharedMemory::Open(const Context& context,
                                                                 api::Device device, int fd,
                                                                 size_t bytes) {
  const Scope scope(context);
  RAMET_ASSIGN_OR_RETURN(const size_t unit, UnitOf(context.cuda(), device));
  if (bytes == 0 || bytes % unit != 0) {
    return InvalidArgument("received shared device memory of ", bytes,
                           " bytes; expected a multiple of ", unit);
  }
  std::unique_ptr<SharedMemory> memory(new SharedMemory(context, device, bytes));
  RAMET_RETURN_IF_ERROR(memory->Import(fd));
  RAMET_RETURN_IF_ERROR(memory->Map());
  const Status read_only = memory->Allow(api::k_CU_MEM_ACCESS_FLAGS_PROT_READ);
  if (!read_only.ok()) {
    LogOnce(LogLevel::kDebug, "read-only device memory", read_only.message());
    RAMET_RETURN_IF_ERROR(memory->Allow(api::k_CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  }
  return std::unique_ptr<DriverSharedMemory>(std::move(memory));
}

Status SharedMemory::Create() {
  const api::Functions& cuda = context_.cuda();
  const api::MemoryProperties properties = PropertiesOn(device_);
  RAMET_RETURN_IF_ERROR(Check(cuda.MemCreate(&handle_, size_, &properties, 0),
                              StrCat("cuMemCreate of ", size_, " bytes")));
  has_handle_ = true;
  int fd = -1;
  RAMET_RETURN_IF_ERROR(Check(cuda.MemExportToShareableHandle(&fd, handle_, kDescriptor, 0),
                              "cuMemExportToShareableHandle"));
  fd_ = FileDescriptor(fd);
  (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
  return OkStatus();
}

Status SharedMemory::Import(int fd) {
  const api::Functions& cuda = context_.cuda();
  auto* const descriptor = reinterpret_cast<void*>(static_cast<intptr_t>(fd));
  RAMET_RETURN_IF_ERROR(Check(cuda.MemImportFromShareableHandle(&handle_, descriptor, kDescriptor),
                              "cuMemImportFromShareableHandle"));
  has_handle_ = true;
  api::MemoryProperties found = {};
  RAMET_RETURN_IF_ERROR(Check(cuda.MemGetAllocationPropertiesFromHandle(&found, handle_),
                              "cuMemGetAllocationPropertiesFromHandle"));
  if (found.location.type == api::k_CU_MEM_LOCATION_TYPE_DEVICE && found.location.id == device_) {
    return OkStatus();
  }
  return InvalidArgument("received shared memory of device ", found.location.id, "; expected ",
                         device_);
}

// The driver checks that the allocation has `size_` bytes.
Status SharedMemory::Map() {
  const api::Functions& cuda = context_.cuda();
  RAMET_RETURN_IF_ERROR(
      Check(cuda.MemAddressReserve(&address_, size_, 0, 0, 0), "cuMemAddressReserve"));
  RAMET_RETURN_IF_ERROR(Check(cuda.MemMap(address_, size_, 0, handle_, 0), "cuMemMap"));
  is_mapped_ = true;
  return OkStatus();
}

Status SharedMemory::Allow(int access) {
  const api::MemoryAccess rights = {{api::k_CU_MEM_LOCATION_TYPE_DEVICE, device_}, access};
  return Check(context_.cuda().MemSetAccess(address_, size_, &rights, 1), "cuMemSetAccess");
}

SharedMemory::~SharedMemory() {
  const Scope scope(context_);
  const api::Functions& cuda = context_.cuda();
  MutexLock lock(context_.capture_mutex());
  cuda.CtxSynchronize();
  if (is_mapped_) cuda.MemUnmap(address_, size_);
  if (address_ != 0) cuda.MemAddressFree(address_, size_);
  if (has_handle_) cuda.MemRelease(handle_);
}

}  // namespace ramet::gpu::cuda
