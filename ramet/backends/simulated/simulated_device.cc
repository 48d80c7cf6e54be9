#include <cstring>
#include <deque>
#include <thread>

#include "ramet/backends/simulated/simulated_memory.h"
#include "ramet/base/mutex.h"
#include "ramet/device/background_copier.h"
#include "ramet/device/device.h"

namespace ramet {
namespace {

constexpr size_t kMemoryBytes = size_t{8} << 30;

class KernelAllocator final : public Allocator {
 public:
  explicit KernelAllocator(SimulatedMemory* memory) : memory_(memory) {}
  std::string_view name() const override { return memory_->name(); }
  StatusOr<BufferPtr> Allocate(size_t bytes) override { return memory_->AllocateView(bytes); }

 private:
  SimulatedMemory* memory_;
};

// The number of pieces of work before a point in the queue of a simulated accelerator.
class SimulatedMark final : public DeviceMark {
 public:
  explicit SimulatedMark(int64_t work_before) : work_before_(work_before) {}
  int64_t work_before() const { return work_before_; }

 private:
  const int64_t work_before_;
};

// A simulated accelerator: a thread that works off a queue, and memory that the host cannot access.
// It runs the CPU's kernels, so that code that wrongly assumes host memory faults.
class SimulatedDevice final : public Device, public BackgroundCopier {
 public:
  SimulatedDevice(int index, std::unique_ptr<SimulatedMemory> memory)
      : Device("SIM", index),
        memory_(std::move(memory)),
        kernel_allocator_(memory_.get()),
        thread_([this] { Work(); }) {
    thread_.detach();
  }

  Allocator* allocator() override { return memory_.get(); }
  Allocator* kernel_allocator() override { return &kernel_allocator_; }
  std::string_view kernel_type() const override { return "CPU"; }
  const DeviceMemory* memory() const override { return memory_.get(); }
  bool asynchronous() const override { return true; }

  void Enqueue(std::function<void()> work) override {
    MutexLock lock(mutex_);
    queue_.push_back(std::move(work));
    ++enqueued_;
    wake_.NotifyOne();
  }

  Status Synchronize() override {
    MutexLock lock(mutex_);
    const int64_t until = enqueued_;
    while (finished_ < until) idle_.Wait(mutex_);
    return OkStatus();
  }

  StatusOr<std::unique_ptr<DeviceMark>> Mark() override {
    MutexLock lock(mutex_);
    return std::unique_ptr<DeviceMark>(std::make_unique<SimulatedMark>(enqueued_));
  }

  // Background copies run on the caller's thread, next to the device's work.
  Status CopyOut(DeviceMark& mark, std::span<const Copy> copies) override {
    {
      MutexLock lock(mutex_);
      const int64_t until = static_cast<SimulatedMark&>(mark).work_before();
      while (finished_ < until) idle_.Wait(mutex_);
    }
    for (const Copy& copy : copies) {
      if (copy.to.empty()) continue;
      std::memcpy(copy.to.data(), memory_->View(copy.from).raw_data(), copy.to.size());
    }
    return OkStatus();
  }

  StatusOr<std::vector<Tensor>> CopyIn(std::span<const Tensor> host) override {
    std::vector<Tensor> copies(host.size());
    for (size_t i = 0; i < host.size(); ++i) {
      RAMET_ASSIGN_OR_RETURN(copies[i], CopyFromHost(host[i]));
    }
    return copies;
  }

  StatusOr<Tensor> CopyFromHost(const Tensor& host) override {
    if (DTypeSize(host.dtype()) == 0) {
      return InvalidArgument("a ", DTypeName(host.dtype()), " tensor cannot leave host memory");
    }
    RAMET_ASSIGN_OR_RETURN(Tensor view,
                           Tensor::Allocate(host.dtype(), host.shape(), &kernel_allocator_));
    if (host.bytes() > 0) std::memcpy(view.raw_data(), host.raw_data(), host.bytes());
    return memory_->Unview(view);
  }

  StatusOr<Tensor> CopyToHost(const Tensor& device) override {
    return memory_->View(device).DeepCopy();
  }

 private:
  void Work() {
    for (;;) {
      std::function<void()> work = Next();
      work();
      work = nullptr;
      MutexLock lock(mutex_);
      ++finished_;
      idle_.NotifyAll();
    }
  }

  // Waits for work.
  std::function<void()> Next() {
    MutexLock lock(mutex_);
    while (queue_.empty()) wake_.Wait(mutex_);
    std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    return work;
  }

  std::unique_ptr<SimulatedMemory> memory_;
  KernelAllocator kernel_allocator_;
  Mutex mutex_;
  CondVar wake_, idle_;
  std::deque<std::function<void()>> queue_ RAMET_GUARDED_BY(mutex_);
  int64_t enqueued_ RAMET_GUARDED_BY(mutex_) = 0;
  int64_t finished_ RAMET_GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

[[maybe_unused]] const bool registered = [] {
  DeviceRegistry::Global().Register("SIM", 1, [](int index) -> std::unique_ptr<Device> {
    return std::make_unique<SimulatedDevice>(index,
                                             std::make_unique<SimulatedMemory>(kMemoryBytes));
  });
  return true;
}();

}  // namespace
}  // namespace ramet
