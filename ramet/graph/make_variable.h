#pragma once

#include <functional>
#include <string>

#include "ramet/base/export.h"
#include "ramet/graph/add_op.h"
#include "ramet/graph/variable_scope.h"

namespace ramet {

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

// Like MakeVariable, but adds a Const node for a constant initial value.
// \error kInvalidArgument: the shape of the initial value is not fully defined.
Variable MakeVariableFrom(Graph& graph, const std::string& full_name, const Input& initial_value,
                          const VariableOptions& options);
// Like MakeVariable, but makes the initial value with `initializer`, by default the one that
// get_variable uses without an initializer.
Variable InitializeVariable(Graph& graph, const std::string& full_name,
                            const Initializer& initializer, const Shape& shape, DType dtype,
                            const VariableOptions& options);

// Sets the initializer that get_variable uses for floating-point variables by default (glorot
// uniform). Called once at startup by the layer that defines the initializers.
void SetDefaultFloatInitializer(Initializer initializer);

}  // namespace ramet
