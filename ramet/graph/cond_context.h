#pragma once

#include <string>
#include <string_view>

#include "ramet/graph/control_flow_context.h"

namespace ramet {

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

}  // namespace ramet
