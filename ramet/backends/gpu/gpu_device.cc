#include "ramet/backends/gpu/gpu_device.h"

#include <algorithm>

#include "ramet/backends/gpu/codegen/dialect.h"
#include "ramet/backends/gpu/ops/gpu_math.h"
#include "ramet/base/log.h"

namespace ramet::gpu {
namespace {

std::span<const std::byte> BytesOf(const Tensor& tensor) {
  return {static_cast<const std::byte*>(tensor.raw_data()), tensor.bytes()};
}

bool NeedsDouble(const Definitions& definitions) {
  return std::ranges::any_of(definitions, [](const auto& d) { return d.second == "f64"; });
}

std::string TextOf(const Definitions& definitions) {
  std::string text;
  for (const auto& [name, value] : definitions) {
    text += StrCat("#define ", name, " ", value, "\n");
  }
  return text;
}

// Returns "T=f32, I=i32".
std::string LineOf(const Definitions& definitions) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : definitions) parts.push_back(StrCat(name, "=", value));
  return parts.empty() ? "no definitions" : StrJoin(parts, ", ");
}

}  // namespace

StatusOr<std::unique_ptr<GpuDevice>> GpuDevice::Make(int index, DriverDevice& device,
                                                     double memory_fraction) {
  RAMET_ASSIGN_OR_RETURN(auto queue, device.MakeQueue());
  RAMET_ASSIGN_OR_RETURN(auto copies, device.MakeQueue());
  const auto limit =
      static_cast<uint64_t>(static_cast<double>(device.info().memory_bytes) * memory_fraction);
  return std::unique_ptr<GpuDevice>(
      new GpuDevice(index, device, std::move(queue), std::move(copies), limit));
}

GpuDevice::GpuDevice(int index, DriverDevice& device, std::unique_ptr<DriverQueue> queue,
                     std::unique_ptr<DriverQueue> copies, uint64_t limit)
    : Device("GPU", index),
      driver_(device),
      queue_(std::move(queue)),
      copies_(queue_, std::move(copies)),
      math_(MakeGpuMath(*this)),
      memory_(*this),
      allocator_(StrCat("GPU:", index), device, &memory_, limit),
      compile_cache_(CompileCache::DefaultFolder()) {}

GpuDevice& GpuDevice::Of(const DeviceMemory& memory) {
  return static_cast<const Memory&>(memory).device();
}

// Errors of work that failed on the device are returned by the copy or launch that comes next.
void GpuDevice::Synchronize() {
  const Status status = Checked(queue_.Finish());
  if (!status.ok()) LogError(name(), ": ", status.message());
}

StatusOr<Tensor> GpuDevice::AllocateFor(const Tensor& host) {
  if (DTypeSize(host.dtype()) == 0) {
    return InvalidArgument("a ", DTypeName(host.dtype()), " tensor cannot leave host memory");
  }
  return Tensor::Allocate(host.dtype(), host.shape(), &allocator_);
}

StatusOr<Tensor> GpuDevice::CopyFromHost(const Tensor& host) {
  RAMET_ASSIGN_OR_RETURN(Tensor copy, AllocateFor(host));
  RAMET_RETURN_IF_ERROR(
      Checked(queue_.CopyFromHost(GpuBuffer::BlockOf(copy), BytesOf(host), nullptr)));
  return copy;
}

StatusOr<Tensor> GpuDevice::CopyToHost(const Tensor& device) {
  RAMET_ASSIGN_OR_RETURN(Tensor copy, Tensor::Allocate(device.dtype(), device.shape()));
  auto* const bytes = static_cast<std::byte*>(copy.raw_data());
  RAMET_RETURN_IF_ERROR(
      Checked(queue_.CopyToHost({bytes, copy.bytes()}, GpuBuffer::BlockOf(device))));
  return copy;
}

StatusOr<std::vector<Tensor>> GpuDevice::CopyIn(std::span<const Tensor> host) {
  std::vector<Tensor> tensors(host.size());
  for (size_t i = 0; i < host.size(); ++i) {
    RAMET_ASSIGN_OR_RETURN(tensors[i], AllocateFor(host[i]));
  }
  RAMET_RETURN_IF_ERROR(copies_.CopyIn(host, tensors));
  return tensors;
}

Status GpuDevice::Checked(const Status& status) {
  if (!IsInternal(status) || queue_.driver_queue().Finish().ok()) return status;
  return Internal(name(), " (", driver_.info().name, ") does not work any more: ", status.message(),
                  "; the values in its memory are lost. Close the sessions of this process and "
                  "start it again; RAMET_GPU=off runs it on the CPU");
}

StatusOr<DriverFunction*> GpuDevice::Function(const Program& program,
                                              const Definitions& definitions, std::string_view name,
                                              bool has_large_indices) {
  MutexLock lock(mutex_);
  auto compiled = ModuleFor(program, definitions, has_large_indices);
  if (IsInternal(compiled.status())) {
    return Internal("GPU program '", program.name, "', kernel '", name, "', with ",
                    LineOf(definitions), ": ", compiled.status().message(),
                    "\nUpdate the driver of the GPU, or place the operation on the CPU "
                    "(tf.device('/cpu:0'), or RAMET_GPU=off for all operations)");
  }
  RAMET_RETURN_IF_ERROR(compiled.status());
  auto& functions = (*compiled)->functions;
  auto found = functions.find(name);
  if (found == functions.end()) {
    RAMET_ASSIGN_OR_RETURN(auto function, (*compiled)->module->Function(std::string(name)));
    found = functions.emplace(name, std::move(function)).first;
  }
  return found->second.get();
}

StatusOr<bool> GpuDevice::MultiplyWithLibrary(const StackedProduct& product, const Tensor& x,
                                              const Tensor& y, Tensor& z) {
  ProductLibrary* library = nullptr;
  {
    MutexLock lock(mutex_);
    if (!products_.has_value()) products_ = OpenProductLibrary(driver_, queue_.driver_queue());
    library = products_->get();
  }
  if (library == nullptr) return false;
  const DriverMemory& block_x = GpuBuffer::BlockOf(x);
  const DriverMemory& block_y = GpuBuffer::BlockOf(y);
  DriverMemory& block_z = GpuBuffer::BlockOf(z);
  RAMET_RETURN_IF_ERROR(queue_.StartHeldOn({&block_x, &block_y, &block_z}));
  RAMET_ASSIGN_OR_RETURN(const bool is_started,
                         library->Multiply(product, block_x, block_y, block_z));
  if (is_started) queue_.CountLaunch();
  return is_started;
}

StatusOr<GpuDevice::CompiledModule*> GpuDevice::ModuleFor(const Program& program,
                                                          const Definitions& definitions,
                                                          bool has_large_indices) {
  const std::string text = TextOf(definitions);
  std::string key = StrCat(program.name, has_large_indices ? " large\n" : "\n", text);
  if (auto found = modules_.find(key); found != modules_.end()) return &found->second;
  const DriverDeviceInfo& info = driver_.info();
  if (NeedsDouble(definitions) && !info.has_double) {
    return Unimplemented(info.name, " cannot compute on doubles, which the GPU program '",
                         program.name, "' needs; place the operation on the CPU");
  }
  const std::string source = StrCat(
      DialectPrelude(info.language, info.has_double, has_large_indices), text, program.source);
  RAMET_ASSIGN_OR_RETURN(auto module,
                         compile_cache_.Compile(driver_, source, DialectOptions(info.language)));
  return &(modules_[std::move(key)] = {std::move(module), {}});
}

}  // namespace ramet::gpu
