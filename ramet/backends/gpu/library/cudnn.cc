#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <map>
#include <string_view>

#include "ramet/backends/gpu/driver/cuda/cuda_objects.h"
#include "ramet/backends/gpu/driver/shared_library.h"
#include "ramet/backends/gpu/library/cudnn_algorithms.h"
#include "ramet/base/log.h"
#include "ramet/base/mutex.h"

namespace ramet::gpu {
namespace cudnn {
namespace {

constexpr size_t kMinVersion = 8300;  // the first with both heuristics
constexpr size_t kMaxPlans = 1024;
constexpr int kRuns = 3;                  // that are timed for each algorithm
constexpr double kMaxLoadSeconds = 0.05;  // of a kernel

// The addresses of the operands of a convolution, in the order of kOperandIds, and of its
// workspace.
struct Addresses {
  void* operands[3];
  void* workspace;
};

void* AddressOf(const DriverMemory& memory) {
  return reinterpret_cast<void*>(static_cast<const cuda::Memory&>(memory).address());
}

Addresses AddressesOf(ConvPart part, std::span<DriverMemory* const> blocks) {
  void* const a = AddressOf(*blocks[0]);
  void* const b = AddressOf(*blocks[1]);
  void* const result = AddressOf(*blocks[2]);
  void* const workspace = AddressOf(*blocks[3]);
  switch (part) {
    case ConvPart::kForward: return {{a, b, result}, workspace};
    case ConvPart::kBackpropInput: return {{result, a, b}, workspace};
    default: return {{a, result, b}, workspace};
  }
}

// Everything that tells convolutions apart.
using Key = ConvolutionParameters;
Key KeyOf(const LibraryConvolution& c) { return ParametersOf(c, 0); }

bool AllowsTf32() {
  const char* const value = std::getenv("RAMET_TF32");
  return value != nullptr && std::string_view(value) == "1";
}

class Cudnn final : public ConvolutionLibrary {
 public:
  using OwnedHandle = std::unique_ptr<api::Handle, api::Status (*)(api::Handle*)>;

  Cudnn(const api::Functions& cudnn, cuda::Queue& queue, OwnedHandle handle)
      : cudnn_(cudnn), queue_(queue), allows_tf32_(AllowsTf32()), handle_(std::move(handle)) {}

  std::optional<size_t> WorkspaceFor(const LibraryConvolution& c, size_t max_bytes) override {
    const cuda::Scope scope(queue_.context());
    MutexLock lock(mutex_);
    const Plan& plan = PlanFor(c, max_bytes);
    if (plan.algorithms.empty()) return std::nullopt;
    return plan.workspace_bytes();
  }

  bool IsChosen(const LibraryConvolution& c) override {
    MutexLock lock(mutex_);
    const auto found = plans_.find(KeyOf(c));
    return found != plans_.end() && found->second.is_chosen;
  }

  std::optional<double> SecondsOf(const LibraryConvolution& c) override {
    MutexLock lock(mutex_);
    const auto found = plans_.find(KeyOf(c));
    if (found == plans_.end()) return std::nullopt;
    const Plan& plan = found->second;
    return plan.is_chosen || plan.algorithms.empty() ? std::optional(plan.seconds) : std::nullopt;
  }

  StatusOr<bool> Choose(const LibraryConvolution& c, std::span<DriverMemory* const> blocks,
                        size_t workspace_bytes) override {
    const cuda::Scope scope(queue_.context());
    MutexLock lock(mutex_);
    Plan& plan = PlanFor(c, workspace_bytes);
    if (!plan.is_chosen) {
      RAMET_RETURN_IF_ERROR(KeepBest(c, AddressesOf(c.part, blocks), &plan));
    }
    return !plan.algorithms.empty();
  }

  Status Enqueue(DriverQueue& queue, std::span<const int64_t> parameters,
                 std::span<DriverMemory* const> blocks) override {
    const cuda::Scope scope(queue_.context());
    const LibraryConvolution c = ConvolutionOf(parameters);
    MutexLock lock(mutex_);
    // Another thread may have replaced the plan since it was chosen.
    const Plan& plan = PlanFor(c, static_cast<size_t>(parameters.back()));
    if (plan.algorithms.empty()) return Internal("cuDNN has no algorithm for a convolution");
    return Run(plan.algorithms.front(), AddressesOf(c.part, blocks),
               static_cast<cuda::Queue&>(queue).get());
  }

 private:
  // The algorithms for a convolution: one, once it is chosen. None, if cuDNN does not support it.
  struct Plan {
    std::vector<Algorithm> algorithms;
    bool is_chosen = false;
    double seconds = std::numeric_limits<double>::infinity();  // of the one that is chosen

    size_t workspace_bytes() const {
      size_t bytes = 0;
      for (const Algorithm& a : algorithms) bytes = std::max(bytes, a.workspace_bytes);
      return bytes;
    }
  };

  Plan& PlanFor(const LibraryConvolution& c, size_t max_bytes) RAMET_REQUIRES(mutex_) {
    Key key = KeyOf(c);
    const auto found = plans_.find(key);
    if (found != plans_.end() && found->second.workspace_bytes() <= max_bytes) {
      return found->second;
    }
    auto algorithms = AlgorithmsFor(
        cudnn_, handle_.get(), c, {.allows_tf32 = allows_tf32_, .max_workspace_bytes = max_bytes});
    if (!algorithms.ok()) LogDebug("cuDNN: ", algorithms.status().message());
    Plan plan;
    if (algorithms.ok()) plan.algorithms = *std::move(algorithms);
    if (found == plans_.end() && plans_.size() >= kMaxPlans) plans_.clear();
    return plans_.insert_or_assign(std::move(key), std::move(plan)).first->second;
  }

  // Keeps the fastest algorithm that works, or the first if the results must not depend on times.
  // \error kInternal: the device does not work any more.
  Status KeepBest(const LibraryConvolution& c, const Addresses& addresses, Plan* plan)
      RAMET_REQUIRES(mutex_) {
    std::vector<Algorithm> chosen;
    double least_seconds = std::numeric_limits<double>::infinity();
    RAMET_RETURN_IF_ERROR(queue_.Finish());
    for (Algorithm& algorithm : plan->algorithms) {
      if (c.deterministic && !chosen.empty()) break;
      const auto seconds = Measure(algorithm, addresses, least_seconds + kMaxLoadSeconds);
      RAMET_RETURN_IF_ERROR(queue_.Finish());
      if (!seconds.ok()) {
        LogDebug("cuDNN: ", seconds.status().message());
      } else if (*seconds < least_seconds) {
        least_seconds = *seconds;
        chosen.clear();
        chosen.push_back(std::move(algorithm));
      }
    }
    plan->algorithms = std::move(chosen);
    plan->seconds = least_seconds;
    plan->is_chosen = true;
    return OkStatus();
  }

  // Returns the shortest time of three runs, of which the first one also loads the kernel. Does not
  // repeat a run that takes longer than `max_seconds`.
  StatusOr<double> Measure(const Algorithm& algorithm, const Addresses& addresses,
                           double max_seconds) RAMET_REQUIRES(mutex_) {
    using Clock = std::chrono::steady_clock;
    double least_seconds = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kRuns; ++i) {
      const Clock::time_point start = Clock::now();
      RAMET_RETURN_IF_ERROR(Run(algorithm, addresses, queue_.get()));
      RAMET_RETURN_IF_ERROR(queue_.Finish());
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      least_seconds = std::min(least_seconds, seconds);
      if (seconds > max_seconds) break;
    }
    return least_seconds;
  }

  // Starts an algorithm on a stream.
  Status Run(const Algorithm& algorithm, const Addresses& addresses, cuda::api::Stream* stream)
      RAMET_REQUIRES(mutex_) {
    if (stream_ != stream) {
      RAMET_RETURN_IF_ERROR(
          StatusOf(cudnn_, cudnn_.SetStream(handle_.get(), stream), "cudnnSetStream"));
      stream_ = stream;
    }
    RAMET_ASSIGN_OR_RETURN(const Descriptor pack,
                           DescriptorBuilder(cudnn_, api::k_CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)
                               .Integers(api::k_CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, kOperandIds)
                               .Set(api::k_CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
                                    api::k_CUDNN_TYPE_VOID_PTR, 3, addresses.operands)
                               .Set(api::k_CUDNN_ATTR_VARIANT_PACK_WORKSPACE,
                                    api::k_CUDNN_TYPE_VOID_PTR, 1, &addresses.workspace)
                               .Finalize());
    return StatusOf(cudnn_, cudnn_.BackendExecute(handle_.get(), algorithm.plan.get(), pack.get()),
                    "cudnnBackendExecute");
  }

  const api::Functions cudnn_;
  cuda::Queue& queue_;
  const bool allows_tf32_;
  const OwnedHandle handle_;
  Mutex mutex_;
  cuda::api::Stream* stream_ RAMET_GUARDED_BY(mutex_) = nullptr;  // of handle_
  std::map<Key, Plan> plans_ RAMET_GUARDED_BY(mutex_);
};

bool LoadFunctions(const std::string& file, api::Functions* cudnn) {
  const auto library = OpenSharedLibrary(file);
  if (!library.ok()) return false;
#define RAMET_CUDNN_LOAD(result, name, parameters) \
  if (!LoadFunction(*library, "cudnn" #name, &cudnn->name)) return false;
  RAMET_CUDNN_FUNCTIONS(RAMET_CUDNN_LOAD)
#undef RAMET_CUDNN_LOAD
  return true;
}

std::unique_ptr<ConvolutionLibrary> OpenFirst(DriverDevice& device, cuda::Queue& queue,
                                              const std::vector<std::string>& files) {
  const cuda::Scope scope(queue.context());
  for (const std::string& file : files) {
    api::Functions cudnn;
    if (!LoadFunctions(file, &cudnn) || cudnn.GetVersion() < kMinVersion) continue;
    api::Handle* made = nullptr;
    if (cudnn.Create(&made) != api::k_CUDNN_STATUS_SUCCESS) continue;
    Cudnn::OwnedHandle handle(made, cudnn.Destroy);
    LogDebug(device.info().name, " computes convolutions with ", file, ", version ",
             cudnn.GetVersion());
    return std::make_unique<Cudnn>(cudnn, queue, std::move(handle));
  }
  return nullptr;
}

}  // namespace
}  // namespace cudnn

std::unique_ptr<ConvolutionLibrary> OpenCudnn(DriverDevice& device, DriverQueue& queue,
                                              const std::vector<std::string>& files) {
  return cudnn::OpenFirst(device, static_cast<cuda::Queue&>(queue), files);
}

}  // namespace ramet::gpu
