#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ramet/gradients/gradients.h"
#include "ramet/graph/scope.h"

namespace ramet {

// A variable and its gradient, which may be missing.
struct GradientAndVariable {
  Gradient gradient;
  Variable variable;
};

// Selects which gradients are gated: none; those of each op, until all of that op's are computed;
// or all gradients, until all are computed.
enum class GateGradients { kNone, kOp, kGraph };

struct ComputeGradientsOptions {
  std::optional<std::vector<Variable>> var_list =
      {};  // default: the collection "trainable_variables"
  GateGradients gate_gradients = GateGradients::kOp;
  Aggregation aggregation = Aggregation::kAddN;
  bool colocate_gradients_with_ops = false;
  Output grad_loss = {};  // default: ones
};

struct ApplyGradientsOptions {
  Variable global_step = {};  // if valid, incremented after the update
  std::string name = {};      // default: the optimizer's
};

struct MinimizeOptions {
  std::optional<std::vector<Variable>> var_list = {};
  Variable global_step = {};
  GateGradients gate_gradients = GateGradients::kOp;
  Aggregation aggregation = Aggregation::kAddN;
  bool colocate_gradients_with_ops = false;
  std::string name = {};
  Output grad_loss = {};
};

// An Optimizer adds nodes to a graph that compute gradients and apply them to variables, like
// tf.train.Optimizer and with the same names, so that graphs and checkpoints (slots) are compatible
// with TensorFlow's. The object only remembers the slots that it made; graphs do not refer to it.
// Not thread-safe. Like all builders, it records errors in the graph and then returns invalid
// handles.
class RAMET_EXPORT Optimizer {
 public:
  virtual ~Optimizer() = default;
  const std::string& name() const { return name_; }

  // Calls ComputeGradients and ApplyGradients. The graph records kInvalidArgument "No gradients
  // provided for any variable ..." if there are none.
  Operation Minimize(const Output& loss, const MinimizeOptions& options = {});
  // Returns one pair per variable of the list, with nodes under "gradients/". The graph records an
  // error if there are no variables, if the loss or a variable is not half, bfloat16, float or
  // double, and for errors of Gradients.
  std::vector<GradientAndVariable> ComputeGradients(const Output& loss,
                                                    const ComputeGradientsOptions& options = {});
  // Returns the training step: a NoOp that runs after all updates, or the AssignAdd of the global
  // step after them. Adds it to the collection "train_op". Pairs without a gradient are skipped; if
  // all are, the graph records an error.
  Operation ApplyGradients(const std::vector<GradientAndVariable>& grads_and_vars,
                           const ApplyGradientsOptions& options = {});

  // Returns a variable's slot by name ("momentum", "m", ...); invalid if it was not made.
  Variable GetSlot(const Variable& variable, std::string_view slot) const;
  std::vector<std::string> SlotNames() const;  // sorted
  // The slots and other variables that this object made, sorted by name.
  std::vector<Variable> Variables() const;

 protected:
  explicit Optimizer(std::string name) : name_(std::move(name)) {}

  // Makes the slots of the variables to be updated.
  virtual void CreateSlots(Graph& graph, const std::vector<Variable>& variables);
  // Makes the tensors that all updates share, under the scope "<name>/".
  virtual void Prepare(Graph& graph) = 0;
  // Adds the op that updates `variable`, under "<name>/update_<variable>/" and colocated with it.
  virtual Operation ApplyDense(const Output& grad, const Variable& variable) = 0;
  // Like ApplyDense for the rows `indices`, which are unique. Called only if the ops of SparseOps()
  // are registered.
  virtual Operation ApplySparse(const Gradient& grad, const Variable& variable) = 0;
  // Like ApplySparse, but indices may repeat. By default, repeated rows are summed first.
  virtual Operation ApplySparseDuplicates(const Gradient& grad, const Variable& variable);
  // The ops that ApplySparse needs. If one is missing, sparse gradients are made dense.
  virtual std::vector<std::string_view> SparseOps() const = 0;
  // Groups the updates in an op called `name`.
  virtual Operation Finish(Graph& graph, const std::vector<Operation>& updates,
                           const std::string& name);

  // For CreateSlots: makes a variable "<variable>/<optimizer>[_k]" of the same shape and dtype.
  void MakeSlot(const Variable& variable, std::string_view slot, const Initializer& initializer);
  // Makes a scalar variable of the optimizer, colocated with `neighbor`. There is one per graph and
  // name.
  Variable MakeNonSlot(const Variable& neighbor, std::string_view name, const Input& value);
  Variable NonSlot(const Graph& graph, std::string_view name) const;
  // Adds the update op `op` of a variable, or "Resource<op>" of a resource variable.
  static Operation UpdateOp(const Variable& variable, std::string_view op,
                            const std::vector<Input>& inputs, AttrMap attrs = {});
  // Changes the variable by `op` (Assign, AssignAdd or AssignSub). `value` is its new value: the
  // op's reference output, or a read of the resource variable that waits for the change.
  struct Assigned {
    Operation op;
    Output value;
  };
  static Assigned AssignOp(const Variable& variable, std::string_view op, const Input& value);

 private:
  using SlotKey = std::pair<const Graph*, VariableId>;

  Operation Update(const GradientAndVariable& pair);
  std::string SlotVariableName(const Variable& variable) const;
  Operation CountStep(const Variable& global_step, const Operation& update,
                      const std::string& name);

  std::string name_;
  std::map<std::string, std::map<SlotKey, Variable>, std::less<>> slots_;
  std::map<std::pair<const Graph*, std::string>, Variable> non_slots_;
};

}  // namespace ramet
