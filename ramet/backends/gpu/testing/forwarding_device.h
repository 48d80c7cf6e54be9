#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ramet/backends/gpu/driver/driver.h"

namespace ramet::gpu {

// A ForwardingDevice is another device, which must outlive it. `Wrap` puts something around each
// queue of that device, so that a test can watch or change its work.
class ForwardingDevice : public DriverDevice {
 public:
  explicit ForwardingDevice(DriverDevice& device) : device_(device) {}

  const DriverDeviceInfo& info() const final { return device_.info(); }
  StatusOr<std::unique_ptr<DriverMemory>> Allocate(size_t bytes) final {
    return device_.Allocate(bytes);
  }
  StatusOr<std::unique_ptr<DriverQueue>> MakeQueue() final {
    RAMET_ASSIGN_OR_RETURN(auto queue, device_.MakeQueue());
    return Wrap(std::move(queue));
  }
  StatusOr<std::unique_ptr<DriverModule>> Compile(const std::string& source,
                                                  const std::string& options) final {
    return device_.Compile(source, options);
  }
  StatusOr<std::unique_ptr<DriverModule>> Load(std::string_view binary,
                                               const std::string& options) final {
    return device_.Load(binary, options);
  }

 protected:
  virtual std::unique_ptr<DriverQueue> Wrap(std::unique_ptr<DriverQueue> queue) = 0;

 private:
  DriverDevice& device_;
};

}  // namespace ramet::gpu
