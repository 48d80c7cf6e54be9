#include "ramet/graph/while_context.h"

#include <algorithm>

#include "ramet/graph/control_flow_util.h"

namespace ramet {
namespace {

StatusOr<Output> AddByRef(std::string_view type, const Output& value, AttrMap attrs,
                          std::string_view name) {
  const std::string op = IsRef(value.dtype()) ? StrCat("Ref", type) : std::string(type);
  RAMET_ASSIGN_OR_RETURN(Operation added, TryAddOp(*value.graph(), op, {value}, std::move(attrs),
                                                   name == type ? op : name));
  return added.output(0);
}

// Formats a shape like TensorFlow's messages: "(2, None)", "(2,)", "<unknown>".
std::string Tuple(const Shape& shape) {
  if (shape.unknown_rank()) return "<unknown>";
  std::vector<std::string> sizes;
  for (int64_t size : shape.dims()) sizes.push_back(size < 0 ? "None" : StrCat(size));
  return StrCat("(", StrJoin(sizes, ", "), sizes.size() == 1 ? ",)" : ")");
}

// Reports whether every shape that matches `less` matches `more`.
bool LessThanOrEqual(const Shape& less, const Shape& more) {
  if (more.unknown_rank()) return true;
  if (less.unknown_rank() || less.rank() != more.rank()) return false;
  for (int d = 0; d < more.rank(); ++d) {
    if (more.dim(d) >= 0 && more.dim(d) != less.dim(d)) return false;
  }
  return true;
}

// A node that does not depend on an iteration would run even if the iteration does not.
bool IsFree(const NodeSpec& node) {
  if (!node.control_inputs.empty()) return false;
  if (CallsFunction(node)) return true;
  return std::ranges::all_of(node.inputs,
                             [](const Output& in) { return IsLoopConstantEnter(in.op()); });
}

// Checks that the variables enter the loop with shapes that match the invariants.
Status CheckShapes(const std::vector<Output>& values, const std::vector<Shape>& invariants) {
  for (size_t i = 0; i < invariants.size(); ++i) {
    if (LessThanOrEqual(values[i].shape(), invariants[i])) continue;
    return InvalidArgument("The shape invariant specified for ", values[i].name(),
                           " is not compatible with the initial shape of the loop variable. It "
                           "enters the loop with shape ",
                           Tuple(values[i].shape()), ", but the specified shape invariant is ",
                           Tuple(invariants[i]), ".");
  }
  return OkStatus();
}

// Checks that a variable keeps the shape of `merge` after an iteration.
Status EnforceShape(const Output& merge, const Output& next) {
  const Shape had = merge.shape();
  if (LessThanOrEqual(next.shape(), had)) return OkStatus();
  const Output enter = merge.op().input(0);
  return InvalidArgument("Input tensor '", enter.op().input(0).name(),
                         "' enters the loop with shape ", Tuple(had), ", but has shape ",
                         Tuple(next.shape()),
                         " after one iteration. To allow the shape to vary across iterations, use "
                         "the `shape_invariants` argument of tf.while_loop to specify a "
                         "less-specific shape.");
}

}  // namespace

WhileContext& WhileContext::New(Graph& graph, const WhileOptions& options, std::string_view name,
                                std::shared_ptr<LoopGradient> gradient) {
  WhileContext& context = Restore(graph, graph.UniqueName(name), CurrentContext(graph), options);
  context.gradient_ = std::move(gradient);
  return context;
}

WhileContext& WhileContext::Restore(Graph& graph, std::string name, ControlFlowContext* outer,
                                    const WhileOptions& options) {
  std::unique_ptr<WhileContext> made(new WhileContext(graph, std::move(name), outer, options));
  WhileContext& context = *made;
  graph.build_state().control_flow.contexts.push_back(std::move(made));
  return context;
}

StatusOr<Output> WhileContext::AddValue(const Output& value) {
  if (values_.contains(value) || ContextOf(value.op()) == this) {
    auto known = external_values_.find(value);
    return known == external_values_.end() ? value : known->second;
  }
  values_.insert(value);
  RAMET_ASSIGN_OR_RETURN(const Output real, Imported(value));
  external_values_[value] = real;
  return real;
}

// A tensor of the differentiated loop is replaced by its value in the corresponding iteration.
// Other tensors come in through a constant Enter.
StatusOr<Output> WhileContext::Imported(const Output& value) {
  ControlFlowContext* const current = CurrentContext(graph_);
  WhileContext* const gradient_loop = LoopAround(current);
  if (gradient_loop != nullptr && gradient_loop->gradient() != nullptr) {
    ControlFlowContext* from = OutputContextOf(value.op());
    WhileContext* const forward = LoopAround(from);
    if (forward == gradient_loop->gradient()->forward_context()) {
      return gradient_loop->gradient()->RealValue(value);
    }
  }
  Output result = value;
  if (outer_ != nullptr) {
    RAMET_ASSIGN_OR_RETURN(result, outer_->AddValue(value));
  }
  {
    WithoutControls outside(graph_);
    RAMET_ASSIGN_OR_RETURN(result, AddEnter(result, true, true));
  }
  RAMET_RETURN_IF_ERROR(FixControlInputs({result}));
  values_.insert(result);
  return result;
}

ControlFlowContext* WhileContext::OwnerOf(const NodeSpec& node) {
  if (gradient_ == nullptr || node.inputs.size() != 1) return this;
  if (node.op != "Shape" && node.op != "Size" && node.op != "Rank") return this;
  ControlFlowContext* const from = ContextOf(node.inputs[0].op());
  const bool forward = from != nullptr && from->while_context() == gradient_->forward_context();
  return forward ? from : this;
}

Status WhileContext::Adopt(NodeSpec* node) {
  std::vector<Operation> external;
  if (node->inputs.empty()) {
    external = RemoveExternalControls(node);
    if (node->control_inputs.empty()) node->control_inputs.push_back(control_pivot().op());
  } else {
    RAMET_RETURN_IF_ERROR(MapInputs(node));
    external = RemoveExternalControls(node);
    if (IsFree(*node)) node->control_inputs.push_back(control_pivot().op());
  }
  WithoutControls without(graph_);
  for (const Operation& control : external) {
    if (control.num_outputs() == 0) continue;
    Enter();
    auto seen = TryAddOp(graph_, "Identity", {control.output(0)}, {}, "Identity");
    Exit();
    RAMET_RETURN_IF_ERROR(seen.status());
    node->control_inputs.push_back(*seen);
  }
  return OkStatus();
}

void WhileContext::NoteAdded(const Operation& op) {
  SetContext(op, this);
  for (const Output& output : op.outputs()) values_.insert(output);
}

StatusOr<Output> WhileContext::AddEnter(const Output& value, bool is_constant, bool use_input_shape,
                                        std::string_view name) {
  AttrMap attrs = {{"frame_name", name_},
                   {"is_constant", is_constant},
                   {"parallel_iterations", static_cast<int64_t>(options_.parallel_iterations)}};
  RAMET_ASSIGN_OR_RETURN(Output enter, AddByRef("Enter", value, std::move(attrs), name));
  if (use_input_shape) RAMET_RETURN_IF_ERROR(graph_.SetShape(enter, value.shape()));
  return enter;
}

Status WhileContext::FixControlInputs(const std::vector<Output>& enters) {
  BuildState& state = graph_.build_state();
  for (const Output& enter : enters) {
    const Output data = enter.op().input(0);
    SetContext(enter.op(), this);
    for (const Operation& control : state.ControlsFor({data})) {
      ControlFlowContext* const context = OutputContextOf(control);
      ControlFlowContext* const loop_around = LoopAround(outer_);
      ControlFlowContext* around = outer_;
      while (around != context && around != nullptr && around != loop_around) {
        around = around->outer();
      }
      if (around == context) RAMET_RETURN_IF_ERROR(graph_.AddControlInput(enter.op(), control));
    }
    state.NoteUnderControls(enter.op());
  }
  return OkStatus();
}

// In a nested loop, variables that start with invariants of the outer loop must not run ahead of
// the outer iteration.
Status WhileContext::WaitForOuterPivot(const std::vector<Output>& enters) {
  Output pivot;
  for (auto* around = outer_; around != nullptr && !pivot.valid(); around = around->outer()) {
    pivot = around->control_pivot();
  }
  if (!pivot.valid()) return OkStatus();
  for (const Output& enter : enters) {
    if (!IsLoopConstantEnter(enter.op().input(0).op())) continue;
    RAMET_RETURN_IF_ERROR(graph_.AddControlInput(enter.op(), pivot.op()));
  }
  return OkStatus();
}

StatusOr<std::vector<Output>> WhileContext::Begin(const std::vector<Output>& values,
                                                  const std::vector<Shape>& invariants) {
  Enter();
  auto variables = MakeVariables(values, invariants);
  if (!variables.ok()) Exit();
  return variables;
}

StatusOr<std::vector<Output>> WhileContext::MakeVariables(const std::vector<Output>& values,
                                                          const std::vector<Shape>& invariants) {
  if (values.empty()) return InvalidArgument("No loop variables provided");
  if (!invariants.empty() && invariants.size() != values.size()) {
    return InvalidArgument("a loop of ", values.size(), " variables has ", invariants.size(),
                           " shape invariants");
  }
  values_ = {values.begin(), values.end()};
  std::vector<Output> real = values;
  if (outer_ != nullptr) {
    for (Output& value : real) {
      RAMET_ASSIGN_OR_RETURN(value, outer_->AddValue(value));
    }
  }
  RAMET_RETURN_IF_ERROR(CheckShapes(real, invariants));
  {
    WithoutControls outside(graph_);
    for (const Output& value : real) {
      RAMET_ASSIGN_OR_RETURN(loop_enters_.emplace_back(),
                             AddEnter(value, false, invariants.empty()));
    }
  }
  RAMET_RETURN_IF_ERROR(WaitForOuterPivot(loop_enters_));
  for (size_t i = 0; i < invariants.size(); ++i) {
    RAMET_RETURN_IF_ERROR(graph_.SetShape(loop_enters_[i], invariants[i]));
  }
  RAMET_RETURN_IF_ERROR(FixControlInputs(loop_enters_));
  values_ = {loop_enters_.begin(), loop_enters_.end()};
  for (const Output& enter : loop_enters_) {
    const char* type = IsRef(enter.dtype()) ? "RefMerge" : "Merge";
    RAMET_ASSIGN_OR_RETURN(Operation merge, TryAddOp(graph_, type, {enter, enter}));
    merges_.push_back(merge.output(0));
  }
  pivot_for_pred_ = merges_[0];
  return merges_;
}

StatusOr<std::vector<Output>> WhileContext::SetCondition(const Output& condition) {
  RAMET_ASSIGN_OR_RETURN(Operation cond, TryAddOp(graph_, "LoopCond", {condition}, {}, "LoopCond"));
  pivot_ = cond.output(0);
  std::vector<Output> going_on;
  for (const Output& merge : merges_) {
    RAMET_ASSIGN_OR_RETURN(auto outputs, AddSwitch(merge, pivot_));
    switches_.push_back(outputs.first);
    going_on.push_back(outputs.second);
  }
  for (Output& value : going_on) {
    RAMET_ASSIGN_OR_RETURN(value, AddByRef("Identity", value, {}, "Identity"));
  }
  pivot_for_body_ = going_on[0];
  return going_on;
}

StatusOr<Output> WhileContext::AddBackEdge(const Output& merge, const Output& value,
                                           bool enforce_shape) {
  RAMET_ASSIGN_OR_RETURN(Output next, AddByRef("NextIteration", value, {}, "NextIteration"));
  if (enforce_shape) RAMET_RETURN_IF_ERROR(EnforceShape(merge, next));
  RAMET_RETURN_IF_ERROR(graph_.UpdateInput(merge.op(), 1, next));
  return next;
}

StatusOr<std::vector<Output>> WhileContext::Finish(const std::vector<Output>& next_values) {
  Status closed = Close(next_values);
  if (closed.ok()) ExitResult(loop_exits_);
  Exit();
  RAMET_RETURN_IF_ERROR(closed);
  return loop_exits_;
}

Status WhileContext::Close(const std::vector<Output>& next_values) {
  if (next_values.size() != merges_.size()) {
    return InvalidArgument("a loop of ", merges_.size(), " variables got ", next_values.size(),
                           " values for the next iteration");
  }
  for (size_t i = 0; i < merges_.size(); ++i) {
    RAMET_RETURN_IF_ERROR(AddBackEdge(merges_[i], next_values[i]).status());
  }
  for (const Output& leaving : switches_) {
    RAMET_ASSIGN_OR_RETURN(loop_exits_.emplace_back(), AddByRef("Exit", leaving, {}, "Exit"));
  }
  return OkStatus();
}

}  // namespace ramet
