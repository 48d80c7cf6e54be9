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
  // exception. A gradient loop may need the shape of a value of the forward loop. That shape is
  // computed in the forward loop, so that only the shape needs to be kept.
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
