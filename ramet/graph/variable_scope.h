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
  std::vector<std::string> collections =
      {};  // default: {"variables"}; "trainable_variables" is added when trainable
  // A resource variable (VarHandleOp, reads that are snapshots) rather than a reference variable;
  // default: the scope's, else not.
  std::optional<bool> use_resource = {};
};

}  // namespace ramet
