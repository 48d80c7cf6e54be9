#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/device/host_registrar.h"

// The seam between the GPU backend and the programming interfaces of vendors. Everything above it
// is written once; a driver is the only code that knows CUDA or OpenCL. All objects are
// thread-safe unless they say otherwise. A driver's objects must not outlive the device that made
// them.
namespace ramet::gpu {

// The language that a driver compiles. Kernels are written in the dialect of codegen/dialect.h,
// which maps to both.
enum class Language { kOpenClC, kCudaCpp };

// A DriverDeviceInfo describes a device, as its driver reports it.
struct DriverDeviceInfo {
  std::string name;            // "NVIDIA H100 80GB HBM3"
  std::string vendor;          // "NVIDIA Corporation"
  std::string driver;          // "OpenCL"
  std::string driver_version;  // changes when compiled modules must not be reused
  Language language = Language::kOpenClC;
  bool is_cpu = false;
  bool has_double = false;
  bool honors_visible_devices = false;  // the driver hides GPUs that CUDA_VISIBLE_DEVICES hides
  uint64_t memory_bytes = 0;
  uint64_t max_allocation_bytes = 0;  // of one block
  uint64_t local_memory_bytes = 0;    // of one work group
  int compute_units = 0;
  int max_group_size = 0;
};

// A DriverMemory is a block of device memory. Its owner may destroy it while enqueued work uses it.
class DriverMemory {
 public:
  virtual ~DriverMemory() = default;
  // Returns a number that no other block of the process has had, unlike its address.
  uint64_t id() const { return id_; }

 private:
  inline static std::atomic<uint64_t> blocks_made = 0;
  const uint64_t id_ = ++blocks_made;
};

// A DriverSharedMemory is device memory that several processes map. The one that allocated it may
// write, the others only read. It is freed when the last process releases it.
class DriverSharedMemory {
 public:
  // Releases the memory in this process, after the work that uses it is done.
  virtual ~DriverSharedMemory() = default;
  virtual size_t size() const = 0;
  // Returns the descriptor by which other processes open the memory; -1 in those processes.
  virtual int fd() const = 0;
  // Returns the block that starts at `offset`. It must not outlive this object.
  virtual std::unique_ptr<DriverMemory> At(size_t offset) = 0;
};

// An argument of a kernel: a block of memory, or the bytes of a value in the kernel's layout.
class KernelArgument {
 public:
  KernelArgument(const DriverMemory& memory) : memory_(&memory) {}  // NOLINT: implicit on purpose
  // Most values are small.
  KernelArgument(const KernelArgument& other) : memory_(other.memory_), size_(other.size_) {
    std::copy_n(other.bytes_.data(), size_, bytes_.data());
  }
  KernelArgument& operator=(const KernelArgument& other) {
    memory_ = other.memory_;
    size_ = other.size_;
    std::copy_n(other.bytes_.data(), size_, bytes_.data());
    return *this;
  }
  // `value` is a number or a struct of numbers of at most kMaxBytes bytes.
  template <class T>
  requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>)
      KernelArgument(const T& value)  // NOLINT: implicit on purpose
      : size_(sizeof(T)) {
    static_assert(sizeof(T) <= kMaxBytes);
    std::copy_n(reinterpret_cast<const std::byte*>(&value), sizeof(T), bytes_.data());
  }
  // Returns the argument that has these bytes, of which there are at most kMaxBytes.
  static KernelArgument OfBytes(std::span<const std::byte> bytes) {
    KernelArgument argument(uint8_t{0});
    argument.size_ = bytes.size();
    std::ranges::copy(bytes, argument.bytes_.data());
    return argument;
  }
  static constexpr size_t kMaxBytes = 320;

  const DriverMemory* memory() const { return memory_; }  // null for a value
  std::span<const std::byte> bytes() const { return {bytes_.data(), size_}; }

 private:
  const DriverMemory* memory_ = nullptr;
  size_t size_ = 0;
  alignas(8) std::array<std::byte, kMaxBytes> bytes_;
};

// The number of work groups and of work items in each, in up to three dimensions.
struct LaunchSize {
  std::array<uint32_t, 3> groups = {1, 1, 1};
  std::array<uint32_t, 3> group_size = {1, 1, 1};
};

// A DriverFunction is a kernel of a module.
class DriverFunction {
 public:
  virtual ~DriverFunction() = default;
  // Reports whether argument i of `count` is memory that the kernel only reads. It may write all
  // others.
  bool only_reads(size_t i, size_t count) const {
    return count == only_reads_.size() && only_reads_[i];
  }
  // Comes before the first launch.
  void set_only_reads(std::vector<bool> arguments) { only_reads_ = std::move(arguments); }

 private:
  std::vector<bool> only_reads_;
};

// A DriverModule is a compiled program.
class DriverModule {
 public:
  virtual ~DriverModule() = default;
  // Returns the kernel of that name. The module must outlive it.
  // \error kNotFound: the module has no such kernel.
  virtual StatusOr<std::unique_ptr<DriverFunction>> Function(const std::string& name) = 0;
  // Returns bytes from which DriverDevice::Load makes the same module without compiling.
  // \error kUnimplemented: the driver cannot export modules.
  virtual StatusOr<std::string> Binary() const = 0;
};

// A DriverEvent is a point in a queue.
class DriverEvent {
 public:
  virtual ~DriverEvent() = default;
  // Waits until the queue has reached the event.
  // \error kInternal: work before the event failed; the message has the driver's error.
  virtual Status Wait() = 0;
  // Reports whether Wait would return at once.
  virtual bool IsDone() = 0;
};

// A DriverGraph is work of a queue that can be started again and again by one call.
class DriverGraph {
 public:
  virtual ~DriverGraph() = default;
};

class DriverQueue;

// The work of a graph: elements, numbered from 0.
struct GraphWork {
  // For each element, the earlier ones after which it starts. Elements that are not ordered by
  // these may run at the same time.
  std::vector<std::vector<uint32_t>> after;
  // Gives element i to the queue that captures. Called for the elements in their order.
  std::function<Status(size_t i, DriverQueue& capturing)> enqueue;
};

// A DriverQueue runs work in the order in which it is enqueued. Functions return before the work is
// done unless they say otherwise. Errors of the work itself are returned by a later call.
// \error kResourceExhausted: the driver ran out of host or device memory.
// \error kInternal: any other error of the driver.
class DriverQueue {
 public:
  virtual ~DriverQueue() = default;
  // Starts a kernel. Arguments must match its parameters.
  virtual Status Launch(DriverFunction& function, const LaunchSize& size,
                        std::span<const KernelArgument> arguments) = 0;
  // Copies from host memory, which must not change until `*done`, if requested, is reached.
  // Without `done`, it may change when the function returns.
  virtual Status CopyFromHost(DriverMemory& to, std::span<const std::byte> from,
                              std::unique_ptr<DriverEvent>* done) = 0;
  // Copies to host memory and waits for the copy.
  virtual Status CopyToHost(std::span<std::byte> to, const DriverMemory& from) = 0;
  // Starts a copy to host memory, which is defined when `*done` is reached. This implementation
  // waits for the copy.
  virtual Status StartCopyToHost(std::span<std::byte> to, const DriverMemory& from,
                                 std::unique_ptr<DriverEvent>* done) {
    RAMET_RETURN_IF_ERROR(CopyToHost(to, from));
    RAMET_ASSIGN_OR_RETURN(*done, Record());
    return OkStatus();
  }
  virtual Status Copy(DriverMemory& to, const DriverMemory& from, size_t bytes) = 0;
  // Fills the first `bytes` bytes with zeros.
  virtual Status Zero(DriverMemory& memory, size_t bytes) = 0;
  virtual StatusOr<std::unique_ptr<DriverEvent>> Record() = 0;
  // Makes work that is enqueued later wait for an event of another queue.
  virtual Status WaitFor(DriverEvent& event) = 0;
  // Starts the enqueued work, if the driver has collected it until now.
  virtual Status Flush() = 0;
  // Waits until all enqueued work is done.
  virtual Status Finish() = 0;

  // Reports whether the queue can capture and launch graphs.
  virtual bool has_graphs() const { return false; }
  // Makes a graph of work: launches, copies on the device, fills and calls of libraries. The work
  // is not started. Its blocks and functions must exist whenever the graph is launched, and its
  // launches must not be the first ones of their functions.
  // \error kUnimplemented: the queue has no graphs.
  // \error the errors of GraphWork::enqueue, or of the driver if the work cannot be captured.
  virtual StatusOr<std::unique_ptr<DriverGraph>> Capture(const GraphWork& /*work*/) {
    return Unimplemented("the driver has no graphs");
  }
  // Starts the work of a graph that this queue captured. Nothing is started if it fails.
  virtual Status LaunchGraph(DriverGraph& /*graph*/) {
    return Unimplemented("the driver has no graphs");
  }
};

// A LibraryCall is a function of a vendor's library that enqueues work by itself. Objects live as
// long as the queues that they are used with. Thread-safe.
class LibraryCall {
 public:
  virtual ~LibraryCall() = default;
  // Returns how many of the first blocks a call with these parameters only reads. It may write all
  // others.
  virtual size_t NumOnlyRead(std::span<const int64_t> /*parameters*/) const { return 0; }
  // Enqueues the call with these parameters, whose meaning is that of the class, on `queue`.
  // \error kResourceExhausted, kInternal: the library failed.
  virtual Status Enqueue(DriverQueue& queue, std::span<const int64_t> parameters,
                         std::span<DriverMemory* const> blocks) = 0;
};

// A DriverDevice is one GPU. Lives as long as the process.
class DriverDevice {
 public:
  virtual ~DriverDevice() = default;
  virtual const DriverDeviceInfo& info() const = 0;
  // \error kResourceExhausted: the memory cannot be allocated.
  virtual StatusOr<std::unique_ptr<DriverMemory>> Allocate(size_t bytes) = 0;
  virtual StatusOr<std::unique_ptr<DriverQueue>> MakeQueue() = 0;
  // Compiles a program in info().language. `options` are the compiler's.
  // \error kInternal: the program does not compile; the message has the compiler's.
  virtual StatusOr<std::unique_ptr<DriverModule>> Compile(const std::string& source,
                                                          const std::string& options) = 0;
  // Makes a module from the bytes of DriverModule::Binary.
  // \error kInvalidArgument: the bytes are not those of a module for this device and driver.
  virtual StatusOr<std::unique_ptr<DriverModule>> Load(std::string_view binary,
                                                       const std::string& options) = 0;

  // Registers host memory, so that copies to and from it need no buffer in between. Returns null if
  // it is registered already. This implementation registers nothing.
  // \error kResourceExhausted, kInternal: the driver refuses, for example because of a limit of
  //   locked memory.
  virtual StatusOr<std::unique_ptr<HostRegistration>> RegisterHostMemory(
      std::span<const std::byte> /*memory*/, HostAccess /*access*/) {
    return std::unique_ptr<HostRegistration>();
  }

  // Processes whose devices have the same key can share memory. The key names the device and the
  // driver, and has no spaces. It is empty if the driver cannot share memory, as here.
  virtual std::string SharingKey() const { return ""; }
  // Allocates memory that other processes can open. Its size is `bytes`, rounded up.
  // \error kResourceExhausted: the memory cannot be allocated.
  // \error kUnimplemented: the driver cannot share memory.
  virtual StatusOr<std::unique_ptr<DriverSharedMemory>> AllocateShared(size_t /*bytes*/) {
    return Unimplemented(info().driver, " cannot share memory between processes");
  }
  // Opens memory that another process allocated. `fd` stays the caller's and is not trusted.
  // \error kInvalidArgument, kInternal: it is not such memory of this device, or of another size.
  virtual StatusOr<std::unique_ptr<DriverSharedMemory>> OpenShared(int /*fd*/, size_t /*bytes*/) {
    return Unimplemented(info().driver, " cannot share memory between processes");
  }
};

}  // namespace ramet::gpu
