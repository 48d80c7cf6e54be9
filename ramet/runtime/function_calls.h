#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/graph_def/function.h"
#include "ramet/op/function_call.h"
#include "ramet/runtime/placer.h"
#include "ramet/runtime/run_context.h"

namespace ramet {

class FunctionInstance;
class FunctionTable;

// The maximum depth of function calls. A deeper call is treated as infinite recursion.
inline constexpr int kMaxCallDepth = 5000;

// Identifies the function that a node calls, and how it is called.
struct FunctionUse {
  FunctionRef ref;
  bool gradient = false;  // call the function that computes its gradients
  // TensorFlow would replace the call by the nodes of the body, so that kernels have separate state
  // for each such call. Other calls share the state of kernels.
  bool is_inlined = true;
  // Runs all stateful nodes, not only those that results and control outputs need.
  bool all_effects = false;
  std::vector<DType> arg_types;
  std::vector<DType> result_types;  // empty if any_results
  bool any_results = false;
  std::vector<int> arg_devices;  // devices of the variables that args name; may be empty
};

// A function that a node calls, instantiated on the first call. Thread-safe.
class CallTarget {
 public:
  CallTarget(FunctionUse use, FunctionTable& table, FunctionInstance* caller)
      : use_(std::move(use)), table_(table), caller_(caller) {}
  // Returns the function instance.
  // \error kInvalidArgument: the arguments or results of the function do not match the node.
  // \error as for FindFunction and CompilePlan.
  StatusOr<FunctionInstance*> Get() {
    if (FunctionInstance* ready = instance_.load(std::memory_order_acquire)) return ready;
    return Make();
  }
  const FunctionUse& use() const { return use_; }

 private:
  StatusOr<FunctionInstance*> Make();

  const FunctionUse use_;
  FunctionTable& table_;
  FunctionInstance* const caller_;
  std::atomic<FunctionInstance*> instance_ = nullptr;
};

// A FunctionCall holds the functions that a node calls in one session.
class FunctionCall {
 public:
  // Returns nullptr if the node calls no function. `input_devices` has a device for each input of
  // the node, or is empty.
  // \error kInvalidArgument: an attr is missing or invalid.
  static StatusOr<std::shared_ptr<FunctionCall>> Make(const NodeRecord& node,
                                                      const std::vector<int>& input_devices,
                                                      FunctionTable& table,
                                                      FunctionInstance* caller);
  FunctionCallKind kind() const { return kind_; }
  // The targets of kIf are then and else, those of kWhile cond and body.
  int num_targets() const { return static_cast<int>(targets_.size()); }
  CallTarget& target(int i) const { return *targets_[i]; }
  // Returns how many leading inputs select the function. The remaining inputs are its arguments.
  int num_choosers() const {
    return kind_ == FunctionCallKind::kIf || kind_ == FunctionCallKind::kCase ? 1 : 0;
  }

 private:
  FunctionCallKind kind_ = FunctionCallKind::kNone;
  std::vector<std::unique_ptr<CallTarget>> targets_;
};

// A FunctionTable holds the library functions that a session has instantiated. Thread-safe.
class FunctionTable {
 public:
  // The arguments must outlive the table.
  FunctionTable(const Graph& graph, const ExecutorSettings& settings, const PlacerOptions& placer);
  ~FunctionTable();

  // Returns the function for a call in the body of `caller`, or in the session's graph if null. The
  // instance lives as long as the table.
  // \error as for CallTarget::Get.
  StatusOr<FunctionInstance*> Instantiate(const FunctionUse& use, FunctionInstance* caller);
  bool IsFunction(std::string_view name) const { return HasFunction(graph_, name); }
  const ExecutorSettings& settings() const { return settings_; }
  const PlacerOptions& placer() const { return placer_; }

 private:
  using Key = std::tuple<const FunctionBody*, bool, bool, std::vector<int>>;
  StatusOr<FunctionInstance*> Add(const FunctionUse& use, std::shared_ptr<const FunctionBody> body,
                                  FunctionInstance* caller) RAMET_REQUIRES(mutex_);

  const Graph& graph_;
  const ExecutorSettings& settings_;
  const PlacerOptions& placer_;
  Mutex mutex_;
  std::map<Key, FunctionInstance*> shared_ RAMET_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<FunctionInstance>> instances_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
