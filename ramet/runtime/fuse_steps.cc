#include "ramet/runtime/fuse_steps.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "ramet/runtime/plan_releases.h"

namespace ramet {
namespace {

constexpr std::array<std::string_view, 5> kWithoutEffects = {
    "VariableV2", "Variable", "VarHandleOp", "ReadVariableOp", "Placeholder"};

std::optional<linalg::BinaryOp> ArithmeticOf(std::string_view op) {
  if (op == "Add" || op == "AddV2") return linalg::BinaryOp::kAdd;
  if (op == "Sub") return linalg::BinaryOp::kSub;
  if (op == "Mul") return linalg::BinaryOp::kMul;
  return std::nullopt;
}

// How an op assigns input 1 to the variable that input 0 names: as it is, or combined with the old
// value.
struct Assignment {
  bool assigns = false;
  std::optional<linalg::BinaryOp> with_old = std::nullopt;
};

Assignment AssignmentOf(std::string_view op) {
  if (op == "Assign" || op == "AssignVariableOp") return {true};
  if (op == "AssignAdd" || op == "AssignAddVariableOp") return {true, linalg::BinaryOp::kAdd};
  if (op == "AssignSub" || op == "AssignSubVariableOp") return {true, linalg::BinaryOp::kSub};
  return {};
}

// Reports whether an operand may have the shape of the result, or one element.
bool MayFit(const Shape& operand, const Shape& result) {
  if (operand.IsCompatibleWith(result)) return true;
  return std::ranges::all_of(operand.dims(), [](int64_t d) { return d < 0 || d == 1; });
}

class Fuser {
 public:
  Fuser(const GraphData& graph, const Plan& plan) : graph_(graph), plan_(plan), data_(plan) {}

  std::unique_ptr<Plan> Run() {
    FindReaders();
    FindLoops();
    FindEffects();
    for (int32_t i = 0; i < NumSteps(); ++i) TryEpilogue(i);
    for (int32_t i = NumSteps() - 1; i >= 0; --i) TryElementwise(i);
    if (data_.fusions.empty()) return nullptr;
    if (!plan_.has_control_flow) std::erase_if(data_.steps, &Fuser::IsNoOp);
    PlanReleases(&data_);
    KeepLastUsesOfMerges();
    return std::make_unique<Plan>(std::move(data_));
  }

 private:
  int32_t NumSteps() const { return static_cast<int32_t>(plan_.steps.size()); }
  const Step& At(int32_t i) const { return plan_.steps[i]; }
  std::string_view OpOf(const Step& step) const { return graph_.nodes[step.node].op->name(); }
  int32_t Slot(const Step& step, int input) const { return plan_.inputs_of(step)[input].slot; }
  static bool IsNoOp(const Step& step) { return step.Is<NoOpStep>(); }

  // Reports whether a step runs a kernel and has not been fused.
  bool IsPlain(int32_t i) const {
    return i >= 0 && At(i).Is<KernelStep>() && data_.steps[i].Is<KernelStep>();
  }

  // Finds the steps that read and write each slot. A reader that is not a step, such as a fetch,
  // counts as several.
  void FindReaders() {
    readers_.assign(plan_.num_slots, 0);
    reader_.assign(plan_.num_slots, -1);
    writer_.assign(plan_.num_slots, -1);
    for (int32_t i = 0; i < NumSteps(); ++i) {
      for (int k = 0; k < At(i).outputs.size; ++k) writer_[At(i).outputs.first + k] = i;
      for (const StepInput& input : plan_.inputs_of(At(i))) {
        ++readers_[input.slot];
        reader_[input.slot] = i;
      }
    }
    const auto keep = [this](int32_t slot) { readers_[slot] += 2; };
    for (int32_t slot : plan_.fetch_slots) {
      if (slot >= 0) keep(slot);
    }
    for (const PlanLoop& loop : plan_.loops) {
      for (const auto* slots : {&loop.enters, &loop.constants, &loop.next}) {
        for (int32_t slot : *slots) keep(slot);
      }
      for (const auto& [inside, outside] : loop.results) keep(inside);
    }
  }

  // Inner loops come after those around them.
  void FindLoops() {
    loop_of_.assign(plan_.steps.size(), -1);
    for (size_t l = 0; l < plan_.loops.size(); ++l) {
      const PlanLoop& loop = plan_.loops[l];
      std::fill_n(loop_of_.begin() + loop.steps.first, loop.steps.size, static_cast<int32_t>(l));
    }
  }

  bool HasEffects(const Step& step) const {
    if (step.Is<LoopStep>() || step.Is<CallStep>()) return true;
    if (!step.Is<KernelStep>()) return false;
    if (std::ranges::find(kWithoutEffects, OpOf(step)) != kWithoutEffects.end()) return false;
    return plan_.HasRefInputs(step) || graph_.nodes[step.node].op->schema().is_stateful;
  }

  void FindEffects() {
    effects_.assign(plan_.steps.size() + 1, 0);
    for (int32_t i = 0; i < NumSteps(); ++i) effects_[i + 1] = effects_[i] + HasEffects(At(i));
  }

  // Returns the only step that reads the output of step i, if the work of i may be done there, or
  // -1.
  int32_t OnlyReader(int32_t i) const {
    const Step& step = At(i);
    if (step.outputs.size != 1 || readers_[step.outputs.first] != 1) return -1;
    const int32_t next = reader_[step.outputs.first];
    const Step& reader = At(next);
    if (next < i || !reader.Is<KernelStep>() || reader.device != step.device) return -1;
    if (loop_of_[next] != loop_of_[i] || reader.may_be_dead != step.may_be_dead) return -1;
    if (step.control_inputs.size > 0) return -1;
    return effects_[next] == effects_[i + 1] ? next : -1;
  }

  // Returns the position of the addend, or -1 if the step is not an addition of floats.
  int Addend(const Step& step, int32_t sum) const {
    const AttrMap& attrs = *graph_.nodes[step.node].attrs;
    if (attrs.GetOr<DType>("T", DType::kInvalid) != kFloat || step.inputs.size != 2) return -1;
    const std::string_view op = OpOf(step);
    if (op == "BiasAdd") {
      const bool last = attrs.GetOr<std::string>("data_format", "NHWC") == "NHWC";
      return last && Slot(step, 0) == sum ? 1 : -1;
    }
    if (op != "Add" && op != "AddV2") return -1;
    return Slot(step, 0) == sum ? 1 : 0;
  }

  // Fuses a kernel with the addition, and perhaps the Relu, that alone reads its output.
  void TryEpilogue(int32_t first) {
    if (!IsPlain(first)) return;
    const Step& step = At(first);
    auto* kernel = dynamic_cast<EpilogueKernel*>(std::get<KernelStep>(step.work).kernel);
    const int32_t add = kernel == nullptr ? -1 : OnlyReader(first);
    const int addend = IsPlain(add) ? Addend(At(add), step.outputs.first) : -1;
    if (addend < 0) return;
    Fusion fusion{kernel, Epilogue::kAdd, {}, {step, At(add)}, {step.outputs.first}};
    int32_t last = add;
    const int32_t after = OnlyReader(add);
    if (after >= 0 && OpOf(At(after)) == "Relu") {
      fusion.epilogue = Epilogue::kAddRelu;
      fusion.parts.push_back(At(after));
      fusion.between.push_back(At(add).outputs.first);
      data_.steps[add].work = NoOpStep();
      last = after;
    }
    data_.steps[first].work = NoOpStep();
    std::vector<StepInput> inputs;
    for (const StepInput& input : plan_.inputs_of(step)) inputs.push_back({.slot = input.slot});
    inputs.push_back({.slot = Slot(At(add), addend)});
    SetFused(std::move(fusion), inputs, &data_.steps[last]);
  }

  void SetFused(Fusion fusion, const std::vector<StepInput>& inputs, Step* step) {
    step->work = FusedStep{static_cast<int32_t>(data_.fusions.size())};
    step->inputs = {static_cast<int32_t>(data_.inputs.size()), static_cast<int32_t>(inputs.size())};
    data_.inputs.insert(data_.inputs.end(), inputs.begin(), inputs.end());
    data_.max_inputs = std::max(data_.max_inputs, step->inputs.size);
    data_.fusions.push_back(std::move(fusion));
  }

  // The contents of a FusedElementwise to be; `parts` are steps of the plan.
  struct Pass {
    DType dtype = DType::kInvalid;
    int target = -1;
    int num_values = 1;  // inputs and steps that there will be
    std::vector<int32_t> inputs = {};
    std::vector<FusedElementwise::Step> steps = {};
    std::vector<int32_t> parts = {};
  };

  // Returns the floating dtype that a step computes in, or kInvalid.
  DType DTypeOf(const Step& step) const {
    const AttrMap& attrs = *graph_.nodes[step.node].attrs;
    const DType dtype = attrs.GetOr<DType>("T", attrs.GetOr<DType>("dtype", DType::kInvalid));
    return IsFloating(dtype) ? dtype : DType::kInvalid;
  }

  bool MayFitAll(const Step& step) const {
    const Shape& result = graph_.output({step.node, 0}).shape;
    return std::ranges::all_of(graph_.inputs(step.node),
                               [&](Endpoint e) { return MayFit(graph_.output(e).shape, result); });
  }

  // Fuses sums, differences and products that end in step `last`, which may assign the result.
  void TryElementwise(int32_t last) {
    if (!IsPlain(last)) return;
    const Step& step = At(last);
    Pass pass{.dtype = DTypeOf(step)};
    if (pass.dtype == DType::kInvalid) return;
    if (const Assignment assignment = AssignmentOf(OpOf(step)); assignment.assigns) {
      pass.target = 0;
      pass.inputs = {Slot(step, 0)};
      pass.num_values = 2;
      const FusedElementwise::Operand value = OperandOf(Slot(step, 1), last, &pass);
      if (!value.is_step) return;
      if (assignment.with_old) pass.steps.push_back({*assignment.with_old, {}, value});
      pass.parts.push_back(last);
    } else {
      if (!ArithmeticOf(OpOf(step)) || !MayFitAll(step)) return;
      AddStep(last, &pass);
      if (pass.steps.size() == 1) return;
    }
    SetPass(std::move(pass), &data_.steps[last]);
  }

  FusedElementwise::Operand AddStep(int32_t i, Pass* pass) {
    ++pass->num_values;
    const FusedElementwise::Operand a = OperandOf(Slot(At(i), 0), i, pass);
    const FusedElementwise::Operand b = OperandOf(Slot(At(i), 1), i, pass);
    pass->steps.push_back({*ArithmeticOf(OpOf(At(i))), a, b});
    pass->parts.push_back(i);
    return {true, static_cast<int8_t>(pass->steps.size() - 1)};
  }

  // Returns the operand for a slot that step `reader` of the pass reads. The step that writes the
  // slot becomes a part of the pass if it can. A pass that assigns reads resource variables itself,
  // so that no reference to the target's buffer keeps it from being updated in place.
  FusedElementwise::Operand OperandOf(int32_t slot, int32_t reader, Pass* pass) {
    const int32_t made_by = writer_[slot];
    if (IsPlain(made_by) && OnlyReader(made_by) == reader && DTypeOf(At(made_by)) == pass->dtype) {
      const std::string_view op = OpOf(At(made_by));
      const bool has_room = pass->num_values < FusedElementwise::kMaxInputs;
      if (ArithmeticOf(op) && has_room && MayFitAll(At(made_by))) return AddStep(made_by, pass);
      if (op == "ReadVariableOp" && pass->target >= 0) {
        pass->parts.push_back(made_by);
        slot = Slot(At(made_by), 0);
      }
    }
    pass->inputs.push_back(slot);
    return {false, static_cast<int8_t>(pass->inputs.size() - 1)};
  }

  void SetPass(Pass pass, Step* last) {
    std::ranges::sort(pass.parts);
    Fusion fusion;
    for (int32_t part : pass.parts) {
      fusion.parts.push_back(At(part));
      if (part == pass.parts.back()) break;
      fusion.between.push_back(At(part).outputs.first);
      data_.steps[part].work = NoOpStep();
    }
    const int num_inputs = static_cast<int>(pass.inputs.size());
    fusion.elementwise =
        FusedElementwise(pass.dtype, num_inputs, std::move(pass.steps), pass.target);
    std::vector<StepInput> inputs;
    for (int32_t slot : pass.inputs) inputs.push_back({.slot = slot, .is_ref = pass.target >= 0});
    SetFused(std::move(fusion), inputs, last);
  }

  // A Merge of control flow still takes over its inputs: its position in the plan is the same.
  void KeepLastUsesOfMerges() {
    if (!plan_.has_control_flow) return;
    for (const Step& step : data_.steps) {
      if (!step.Is<MergeStep>()) continue;
      for (int i = 0; i < step.inputs.size; ++i) {
        const int32_t at = step.inputs.first + i;
        data_.inputs[at].is_last_use |= plan_.inputs[at].is_last_use;
      }
    }
  }

  const GraphData& graph_;
  const Plan& plan_;
  PlanData data_;
  std::vector<int> readers_;
  std::vector<int32_t> reader_;  // the last one, by slot
  std::vector<int32_t> writer_;  // by slot
  std::vector<int32_t> loop_of_;
  std::vector<int32_t> effects_;  // how many of the steps before this one have side effects
};

}  // namespace

std::unique_ptr<Plan> FuseSteps(const GraphData& graph, const Plan& plan) {
  if (plan.has_several_memories) return nullptr;
  return Fuser(graph, plan).Run();
}

}  // namespace ramet
