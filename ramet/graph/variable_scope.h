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

}  // namespace ramet
