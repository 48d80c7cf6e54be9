#include "ramet/runtime/merge_steps.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "ramet/runtime/plan_releases.h"

namespace ramet {
namespace {

constexpr std::array<std::string_view, 5> kHarmless = {"VariableV2", "Variable", "VarHandleOp",
                                                       "ReadVariableOp", "Placeholder"};

class Merger {
 public:
  Merger(const GraphImpl& graph, const Plan& plan)
      : graph_(graph), plan_(plan), data_(plan), readers_(plan.num_slots, 0) {}

  std::unique_ptr<Plan> Run() {
    FindReaders();
    FindLoops();
    for (int32_t i = 0; i < NumSteps(); ++i) TryMerge(i);
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

  // Who is not a step counts as several.
  void FindReaders() {
    reader_.assign(plan_.num_slots, -1);
    for (int32_t i = 0; i < NumSteps(); ++i) {
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

  // The step that alone reads what step i puts out, if the work of i may be done there; or -1.
  int32_t OnlyReader(int32_t i) const {
    const Step& step = At(i);
    if (step.num_outputs != 1 || readers_[step.first_output] != 1) return -1;
    const int32_t next = reader_[step.first_output];
    const Step& reader = At(next);
    if (next < i || reader.kind != Step::Kind::kKernel || reader.device != step.device) return -1;
    if (loop_of_[next] != loop_of_[i] || reader.mortal != step.mortal) return -1;
    if (step.num_guards > 0 || reader.num_outputs != 1) return -1;
    for (int32_t k = i + 1; k < next; ++k) {
      if (HasEffects(At(k))) return -1;
    }
    return next;
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
    const Step& step = At(first);
    if (step.kind != Step::Kind::kKernel) return;
    auto* kernel = dynamic_cast<FollowedKernel*>(step.kernel);
    const int32_t add = kernel == nullptr ? -1 : OnlyReader(first);
    const int addend = add < 0 ? -1 : Addend(At(add), step.first_output);
    if (addend < 0) return;
    PlanMerge merge{kernel, FollowUp::kAdd, {step, At(add)}, {step.first_output}};
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
    SetMerged(std::move(merge), Slot(At(add), addend), &data_.steps[last]);
  }

  void SetMerged(PlanMerge merge, int32_t addend, Step* step) {
    const Step& first = merge.parts[0];
    step->kind = Step::Kind::kMerged;
    step->merge = static_cast<int32_t>(data_.merges.size());
    step->kernel = first.kernel;
    step->ref_inputs = 0;
    step->first_input = static_cast<int32_t>(data_.input_slots.size());
    step->num_inputs = first.num_inputs + 1;
    for (int i = 0; i < first.num_inputs; ++i) data_.input_slots.push_back(Slot(first, i));
    data_.input_slots.push_back(addend);
    data_.most_inputs = std::max(data_.most_inputs, step->num_inputs);
    data_.merges.push_back(std::move(merge));
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
  std::vector<int32_t> loop_of_;
};

}  // namespace

std::unique_ptr<Plan> MergeSteps(const GraphImpl& graph, const Plan& plan) {
  if (plan.several_memories) return nullptr;
  return Merger(graph, plan).Run();
}

}  // namespace ramet
