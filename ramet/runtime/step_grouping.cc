#include "ramet/runtime/step_grouping.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>

#include "ramet/runtime/feed_set.h"
#include "ramet/runtime/plan_releases.h"
#include "ramet/runtime/step_flow.h"

namespace ramet {
namespace {

// The first run allocates buffers that later ones reuse, so only the two after it count.
constexpr int kProfiledRuns = 3;
// A shorter step ends before another thread is awake. `ramet_bench
// --benchmark_filter=ramet/step_groups` shows from which length on a step is worth a thread.
constexpr int64_t kMinStepNanos = 20'000;
// The fraction of a run that groups have to save, which is more than the profiles vary.
constexpr double kMinSavedFraction = 0.05;

// Orders the steps of a plan in groups. Steps that may share a group are delayed until no other
// step is ready; those that are ready then form a group.
class Grouper {
 public:
  Grouper(const Plan& plan, const GraphData& graph, const StepProfile& profile)
      : plan_(plan), graph_(graph), profile_(profile), feeds_(graph, plan.origin.request) {}

  // Returns null if grouping does not save enough.
  std::unique_ptr<Plan> Run(int threads) {
    FindDependencies();
    Order();
    int64_t total = 0;
    for (int64_t nanos : profile_.nanos) total += nanos;
    if (static_cast<double>(Saved(threads)) < kMinSavedFraction * static_cast<double>(total)) {
      return nullptr;
    }
    return std::make_unique<Plan>(Grouped());
  }

 private:
  // A node of the plan, by its position there.
  struct Item {
    int32_t step = -1;
    int32_t waits = 0;
    std::vector<int32_t> next;
  };

  void FindDependencies() {
    const StepFlow flow(graph_, plan_);
    std::unordered_map<NodeId, int32_t> step_of;
    std::unordered_map<NodeId, NodeId> last_of;  // the node of the fused step, by that of a part
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      const Step& step = plan_.steps[i];
      step_of[step.node] = static_cast<int32_t>(i);
      const auto* const fused = std::get_if<FusedStep>(&step.work);
      if (fused == nullptr) continue;
      for (const Step& part : plan_.fusions[fused->fusion].parts) last_of[part.node] = step.node;
    }
    const auto run_of = [&](NodeId id) {
      const auto found = last_of.find(id);
      return found != last_of.end() ? found->second : id;
    };
    std::unordered_map<NodeId, int32_t> item_of;
    items_.resize(plan_.origin.nodes.size());
    int32_t last_with_state = -1;
    for (size_t i = 0; i < items_.size(); ++i) {
      const NodeId id = plan_.origin.nodes[i];
      item_of[id] = static_cast<int32_t>(i);
      auto wait_for = [&](NodeId other) {
        if (run_of(other) != run_of(id)) other = run_of(other);
        auto it = item_of.find(other);
        if (it != item_of.end()) AddEdge(it->second, i);
      };
      for (Endpoint e : graph_.inputs(id)) {
        if (!feeds_.Contains(e)) wait_for(e.node);
      }
      for (Endpoint e : graph_.controls(id)) wait_for(e.node);
      auto step = step_of.find(id);
      if (step == step_of.end()) continue;
      items_[i].step = step->second;
      // Passes may have made the step read what another node computes.
      for (const StepInput& input : plan_.inputs_of(plan_.steps[step->second])) {
        const int32_t writer = flow.WriterOf(input.slot);
        if (writer >= 0) wait_for(plan_.steps[writer].node);
      }
      if (!TouchesState(step->second)) continue;
      if (last_with_state >= 0) AddEdge(last_with_state, i);
      last_with_state = static_cast<int32_t>(i);
    }
  }

  void AddEdge(int32_t from, size_t to) {
    items_[from].next.push_back(static_cast<int32_t>(to));
    ++items_[to].waits;
  }

  // Reports whether a step must keep its order among those that touch state.
  bool TouchesState(int32_t step) const {
    const Step& s = plan_.steps[step];
    const bool computes = s.Is<KernelStep>() || s.Is<FusedStep>();
    return !computes || plan_.HasRefInputs(s) || profile_.names_variable[step] ||
           graph_.nodes[s.node].op->schema().is_stateful;
  }

  bool MayShare(const Item& item) const {
    return item.step >= 0 && !TouchesState(item.step) && !profile_.had_team[item.step] &&
           profile_.nanos[item.step] >= kMinStepNanos;
  }

  void Order() {
    for (size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].waits == 0) MakeReady(static_cast<int32_t>(i));
    }
    while (!plain_.empty() || !sharing_.empty()) {
      if (!plain_.empty()) {
        const int32_t i = plain_.top();
        plain_.pop();
        if (items_[i].step >= 0) groups_.push_back({items_[i].step});
        Finish(i);
        continue;
      }
      const std::vector<int32_t> group = std::exchange(sharing_, {});
      groups_.emplace_back();
      for (int32_t i : group) groups_.back().push_back(items_[i].step);
      for (int32_t i : group) Finish(i);
    }
  }

  void MakeReady(int32_t i) {
    if (MayShare(items_[i])) {
      sharing_.push_back(i);
    } else {
      plain_.push(i);
    }
  }

  void Finish(int32_t i) {
    for (int32_t next : items_[i].next) {
      if (--items_[next].waits == 0) MakeReady(next);
    }
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

  // Returns the plan in groups, each with its longest step first, so that it ends evenly.
  PlanData Grouped() {
    PlanData data = plan_;
    data.steps.clear();
    data.traits.has_groups = true;
    for (std::vector<int32_t>& group : groups_) {
      std::ranges::stable_sort(group, std::greater<>(),
                               [&](int32_t s) { return profile_.nanos[s]; });
      const size_t first = data.steps.size();
      for (int32_t step : group) data.steps.push_back(plan_.steps[step]);
      data.steps[first].group_size = static_cast<int32_t>(group.size());
    }
    PlanReleases(&data);
    return data;
  }

  const Plan& plan_;
  const GraphData& graph_;
  const StepProfile& profile_;
  const FeedSet feeds_;
  std::vector<Item> items_;
  std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> plain_;  // in order
  std::vector<int32_t> sharing_;
  std::vector<std::vector<int32_t>> groups_;
};

}  // namespace

StepGrouping::StepGrouping() = default;
StepGrouping::~StepGrouping() = default;

void StepGrouping::Note(const Plan& plan, const GraphData& graph, int threads,
                        const StepProfile& profile) {
  MutexLock lock(mutex_);
  if (!profiling() || ++runs_ == 1) return;
  if (runs_ == 2) {
    shortest_ = profile;
    return;
  }
  for (size_t i = 0; i < profile.nanos.size(); ++i) {
    shortest_.nanos[i] = std::min(shortest_.nanos[i], profile.nanos[i]);
    shortest_.had_team[i] |= profile.had_team[i];
    shortest_.names_variable[i] |= profile.names_variable[i];
  }
  if (runs_ < kProfiledRuns) return;
  profiling_ = false;
  ReaderLock graph_lock(graph.mutex);
  if (plan.origin.edit_version != graph.edit_version) return;
  owned_ = Grouper(plan, graph, shortest_).Run(threads);
  grouped_.store(owned_.get(), std::memory_order_release);
}

}  // namespace ramet
