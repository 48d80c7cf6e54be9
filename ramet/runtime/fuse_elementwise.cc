#include "ramet/runtime/fuse_elementwise.h"

#include <algorithm>
#include <array>
#include <optional>
#include <queue>
#include <string_view>
#include <unordered_map>

#include "ramet/runtime/death_sets.h"
#include "ramet/runtime/element_ops.h"

namespace ramet {
namespace {

using linalg::BinaryOp;

// How an op assigns input 1 to the variable that input 0 names: unchanged, or combined with the old
// value.
struct Assignment {
  bool assigns = false;
  std::optional<BinaryOp> with_old = std::nullopt;
};

Assignment AssignmentOf(std::string_view op) {
  if (op == "Assign" || op == "AssignVariableOp") return {true};
  if (op == "AssignAdd" || op == "AssignAddVariableOp") return {true, BinaryOp::kAdd};
  if (op == "AssignSub" || op == "AssignSubVariableOp") return {true, BinaryOp::kSub};
  return {};
}

// A slot that a pass reads.
struct ReadSlot {
  int32_t slot;
  linalg::Type type;
};

// A step of a pass.
struct ChosenStep {
  int32_t step;
  ElementOp op;
  bool is_kept;  // steps after the pass read its output
};

// Chooses the steps of one pass, from the last one backward. A step joins if all steps that read
// its output are in the pass or after it. So no value leaves the pass and comes back.
class PassChooser {
 public:
  // `last` computes a result or assigns it.
  PassChooser(const FusionBuilder& builder, const DeathSets* death, int32_t last)
      : builder_(builder), death_(death), last_(last) {}

  // Chooses the steps, except an assignment. Returns false if these are not worth a pass.
  bool Run() {
    const Step& step = builder_.step(last_);
    assignment_ = AssignmentOf(builder_.OpOf(step));
    if (assignment_.assigns) {
      if (!AddAssignment(step)) return false;
    } else {
      const std::optional<ElementOp> op = ElementOpOf(builder_, step);
      if (!op || op->num_parts() == 0 || op->fills() ||
          op->num_operands > FusedElementwise::kMaxInputs || !MayFuseShapes(builder_, step, *op)) {
        return false;
      }
      Add(last_, *op, false);
    }
    Grow();
    std::ranges::sort(chosen_, {}, &ChosenStep::step);
    return num_parts_ > (assignment_.assigns ? 0 : 1);
  }

  const Assignment& assignment() const { return assignment_; }
  // In the order of the plan.
  const std::vector<ChosenStep>& chosen() const { return chosen_; }
  // The slots that the pass reads. With an assignment, the first one names the variable.
  const std::vector<ReadSlot>& reads() const { return reads_; }

 private:
  bool AddAssignment(const Step& step) {
    const AttrMap& attrs = builder_.AttrsOf(step);
    const DType dtype =
        BaseType(attrs.GetOr<DType>("T", attrs.GetOr<DType>("dtype", DType::kInvalid)));
    if (!IsFloating(dtype)) return false;
    const auto type = static_cast<linalg::Type>(dtype);
    reads_.push_back({builder_.InputSlot(step, 0), type});
    Read(builder_.InputSlot(step, 1), type);
    return true;
  }

  void Add(int32_t i, const ElementOp& op, bool is_kept) {
    const Step& step = builder_.step(i);
    chosen_.push_back({i, op, is_kept});
    num_parts_ += op.num_parts();
    num_reductions_ += op.reduces() ? 1 : 0;
    num_kept_ += is_kept ? 1 : 0;
    for (int k = 0; k < op.num_operands; ++k) {
      Read(builder_.InputSlot(step, op.first_operand + k), op.operand_type(k));
    }
    if (op.given_input >= 0) ReadGiven(step, op);
  }

  // Reads the value that has the sizes of the output of a step, or their shape.
  void ReadGiven(const Step& step, const ElementOp& op) {
    const int32_t slot = builder_.InputSlot(step, op.given_input);
    if (op.part.rule == FusedElementwise::ShapeRule::kLike) {
      Read(slot, op.part.instruction.type);
    } else {
      sizes_.push_back(slot);
      if (!IsRead(slot)) reads_.push_back({slot, SizesType(step, op)});
    }
  }

  linalg::Type SizesType(const Step& step, const ElementOp& op) const {
    const GraphData& graph = builder_.graph();
    return static_cast<linalg::Type>(graph.output(graph.inputs(step.node)[op.given_input]).dtype);
  }

  bool IsRead(int32_t slot) const {
    return std::ranges::find(reads_, slot, &ReadSlot::slot) != reads_.end();
  }

  void Read(int32_t slot, linalg::Type type) {
    if (IsRead(slot)) return;
    reads_.push_back({slot, type});
    const int32_t writer = builder_.flow().WriterOf(slot);
    if (writer >= 0 && writer < last_) candidates_.push(writer);
  }

  void Grow() {
    while (!candidates_.empty()) {
      const int32_t i = candidates_.top();
      candidates_.pop();
      Consider(i);
    }
  }

  void Consider(int32_t i) {
    const Step& step = builder_.step(i);
    if (!builder_.CanFuse(i) || step.outputs.size != 1) return;
    if (assignment_.assigns && step.outputs.first == reads_.front().slot) return;
    const std::optional<ElementOp> op = ElementOpOf(builder_, step);
    // Only the last step may drop a dimension.
    if (!op || op->part.rule == FusedElementwise::ShapeRule::kReduce) return;
    if (!builder_.flow().MayRunIn(i, last_) || !HasRoom(step, *op)) return;
    const bool is_kept = IsReadOutside(step);
    if (is_kept && (op->fills() || !MayKeep(i, *op))) return;
    if (!MayGiveSizes(step, *op)) return;
    if (op->form == ElementOp::Form::kRead && !assignment_.assigns) return;
    if (!MayFuseShapes(builder_, step, *op) || !FitsReaders(step)) return;
    std::erase_if(reads_, [&](const ReadSlot& read) { return read.slot == step.outputs.first; });
    Add(i, *op, is_kept);
  }

  // Reports whether sizes that the pass reads, also for this step, are known before it.
  bool MayGiveSizes(const Step& step, const ElementOp& op) const {
    if (std::ranges::find(sizes_, step.outputs.first) != sizes_.end()) return false;
    if (op.given_input < 0 || op.part.rule == FusedElementwise::ShapeRule::kLike) return true;
    return !IsChosen(builder_.flow().WriterOf(builder_.InputSlot(step, op.given_input)));
  }

  bool HasRoom(const Step& step, const ElementOp& op) const {
    if (num_parts_ + op.num_parts() > FusedElementwise::kMaxParts - 1) return false;
    if (num_reductions_ + (op.reduces() ? 1 : 0) > FusedElementwise::kMaxReductions) return false;
    int more = -1;
    const auto count = [&](int k) { more += IsRead(builder_.InputSlot(step, k)) ? 0 : 1; };
    for (int k = 0; k < op.num_operands; ++k) count(op.first_operand + k);
    if (op.given_input >= 0) count(op.given_input);
    return static_cast<int>(reads_.size()) + more <= FusedElementwise::kMaxInputs;
  }

  bool IsChosen(int32_t i) const {
    return std::ranges::find(chosen_, i, &ChosenStep::step) != chosen_.end();
  }

  // Reports whether the output of a step must be an output of the pass.
  bool IsReadOutside(const Step& step) const {
    const int32_t slot = step.outputs.first;
    if (builder_.flow().IsKept(slot)) return true;
    return std::ranges::any_of(builder_.flow().ReadersOf(slot), [this](int32_t reader) {
      return !IsChosen(reader) && (reader != last_ || !assignment_.assigns);
    });
  }

  // Reports whether the output of step i may be an output of the pass.
  bool MayKeep(int32_t i, const ElementOp& op) const {
    if (assignment_.assigns || op.num_parts() == 0) return false;
    if (num_kept_ + 2 > FusedElementwise::kMaxOutputs) return false;
    if (death_ != nullptr && !death_->Same(i, last_)) return false;
    const int32_t slot = builder_.step(i).outputs.first;
    for (int32_t reader : builder_.flow().ReadersOf(slot)) {
      if (reader > last_) break;
      if (!IsChosen(reader)) return false;
    }
    return true;
  }

  // Reports whether the output of a step may be computed in the blocks of each step that reads it.
  bool FitsReaders(const Step& step) const {
    const Shape& made = builder_.OutputShape(step);
    for (int32_t reader : builder_.flow().ReadersOf(step.outputs.first)) {
      const auto found = std::ranges::find(chosen_, reader, &ChosenStep::step);
      if (found == chosen_.end()) continue;
      if (found->op.reduces()) continue;
      if (!MayShareBlocks(made, builder_.OutputShape(builder_.step(reader)))) return false;
    }
    return true;
  }

  const FusionBuilder& builder_;
  const DeathSets* const death_;
  const int32_t last_;
  Assignment assignment_;
  std::vector<ChosenStep> chosen_;
  std::vector<ReadSlot> reads_;
  std::vector<int32_t> sizes_;  // slots among these that have sizes of results
  std::priority_queue<int32_t> candidates_;
  int num_parts_ = 0, num_reductions_ = 0, num_kept_ = 0;
};

// Makes the FusedElementwise of a pass.
class PassMaker {
 public:
  PassMaker(FusionBuilder* builder, const PassChooser& pass) : builder_(*builder), pass_(pass) {}

  // Fuses the steps of the pass in step `last`.
  void Run(int32_t last) {
    const bool assigns = pass_.assignment().assigns;
    for (const ReadSlot& read : pass_.reads()) {
      value_of_[read.slot] = static_cast<int8_t>(types_.size());
      types_.push_back(read.type);
    }
    for (size_t k = 0; k < pass_.chosen().size(); ++k) {
      chosen_of_[builder_.step(pass_.chosen()[k].step).outputs.first] = k;
    }
    AddWithOperands(pass_.chosen().size() - 1);
    for (const ChosenStep& chosen : pass_.chosen()) {
      steps_.push_back(chosen.step);
      if (!chosen.is_kept) continue;
      kept_.push_back(chosen.step);
      outputs_.push_back(value_of_.at(builder_.step(chosen.step).outputs.first));
    }
    if (assigns) {
      if (pass_.assignment().with_old) AddOld(*pass_.assignment().with_old);
      steps_.push_back(last);
    }
    outputs_.push_back(Last());
    std::vector<StepInput> inputs;
    for (const ReadSlot& read : pass_.reads()) {
      inputs.push_back({.slot = read.slot, .is_ref = assigns});
    }
    Fusion fusion;
    fusion.elementwise =
        FusedElementwise(std::move(types_), parts_, std::move(outputs_), assigns ? 0 : -1);
    builder_.Fuse(std::move(fusion), steps_, inputs, kept_);
  }

 private:
  int8_t Last() const { return static_cast<int8_t>(pass_.reads().size() + parts_.size() - 1); }

  void AddPart(FusedElementwise::Part part, std::span<const int8_t> operands) {
    std::ranges::copy(operands, part.instruction.operands.begin());
    part.instruction.num_operands = static_cast<int8_t>(operands.size());
    parts_.push_back(part);
  }

  // Adds a step after those whose results it reads. Operand 0 comes last, because an instruction
  // finds the result of the one before it in the registers.
  void AddWithOperands(size_t k) {
    const ChosenStep& chosen = pass_.chosen()[k];
    const Step& step = builder_.step(chosen.step);
    const auto add = [this, &step](int input) {
      const int32_t slot = builder_.InputSlot(step, input);
      const auto found = chosen_of_.find(slot);
      if (found != chosen_of_.end() && !value_of_.contains(slot)) AddWithOperands(found->second);
    };
    const ElementOp& op = chosen.op;
    if (op.given_input >= 0) add(op.given_input);
    for (int i = op.num_operands - 1; i >= 0; --i) add(op.first_operand + i);
    AddStep(chosen);
  }

  void AddStep(const ChosenStep& chosen) {
    const Step& step = builder_.step(chosen.step);
    const ElementOp& op = chosen.op;
    const auto operand = [&](int k) {
      return value_of_.at(builder_.InputSlot(step, op.first_operand + k));
    };
    int8_t& result = value_of_[step.outputs.first];
    if (op.num_parts() == 0) {
      result = operand(0);
      return;
    }
    if (op.form == ElementOp::Form::kSum) {
      AddPart(op.part, std::array{operand(0), operand(1)});
      for (int k = 2; k < op.num_operands; ++k) AddPart(op.part, std::array{Last(), operand(k)});
    } else {
      FusedElementwise::Part part = op.part;
      if (op.given_input >= 0) {
        part.given.value = value_of_.at(builder_.InputSlot(step, op.given_input));
      }
      std::array<int8_t, 3> operands;
      for (int k = 0; k < op.num_operands; ++k) operands[k] = operand(k);
      AddPart(part, std::span(operands).first(op.num_operands));
    }
    result = Last();
  }

  // Combines the old value of the variable with the result.
  void AddOld(BinaryOp op) {
    FusedElementwise::Part part;
    part.instruction.kind = linalg::ElementInstruction::Kind::kBinary;
    part.instruction.op = static_cast<uint8_t>(op);
    part.instruction.type = part.instruction.result = types_[0];
    part.rule = FusedElementwise::ShapeRule::kSame;
    AddPart(part, std::array{int8_t{0}, Last()});
  }

  FusionBuilder& builder_;
  const PassChooser& pass_;
  std::vector<linalg::Type> types_;
  std::vector<FusedElementwise::Part> parts_;
  std::vector<int8_t> outputs_;
  std::vector<int32_t> steps_, kept_;              // of the plan
  std::unordered_map<int32_t, int8_t> value_of_;   // by slot
  std::unordered_map<int32_t, size_t> chosen_of_;  // by the slot of the output
};

}  // namespace

void FuseElementwise(FusionBuilder* builder) {
  std::optional<DeathSets> death;
  if (builder->plan().traits.has_control_flow) death.emplace(builder->plan());
  for (int32_t i = builder->num_steps() - 1; i >= 0; --i) {
    if (!builder->CanFuse(i)) continue;
    PassChooser pass(*builder, death ? &*death : nullptr, i);
    if (pass.Run()) PassMaker(builder, pass).Run(i);
  }
}

}  // namespace ramet
