#include "ramet/runtime/step_precedence.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

namespace ramet {
namespace {

// Ops whose kernels may wait, without the suffix V2.
constexpr std::array<std::string_view, 24> kWaiting = {"QueueEnqueue",
                                                       "QueueEnqueueMany",
                                                       "QueueDequeue",
                                                       "QueueDequeueMany",
                                                       "QueueDequeueUpTo",
                                                       "QueueClose",
                                                       "ReaderRead",
                                                       "ReaderReadUpTo",
                                                       "BarrierTakeMany",
                                                       "AccumulatorTakeGradient",
                                                       "ResourceAccumulatorTakeGradient",
                                                       "SparseAccumulatorTakeGradient",
                                                       "Stage",
                                                       "Unstage",
                                                       "StagePeek",
                                                       "MapStage",
                                                       "MapPeek",
                                                       "MapUnstage",
                                                       "MapUnstageNoKey",
                                                       "OrderedMapStage",
                                                       "OrderedMapPeek",
                                                       "OrderedMapUnstage",
                                                       "OrderedMapUnstageNoKey",
                                                       "MutexLock"};

bool MayWait(const Op& op) {
  std::string_view name = op.name();
  if (name.ends_with("V2")) name.remove_suffix(2);
  return std::ranges::find(kWaiting, name) != kWaiting.end();
}

class PrecedenceFinder {
 public:
  PrecedenceFinder(const GraphData& graph, PlanData& plan) : graph_(graph), plan_(plan) {}

  StepPrecedence Find() {
    for (size_t i = 0; i < plan_.steps.size(); ++i) AddNodes(plan_.steps[i], static_cast<int>(i));
    result_.num_before.assign(plan_.steps.size(), 0);
    result_.after.resize(plan_.steps.size());
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      before_.clear();
      AddProducers(static_cast<int32_t>(i));
      std::ranges::sort(before_);
      before_.erase(std::unique(before_.begin(), before_.end()), before_.end());
      for (int32_t before : before_) {
        result_.after[before].push_back(static_cast<int32_t>(i));
        ++result_.num_before[i];
      }
    }
    CountReaders();
    return std::move(result_);
  }

 private:
  void AddNodes(const Step& step, int number) {
    step_of_[step.node] = number;
    nodes_of_[number].push_back(step.node);
    if (const auto* fused = std::get_if<FusedStep>(&step.work)) {
      for (const Step& part : plan_.fusions[fused->fusion].parts) {
        step_of_[part.node] = number;
        nodes_of_[number].push_back(part.node);
      }
    }
  }

  // Adds the steps that compute the inputs and control inputs of a step.
  void AddProducers(int32_t number) {
    for (NodeId node : nodes_of_[number]) {
      for (int32_t before : ProducersOf(node)) {
        if (before < number) before_.push_back(before);
      }
    }
  }

  // Returns the steps right before a node: those of its inputs, and through nodes without a step.
  const std::vector<int32_t>& ProducersOf(NodeId node) {
    const auto known = producers_.find(node);
    if (known != producers_.end()) return known->second;
    std::vector<int32_t> found;
    for (const auto edges : {graph_.inputs(node), graph_.controls(node)}) {
      for (const Endpoint& e : edges) {
        if (const auto step = step_of_.find(e.node); step != step_of_.end()) {
          found.push_back(step->second);
        } else if (graph_.nodes[e.node].op->name() == "NoOp") {
          const std::vector<int32_t>& through = ProducersOf(e.node);
          found.insert(found.end(), through.begin(), through.end());
        }
      }
    }
    return producers_[node] = std::move(found);
  }

  // Counts the readers of the slots that are freed during the run.
  void CountReaders() {
    std::vector<int32_t> counts(plan_.slots.count, 0);
    for (const Step& step : plan_.steps) {
      for (const StepInput& input : plan_.inputs_of(step)) ++counts[input.slot];
    }
    result_.num_readers.assign(plan_.slots.count, 0);
    for (int32_t slot : plan_.release_slots) result_.num_readers[slot] = counts[slot];
    for (StepInput& input : plan_.inputs) {
      if (counts[input.slot] > 1) input.is_last_use = false;
    }
  }

  const GraphData& graph_;
  PlanData& plan_;
  std::unordered_map<NodeId, int32_t> step_of_;
  std::unordered_map<int32_t, std::vector<NodeId>> nodes_of_;
  std::unordered_map<NodeId, std::vector<int32_t>> producers_;
  std::vector<int32_t> before_;  // the current step
  StepPrecedence result_;
};

}  // namespace

bool HasWaitingSteps(const GraphData& graph, const Plan& plan) {
  if (plan.traits.has_control_flow || plan.traits.has_several_memories) return false;
  const auto waiting = std::ranges::count_if(plan.steps, [&](const Step& step) {
    return step.Is<KernelStep>() && MayWait(*graph.nodes[step.node].op);
  });
  return waiting > 1;
}

StepPrecedence TakePrecedence(const GraphData& graph, Plan* plan) {
  return HasWaitingSteps(graph, *plan) ? PrecedenceFinder(graph, *plan).Find() : StepPrecedence();
}

}  // namespace ramet
