#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ramet/graph/operation.h"
#include "ramet/graph/variable.h"

namespace ramet {

// Builds the initial value of a variable, a tensor of the given shape and dtype, in `graph` under
// the open scope. On an error, records it in the graph and returns an invalid Output.
using Initializer = std::function<Output(Graph& graph, const Shape& shape, DType dtype)>;

// Sets the initializer that get_variable uses for floating-point variables by default (glorot
// uniform). Called once at startup by the layer that defines the initializers.
void SetDefaultFloatInitializer(Initializer initializer);

// The reuse mode of get_variable: make variables, find existing ones, or either (tf.AUTO_REUSE).
enum class Reuse { kInherit, kNo, kYes, kAuto };

// The settings of an open variable scope, inherited by inner scopes and get_variable.
struct VariableScopeState {
  std::string name;  // "a/b"; independent of name scopes
  std::string original_name_scope;
  Reuse reuse = Reuse::kNo;
  Initializer initializer;
  std::optional<DType> dtype;
  bool use_resource = false;
};

// The arguments of get_variable beyond name and shape.
struct VariableOptions {
  Initializer initializer = {};     // default: the scope's, else glorot uniform (float) or zeros
  std::optional<DType> dtype = {};  // default: the scope's, else float
  bool trainable = true;
  // Default: {"variables"}; "trainable_variables" is added when trainable.
  std::optional<std::vector<std::string>> collections = {};
  // True for a resource variable (VarHandleOp, whose reads are snapshots), false for a reference
  // variable. Default: the scope's, else false.
  std::optional<bool> use_resource = {};
  // The declared shape, if it differs from the initial value's.
  std::optional<Shape> shape = {};
  // If false, the declared shape is unknown and values of any shape may be assigned.
  bool validate_shape = true;
  // The device of the snapshot. Default: the variable's.
  std::optional<std::string> caching_device = {};
  std::string container = {};
  int synchronization = 0;  // VariableSynchronization, VariableAggregation of variable.proto
  int aggregation = 0;
  std::optional<SaveSliceInfo> save_slice_info = {};
};

// Makes the nodes of a variable with an existing initial value and adds the variable to its
// collections. The nodes are VariableV2, Assign and a read, or VarHandleOp, IsInitialized, Assign
// and Read. Their names start with `full_name`, which the caller has made unique (the second half
// of tf.Variable). The nodes ignore open control dependencies but use the device and colocation of
// the open scopes. If the initial value reads variables, the assigned value reads them guarded (see
// GuardedInitialValue).
//
// On an error, which the graph keeps, the Variable is invalid.
// \error kInvalidArgument: the initial value does not match the declared shape or the options'
//   dtype.
RAMET_EXPORT Variable MakeVariable(Graph& graph, const std::string& full_name,
                                   const Output& initial_value, const VariableOptions& options);

// Changes the graph's record of a variable (its slice, its initializer) under the graph's lock.
// Nodes do not change.
RAMET_EXPORT void EditVariable(const Variable& variable,
                               const std::function<void(VariableRecord&)>& edit);

// Returns the value of a reference variable, or its initial value while it is uninitialized
// (tf.Variable.initialized_value): nodes "IsVariableInitialized" and "cond" in the open name scope.
// If the op registry has no Switch, returns just the variable's value; a run initializes variables
// in creation order.
RAMET_EXPORT Output InitializedValue(const Variable& variable);

// Returns `initial_value` with every reference variable that it depends on replaced by its
// InitializedValue, so that variables may be initialized in any order. Nodes in between are copied
// as "<node>_<full_name>". Returns `initial_value` itself if it depends on no variable in a
// collection, if it depends on itself through a loop, or if the op registry has no Switch.
Output GuardedInitialValue(Graph& graph, const Output& initial_value, const std::string& full_name);

}  // namespace ramet
