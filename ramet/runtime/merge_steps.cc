#include "ramet/runtime/merge_steps.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "ramet/runtime/plan_releases.h"

namespace ramet {
namespace {

constexpr std::array<std::string_view, 5> kHarmless = {"VariableV2", "Variable", "VarHandleOp",
                                                       "ReadVariableOp", "Placeholder"};

std::optional<linalg::BinaryOp> ArithmeticOf(std::string_view op) {
  if (op == "Add" || op == "AddV2") return linalg::BinaryOp::kAdd;
  if (op == "Sub") return linalg::BinaryOp::kSub;
  if (op == "Mul") return linalg::BinaryOp::kMul;
  return std::nullopt;
}

// Whether `op` makes input 1 the value of the variable that input 0 names, and what becomes of the
// old value, if anything.
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

// Whether an operand may have the shape of the result, or one element.
bool MayFit(const Shape& operand, const Shape& result) {
  if (operand.IsCompatibleWith(result)) return true;
  return std::ranges::all_of(operand.dims(), [](int64_t d) { return d < 0 || d == 1; });
}

class Merger {
 public:
  Merger(const GraphImpl& graph, const Plan& plan) : graph_(graph), plan_(plan), data_(plan) {}

  std::unique_ptr<Plan> Run() {
    FindReaders();
    FindLoops();
    FindEffects();
    for (int32_t i = 0; i < NumSteps(); ++i) TryMerge(i);
    for (int32_t i = NumSteps() - 1; i >= 0; --i) TryPass(i);
    if (data_.merges.empty()) return nullptr;
    if (!plan_.has_control_flow) {
      std::erase_if(data_.steps, [](const Step& s) { return s.kind == Step::Kind::kNothing; });
    }
    PlanReleases(&data_);
    KeepMerges();
    return std::make_unique<Plan>(std::move(data_));
  }

 private:
  int32_t NumSteps() const { return static_cast<int32_t>(plan_.steps.size()); }
  const Step& At(int32_t i) const { return plan_.steps[i]; }
  std::string_view OpOf(const Step& step) const { return graph_.nodes[step.node].op->name(); }
  int32_t Slot(const Step& step, int input) const {
    return plan_.input_slots[step.first_input + input];
  }

  // Whether a step is a kernel's and has not been merged.
  bool IsPlain(int32_t i) const {
    return i >= 0 && At(i).kind == Step::Kind::kKernel &&
           data_.steps[i].kind == Step::Kind::kKernel;
  }

  // Who is not a step counts as several.
  void FindReaders() {
    readers_.assign(plan_.num_slots, 0);
    reader_.assign(plan_.num_slots, -1);
    writer_.assign(plan_.num_slots, -1);
    for (int32_t i = 0; i < NumSteps(); ++i) {
      for (int k = 0; k < At(i).num_outputs; ++k) writer_[At(i).first_output + k] = i;
      for (int k = 0; k < At(i).num_inputs; ++k) {
        ++readers_[Slot(At(i), k)];
        reader_[Slot(At(i), k)] = i;
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
      for (auto [within, outside] : loop.results) keep(within);
    }
  }

  // Inner loops come after those around them.
  void FindLoops() {
    loop_of_.assign(plan_.steps.size(), -1);
    for (size_t l = 0; l < plan_.loops.size(); ++l) {
      const PlanLoop& loop = plan_.loops[l];
      std::fill(loop_of_.begin() + loop.first_step, loop_of_.begin() + loop.end_step,
                static_cast<int32_t>(l));
    }
  }

  bool HasEffects(const Step& step) const {
    using Kind = Step::Kind;
    if (step.kind == Kind::kLoop || step.kind == Kind::kCall) return true;
    if (step.kind != Kind::kKernel) return false;
    if (std::ranges::find(kHarmless, OpOf(step)) != kHarmless.end()) return false;
    return step.ref_inputs != 0 || graph_.nodes[step.node].op->schema().is_stateful;
  }

  void FindEffects() {
    effects_.assign(plan_.steps.size() + 1, 0);
    for (int32_t i = 0; i < NumSteps(); ++i) effects_[i + 1] = effects_[i] + HasEffects(At(i));
  }

  // The step that alone reads what step i puts out, if the work of i may be done there; or -1.
  int32_t OnlyReader(int32_t i) const {
    const Step& step = At(i);
    if (step.num_outputs != 1 || readers_[step.first_output] != 1) return -1;
    const int32_t next = reader_[step.first_output];
    const Step& reader = At(next);
    if (next < i || reader.kind != Step::Kind::kKernel || reader.device != step.device) return -1;
    if (loop_of_[next] != loop_of_[i] || reader.mortal != step.mortal) return -1;
    if (step.num_guards > 0) return -1;
    return effects_[next] == effects_[i + 1] ? next : -1;
  }

  // The position of the addend; -1 where the step is no addition of float.
  int Addend(const Step& step, int32_t sum) const {
    const AttrMap& attrs = *graph_.nodes[step.node].attrs;
    if (attrs.GetOr<DType>("T", DType::kInvalid) != kFloat || step.num_inputs != 2) return -1;
    const std::string_view op = OpOf(step);
    if (op == "BiasAdd") {
      const bool last = attrs.GetOr<std::string>("data_format", "NHWC") == "NHWC";
      return last && Slot(step, 0) == sum ? 1 : -1;
    }
    if (op != "Add" && op != "AddV2") return -1;
    return Slot(step, 0) == sum ? 1 : 0;
  }

  void TryMerge(int32_t first) {
    if (!IsPlain(first)) return;
    const Step& step = At(first);
    auto* kernel = dynamic_cast<FollowedKernel*>(step.kernel);
    const int32_t add = kernel == nullptr ? -1 : OnlyReader(first);
    const int addend = IsPlain(add) ? Addend(At(add), step.first_output) : -1;
    if (addend < 0) return;
    PlanMerge merge{kernel, FollowUp::kAdd, {}, {step, At(add)}, {step.first_output}};
    int32_t last = add;
    const int32_t after = OnlyReader(add);
    if (after >= 0 && OpOf(At(after)) == "Relu") {
      merge.next = FollowUp::kAddRelu;
      merge.parts.push_back(At(after));
      merge.between.push_back(At(add).first_output);
      data_.steps[add].kind = Step::Kind::kNothing;
      last = after;
    }
    data_.steps[first].kind = Step::Kind::kNothing;
    std::vector<int32_t> inputs;
    for (int i = 0; i < step.num_inputs; ++i) inputs.push_back(Slot(step, i));
    inputs.push_back(Slot(At(add), addend));
    SetMerged(std::move(merge), inputs, &data_.steps[last]);
  }

  void SetMerged(PlanMerge merge, const std::vector<int32_t>& inputs, Step* step) {
    step->kind = Step::Kind::kMerged;
    step->merge = static_cast<int32_t>(data_.merges.size());
    step->ref_inputs = 0;
    step->first_input = static_cast<int32_t>(data_.input_slots.size());
    step->num_inputs = static_cast<int32_t>(inputs.size());
    data_.input_slots.insert(data_.input_slots.end(), inputs.begin(), inputs.end());
    data_.most_inputs = std::max(data_.most_inputs, step->num_inputs);
    data_.merges.push_back(std::move(merge));
  }

  // What a pass is made of: `parts` are steps of the plan.
  struct Pass {
    DType dtype = DType::kInvalid;
    int target = -1;
    int num_values = 1;  // that are inputs or steps in the end
    std::vector<int32_t> inputs = {};
    std::vector<OnePass::Step> steps = {};
    std::vector<int32_t> parts = {};
  };

  // The floating dtype that a step calculates in.
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

  // Sums, differences and products that end in step `last`, which may assign them.
  void TryPass(int32_t last) {
    if (!IsPlain(last)) return;
    const Step& step = At(last);
    Pass pass{.dtype = DTypeOf(step)};
    if (pass.dtype == DType::kInvalid) return;
    if (const Assignment assignment = AssignmentOf(OpOf(step)); assignment.assigns) {
      pass.target = 0;
      pass.inputs = {Slot(step, 0)};
      pass.num_values = 2;
      const OnePass::Operand value = OperandOf(Slot(step, 1), last, &pass);
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

  OnePass::Operand AddStep(int32_t i, Pass* pass) {
    ++pass->num_values;
    const OnePass::Operand a = OperandOf(Slot(At(i), 0), i, pass);
    const OnePass::Operand b = OperandOf(Slot(At(i), 1), i, pass);
    pass->steps.push_back({*ArithmeticOf(OpOf(At(i))), a, b});
    pass->parts.push_back(i);
    return {true, static_cast<int8_t>(pass->steps.size() - 1)};
  }

  // A value that step `reader` of the pass reads: what makes it becomes a part of the pass if it
  // may. A resource variable is read by a pass that assigns: so its buffer may be its own.
  OnePass::Operand OperandOf(int32_t slot, int32_t reader, Pass* pass) {
    const int32_t made_by = writer_[slot];
    if (IsPlain(made_by) && OnlyReader(made_by) == reader && DTypeOf(At(made_by)) == pass->dtype) {
      const std::string_view op = OpOf(At(made_by));
      const bool has_room = pass->num_values < OnePass::kMostInputs;
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
    PlanMerge merge;
    for (int32_t part : pass.parts) {
      merge.parts.push_back(At(part));
      if (part == pass.parts.back()) break;
      merge.between.push_back(At(part).first_output);
      data_.steps[part].kind = Step::Kind::kNothing;
    }
    const int num_inputs = static_cast<int>(pass.inputs.size());
    merge.pass = OnePass(pass.dtype, num_inputs, std::move(pass.steps), pass.target);
    SetMerged(std::move(merge), pass.inputs, last);
    if (pass.target >= 0) last->ref_inputs = (uint64_t{1} << num_inputs) - 1;
  }

  // What a Merge of control flow takes over stays as it was; steps are where they were.
  void KeepMerges() {
    if (!plan_.has_control_flow) return;
    for (size_t i = 0; i < data_.steps.size(); ++i) {
      if (data_.steps[i].kind == Step::Kind::kMerge) {
        data_.steps[i].forwardable |= plan_.steps[i].forwardable;
      }
    }
  }

  const GraphImpl& graph_;
  const Plan& plan_;
  PlanData data_;
  std::vector<int> readers_;
  std::vector<int32_t> reader_;  // the last one, by slot
  std::vector<int32_t> writer_;  // likewise
  std::vector<int32_t> loop_of_;
  std::vector<int32_t> effects_;  // how many of the steps before have some
};

}  // namespace

std::unique_ptr<Plan> MergeSteps(const GraphImpl& graph, const Plan& plan) {
  if (plan.several_memories) return nullptr;
  return Merger(graph, plan).Run();
}

}  // namespace ramet
