#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// How kernels of a device whose memory the host cannot touch get at it: tensors in device memory
// have a view that the kernel's own code may read and write. Thread-safe.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual Tensor View(const Tensor& device_tensor) const = 0;
  virtual Tensor Unview(const Tensor& view) const = 0;
};

// A Device is a place where kernels run and buffers live:
// "/job:localhost/replica:0/task:0/device:CPU:0". Devices belong to the process and are shared by
// its sessions. Thread-safe.
//
// A device with a queue works asynchronously: what is enqueued runs in order on a thread of the
// device, and the caller goes on at once.
class RAMET_EXPORT Device {
 public:
  virtual ~Device() = default;
  // \error kInvalidArgument never: names are made by DeviceFactory.
  const std::string& name() const { return name_; }
  const std::string& type() const { return type_; }
  int index() const { return index_; }

  // Where variables and everything that crosses kernels lives.
  virtual Allocator* allocator() = 0;
  // Where a running kernel makes its outputs (views of allocator()'s buffers on a device with
  // memory()).
  virtual Allocator* kernel_allocator() { return allocator(); }
  // Null for host memory.
  virtual const DeviceMemory* memory() const { return nullptr; }
  // Whether work is enqueued; otherwise kernels run on the caller's thread.
  virtual bool asynchronous() const { return false; }
  // Runs `work` on the device's thread after everything enqueued before. Only when asynchronous().
  virtual void Enqueue(std::function<void()> work);
  // Waits until everything enqueued so far has run.
  virtual void Synchronize() {}
  // Copies between host memory and this device's, on the calling thread, which must be the device's
  // own when asynchronous(). \error kResourceExhausted if memory is not to be had; kInvalidArgument
  // for
  //   dtypes that cannot leave the host (string).
  virtual StatusOr<Tensor> CopyFromHost(const Tensor& host);
  virtual StatusOr<Tensor> CopyToHost(const Tensor& device);

 protected:
  Device(std::string type, int index);

 private:
  std::string name_, type_;
  int index_;
};

// Makes device `index` of a type, once per process.
using DeviceFactory = std::function<std::unique_ptr<Device>(int index)>;

// The device types of this process: "CPU" (any number of them; they share the host's memory) and
// what backends register at start-up.
class RAMET_EXPORT DeviceRegistry {
 public:
  static DeviceRegistry& Global();
  // Registers a type; `count` is how many devices of it a session has when it does not say.
  void Register(std::string type, int count, DeviceFactory factory);
  std::vector<std::string> Types() const;  // "CPU" first
  int DefaultCount(std::string_view type) const;
  // The device of that type and index, made at the first call. \error kNotFound if the type is
  // unknown.
  StatusOr<Device*> Get(std::string_view type, int index);

 private:
  DeviceRegistry();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
