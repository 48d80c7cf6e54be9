#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ramet/graph/add_op.h"
#include "ramet/graph/graph.h"

namespace ramet {

class WhileContext;

// A ControlFlowContext is a branch of a cond or the inside of a while loop under construction
// (TensorFlow 1 control flow). Operations added while it is entered belong to it, and tensors from
// outside reach them through a Switch or an Enter that the context adds. Contexts are owned by
// their graph and nest. Nodes, names and control edges equal those of tf.cond and tf.while_loop.
//
// Builder functions (Cond, WhileLoop) and clients in other languages use this; C++ programs rarely
// need it. Thread-safety is that of the graph's scopes.
class RAMET_EXPORT ControlFlowContext {
 public:
  virtual ~ControlFlowContext() = default;
  ControlFlowContext(const ControlFlowContext&) = delete;
  ControlFlowContext& operator=(const ControlFlowContext&) = delete;

  Graph& graph() const { return graph_; }
  const std::string& name() const { return name_; }
  ControlFlowContext* outer() const { return outer_; }
  // The innermost enclosing while loop, including this context; null outside of loops.
  virtual WhileContext* while_context() { return outer_ ? outer_->while_context() : nullptr; }
  // The tensor that operations without inputs wait for, so that they run only if the context runs.
  // Invalid if not yet known.
  virtual Output control_pivot() const = 0;

  // Enter makes this the graph's current context; Exit restores the previous one. Calls nest.
  void Enter();
  void Exit();
  // Returns the tensor that stands for `value` inside the context. Errors are those of adding
  // nodes.
  virtual StatusOr<Output> AddValue(const Output& value) = 0;
  // Makes the results of this context values of the outer one.
  void ExitResult(const std::vector<Output>& results);
  void AddName(const Output& value) { values_.insert(value); }
  bool Contains(const Output& value) const { return values_.contains(value); }
  // The values known inside, and the map from outer tensors to their replacements inside (the
  // fields of ValuesDef).
  const std::unordered_set<Output, OutputHash>& values() const { return values_; }
  const std::unordered_map<Output, Output, OutputHash>& external_values() const {
    return external_values_;
  }
  void SetExternalValue(const Output& outside, const Output& inside) {
    external_values_[outside] = inside;
  }

  // Returns the context that a node added here belongs to. This is the context itself, with one
  // exception: in a gradient loop, the shape of a value of the forward loop is computed in the
  // forward loop, so that only the shape needs to be kept.
  virtual ControlFlowContext* OwnerOf(const NodeSpec&) { return this; }
  // Prepares a node that is about to be added inside: maps its inputs and control inputs.
  virtual Status Adopt(NodeSpec* node) = 0;
  // Called after a node was added inside.
  virtual void NoteAdded(const Operation& op) = 0;

 protected:
  ControlFlowContext(Graph& graph, std::string name, ControlFlowContext* outer)
      : graph_(graph), name_(std::move(name)), outer_(outer) {}
  // Removes the control inputs that come from outside this loop from `node` and returns them.
  std::vector<Operation> RemoveExternalControls(NodeSpec* node);
  Status MapInputs(NodeSpec* node);

  Graph& graph_;
  const std::string name_;
  ControlFlowContext* const outer_;
  std::vector<ControlFlowContext*> stack_;
  std::unordered_set<Output, OutputHash> values_;
  std::unordered_map<Output, Output, OutputHash> external_values_;
};

// One branch of a cond.
class RAMET_EXPORT CondContext final : public ControlFlowContext {
 public:
  // Registers a new context with the graph, nested in the current context. `pred` is the scalar
  // condition. `pivot` is alive if this branch (0: false, 1: true) is taken.
  static CondContext& New(Graph& graph, const Output& pred, const Output& pivot, int branch,
                          std::string_view name = "cond_text");
  // Registers a context found by an import; `name` is the full name.
  static CondContext& Restore(Graph& graph, std::string name, ControlFlowContext* outer,
                              const Output& pred, const Output& pivot, int branch);

  const Output& pred() const { return pred_; }
  const Output& pivot() const { return pivot_; }
  int branch() const { return branch_; }
  Output control_pivot() const override { return pivot_; }
  StatusOr<Output> AddValue(const Output& value) override;
  // Returns a result of the branch. A tensor from outside goes through a Switch first.
  StatusOr<Output> ProcessOutput(const Output& value);
  Status Adopt(NodeSpec* node) override;
  void NoteAdded(const Operation& op) override;

 private:
  CondContext(Graph& graph, std::string name, ControlFlowContext* outer, const Output& pred,
              const Output& pivot, int branch)
      : ControlFlowContext(graph, std::move(name), outer),
        pred_(pred),
        pivot_(pivot),
        branch_(branch) {}
  StatusOr<Output> SwitchOf(const Output& value);

  const Output pred_, pivot_;
  const int branch_;
};

// The link from a gradient loop to the forward loop that it differentiates.
class LoopGradient {
 public:
  virtual ~LoopGradient() = default;
  virtual WhileContext* forward_context() const = 0;
  // Returns the value that a tensor of the forward loop had in the corresponding iteration.
  virtual StatusOr<Output> RealValue(const Output& value) = 0;
};

struct WhileOptions {
  int parallel_iterations = 10;
  bool back_prop = true;
  bool swap_memory = false;
  Output maximum_iterations = {};  // if valid, the condition checks this limit
};

// A while loop. It is built by New, Begin, SetCondition and Finish in this order.
class RAMET_EXPORT WhileContext final : public ControlFlowContext {
 public:
  static WhileContext& New(Graph& graph, const WhileOptions& options = {},
                           std::string_view name = "while_context",
                           std::shared_ptr<LoopGradient> gradient = nullptr);
  static WhileContext& Restore(Graph& graph, std::string name, ControlFlowContext* outer,
                               const WhileOptions& options);

  WhileContext* while_context() override { return this; }
  const WhileOptions& options() const { return options_; }
  // The loop condition (LoopCond), and the first loop variable as seen by the condition and by the
  // body.
  const Output& pivot() const { return pivot_; }
  const Output& pivot_for_pred() const { return pivot_for_pred_; }
  const Output& pivot_for_body() const { return pivot_for_body_; }
  Output control_pivot() const override {
    return pivot_for_body_.valid() ? pivot_for_body_ : pivot_for_pred_;
  }
  std::vector<Output>& loop_enters() { return loop_enters_; }
  std::vector<Output>& loop_exits() { return loop_exits_; }
  // Null unless this loop computes the gradients of another one.
  LoopGradient* gradient() const { return gradient_.get(); }
  void set_pivots(const Output& pivot, const Output& for_pred, const Output& for_body) {
    pivot_ = pivot;
    pivot_for_pred_ = for_pred;
    pivot_for_body_ = for_body;
  }

  StatusOr<Output> AddValue(const Output& value) override;
  ControlFlowContext* OwnerOf(const NodeSpec& node) override;
  Status Adopt(NodeSpec* node) override;
  void NoteAdded(const Operation& op) override;

  // Enters the context, makes the loop variables and returns them as seen by the condition.
  // `invariants` is empty or has one shape per variable. On an error the context is exited.
  // \error kInvalidArgument: a shape does not match.
  StatusOr<std::vector<Output>> Begin(const std::vector<Output>& values,
                                      const std::vector<Shape>& invariants = {});
  // Sets the loop condition, a bool scalar, and returns the variables as seen by the body.
  StatusOr<std::vector<Output>> SetCondition(const Output& condition);
  // Closes the loop with the next values of the variables, exits the context (also on an error),
  // and returns the final values.
  // \error kInvalidArgument: the number of values differs from that of the variables, or a shape
  //   became less specific.
  StatusOr<std::vector<Output>> Finish(const std::vector<Output>& next_values);

  // Parts of Begin and Finish that gradients use to make loop variables. AddEnter adds an Enter of
  // this loop; the frame is named after the context.
  StatusOr<Output> AddEnter(const Output& value, bool is_constant, bool use_input_shape,
                            std::string_view name = "Enter");
  // Gives new Enters the control inputs of the enclosing scopes, and this context.
  Status FixControlInputs(const std::vector<Output>& enters);
  // Adds a NextIteration of `value` as the second input of `merge`.
  StatusOr<Output> AddBackEdge(const Output& merge, const Output& value, bool enforce_shape = true);

 private:
  WhileContext(Graph& graph, std::string name, ControlFlowContext* outer,
               const WhileOptions& options)
      : ControlFlowContext(graph, std::move(name), outer), options_(options) {}
  void InitializeValues(const std::vector<Output>& values);
  StatusOr<Output> Imported(const Output& value);
  StatusOr<std::vector<Output>> MakeVariables(const std::vector<Output>& values,
                                              const std::vector<Shape>& invariants);
  Status Close(const std::vector<Output>& next_values);
  bool IsFree(const NodeSpec& node) const;
  Status CheckShapes(const std::vector<Output>& values, const std::vector<Shape>& invariants) const;
  Status WaitForOuterPivot(const std::vector<Output>& enters);
  Status EnforceShape(const Output& merge, const Output& next) const;

  const WhileOptions options_;
  std::shared_ptr<LoopGradient> gradient_;
  Output pivot_, pivot_for_pred_, pivot_for_body_;
  std::vector<Output> loop_enters_, loop_exits_, merges_, switches_;
};

// ContextOf returns the context of an operation, OutputContextOf that of its outputs, which for an
// Exit is the one around its loop. Null outside of all contexts.
RAMET_EXPORT ControlFlowContext* ContextOf(const Operation& op);
RAMET_EXPORT ControlFlowContext* OutputContextOf(const Operation& op);
RAMET_EXPORT void SetContext(const Operation& op, ControlFlowContext* context);
// The graph's current context, or null.
RAMET_EXPORT ControlFlowContext* CurrentContext(Graph& graph);
// Reports whether `inner` is `outer` or nested in it.
RAMET_EXPORT bool IsWithin(const ControlFlowContext* inner, const ControlFlowContext* outer);
// Checks that an operation of context `context` may read `input`.
// \error kInvalidArgument: "Cannot use 'a' as input to 'b' because 'a' is in a while loop."
Status CheckInputContext(const NodeSpec& node, ControlFlowContext* context, const Output& input);

// Adds a Switch (RefSwitch for references) on the device of the data.
RAMET_EXPORT StatusOr<std::pair<Output, Output>> AddSwitch(const Output& data, const Output& pred,
                                                           std::string_view name = "Switch");

}  // namespace ramet
