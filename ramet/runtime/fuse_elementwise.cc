#include "ramet/runtime/fuse_elementwise.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace ramet {
namespace {

std::optional<linalg::BinaryOp> ArithmeticOf(std::string_view op) {
  if (op == "Add" || op == "AddV2") return linalg::BinaryOp::kAdd;
  if (op == "Sub") return linalg::BinaryOp::kSub;
  if (op == "Mul") return linalg::BinaryOp::kMul;
  return std::nullopt;
}

// How an op assigns input 1 to the variable that input 0 names: unchanged, or combined with the old
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

bool AllMayFit(const GraphData& graph, NodeId node) {
  const Shape& result = graph.output({node, 0}).shape;
  return std::ranges::all_of(graph.inputs(node),
                             [&](Endpoint e) { return MayFit(graph.output(e).shape, result); });
}

// Collects the steps of one FusedElementwise, from the last one backward.
class ElementwiseFuser {
 public:
  explicit ElementwiseFuser(FusionBuilder* builder) : builder_(*builder) {}

  // Fuses the steps that end in step `last`, which may assign the result, if there are several.
  void Run(int32_t last) {
    if (!builder_.CanFuse(last)) return;
    const Step& step = builder_.step(last);
    dtype_ = DTypeOf(step);
    if (dtype_ == DType::kInvalid) return;
    const Assignment assignment = AssignmentOf(builder_.OpOf(step));
    if (assignment.assigns ? AddAssignment(assignment, last) : AddArithmetic(last)) Fuse();
  }

 private:
  using Operand = FusedElementwise::Operand;

  // Returns the floating dtype that a step computes in, or kInvalid.
  DType DTypeOf(const Step& step) const {
    const AttrMap& attrs = builder_.AttrsOf(step);
    const DType dtype = attrs.GetOr<DType>("T", attrs.GetOr<DType>("dtype", DType::kInvalid));
    return IsFloating(dtype) ? dtype : DType::kInvalid;
  }

  bool AddAssignment(const Assignment& assignment, int32_t last) {
    const Step& step = builder_.step(last);
    target_ = 0;
    inputs_ = {builder_.InputSlot(step, 0)};
    num_values_ = 2;
    const Operand value = OperandOf(builder_.InputSlot(step, 1), last);
    if (!value.is_step) return false;
    if (assignment.with_old) steps_.push_back({*assignment.with_old, {}, value});
    parts_.push_back(last);
    return true;
  }

  bool AddArithmetic(int32_t last) {
    const Step& step = builder_.step(last);
    if (!ArithmeticOf(builder_.OpOf(step)) || !AllMayFit(builder_.graph(), step.node)) return false;
    AddStep(last);
    return steps_.size() > 1;
  }

  Operand AddStep(int32_t i) {
    ++num_values_;
    const Step& step = builder_.step(i);
    const Operand a = OperandOf(builder_.InputSlot(step, 0), i);
    const Operand b = OperandOf(builder_.InputSlot(step, 1), i);
    steps_.push_back({*ArithmeticOf(builder_.OpOf(step)), a, b});
    parts_.push_back(i);
    return {true, static_cast<int8_t>(steps_.size() - 1)};
  }

  // Returns the operand for a slot that part `reader` reads. The step that writes the slot becomes
  // a part if it can. With a target, resource variables are read by the fused step, so that no
  // reference to the target's buffer keeps it from being updated in place.
  Operand OperandOf(int32_t slot, int32_t reader) {
    const int32_t writer = builder_.flow().WriterOf(slot);
    if (IsPartOf(writer, reader)) {
      const Step& step = builder_.step(writer);
      const std::string_view op = builder_.OpOf(step);
      const bool has_room = num_values_ < FusedElementwise::kMaxInputs;
      if (ArithmeticOf(op) && has_room && AllMayFit(builder_.graph(), step.node)) {
        return AddStep(writer);
      }
      if (op == "ReadVariableOp" && target_ >= 0) {
        parts_.push_back(writer);
        slot = builder_.InputSlot(step, 0);
      }
    }
    inputs_.push_back(slot);
    return {false, static_cast<int8_t>(inputs_.size() - 1)};
  }

  // Reports whether a step may be a part whose result only part `reader` reads.
  bool IsPartOf(int32_t step, int32_t reader) const {
    return builder_.CanFuse(step) && builder_.flow().OnlyReaderOf(step) == reader &&
           DTypeOf(builder_.step(step)) == dtype_;
  }

  void Fuse() {
    std::ranges::sort(parts_);
    std::vector<StepInput> inputs;
    for (int32_t slot : inputs_) inputs.push_back({.slot = slot, .is_ref = target_ >= 0});
    Fusion fusion;
    fusion.elementwise =
        FusedElementwise(dtype_, static_cast<int>(inputs_.size()), std::move(steps_), target_);
    builder_.Fuse(std::move(fusion), parts_, inputs);
  }

  FusionBuilder& builder_;
  DType dtype_ = DType::kInvalid;
  int target_ = -1;
  int num_values_ = 1;  // inputs and steps that there will be
  std::vector<int32_t> inputs_;
  std::vector<FusedElementwise::Step> steps_;
  std::vector<int32_t> parts_;  // steps of the plan
};

}  // namespace

void FuseElementwise(FusionBuilder* builder) {
  for (int32_t i = builder->num_steps() - 1; i >= 0; --i) ElementwiseFuser(builder).Run(i);
}

}  // namespace ramet
