#include "ramet/runtime/plan_releases.h"

#include <algorithm>

namespace ramet {
namespace {

class Releases {
 public:
  explicit Releases(PlanData* plan)
      : plan_(*plan), last_(plan->num_slots, -1), kept_(plan->num_slots, false) {}

  void Run() {
    FindKept();
    FindLast();
    std::vector<std::vector<int32_t>> freed(plan_.steps.size());
    for (int32_t s = 0; s < plan_.num_slots; ++s) {
      if (last_[s] >= 0 && !kept_[s]) freed[last_[s]].push_back(s);
    }
    plan_.release_slots.clear();
    for (size_t begin = 0; begin < plan_.steps.size(); begin += plan_.steps[begin].together) {
      const size_t end = begin + plan_.steps[begin].together;
      Step& step = plan_.steps[end - 1];
      step.first_release = static_cast<int32_t>(plan_.release_slots.size());
      step.num_releases = static_cast<int32_t>(freed[end - 1].size());
      plan_.release_slots.insert(plan_.release_slots.end(), freed[end - 1].begin(),
                                 freed[end - 1].end());
      for (size_t i = begin; i < end; ++i) FindForwardable(begin, end, &plan_.steps[i]);
    }
    for (const Step& step : plan_.steps) {
      if (step.kind == Step::Kind::kMerged) SetParts(step, &plan_.merges[step.merge]);
    }
  }

 private:
  void FindKept() {
    for (int32_t s : plan_.fetch_slots) {
      if (s >= 0) kept_[s] = true;
    }
    for (auto& [slot, value] : plan_.presets) kept_[slot] = true;
    for (const PlanLoop& loop : plan_.loops) {
      for (const auto* slots : {&loop.enters, &loop.constants, &loop.next}) {
        for (int32_t slot : *slots) kept_[slot] = true;
      }
      for (auto [within, outside] : loop.results) kept_[within] = true;
    }
  }

  void FindLast() {
    for (size_t begin = 0; begin < plan_.steps.size(); begin += plan_.steps[begin].together) {
      const size_t end = begin + plan_.steps[begin].together;
      for (size_t i = begin; i < end; ++i) {
        const Step& step = plan_.steps[i];
        const auto at = static_cast<int32_t>(end - 1);
        for (int k = 0; k < step.num_outputs; ++k) last_[step.first_output + k] = at;
        for (int k = 0; k < step.num_inputs; ++k) last_[Slot(step, k)] = at;
      }
    }
  }

  void FindForwardable(size_t begin, size_t end, Step* step) {
    step->forwardable = 0;
    for (int k = 0; k < std::min(step->num_inputs, 64); ++k) {
      const int32_t slot = Slot(*step, k);
      const bool ends_here = last_[slot] == static_cast<int32_t>(end - 1) && !kept_[slot];
      if (ends_here && CountReaders(begin, end, slot) == 1) step->forwardable |= uint64_t{1} << k;
    }
  }

  // Its parts forward what it forwards, and what lies between them, which is read once.
  void SetParts(const Step& merged, PlanMerge* merge) const {
    std::vector<int32_t> ends = merge->between;
    for (int k = 0; k < std::min(merged.num_inputs, 64); ++k) {
      if ((merged.forwardable >> k) & 1) ends.push_back(Slot(merged, k));
    }
    for (Step& part : merge->parts) {
      part.forwardable = 0;
      for (int k = 0; k < std::min(part.num_inputs, 64); ++k) {
        const bool ends_here = std::ranges::find(ends, Slot(part, k)) != ends.end();
        if (ends_here) part.forwardable |= uint64_t{1} << k;
      }
    }
  }

  int CountReaders(size_t begin, size_t end, int32_t slot) const {
    int count = 0;
    for (size_t i = begin; i < end; ++i) {
      const Step& step = plan_.steps[i];
      for (int k = 0; k < step.num_inputs; ++k) count += Slot(step, k) == slot;
    }
    return count;
  }

  int32_t Slot(const Step& step, int input) const {
    return plan_.input_slots[step.first_input + input];
  }

  PlanData& plan_;
  std::vector<int32_t> last_;
  std::vector<bool> kept_;
};

}  // namespace

void PlanReleases(PlanData* plan) { Releases(plan).Run(); }

}  // namespace ramet
