#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>
#include "ramet/base/source_location.h"

#include "ramet/graph/graph.h"

namespace ramet {

// An Input is a tensor argument of a builder function: an Output, a Variable or a constant. A
// Variable stands for its value; a resource variable becomes a new read "<name>/ReadVariableOp", or
// its handle if the op takes a resource. A constant becomes a Const node whose dtype matches the
// op's other inputs.
class RAMET_EXPORT Input {
 public:
  Input(Output output) : output_(output) {}                   // NOLINT: implicit on purpose
  Input(const Variable& variable);                            // NOLINT
  Input(Tensor constant) : constant_(std::move(constant)) {}  // NOLINT
  template <class T>
  requires(std::is_arithmetic_v<T>) Input(T value)
      : constant_(value), weak_(true) {}         // NOLINT: takes the dtype of the other inputs
  Input(const char* s) : constant_(s) {}         // NOLINT
  Input(const std::string& s) : constant_(s) {}  // NOLINT
  // A vector of int32 (axes, shapes) or of float.
  Input(std::initializer_list<int> values);     // NOLINT
  Input(std::initializer_list<double> values);  // NOLINT

  bool is_constant() const { return !constant_.empty(); }
  const Output& output() const { return output_; }
  const Tensor& constant() const { return constant_; }
  bool weak() const { return weak_; }
  // The resource variable to read or name; otherwise invalid. output() is its snapshot.
  const Variable& resource_variable() const { return resource_variable_; }

 private:
  Variable resource_variable_;
  Output output_;
  Tensor constant_;
  bool weak_ = false;
};

// Adds an operation to `graph` under the open scopes, like TensorFlow's op wrappers. `name`
// (default: the op's name) is made unique in the current name scope; "x/" is taken literally.
// Constant inputs become Const nodes "<name>/<argument>". Missing attrs are inferred from the
// inputs or take their defaults. The device, control dependencies and colocation of the scopes
// apply. The inputs of list arguments are consecutive.
//
// On an error (that of Graph::AddNode, with the source line), the graph keeps it and an invalid
// Operation is returned. If an input is invalid, an invalid Operation is returned without a further
// error.
RAMET_EXPORT Operation AddOp(Graph& graph, std::string_view op, const std::vector<Input>& inputs,
                             AttrMap attrs = {}, std::string_view name = "",
                             SourceLocation where = SourceLocation::current());

// Like AddOp, but returns the error instead of recording it in the graph, for callers that report
// errors themselves. Also returns the errors of Graph::AddNode.
// \error kInvalidArgument: an input is invalid.
RAMET_EXPORT StatusOr<Operation> TryAddOp(Graph& graph, std::string_view op,
                                          const std::vector<Input>& inputs, AttrMap attrs = {},
                                          std::string_view name = "");

// Returns the graph of the first input that is an Output, or nullptr if there is none.
RAMET_EXPORT Graph* GraphOf(const std::vector<Input>& inputs);

// Adds a Const node.
RAMET_EXPORT Output Constant(Graph& graph, const Tensor& value, std::string_view name = "Const",
                             SourceLocation where = SourceLocation::current());

// Adds a NoOp that runs after all of `ops` (tf.group). If they are on several devices, adds one
// NoOp per device and one after those.
RAMET_EXPORT Operation Group(Graph& graph, const std::vector<Operation>& ops,
                             std::string_view name);

// Returns the value of a tensor that is known at build time (tf.get_static_value): constants, and
// results of foldable operations (OpBuilder::Foldable) on them, evaluated with their CPU kernels
// within a work budget. Returns an empty Tensor if the value is unknown.
RAMET_EXPORT Tensor ConstantValue(const Output& output);

// Returns the value of a variable as seen in the open scopes: a new ReadVariableOp for a resource
// variable (value() in TensorFlow), the snapshot for a reference variable. Invalid for an invalid
// variable.
RAMET_EXPORT Output ReadVariable(const Variable& variable,
                                 std::string_view name = "ReadVariableOp");

// Returns the declared shape of the variable that a resource tensor refers to, or an unknown shape
// if its VarHandleOp cannot be determined.
RAMET_EXPORT Shape HandleShape(const Output& handle);

// Operators, named as in TensorFlow: add (AddV2), sub, mul, truediv (RealDiv), Neg.
RAMET_EXPORT Output operator+(const Input& x, const Input& y);
RAMET_EXPORT Output operator-(const Input& x, const Input& y);
RAMET_EXPORT Output operator*(const Input& x, const Input& y);
RAMET_EXPORT Output operator/(const Input& x, const Input& y);
RAMET_EXPORT Output operator-(const Output& x);

}  // namespace ramet
