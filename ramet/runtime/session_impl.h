#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "ramet/runtime/executor.h"
#include "ramet/runtime/function_calls.h"
#include "ramet/runtime/node_kernels.h"
#include "ramet/runtime/placer.h"
#include "ramet/runtime/session.h"
#include "ramet/runtime/step_gate.h"

namespace ramet {

// What Session and Callable share.
class SessionImpl final : public KernelSource {
 public:
  static StatusOr<std::shared_ptr<SessionImpl>> Create(Graph& graph, const SessionOptions& options);

  std::span<Device* const> devices() const override { return devices_; }
  StatusOr<std::vector<int>> Place(const GraphImpl& graph, std::span<const NodeId> nodes) override;
  StatusOr<std::shared_ptr<Kernel>> KernelFor(const GraphImpl& graph, NodeId node,
                                              int device) override;
  StatusOr<std::shared_ptr<FunctionCall>> CallFor(const GraphImpl& graph, NodeId node,
                                                  const std::vector<int>& input_devices) override;

  StatusOr<std::shared_ptr<Plan>> PlanFor(const PlanRequest& request);
  bool IsCurrent(const Plan& plan) const;
  Status RunPlanWith(Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> fetched,
                     const RunOptions& options, RunMetadata* metadata);
  // Checks a value against the tensor that it is fed for.
  Status CheckFeed(const Output& tensor, const Tensor& value) const;

  StatusOr<Output> ResolveTensor(const GraphElement& element) const;
  StatusOr<std::variant<Output, Operation>> ResolveFetch(const GraphElement& element) const;

  // Where the value of a variable of the graph is kept; null before its first use when `create` is
  // false.
  std::shared_ptr<VariableState> StateOf(const VariableRecord& record, bool create);
  StatusOr<Tensor> ToHost(const Tensor& value) const;

  Graph& graph() const { return *graph_; }
  const SessionOptions& options() const { return options_; }
  void NoteRestored(const std::vector<std::string>& names);
  void Close();

  // What keeps whoever wants the variables of one moment from runs that write them.
  StepGate& gate() { return gate_; }
  // For whoever brings a session values to follow: one at a time. False if there is another.
  bool BeginFollowing() { return !has_follower_.exchange(true); }
  void EndFollowing() { has_follower_ = false; }
  // Runs that begin from now on see these values of the variables that follow; null: none.
  void Follow(std::shared_ptr<const FollowedValues> values);
  std::shared_ptr<const FollowedValues> followed() const;
  // Called after each run that may have written variables and went well, on the thread that ran,
  // outside of the gate; what it says is what the run says. Returns what RemoveObserver takes.
  // Whoever adds one removes it, but not from within its call: RemoveObserver waits until it is not
  // being called, and from then on it is not.
  using StepObserver = std::function<Status()>;
  int AddObserver(StepObserver observer);
  void RemoveObserver(int id);

 private:
  Status RunPlanAsked(Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> fetched,
                      const RunOptions& options, RunMetadata* metadata);
  Status RunWriting(Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> fetched,
                    const RunControl& control);
  Status Observed();

  SessionImpl(Graph& graph, const SessionOptions& options)
      : graph_(&graph), options_(options), functions_(graph, settings_, placer_) {}
  void WarnAboutRestored(const Plan& plan);
  // Each device that has nodes of the plan, and these as a GraphDef.
  StatusOr<std::vector<std::pair<std::string, std::string>>> Partitions(const Plan& plan) const;
  std::vector<NodeStats> Described(const StepRecorder& recorder) const;

  struct Observation {
    std::shared_mutex calls;  // shared by those who call
    StepObserver observer;    // null once it is removed
  };
  struct RequestHash {
    size_t operator()(const PlanRequest& request) const;
  };

  Graph* graph_;
  const SessionOptions options_;
  std::vector<Device*> devices_;
  std::vector<KernelEnv> envs_;
  ExecutorSettings settings_;
  PlacerOptions placer_;
  ResourceStore resources_;
  mutable std::mutex mutex_;
  FunctionTable functions_;
  NodeKernels kernels_;
  std::unordered_map<PlanRequest, std::shared_ptr<Plan>, RequestHash> plans_;
  std::set<std::string> restored_;
  std::atomic<bool> any_restored_ = false;
  StepGate gate_;
  std::atomic<bool> has_follower_ = false;
  std::atomic<bool> follows_ = false;
  mutable std::mutex followed_mutex_;
  std::shared_ptr<const FollowedValues> followed_;
  std::atomic<bool> is_observed_ = false;
  std::mutex observer_mutex_;
  int next_observer_ = 1;
  std::map<int, std::shared_ptr<Observation>> observers_;
  CancellationToken closed_;
};

// For the layers above that work on a session's state.
std::shared_ptr<SessionImpl> ImplOf(const Session& session);

}  // namespace ramet
