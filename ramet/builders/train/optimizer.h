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

// A variable and its gradient, which may be none.
struct GradientAndVariable {
  Gradient gradient;
  Variable variable;
};

// What is held back until what is computed: nothing; the gradients of one op until all of it are;
// all gradients until all are.
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
  Variable global_step = {};  // grows by one after the update, when valid
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

// An Optimizer adds to a graph the nodes that compute gradients and change variables by them: what
// tf.train.Optimizer does, under the same names, so that graphs and checkpoints (slots) fit
// TensorFlow's. The object itself only remembers the slots that it made; graphs do not refer to it.
// Not thread-safe. Errors go to the graph, as with all builders; the returned handles are then
// invalid.
class RAMET_EXPORT Optimizer {
 public:
  virtual ~Optimizer() = default;
  const std::string& name() const { return name_; }

  // ComputeGradients and ApplyGradients.
  // Error of the graph: "No gradients provided for any variable ..." (kInvalidArgument).
  Operation Minimize(const Output& loss, const MinimizeOptions& options = {});
  // One pair per variable of the list, nodes under "gradients/". Errors of the graph: no variables;
  // a loss or variable that is not half, bfloat16, float or double; those of Gradients.
  std::vector<GradientAndVariable> ComputeGradients(const Output& loss,
                                                    const ComputeGradientsOptions& options = {});
  // The training step: a NoOp after all updates, or the AssignAdd of the global step after these.
  // Added to the collection "train_op". Pairs without a gradient are skipped; if all are: an error.
  Operation ApplyGradients(const std::vector<GradientAndVariable>& grads_and_vars,
                           const ApplyGradientsOptions& options = {});

  // The slot of a variable by name ("momentum", "m", ...); invalid if it was not made.
  Variable GetSlot(const Variable& variable, std::string_view slot) const;
  std::vector<std::string> SlotNames() const;  // sorted
  // Slots and other variables that this object made, sorted by name.
  std::vector<Variable> Variables() const;

 protected:
  explicit Optimizer(std::string name) : name_(std::move(name)) {}

  // Makes the slots of the variables that will be updated.
  virtual void CreateSlots(Graph& graph, const std::vector<Variable>& variables);
  // Makes the tensors that all updates share, under the scope "<name>/".
  virtual void Prepare(Graph& graph) = 0;
  // The op that changes `variable`, under "<name>/update_<variable>/" and colocated with it.
  virtual Operation ApplyDense(const Output& grad, const Variable& variable) = 0;
  // The same for the rows `indices`, which repeat none. Called only when SparseOps() are there.
  virtual Operation ApplySparse(const Gradient& grad, const Variable& variable) = 0;
  // As ApplySparse, but rows may repeat; by default they are summed first.
  virtual Operation ApplySparseDuplicates(const Gradient& grad, const Variable& variable);
  // The ops that ApplySparse needs; when one is missing, sparse gradients are made dense.
  virtual std::vector<std::string_view> SparseOps() const = 0;
  // Joins the updates in an op called `name`.
  virtual Operation Finish(Graph& graph, const std::vector<Operation>& updates,
                           const std::string& name);

  // For CreateSlots: a variable "<variable>/<optimizer>[_k]" of the same shape and dtype.
  void MakeSlot(const Variable& variable, std::string_view slot, const Initializer& initializer);
  // A scalar variable of the optimizer, beside `beside`; one per graph and name.
  Variable MakeNonSlot(const Variable& beside, std::string_view name, const Input& value);
  Variable NonSlot(const Graph& graph, std::string_view name) const;
  // Adds the update op `op` of a variable, or "Resource<op>" of a resource variable.
  static Operation UpdateOp(const Variable& variable, std::string_view op,
                            const std::vector<Input>& inputs, AttrMap attrs = {});
  // Changes the variable by `op`: Assign, AssignAdd or AssignSub. The value after it is output 0:
  // the reference, or a read of the resource variable that waits for the change.
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
