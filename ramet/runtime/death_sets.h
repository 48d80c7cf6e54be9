#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ramet/runtime/plan.h"

namespace ramet {

// The DeathSets of a plan with control flow say which of its steps are dead at the same times. A
// step's set lists the sources of which it needs all: a branch of a predicate, a Merge, or an
// iteration of a loop. Steps with the same set are dead or alive together.
class DeathSets {
 public:
  explicit DeathSets(const PlanData& plan);
  // Reports whether two steps are known to be dead at the same times.
  bool Same(int32_t a, int32_t b) const { return of_step_[a] == of_step_[b]; }

 private:
  using Set = std::vector<int32_t>;  // sources, sorted
  static constexpr size_t kMaxSources = 16;

  void AddStep(int32_t i);
  void BeginLoop(int32_t loop);
  void EndLoop(int32_t loop);
  int32_t UnionOfInputs(const Step& step);
  int32_t MergeOf(const Step& step);
  // Returns the number of a set, which is 0 if it is empty.
  int32_t Number(Set set);
  // Returns the set of `set` and a source.
  int32_t With(int32_t set, int32_t source);
  // Returns the source for a key; a new one for a key with -1.
  int32_t Source(std::pair<int32_t, int32_t> key);

  const PlanData& plan_;
  std::vector<Set> sets_;
  std::map<Set, int32_t> number_of_;
  std::map<std::pair<int32_t, int32_t>, int32_t> source_of_;
  int32_t num_sources_ = 0;
  std::vector<int32_t> of_step_;
  std::vector<int32_t> of_slot_;
  std::vector<int32_t> loop_of_;  // by slot that a loop carries; -1 for others
};

}  // namespace ramet
