#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ramet/graph/operation.h"
#include "ramet/graph/variable.h"

namespace ramet {

// Makes the initial value of a variable: a tensor of that shape and dtype, built in `graph` under
// the scope that is open. Returns an invalid Output after recording an error in the graph.
using Initializer = std::function<Output(Graph& graph, const Shape& shape, DType dtype)>;

// What get_variable initialises floating-point variables with when nothing else is said; set once,
// at start-up, by the layer that has the initializers (glorot uniform).
void SetDefaultFloatInitializer(Initializer initializer);

// Whether get_variable makes variables, finds them, or either (tf.AUTO_REUSE).
enum class Reuse { kInherit, kNo, kYes, kAuto };

// What an open variable scope hands down to get_variable.
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
  // A resource variable (VarHandleOp, reads that are snapshots) rather than a reference variable;
  // default: the scope's, else not.
  std::optional<bool> use_resource = {};
  // The shape that is declared, where it is not the initial value's.
  std::optional<Shape> shape = {};
  // false: the declared shape is unknown and values of any shape may be assigned.
  bool validate_shape = true;
  // Where the snapshot is kept; default: beside the variable.
  std::optional<std::string> caching_device = {};
  std::string container = {};
  int synchronization = 0;  // VariableSynchronization, VariableAggregation of variable.proto
  int aggregation = 0;
  std::optional<SaveSliceInfo> save_slice_info = {};
};

// Makes the nodes of a variable whose initial value exists, and puts it into its collections:
// VariableV2, Assign and read, or VarHandleOp, IsInitialized, Assign and Read, named below
// `full_name`, which the caller has made unique (tf.Variable after the initial value is made). The
// nodes stand outside of control dependencies, and on the device and beside the operations of the
// open scopes. Where the initial value reads other variables, what is assigned reads them guarded
// (see GuardedInitialValue).
//
// Errors go to the graph and give an invalid Variable. \error kInvalidArgument if the initial value
// does not fit the declared shape or the options' dtype.
RAMET_EXPORT Variable MakeVariable(Graph& graph, const std::string& full_name,
                                   const Output& initial_value, const VariableOptions& options);

// Changes what the graph knows of a variable (its slice, its initializer), under the graph's lock;
// nodes stay as they are.
RAMET_EXPORT void EditVariable(const Variable& variable,
                               const std::function<void(VariableRecord&)>& edit);

// The value of a reference variable, or its initial value as long as it has none
// (tf.Variable.initialized_value): "IsVariableInitialized" and a "cond" in the open name scope.
// Where the registry has no Switch it is the variable's value only: a run initializes variables in
// the order of their creation.
RAMET_EXPORT Output InitializedValue(const Variable& variable);

// `initial_value` with every reference variable that it is computed from replaced by its
// InitializedValue, so that variables may be initialized in any order: copies of the nodes on the
// way, named "<node>_<full_name>"; `initial_value` itself when it depends on no variable that is in
// a collection, or on itself in a loop, or where the registry has no Switch.
Output GuardedInitialValue(Graph& graph, const Output& initial_value, const std::string& full_name);

}  // namespace ramet
