#pragma once

#include <span>
#include <vector>

#include "ramet/runtime/plan.h"

namespace ramet {

// The StepFlow of a plan says which steps write and read each slot, so that work can move from a
// step to the only one that reads its result. The caller holds the graph's lock during its use.
class StepFlow {
 public:
  // The arguments must outlive this object.
  StepFlow(const GraphData& graph, const PlanData& plan);
  // Returns the step that writes a slot, or -1.
  int32_t WriterOf(int32_t slot) const { return writer_[slot]; }
  // Returns the only step that reads the output of step i, if the work of i may be done there, or
  // -1. It may if both run on one device, in the same iterations of loops, and no step with side
  // effects is between them.
  int32_t OnlyReaderOf(int32_t i) const;
  // Like OnlyReaderOf, but step i may have further outputs that nothing reads.
  int32_t OnlyReaderOfFirst(int32_t i) const;
  // Reports whether a step after `a` and before `b` has side effects.
  bool HasEffectsBetween(int32_t a, int32_t b) const { return effects_[b] != effects_[a + 1]; }
  // Returns the steps that read a slot, in order. A step that reads it twice is listed twice.
  std::span<const int32_t> ReadersOf(int32_t slot) const {
    return std::span(readers_).subspan(first_reader_[slot],
                                       first_reader_[slot + 1] - first_reader_[slot]);
  }
  // Reports whether something other than a step reads a slot: a fetch or a loop.
  bool IsKept(int32_t slot) const {
    return num_readers_[slot] > static_cast<int>(ReadersOf(slot).size());
  }
  // Reports whether the work of step i may be done in the later step `at` instead, if no step
  // between them reads its output: both run on one device, in the same iterations of loops, and no
  // step with side effects is between them.
  bool MayRunIn(int32_t i, int32_t at) const;

 private:
  void FindReaders();
  void ListReaders();
  void KeepReadByOthers();
  void FindEffects();
  bool HasEffects(const Step& step) const;

  const GraphData& graph_;
  const PlanData& plan_;
  std::vector<int> num_readers_;       // by slot; a reader that is not a step counts as several
  std::vector<int32_t> first_reader_;  // in readers_, by slot
  std::vector<int32_t> readers_;
  std::vector<int32_t> writer_;   // by slot
  std::vector<int32_t> loop_of_;  // the innermost loop, by step
  std::vector<int32_t> effects_;  // how many of the steps before this one have side effects
};

}  // namespace ramet
