#include "ramet/runtime/passes/simplify_steps.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "ramet/op/shape_context.h"
#include "ramet/runtime/passes/pure_ops.h"

namespace ramet {
namespace {

constexpr int32_t kNone = -1;

// Returns the integers of a vector, or an empty vector for anything else.
std::vector<int64_t> IntegersOf(const Tensor* value) {
  if (value == nullptr || value->rank() != 1) return {};
  auto values = IntegerValues(*value);
  return values.ok() ? *std::move(values) : std::vector<int64_t>();
}

bool IsScalar(const Tensor* value, int64_t wanted) {
  if (value == nullptr || value->rank() != 0 || !IsInteger(value->dtype())) return false;
  const auto values = IntegerValues(*value);
  return values.ok() && (*values)[0] == wanted;
}

bool IsBool(const Tensor* value, bool wanted) {
  return value != nullptr && value->rank() == 0 && value->dtype() == kBool &&
         value->scalar<bool>() == wanted;
}

bool IsPermutation(const std::vector<int64_t>& perm, size_t rank) {
  std::vector<bool> seen(rank, false);
  for (int64_t k : perm) {
    if (k < 0 || static_cast<size_t>(k) >= rank || seen[k]) return false;
    seen[k] = true;
  }
  return rank > 0 && perm.size() == rank;
}

// Reports whether every tensor that can be reshaped to `outer` can be reshaped to `inner` first.
bool FitsWhenever(const std::vector<int64_t>& inner, const std::vector<int64_t>& outer) {
  int64_t total = 1, known = 1;
  for (int64_t d : outer) {
    if (d <= 0 || !MultiplyNonNegative(total, d, &total)) return false;
  }
  int unknown = 0;
  for (int64_t d : inner) {
    if (d == -1) {
      ++unknown;
    } else if (d <= 0 || !MultiplyNonNegative(known, d, &known)) {
      return false;
    }
  }
  if (inner.empty() || outer.empty() || unknown > 1) return false;
  return unknown == 1 ? total % known == 0 : total == known;
}

// Simplifies one step. Rules return the slot that readers of the step's output can read instead, or
// kNone. A rule that changes the step itself notes this in `changed`.
class StepSimplifier {
 public:
  StepSimplifier(PlanEditor* editor, int32_t i)
      : editor_(*editor), i_(i), step_(editor->step(i)), node_(editor->NodeOf(step_)) {}

  bool Run() {
    if (!step_.Is<KernelStep>() || step_.inputs.size == 0 || step_.outputs.size != 1) return false;
    const Rule rule = RuleFor(node_.op->name());
    if (rule == nullptr || node_.num_controls > 0) return false;
    const int32_t output = step_.outputs.first;
    if (!editor_.HoldsTensor(output) || !editor_.HoldsTensor(Input(0))) return false;
    const int32_t same = (this->*rule)();
    if (same == kNone) return changed_;
    editor_.Replace(output, same);
    return true;
  }

 private:
  using Rule = int32_t (StepSimplifier::*)();
  static Rule RuleFor(std::string_view op);

  int32_t Input(int k) const { return editor_.InputSlot(step_, k); }
  // Returns the constant that input k is, or null.
  const Tensor* Constant(int k) const {
    return step_.inputs.size > k ? editor_.ConstantIn(Input(k)) : nullptr;
  }

  // Returns the step that writes input 0, if it is of this op and can be bypassed, or null.
  const Step* Inner(std::string_view op) const {
    const int32_t writer = editor_.WriterOf(Input(0));
    if (writer < 0) return nullptr;
    const Step& inner = editor_.step(writer);
    const bool fits = inner.Is<KernelStep>() && editor_.OpOf(inner) == op &&
                      inner.inputs.size > 0 && editor_.NodeOf(inner).num_controls == 0;
    return fits && editor_.HoldsTensor(editor_.InputSlot(inner, 0)) ? &inner : nullptr;
  }

  int32_t PassOn() { return Input(0); }

  int32_t Cast() {
    const auto type = [this](std::string_view attr) {
      return node_.attrs->GetOr<DType>(attr, DType::kInvalid);
    };
    const bool is_cast = node_.op->name() == "Cast";
    const bool same = is_cast ? type("SrcT") == type("DstT") : type("T") == type("type");
    return same ? Input(0) : kNone;
  }

  int32_t AddN() { return step_.inputs.size == 1 ? Input(0) : kNone; }

  int32_t Reduction() {
    const Tensor* const axes = Constant(1);
    const bool reduces_nothing = axes != nullptr && axes->rank() == 1 && axes->num_elements() == 0;
    return reduces_nothing ? Input(0) : kNone;
  }

  int32_t Involution() {
    const Step* const inner = Inner(node_.op->name());
    return inner != nullptr ? editor_.InputSlot(*inner, 0) : kNone;
  }

  int32_t WithZero() {
    if (IsScalar(Constant(1), 0)) return Input(0);
    const bool is_difference = node_.op->name() == "Sub";
    return !is_difference && IsScalar(Constant(0), 0) && editor_.HoldsTensor(Input(1)) ? Input(1)
                                                                                       : kNone;
  }

  int32_t TimesOne() {
    if (IsScalar(Constant(1), 1)) return Input(0);
    return IsScalar(Constant(0), 1) && editor_.HoldsTensor(Input(1)) ? Input(1) : kNone;
  }

  int32_t DividedByOne() { return IsScalar(Constant(1), 1) ? Input(0) : kNone; }

  int32_t Logical() {
    const bool neutral = node_.op->name() == "LogicalAnd";
    if (IsBool(Constant(1), neutral)) return Input(0);
    return IsBool(Constant(0), neutral) && editor_.HoldsTensor(Input(1)) ? Input(1) : kNone;
  }

  // Dimension k of the outer result is dimension outer[k] of the inner one, which is dimension
  // inner[outer[k]] of x. The rank of x must be known, since a different one is an error.
  int32_t Transpose() {
    const Step* const inner = Inner("Transpose");
    if (inner == nullptr || Constant(1) == nullptr) return kNone;
    const auto outer_perm = IntegersOf(Constant(1));
    const auto inner_perm = IntegersOf(editor_.ConstantIn(editor_.InputSlot(*inner, 1)));
    const Endpoint x = editor_.graph().inputs(inner->node)[0];
    const auto rank = static_cast<size_t>(std::max(0, editor_.graph().output(x).shape.rank()));
    if (!IsPermutation(outer_perm, rank) || !IsPermutation(inner_perm, rank)) return kNone;
    std::vector<int32_t> both;
    for (int64_t k : outer_perm) both.push_back(static_cast<int32_t>(inner_perm[k]));
    const int32_t slot = editor_.InputSlot(*inner, 0);
    if (std::ranges::is_sorted(both)) return slot;
    if (Constant(1)->dtype() != kInt32) return kNone;
    SetInput(1, editor_.AddConstant(Tensor::Vector(both)));
    SetInput(0, slot);
    return kNone;
  }

  int32_t Reshape() {
    const Step* const inner = Inner("Reshape");
    if (inner == nullptr || Constant(1) == nullptr) return kNone;
    const auto outer_shape = IntegersOf(Constant(1));
    const auto inner_shape = IntegersOf(editor_.ConstantIn(editor_.InputSlot(*inner, 1)));
    if (FitsWhenever(inner_shape, outer_shape)) SetInput(0, editor_.InputSlot(*inner, 0));
    return kNone;
  }

  // If something else reads f(x), f runs anyway, and x would only stay in memory for longer.
  int32_t ShapeOf() {
    if (editor_.NumReaders(Input(0)) != 1) return kNone;
    const int32_t writer = editor_.WriterOf(Input(0));
    if (writer < 0 || !editor_.step(writer).Is<KernelStep>()) return kNone;
    const Step& inner = editor_.step(writer);
    const NodeRecord& node = editor_.NodeOf(inner);
    if (!KeepsShape(*node.op) || node.num_controls > 0 || inner.inputs.size != 1) return kNone;
    const int32_t slot = editor_.InputSlot(inner, 0);
    const auto inputs = editor_.graph().inputs(inner.node);
    const bool same_type = BaseType(editor_.graph().output(inputs[0]).dtype) ==
                           editor_.graph().output({inner.node, 0}).dtype;
    if (same_type && editor_.HoldsTensor(slot)) SetInput(0, slot);
    return kNone;
  }

  void SetInput(int k, int32_t slot) {
    editor_.SetInput(i_, k, slot);
    changed_ = true;
  }

  PlanEditor& editor_;
  const int32_t i_;
  const Step& step_;
  const NodeRecord& node_;
  bool changed_ = false;
};

StepSimplifier::Rule StepSimplifier::RuleFor(std::string_view op) {
  using S = StepSimplifier;
  static auto* const rules =
      new std::unordered_map<std::string_view, Rule>{{"Identity", &S::PassOn},
                                                     {"StopGradient", &S::PassOn},
                                                     {"PreventGradient", &S::PassOn},
                                                     {"PlaceholderWithDefault", &S::PassOn},
                                                     {"Cast", &S::Cast},
                                                     {"Bitcast", &S::Cast},
                                                     {"AddN", &S::AddN},
                                                     {"Sum", &S::Reduction},
                                                     {"Mean", &S::Reduction},
                                                     {"Prod", &S::Reduction},
                                                     {"Max", &S::Reduction},
                                                     {"Min", &S::Reduction},
                                                     {"Neg", &S::Involution},
                                                     {"LogicalNot", &S::Involution},
                                                     {"Invert", &S::Involution},
                                                     {"Conj", &S::Involution},
                                                     {"Add", &S::WithZero},
                                                     {"AddV2", &S::WithZero},
                                                     {"Sub", &S::WithZero},
                                                     {"BitwiseOr", &S::WithZero},
                                                     {"BitwiseXor", &S::WithZero},
                                                     {"Mul", &S::TimesOne},
                                                     {"Div", &S::DividedByOne},
                                                     {"FloorDiv", &S::DividedByOne},
                                                     {"TruncateDiv", &S::DividedByOne},
                                                     {"LogicalAnd", &S::Logical},
                                                     {"LogicalOr", &S::Logical},
                                                     {"Transpose", &S::Transpose},
                                                     {"Reshape", &S::Reshape},
                                                     {"Shape", &S::ShapeOf},
                                                     {"Size", &S::ShapeOf},
                                                     {"Rank", &S::ShapeOf}};
  const auto found = rules->find(op);
  return found == rules->end() ? nullptr : found->second;
}

}  // namespace

int64_t SimplifySteps(PlanEditor* editor) {
  int64_t simplified = 0;
  for (int32_t i = 0; i < editor->num_steps(); ++i) simplified += StepSimplifier(editor, i).Run();
  return simplified;
}

}  // namespace ramet
