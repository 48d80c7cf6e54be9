#include "ramet/device/device.h"

#include <algorithm>
#include <map>

#include "ramet/base/mutex.h"

namespace ramet {
namespace {

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(int index) : Device("CPU", index) {}
  Allocator* allocator() override { return HostAllocator(); }
};

}  // namespace

Device::Device(std::string type, int index)
    : name_(StrCat("/job:localhost/replica:0/task:0/device:", type, ":", index)),
      type_(std::move(type)),
      index_(index) {}

void Device::Enqueue(std::function<void()> work) { work(); }
StatusOr<Tensor> Device::CopyFromHost(const Tensor& host) { return host; }
StatusOr<Tensor> Device::CopyToHost(const Tensor& device) { return device; }

struct DeviceRegistry::Impl {
  struct Type {
    std::string name;
    int count;
    DeviceFactory factory;
    std::map<int, std::unique_ptr<Device>> devices;
  };
  Mutex mutex;
  std::vector<Type> types RAMET_GUARDED_BY(mutex);

  Type* Find(std::string_view name) RAMET_REQUIRES(mutex) {
    auto it = std::ranges::find(types, name, &Type::name);
    return it == types.end() ? nullptr : &*it;
  }
};

DeviceRegistry::DeviceRegistry() : impl_(new Impl) {
  Register("CPU", 1, [](int index) { return std::make_unique<CpuDevice>(index); });
}

DeviceRegistry& DeviceRegistry::Global() {
  static DeviceRegistry* const registry = new DeviceRegistry;
  return *registry;
}

void DeviceRegistry::Register(std::string type, int count, DeviceFactory factory) {
  MutexLock lock(impl_->mutex);
  impl_->types.push_back({std::move(type), count, std::move(factory), {}});
}

std::vector<std::string> DeviceRegistry::Types() const {
  MutexLock lock(impl_->mutex);
  std::vector<std::string> names;
  for (const auto& type : impl_->types) names.push_back(type.name);
  return names;
}

int DeviceRegistry::DefaultCount(std::string_view type) const {
  MutexLock lock(impl_->mutex);
  const auto* found = impl_->Find(type);
  return found ? found->count : 0;
}

StatusOr<Device*> DeviceRegistry::Get(std::string_view type, int index) {
  MutexLock lock(impl_->mutex);
  auto* found = impl_->Find(type);
  if (found == nullptr) return NotFound("there is no device type '", type, "'");
  auto& device = found->devices[index];
  if (!device) device = found->factory(index);
  if (!device) {
    return ResourceExhausted("device ", type, ":", index, " could not reserve its memory");
  }
  return device.get();
}

}  // namespace ramet
