#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "ramet/graph/function.h"
#include "ramet/op/function_call.h"
#include "ramet/runtime/executor.h"
#include "ramet/runtime/placer.h"

namespace ramet {

class FunctionInstance;
class FunctionTable;

// Functions call functions up to this depth: a call deeper than that is taken for one without end.
inline constexpr int kMaxCallDepth = 5000;

// Which function a node calls, and how.
struct FunctionUse {
  FunctionRef ref;
  bool gradient = false;  // call what gives its gradients
  // The call stands for the nodes of the body (TensorFlow puts the body in its place): kernels have
  // a state of their own for each such call. Of other calls the state is shared.
  bool in_place = true;
  // All stateful nodes run, and not only those that results and control outputs need.
  bool all_effects = false;
  std::vector<DType> arg_types;
  std::vector<DType> result_types;  // empty, with any_results: whatever the function returns
  bool any_results = false;
  std::vector<int> arg_devices;  // in whose memory the variables are that args name; may be empty
};

// A function that a node calls, made ready at the first call. Thread-safe.
class CallTarget {
 public:
  CallTarget(FunctionUse use, FunctionTable& table, FunctionInstance* caller)
      : use_(std::move(use)), table_(table), caller_(caller) {}
  // \error as FindFunction and CompilePlan; kInvalidArgument if the function takes or returns
  //   something else than the node says.
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

// What a node that calls functions does, in one session.
class FunctionCall {
 public:
  // nullptr if the node calls none. `input_devices` has a device for each input of the node, or is
  // empty. \error kInvalidArgument if an attr is missing or wrong.
  static StatusOr<std::shared_ptr<FunctionCall>> Make(const NodeRecord& node,
                                                      const std::vector<int>& input_devices,
                                                      FunctionTable& table,
                                                      FunctionInstance* caller);
  FunctionCallKind kind() const { return kind_; }
  // kIf: then, else. kWhile: cond, body.
  int num_targets() const { return static_cast<int>(targets_.size()); }
  CallTarget& target(int i) const { return *targets_[i]; }
  // How many inputs of the node say which function is called: the others are its arguments.
  int num_choosers() const {
    return kind_ == FunctionCallKind::kIf || kind_ == FunctionCallKind::kCase ? 1 : 0;
  }

 private:
  FunctionCallKind kind_ = FunctionCallKind::kNone;
  std::vector<std::unique_ptr<CallTarget>> targets_;
};

// The functions of a graph's library that one session has made ready. Thread-safe.
class FunctionTable {
 public:
  // All outlive the table. `settings` may be filled in later.
  FunctionTable(const Graph& graph, const ExecutorSettings& settings, const PlacerOptions& placer);
  ~FunctionTable();

  // The function for a call from the body of `caller` (null: from the session's graph). It stays as
  // long as the table. \error as CallTarget::Get.
  StatusOr<FunctionInstance*> Instantiate(const FunctionUse& use, FunctionInstance* caller);
  bool IsFunction(std::string_view name) const { return HasFunction(graph_, name); }
  const ExecutorSettings& settings() const { return settings_; }
  const PlacerOptions& placer() const { return placer_; }

 private:
  using Key = std::tuple<const FunctionBody*, bool, bool, std::vector<int>>;
  StatusOr<FunctionInstance*> Add(const FunctionUse& use, std::shared_ptr<const FunctionBody> body,
                                  FunctionInstance* caller);

  const Graph& graph_;
  const ExecutorSettings& settings_;
  const PlacerOptions& placer_;
  std::mutex mutex_;
  std::map<Key, FunctionInstance*> shared_;
  std::vector<std::unique_ptr<FunctionInstance>> instances_;
};

}  // namespace ramet
