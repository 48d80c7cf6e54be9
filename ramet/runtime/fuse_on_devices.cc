#include "ramet/runtime/fuse_on_devices.h"

#include <algorithm>

#include "ramet/op/fused_kernel.h"

namespace ramet {
namespace {

// Collects the steps of one FusedKernel, from the last one backward.
class DeviceFuser {
 public:
  explicit DeviceFuser(FusionBuilder* builder) : builder_(*builder) {}

  // Fuses the steps that end in step `last`, if these are several.
  void Run(int32_t last) {
    const FusableKernel* const kernel = KernelOf(last, true);
    if (kernel == nullptr) return;
    num_inputs_ = builder_.step(last).inputs.size;
    num_parts_ = 1;
    AddPart(last, *kernel);
    if (parts_.size() > 1) Fuse(*kernel);
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

  FusedOperand AddPart(int32_t i, const FusableKernel& kernel) {
    FusedPart part{&kernel, {}};
    for (const StepInput& input : builder_.inputs_of(builder_.step(i))) {
      part.operands.push_back(OperandOf(input, i));
    }
    parts_.push_back(std::move(part));
    steps_.push_back(i);
    return {true, static_cast<int16_t>(parts_.size() - 1)};
  }

  // Returns the operand for an input of step `reader`. The step that writes its slot becomes a part
  // if it can.
  FusedOperand OperandOf(const StepInput& input, int32_t reader) {
    const int32_t writer = builder_.flow().WriterOf(input.slot);
    const FusableKernel* const kernel = input.in_host_memory ? nullptr : KernelOf(writer, false);
    if (kernel != nullptr && builder_.flow().OnlyReaderOf(writer) == reader && HasRoom(writer)) {
      num_inputs_ += builder_.step(writer).inputs.size - 1;
      ++num_parts_;
      return AddPart(writer, *kernel);
    }
    const auto found = std::ranges::find(inputs_, input.slot, &StepInput::slot);
    const auto index = static_cast<int16_t>(found - inputs_.begin());
    if (found == inputs_.end()) {
      inputs_.push_back({.slot = input.slot, .in_host_memory = input.in_host_memory});
    }
    return {false, index};
  }

  bool HasRoom(int32_t i) const {
    return num_parts_ < FusableKernel::kMaxParts &&
           num_inputs_ + builder_.step(i).inputs.size - 1 <= FusableKernel::kMaxInputs;
  }

  void Fuse(const FusableKernel& last) {
    Fusion fusion;
    fusion.device_kernel = last.Fuse(parts_, static_cast<int>(inputs_.size()));
    if (fusion.device_kernel == nullptr) return;
    std::ranges::sort(steps_);
    builder_.Fuse(std::move(fusion), steps_, inputs_);
  }

  FusionBuilder& builder_;
  int num_inputs_ = 0;  // that there may be, repeated ones counted each time
  int num_parts_ = 0;   // that there will be
  std::vector<StepInput> inputs_;
  std::vector<FusedPart> parts_;
  std::vector<int32_t> steps_;  // of the parts
};

}  // namespace

void FuseOnDevices(FusionBuilder* builder) {
  for (int32_t i = builder->num_steps() - 1; i >= 0; --i) DeviceFuser(builder).Run(i);
}

}  // namespace ramet
