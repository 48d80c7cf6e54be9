#include "ramet/runtime/fuse_on_devices.h"

#include <algorithm>
#include <optional>
#include <queue>
#include <unordered_map>

#include "ramet/op/fused_kernel.h"
#include "ramet/runtime/death_sets.h"

namespace ramet {
namespace {

// A step of a fused kernel.
struct ChosenStep {
  int32_t step;
  const FusableKernel* kernel;
  bool is_kept;  // steps after the fused one read its output
};

// Chooses the steps of one FusedKernel, from the last one backward. A step joins if all steps that
// read its output have joined or come after the last one.
class DeviceFuser {
 public:
  // `death` is null for plans without control flow.
  DeviceFuser(FusionBuilder* builder, const DeathSets* death, int32_t last)
      : builder_(*builder), death_(death), last_(last) {}

  // Fuses the steps, if these are several.
  void Run() {
    const FusableKernel* const kernel = KernelOf(last_, true);
    if (kernel == nullptr || kernel->returns_input() ||
        NewInputsOf(last_) > FusableKernel::kMaxInputs) {
      return;
    }
    Add({last_, kernel, false});
    while (!candidates_.empty()) {
      const int32_t i = candidates_.top();
      candidates_.pop();
      Consider(i);
    }
    if (HasSeveralWithWork()) Fuse(*kernel);
  }

 private:
  // Returns null for a step that cannot be a part, or the last one if `is_last`.
  const FusableKernel* KernelOf(int32_t i, bool is_last) const {
    if (!builder_.CanFuse(i)) return nullptr;
    const Step& step = builder_.step(i);
    const auto* const kernel =
        dynamic_cast<const FusableKernel*>(std::get<KernelStep>(step.work).kernel);
    if (kernel == nullptr || (kernel->ends_trees() && !is_last)) return nullptr;
    const bool fits = std::ranges::none_of(builder_.inputs_of(step), [&](const StepInput& input) {
      return input.is_ref || (input.in_host_memory && !kernel->ends_trees());
    });
    return fits ? kernel : nullptr;
  }

  bool HasSeveralWithWork() const {
    return std::ranges::count_if(chosen_, [](const ChosenStep& chosen) {
             return !chosen.kernel->returns_input();
           }) > 1;
  }

  void Add(const ChosenStep& chosen) {
    const Step& step = builder_.step(chosen.step);
    chosen_.push_back(chosen);
    num_kept_ += chosen.is_kept ? 1 : 0;
    std::erase(reads_, step.outputs.first);
    for (const StepInput& input : builder_.inputs_of(step)) {
      if (IsRead(input.slot)) continue;
      reads_.push_back(input.slot);
      const int32_t writer = builder_.flow().WriterOf(input.slot);
      if (writer >= 0 && !input.in_host_memory) candidates_.push(writer);
    }
  }

  void Consider(int32_t i) {
    const FusableKernel* const kernel = KernelOf(i, false);
    if (kernel == nullptr || builder_.step(i).outputs.size != 1) return;
    const bool is_kept = IsReadOutside(i);
    if (is_kept && kernel->returns_input()) return;
    if (!builder_.flow().MayRunIn(i, last_) || (is_kept && !MayKeep(i)) || !HasRoom(i)) return;
    Add({i, kernel, is_kept});
  }

  bool IsRead(int32_t slot) const { return std::ranges::find(reads_, slot) != reads_.end(); }
  bool IsChosen(int32_t i) const {
    return std::ranges::find(chosen_, i, &ChosenStep::step) != chosen_.end();
  }

  // Returns how many inputs of a step the fused kernel does not read yet.
  int NewInputsOf(int32_t i) const {
    const auto inputs = builder_.inputs_of(builder_.step(i));
    return static_cast<int>(std::ranges::count_if(
        inputs, [this](const StepInput& input) { return !IsRead(input.slot); }));
  }

  bool HasRoom(int32_t i) const {
    return chosen_.size() < FusableKernel::kMaxParts &&
           static_cast<int>(reads_.size()) - 1 + NewInputsOf(i) <= FusableKernel::kMaxInputs;
  }

  bool IsReadOutside(int32_t i) const {
    const int32_t slot = builder_.step(i).outputs.first;
    return builder_.flow().IsKept(slot) ||
           std::ranges::any_of(builder_.flow().ReadersOf(slot),
                               [this](int32_t reader) { return !IsChosen(reader); });
  }

  // Reports whether the output of step i may be an output of the fused step.
  bool MayKeep(int32_t i) const {
    if (num_kept_ == FusableKernel::kMaxKept || !HasShapeOfValue(i)) return false;
    if (death_ != nullptr && !death_->Same(i, last_)) return false;
    return std::ranges::all_of(
        builder_.flow().ReadersOf(builder_.step(i).outputs.first),
        [this](int32_t reader) { return reader > last_ || IsChosen(reader); });
  }

  // Reports whether the output of step i has the shape that the fused kernel computes, as far as it
  // is known.
  bool HasShapeOfValue(int32_t i) const {
    const Step& last = builder_.step(last_);
    const Shape& value = chosen_.front().kernel->ends_trees() ? builder_.InputShape(last, 0)
                                                              : builder_.OutputShape(last);
    const Shape& shape = builder_.OutputShape(builder_.step(i));
    return !shape.unknown_rank() && !value.unknown_rank() &&
           std::ranges::equal(shape.dims(), value.dims());
  }

  void Fuse(const FusableKernel& last) {
    std::ranges::sort(chosen_, {}, &ChosenStep::step);
    std::vector<FusedPart> parts;
    std::vector<int32_t> steps, kept;
    for (const ChosenStep& chosen : chosen_) {
      parts.push_back(PartOf(chosen));
      steps.push_back(chosen.step);
      if (chosen.is_kept) kept.push_back(chosen.step);
    }
    Fusion fusion;
    fusion.device_kernel = last.Fuse(parts, static_cast<int>(inputs_.size()));
    if (fusion.device_kernel == nullptr) return;
    builder_.Fuse(std::move(fusion), steps, inputs_, kept);
  }

  FusedPart PartOf(const ChosenStep& chosen) {
    const Step& step = builder_.step(chosen.step);
    FusedPart part{chosen.kernel, {}, chosen.is_kept};
    for (const StepInput& input : builder_.inputs_of(step)) {
      part.operands.push_back(OperandOf(input));
    }
    const auto number = static_cast<int16_t>(operand_of_.size() - inputs_.size());
    operand_of_[step.outputs.first] = {true, number};
    return part;
  }

  FusedOperand OperandOf(const StepInput& input) {
    const auto [found, is_new] = operand_of_.try_emplace(
        input.slot, FusedOperand{false, static_cast<int16_t>(inputs_.size())});
    if (is_new) inputs_.push_back({.slot = input.slot, .in_host_memory = input.in_host_memory});
    return found->second;
  }

  FusionBuilder& builder_;
  const DeathSets* const death_;
  const int32_t last_;
  std::vector<ChosenStep> chosen_;
  std::vector<int32_t> reads_;  // slots that the chosen steps read and do not write
  std::priority_queue<int32_t> candidates_;
  int num_kept_ = 0;
  std::vector<StepInput> inputs_;                         // of the fused kernel
  std::unordered_map<int32_t, FusedOperand> operand_of_;  // by slot
};

}  // namespace

void FuseOnDevices(FusionBuilder* builder) {
  std::optional<DeathSets> death;
  if (builder->plan().traits.has_control_flow) death.emplace(builder->plan());
  for (int32_t i = builder->num_steps() - 1; i >= 0; --i) {
    DeviceFuser(builder, death ? &*death : nullptr, i).Run();
  }
}

}  // namespace ramet
