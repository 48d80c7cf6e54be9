#include "ramet/runtime/step_grouping.h"

#include <algorithm>
#include <set>
#include <shared_mutex>
#include <unordered_map>

#include "ramet/runtime/plan_releases.h"
#include "ramet/runtime/run_order.h"

namespace ramet {
namespace {

// The first run allocates what later ones reuse; two more are measured.
constexpr int kRuns = 3;
// A step that takes less is done sooner than another thread is awake.
constexpr int64_t kWorthAThread = 20'000;
constexpr size_t kMostTogether = 64;
// The part of a run that groups have to save.
constexpr double kWorthwhile = 0.05;

class Grouper {
 public:
  Grouper(const Plan& plan, const GraphImpl& graph, const StepProfile& profile)
      : plan_(plan), graph_(graph), profile_(profile), feeds_(graph, plan.request) {
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      step_of_[plan.steps[i].node] = static_cast<int32_t>(i);
    }
  }

  // Null if the steps are not done sooner in groups.
  std::unique_ptr<Plan> Run(int threads) {
    for (NodeId id : plan_.nodes) {
      const int32_t before = LastBefore(id);
      auto step = step_of_.find(id);
      place_[id] = step == step_of_.end() ? before : Put(step->second, before);
    }
    int64_t total = 0;
    for (int64_t nanos : profile_.nanos) total += nanos;
    if (static_cast<double>(Saved(threads)) < kWorthwhile * static_cast<double>(total)) {
      return nullptr;
    }
    return std::make_unique<Plan>(Grouped());
  }

 private:
  // The last group that a node has to wait for; -1 if it waits for nothing.
  int32_t LastBefore(NodeId id) const {
    int32_t last = -1;
    auto wait_for = [&](NodeId other) {
      auto it = place_.find(other);
      if (it != place_.end()) last = std::max(last, it->second);
    };
    for (Endpoint e : graph_.inputs(id)) {
      if (!feeds_.Contains(e)) wait_for(e.node);
    }
    for (Endpoint e : graph_.controls(id)) wait_for(e.node);
    return last;
  }

  bool MayShare(int32_t step) const {
    return plan_.steps[step].kind == Step::Kind::kKernel && plan_.steps[step].ref_inputs == 0 &&
           !profile_.alone[step] && profile_.nanos[step] >= kWorthAThread &&
           !graph_.nodes[plan_.steps[step].node].op->schema().is_stateful;
  }

  int32_t Put(int32_t step, int32_t before) {
    if (!MayShare(step)) return NewGroup(step);
    auto open = open_.upper_bound(before);
    if (open == open_.end()) {
      const int32_t group = NewGroup(step);
      open_.insert(group);
      return group;
    }
    const int32_t group = *open;
    groups_[group].push_back(step);
    if (groups_[group].size() == kMostTogether) open_.erase(open);
    return group;
  }

  int32_t NewGroup(int32_t step) {
    groups_.push_back({step});
    return static_cast<int32_t>(groups_.size()) - 1;
  }

  int64_t Saved(int threads) const {
    int64_t saved = 0;
    for (const std::vector<int32_t>& group : groups_) {
      int64_t total = 0;
      int64_t longest = 0;
      for (int32_t step : group) {
        total += profile_.nanos[step];
        longest = std::max(longest, profile_.nanos[step]);
      }
      saved += total - std::max(longest, total / threads);
    }
    return saved;
  }

  // The longest first, so that a group ends evenly.
  PlanData Grouped() {
    PlanData data = plan_;
    data.steps.clear();
    for (std::vector<int32_t>& group : groups_) {
      std::ranges::stable_sort(group, std::greater<>(), [&](int32_t s) { return profile_.nanos[s]; });
      const size_t first = data.steps.size();
      for (int32_t step : group) data.steps.push_back(plan_.steps[step]);
      data.steps[first].together = static_cast<int32_t>(group.size());
      data.most_together = std::max(data.most_together, data.steps[first].together);
    }
    PlanReleases(&data);
    return data;
  }

  const Plan& plan_;
  const GraphImpl& graph_;
  const StepProfile& profile_;
  const FeedSet feeds_;
  std::unordered_map<NodeId, int32_t> step_of_;
  std::unordered_map<NodeId, int32_t> place_;  // a group, of a node without a step the last before
  std::vector<std::vector<int32_t>> groups_;
  std::set<int32_t> open_;  // groups that others may join
};

}  // namespace

StepGrouping::StepGrouping() = default;
StepGrouping::~StepGrouping() = default;

void StepGrouping::Note(const Plan& plan, const GraphImpl& graph, int threads,
                        const StepProfile& profile) {
  std::lock_guard lock(mutex_);
  if (!measuring() || ++runs_ == 1) return;
  if (runs_ == 2) {
    least_ = profile;
    return;
  }
  for (size_t i = 0; i < profile.nanos.size(); ++i) {
    least_.nanos[i] = std::min(least_.nanos[i], profile.nanos[i]);
    least_.alone[i] |= profile.alone[i];
  }
  if (runs_ < kRuns) return;
  measuring_ = false;
  std::shared_lock graph_lock(graph.mutex);
  if (plan.edit_version != graph.edit_version) return;
  owned_ = Grouper(plan, graph, least_).Run(threads);
  grouped_.store(owned_.get(), std::memory_order_release);
}

}  // namespace ramet
