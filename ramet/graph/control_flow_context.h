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
// (TensorFlow 1's control flow): operations that are added while it is entered belong to it, and
// tensors from outside reach them through a Switch or an Enter that the context adds. Owned by its
// graph; contexts nest. Nodes, names and control edges are those of tf.cond and tf.while_loop.
//
// Builder functions (Cond, WhileLoop) and clients of other languages use this; programs in C++
// rarely need to. Threads: as the scopes of the graph.
class RAMET_EXPORT ControlFlowContext {
 public:
  virtual ~ControlFlowContext() = default;
  ControlFlowContext(const ControlFlowContext&) = delete;
  ControlFlowContext& operator=(const ControlFlowContext&) = delete;

  Graph& graph() const { return graph_; }
  const std::string& name() const { return name_; }
  ControlFlowContext* outer() const { return outer_; }
  // The innermost while loop around, this one included; null outside of loops.
  virtual WhileContext* while_context() { return outer_ ? outer_->while_context() : nullptr; }
  // What operations without inputs wait for, so that they run only where the context does; invalid
  // where nothing is known yet.
  virtual Output control_pivot() const = 0;

  // Makes this the graph's current context, and the one before again. They nest.
  void Enter();
  void Exit();
  // The tensor as the inside of the context sees it. \error what adding the nodes says.
  virtual StatusOr<Output> AddValue(const Output& value) = 0;
  // Results of this context are values of the outer one.
  void ExitResult(const std::vector<Output>& results);
  void AddName(const Output& value) { values_.insert(value); }
  bool Contains(const Output& value) const { return values_.contains(value); }
  // The values known within, and outer tensors with what stands for them: as the fields of
  // ValuesDef.
  const std::unordered_set<Output, OutputHash>& values() const { return values_; }
  const std::unordered_map<Output, Output, OutputHash>& external_values() const {
    return external_values_;
  }
  void SetExternalValue(const Output& outside, const Output& inside) {
    external_values_[outside] = inside;
  }

  // The context that a node which is added here belongs to: this one, but in a loop of gradients
  // the shape of a value of the forward loop is taken there, so that only the shape is kept.
  virtual ControlFlowContext* OwnerOf(const NodeSpec&) { return this; }
  // Prepares a node that is about to be added inside: maps its inputs, and its control inputs.
  virtual Status Adopt(NodeSpec* node) = 0;
  // A node was added inside.
  virtual void NoteAdded(const Operation& op) = 0;

 protected:
  ControlFlowContext(Graph& graph, std::string name, ControlFlowContext* outer)
      : graph_(graph), name_(std::move(name)), outer_(outer) {}
  // Splits control inputs into those of this loop, which stay, and those from outside.
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
  // Registers a new context with the graph, its current context around it. `pred` is the scalar
  // that decides, `pivot` what is alive where this branch (0: false, 1: true) is taken.
  static CondContext& New(Graph& graph, const Output& pred, const Output& pivot, int branch,
                          std::string_view name = "cond_text");
  // As an import finds it: `name` is full.
  static CondContext& Restore(Graph& graph, std::string name, ControlFlowContext* outer,
                              const Output& pred, const Output& pivot, int branch);

  const Output& pred() const { return pred_; }
  const Output& pivot() const { return pivot_; }
  int branch() const { return branch_; }
  Output control_pivot() const override { return pivot_; }
  StatusOr<Output> AddValue(const Output& value) override;
  // A result of the branch; a tensor from outside is passed through a Switch first.
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

// What a loop of gradients knows of the loop that it is the gradient of.
class LoopGradient {
 public:
  virtual ~LoopGradient() = default;
  virtual WhileContext* forward_context() const = 0;
  // The value that a tensor of the forward loop had in the iteration that is gone back over.
  virtual StatusOr<Output> RealValue(const Output& value) = 0;
};

struct WhileOptions {
  int parallel_iterations = 10;
  bool back_prop = true;
  bool swap_memory = false;
  Output maximum_iterations = {};  // valid if there is a limit: it is part of the condition
};

// A while loop. It is built by New, Begin, SetCondition, Finish in this order.
class RAMET_EXPORT WhileContext final : public ControlFlowContext {
 public:
  static WhileContext& New(Graph& graph, const WhileOptions& options = {},
                           std::string_view name = "while_context",
                           std::shared_ptr<LoopGradient> gradient = nullptr);
  static WhileContext& Restore(Graph& graph, std::string name, ControlFlowContext* outer,
                               const WhileOptions& options);

  WhileContext* while_context() override { return this; }
  const WhileOptions& options() const { return options_; }
  // The loop condition (LoopCond), the first loop variable before it, and in the body.
  const Output& pivot() const { return pivot_; }
  const Output& pivot_for_pred() const { return pivot_for_pred_; }
  const Output& pivot_for_body() const { return pivot_for_body_; }
  Output control_pivot() const override {
    return pivot_for_body_.valid() ? pivot_for_body_ : pivot_for_pred_;
  }
  std::vector<Output>& loop_enters() { return loop_enters_; }
  std::vector<Output>& loop_exits() { return loop_exits_; }
  // Not null in a loop that computes gradients of another one.
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

  // Enters the context and makes the loop variables: what the condition sees of them. `invariants`
  // is empty or has a shape for each. \error kInvalidArgument if a shape does not fit; the context
  //   is left then.
  StatusOr<std::vector<Output>> Begin(const std::vector<Output>& values,
                                      const std::vector<Shape>& invariants = {});
  // Sets the loop condition, a bool scalar; what the body sees of the variables.
  StatusOr<std::vector<Output>> SetCondition(const Output& condition);
  // Closes the loop with the variables' next values, leaves the context (after an error, too): the
  // final values.
  // \error kInvalidArgument if there is another number of them than of variables, or a shape
  //   became less specific.
  StatusOr<std::vector<Output>> Finish(const std::vector<Output>& next_values);

  // The parts of Begin and Finish that gradients make loop variables with. An Enter of this loop:
  // the context's name is the frame's.
  StatusOr<Output> AddEnter(const Output& value, bool is_constant, bool use_input_shape,
                            std::string_view name = "Enter");
  // Gives new Enters the control inputs of the scopes around, and to this context.
  Status FixControlInputs(const std::vector<Output>& enters);
  // NextIteration of `value`, as the second input of the Merge `merge`.
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

// The context that an operation is in, and that in which its outputs are: for an Exit the one
// around its loop. Null outside of all.
RAMET_EXPORT ControlFlowContext* ContextOf(const Operation& op);
RAMET_EXPORT ControlFlowContext* OutputContextOf(const Operation& op);
RAMET_EXPORT void SetContext(const Operation& op, ControlFlowContext* context);
// The graph's current context, or null.
RAMET_EXPORT ControlFlowContext* CurrentContext(Graph& graph);
// Whether `inner` is `outer` or within it.
RAMET_EXPORT bool IsWithin(const ControlFlowContext* inner, const ControlFlowContext* outer);
// \error kInvalidArgument "Cannot use 'a' as input to 'b' because 'a' is in a while loop." where
//   an operation of context `context` may not read from `input`.
Status CheckInputContext(const NodeSpec& node, ControlFlowContext* context, const Output& input);

// Switch with data and condition on the device of the data; RefSwitch for references.
RAMET_EXPORT StatusOr<std::pair<Output, Output>> AddSwitch(const Output& data, const Output& pred,
                                                           std::string_view name = "Switch");

}  // namespace ramet
