#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/graph/control_flow_context.h"

namespace ramet {

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

// The tensors that tie a while loop together.
class LoopTensors {
 public:
  // The loop condition (LoopCond), and the first loop variable as seen by the condition and by the
  // body.
  const Output& pivot() const { return pivot_; }
  const Output& pivot_for_pred() const { return pivot_for_pred_; }
  const Output& pivot_for_body() const { return pivot_for_body_; }
  void set_pivots(const Output& pivot, const Output& for_pred, const Output& for_body) {
    pivot_ = pivot;
    pivot_for_pred_ = for_pred;
    pivot_for_body_ = for_body;
  }
  std::vector<Output>& loop_enters() { return loop_enters_; }
  std::vector<Output>& loop_exits() { return loop_exits_; }

 protected:
  Output pivot_, pivot_for_pred_, pivot_for_body_;
  std::vector<Output> loop_enters_, loop_exits_, merges_, switches_;
};

// A while loop. It is built by New, Begin, SetCondition and Finish in this order.
class RAMET_EXPORT WhileContext final : public ControlFlowContext, public LoopTensors {
 public:
  static WhileContext& New(Graph& graph, const WhileOptions& options = {},
                           std::string_view name = "while_context",
                           std::shared_ptr<LoopGradient> gradient = nullptr);
  static WhileContext& Restore(Graph& graph, std::string name, ControlFlowContext* outer,
                               const WhileOptions& options);

  WhileContext* while_context() override { return this; }
  const WhileOptions& options() const { return options_; }
  Output control_pivot() const override {
    return pivot_for_body_.valid() ? pivot_for_body_ : pivot_for_pred_;
  }
  // Null unless this loop computes the gradients of another one.
  LoopGradient* gradient() const { return gradient_.get(); }

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
  // \error kInvalidArgument: `enforce_shape` is true and the shape became less specific.
  StatusOr<Output> AddBackEdge(const Output& merge, const Output& value, bool enforce_shape = true);

 private:
  WhileContext(Graph& graph, std::string name, ControlFlowContext* outer,
               const WhileOptions& options)
      : ControlFlowContext(graph, std::move(name), outer), options_(options) {}
  StatusOr<Output> Imported(const Output& value);
  StatusOr<std::vector<Output>> MakeVariables(const std::vector<Output>& values,
                                              const std::vector<Shape>& invariants);
  Status Close(const std::vector<Output>& next_values);
  Status WaitForOuterPivot(const std::vector<Output>& enters);

  const WhileOptions options_;
  std::shared_ptr<LoopGradient> gradient_;
};

}  // namespace ramet
