#include "ramet/runtime/passes/pack_weights.h"

#include <string_view>

#include "ramet/runtime/passes/pure_ops.h"
#include "ramet/runtime/plan_slots.h"

namespace ramet {
namespace {

constexpr int kWeights = 1;  // the input of a WeightsKernel that may be packed

class WeightsPacker {
 public:
  explicit WeightsPacker(FusionBuilder* builder)
      : builder_(*builder), loop_of_(LoopsOfSteps(builder->plan())) {
    for (const auto& [slot, value] : builder_.plan().slots.presets) origin_[slot] = kConstant;
    for (int32_t i = 0; i < builder_.num_steps(); ++i) {
      NoteWrites(builder_.step(i));
      SetOrigins(i);
    }
  }

  void Run() {
    for (int32_t i = 0; i < builder_.num_steps(); ++i) TryKernel(i);
    for (size_t f = 0; f < num_fusions_; ++f) TryFusion(f);
  }

 private:
  // Says where a slot gets its value: the step that names a variable, or one of these.
  static constexpr int32_t kOther = -1, kConstant = -2;

  static WeightsKernel* KernelOf(const Step& step) {
    return dynamic_cast<WeightsKernel*>(std::get<KernelStep>(step.work).kernel);
  }

  void SetOrigins(int32_t i) {
    const Step& step = builder_.step(i);
    const int32_t origin = NamesVariable(step) ? i
                           : PassesOn(step)    ? origin_[builder_.InputSlot(step, 0)]
                                               : kOther;
    for (int k = 0; k < step.outputs.size; ++k) origin_[step.outputs.first + k] = origin;
  }

  bool NamesVariable(const Step& step) const {
    if (!step.Is<KernelStep>() || step.outputs.size == 0 || step.inputs.size > 0) return false;
    const DType dtype = builder_.graph().output({step.node, 0}).dtype;
    return IsRef(dtype) || dtype == DType::kResource;
  }

  // Reports whether the outputs of a step share the buffer of its first input, or of the variable
  // that it names.
  bool PassesOn(const Step& step) const {
    if (step.inputs.size == 0) return false;
    if (step.Is<MoveStep>() || step.Is<SwitchStep>()) return true;
    if (!step.Is<KernelStep>()) return false;
    const std::string_view op = builder_.OpOf(step);
    return op == "ReadVariableOp" || op == "Reshape" ||
           ForwardsVariables(*builder_.graph().nodes[step.node].op);
  }

  // Notes the variables that a step may write.
  void NoteWrites(const Step& step) {
    if (step.Is<KernelStep>() && builder_.OpOf(step) == "ReadVariableOp") return;
    for (const StepInput& input : builder_.inputs_of(step)) {
      if (!input.is_ref && !step.Is<CallStep>()) continue;
      if (const int32_t origin = origin_[input.slot]; origin >= 0) written_[origin] = true;
    }
  }

  bool MayPack(int32_t i) const {
    const int32_t origin = origin_[builder_.InputSlot(builder_.step(i), kWeights)];
    if (origin < 0) return origin == kConstant;
    return !written_[origin] || loop_of_[i] >= 0;
  }

  void TryKernel(int32_t i) {
    if (!builder_.CanFuse(i)) return;
    const Step& step = builder_.step(i);
    WeightsKernel* const kernel = KernelOf(step);
    if (kernel == nullptr || !MayPack(i)) return;
    std::vector<StepInput> inputs;
    for (const StepInput& input : builder_.inputs_of(step)) inputs.push_back({.slot = input.slot});
    Fusion fusion;
    fusion.weights_kernel = kernel;
    fusion.epilogue = Epilogue::kNone;
    std::vector<int32_t> parts = {i};
    if (const int32_t split = SplitOf(*kernel, i); split >= 0) {
      parts.push_back(split);
      inputs.push_back({.slot = builder_.InputSlot(builder_.step(split), 0)});
    }
    builder_.Fuse(std::move(fusion), parts, inputs);
  }

  // Returns the constant in a slot, or null. A constant of a loop or branch is moved by a step.
  const Tensor* ConstantOf(int32_t slot) const {
    const int32_t writer = builder_.flow().WriterOf(slot);
    if (writer >= 0 && builder_.step(writer).Is<MoveStep>()) {
      slot = builder_.InputSlot(builder_.step(writer), 0);
    }
    return builder_.ConstantIn(slot);
  }

  // Returns the step that alone reads the result of step i and splits its columns, or -1. `kernel`
  // computes the result.
  int32_t SplitOf(const WeightsKernel& kernel, int32_t i) const {
    if (!kernel.CanSplitColumns()) return -1;
    const int32_t reader = builder_.flow().OnlyReaderOf(i);
    if (!builder_.CanFuse(reader)) return -1;
    const Step& step = builder_.step(reader);
    if (builder_.OpOf(step) != "Split") return -1;
    const Tensor* const axis = ConstantOf(builder_.InputSlot(step, 0));
    if (axis == nullptr || axis->dtype() != kInt32 || axis->num_elements() != 1) return -1;
    const int32_t at = axis->scalar<int32_t>();
    return at == 1 || at == -1 ? reader : -1;
  }

  void TryFusion(size_t f) {
    const Fusion& fusion = builder_.fusions()[f];
    if (fusion.kernel == nullptr) return;
    WeightsKernel* const kernel = KernelOf(fusion.parts[0]);
    if (kernel == nullptr) return;
    const int32_t product = builder_.flow().WriterOf(fusion.parts[0].outputs.first);
    if (!MayPack(product)) return;
    const int32_t last = builder_.flow().WriterOf(fusion.parts.back().outputs.first);
    builder_.ExtendFusion(f, kernel, fusion.channel_steps.empty() ? SplitOf(*kernel, last) : -1);
  }

  FusionBuilder& builder_;
  const std::vector<int32_t> loop_of_;  // by step
  const size_t num_fusions_ = builder_.fusions().size();
  // By slot; the steps of a loop come in the order of its first iteration.
  std::vector<int32_t> origin_ = std::vector<int32_t>(builder_.plan().slots.count, kOther);
  std::vector<bool> written_ = std::vector<bool>(builder_.num_steps(), false);  // by step
};

}  // namespace

void PackWeights(FusionBuilder* builder) { WeightsPacker(builder).Run(); }

}  // namespace ramet
