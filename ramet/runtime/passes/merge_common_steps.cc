#include "ramet/runtime/passes/merge_common_steps.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "ramet/runtime/passes/pure_ops.h"
#include "ramet/runtime/step_flow.h"

namespace ramet {
namespace {

constexpr size_t kMaxMergedConstantBytes = 256;
// Steps with the same op and inputs, and different attrs, that a step is compared with.
constexpr int kMaxCompared = 32;

size_t Mixed(size_t hash, size_t value) {
  return (hash ^ value) * size_t{0x9E3779B97F4A7C15} + (hash >> 29);
}

class CommonStepMerger {
 public:
  explicit CommonStepMerger(PlanEditor* editor)
      : editor_(*editor), flow_(editor->graph(), editor->data()) {}

  int64_t Run() {
    MergeConstants();
    int64_t merged = 0;
    for (int32_t i = 0; i < editor_.num_steps(); ++i) merged += TryMerge(i);
    return merged;
  }

 private:
  void MergeConstants() {
    std::unordered_multimap<size_t, int32_t> by_bytes;
    const auto& presets = editor_.data().slots.presets;
    for (size_t p = 0; p < presets.size(); ++p) {
      const auto& [slot, value] = presets[p];
      if (value.bytes() > kMaxMergedConstantBytes || DTypeSize(value.dtype()) == 0) continue;
      const std::string_view bytes(static_cast<const char*>(value.raw_data()), value.bytes());
      const size_t hash = Mixed(std::hash<std::string_view>()(bytes), value.num_elements());
      if (const int32_t same = FindConstant(by_bytes, hash, value); same >= 0) {
        editor_.Replace(slot, presets[same].first);
      } else {
        by_bytes.emplace(hash, static_cast<int32_t>(p));
      }
    }
  }

  int32_t FindConstant(const std::unordered_multimap<size_t, int32_t>& by_bytes, size_t hash,
                       const Tensor& value) const {
    const auto [begin, end] = by_bytes.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      if (editor_.data().slots.presets[it->second].second.BitwiseEquals(value)) return it->second;
    }
    return -1;
  }

  bool TryMerge(int32_t i) {
    const Step& step = editor_.step(i);
    if (!MayMerge(step)) return false;
    const size_t hash = HashOf(i);
    const auto [begin, end] = by_hash_.equal_range(hash);
    int compared = 0;
    for (auto it = begin; it != end && compared < kMaxCompared; ++it, ++compared) {
      if (!AreEqual(it->second, i)) continue;
      const int32_t first = editor_.step(it->second).outputs.first;
      for (int k = 0; k < step.outputs.size; ++k) {
        editor_.Replace(step.outputs.first + k, first + k);
      }
      return true;
    }
    if (compared < kMaxCompared) by_hash_.emplace(hash, i);
    return false;
  }

  bool MayMerge(const Step& step) const {
    if (!step.Is<KernelStep>() || step.inputs.size == 0 || step.outputs.size == 0) return false;
    if (!IsPure(*editor_.NodeOf(step).op)) return false;
    for (int k = 0; k < step.outputs.size; ++k) {
      if (!editor_.HoldsTensor(step.outputs.first + k)) return false;
    }
    return std::ranges::none_of(editor_.data().inputs_of(step), &StepInput::is_ref);
  }

  size_t HashOf(int32_t i) const {
    const Step& step = editor_.step(i);
    size_t hash = std::hash<const void*>()(editor_.NodeOf(step).op);
    hash = Mixed(hash, static_cast<size_t>(editor_.LoopOf(i) + 1));
    for (int k = 0; k < step.inputs.size; ++k) {
      hash = Mixed(hash, static_cast<size_t>(editor_.InputSlot(step, k)));
    }
    return hash;
  }

  bool AreEqual(int32_t a, int32_t b) const {
    const Step& first = editor_.step(a);
    const Step& second = editor_.step(b);
    const NodeRecord& node = editor_.NodeOf(first);
    const NodeRecord& other = editor_.NodeOf(second);
    if (node.op != other.op || first.device != second.device) return false;
    if (editor_.LoopOf(a) != editor_.LoopOf(b) || first.outputs.size != second.outputs.size) {
      return false;
    }
    if (!ReadTheSame(a, b)) return false;
    if (!std::ranges::equal(editor_.graph().controls(first.node),
                            editor_.graph().controls(second.node))) {
      return false;
    }
    return node.attrs == other.attrs || *node.attrs == *other.attrs;
  }

  bool ReadTheSame(int32_t a, int32_t b) const {
    const Step& first = editor_.step(a);
    const Step& second = editor_.step(b);
    if (first.inputs.size != second.inputs.size) return false;
    bool names_variable = false;
    for (int k = 0; k < first.inputs.size; ++k) {
      const int32_t slot = editor_.InputSlot(first, k);
      if (slot != editor_.InputSlot(second, k)) return false;
      names_variable = names_variable || !editor_.HoldsTensor(slot);
    }
    return !names_variable || !flow_.HasEffectsBetween(a, b);
  }

  PlanEditor& editor_;
  const StepFlow flow_;
  std::unordered_multimap<size_t, int32_t> by_hash_;
};

}  // namespace

int64_t MergeCommonSteps(PlanEditor* editor) { return CommonStepMerger(editor).Run(); }

}  // namespace ramet
