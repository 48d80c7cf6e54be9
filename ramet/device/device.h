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

// A DeviceMemory lets kernels access device memory that the host cannot: each tensor in device
// memory has a view that kernel code may read and write. Thread-safe.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  // View returns the view of a tensor in device memory. Unview returns the tensor of a view.
  virtual Tensor View(const Tensor& device_tensor) const = 0;
  virtual Tensor Unview(const Tensor& view) const = 0;
};

// A Device is a place where kernels run and buffers live, such as
// "/job:localhost/replica:0/task:0/device:CPU:0". Devices belong to the process and are shared by
// its sessions. Thread-safe.
//
// A device with a queue works asynchronously: Enqueue returns at once, and a thread of the device
// runs the work in order.
class RAMET_EXPORT Device {
 public:
  virtual ~Device() = default;
  const std::string& name() const { return name_; }
  const std::string& type() const { return type_; }
  int index() const { return index_; }

  // Returns the allocator for variables and for values that pass between kernels.
  virtual Allocator* allocator() = 0;
  // Returns the allocator for the outputs of a running kernel. On a device with memory() these are
  // views of allocator()'s buffers.
  virtual Allocator* kernel_allocator() { return allocator(); }
  // Returns the device type whose kernels (KernelRegistration) this device runs: its own, or "CPU"
  // for a device with memory() that can run the CPU's kernels on views of its memory.
  virtual std::string_view kernel_type() const { return type_; }
  // Returns null for host memory.
  virtual const DeviceMemory* memory() const { return nullptr; }
  // Reports whether work is enqueued; otherwise kernels run on the caller's thread.
  virtual bool asynchronous() const { return false; }
  // Runs `work` on the device's thread after all work enqueued earlier. Only if asynchronous().
  virtual void Enqueue(std::function<void()> work);
  // Waits until all work enqueued so far has run.
  // \error an error of this work that no other call has returned.
  virtual Status Synchronize() { return OkStatus(); }
  // Ends a run of a session. A device may return while it still works on the run, if later calls
  // see the effects in order.
  // \error an error of work that no other call has returned. If the device may return early, this
  //   can be the work of an earlier run.
  virtual Status EndRun() { return Synchronize(); }
  // Copy between host memory and device memory, on the calling thread. If asynchronous(), that must
  // be the device's thread.
  // \error kResourceExhausted: the memory cannot be allocated.
  // \error kInvalidArgument: the dtype (string) cannot leave the host.
  virtual StatusOr<Tensor> CopyFromHost(const Tensor& host);
  virtual StatusOr<Tensor> CopyToHost(const Tensor& device);

 protected:
  Device(std::string type, int index);

 private:
  std::string name_, type_;
  int index_;
};

// Makes device `index` of a type. Called once per process and index, and again after it returned
// null, which means that the device could not reserve its memory.
using DeviceFactory = std::function<std::unique_ptr<Device>(int index)>;

// The device types of this process: "CPU" (any number, all in host memory) and those that backends
// register at startup.
class RAMET_EXPORT DeviceRegistry {
 public:
  static DeviceRegistry& Global();
  // Registers a type. `count` is how many devices of it a session has by default.
  void Register(std::string type, int count, DeviceFactory factory);
  std::vector<std::string> Types() const;  // "CPU" first
  int DefaultCount(std::string_view type) const;
  // Returns the device of that type and index, making it on the first call.
  // \error kNotFound: the type is unknown.
  // \error kResourceExhausted: the device could not reserve its memory.
  StatusOr<Device*> Get(std::string_view type, int index);

 private:
  DeviceRegistry();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
