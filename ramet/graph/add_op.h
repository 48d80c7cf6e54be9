#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>
#include "ramet/base/source_location.h"

#include "ramet/graph/graph.h"

namespace ramet {

// An Input is what a builder function takes where a tensor is wanted: an Output, a Variable (its
// value; of a resource variable a fresh read "<name>/ReadVariableOp", or its handle where the op
// takes a resource), or a constant, which becomes a Const node of the dtype that the op's other
// inputs ask for.
class RAMET_EXPORT Input {
 public:
  Input(Output output) : output_(output) {}                   // NOLINT: implicit on purpose
  Input(const Variable& variable);                            // NOLINT
  Input(Tensor constant) : constant_(std::move(constant)) {}  // NOLINT
  template <class T>
  requires(std::is_arithmetic_v<T>) Input(T value)
      : constant_(value), weak_(true) {}         // NOLINT: takes the others' dtype
  Input(const char* s) : constant_(s) {}         // NOLINT
  Input(const std::string& s) : constant_(s) {}  // NOLINT
  // A vector of int32 (axes, shapes), of float.
  Input(std::initializer_list<int> values);     // NOLINT
  Input(std::initializer_list<double> values);  // NOLINT

  bool is_constant() const { return !constant_.empty(); }
  const Output& output() const { return output_; }
  const Tensor& constant() const { return constant_; }
  bool weak() const { return weak_; }
  // The resource variable that is to be read or named; else invalid. output() is its snapshot.
  const Variable& resource_variable() const { return resource_variable_; }

 private:
  Variable resource_variable_;
  Output output_;
  Tensor constant_;
  bool weak_ = false;
};

// Adds an operation of `graph` under the scopes that are open there, as TensorFlow's op wrappers
// do: `name` (default: the op's) is made unique in the current name scope ("x/" is taken as it is);
// constants among the inputs become Const nodes "<name>/<argument>"; attrs not given are inferred
// from the inputs or take their defaults; the device, control dependencies and colocation of the
// scopes apply. The inputs of list arguments stand one after another.
//
// On an error (the same as Graph::AddNode, with the source line) the graph keeps it and an invalid
// Operation is returned; so it is when an input is invalid, without a further error.
RAMET_EXPORT Operation AddOp(Graph& graph, std::string_view op, const std::vector<Input>& inputs,
                             AttrMap attrs = {}, std::string_view name = "",
                             SourceLocation where = SourceLocation::current());

// As AddOp, but the error is returned and the graph does not keep it: for callers that report
// errors of their own where they happen. \error as Graph::AddNode; kInvalidArgument if an input is
// invalid.
RAMET_EXPORT StatusOr<Operation> TryAddOp(Graph& graph, std::string_view op,
                                          const std::vector<Input>& inputs, AttrMap attrs = {},
                                          std::string_view name = "");

// The graph of the first input that is an Output; nullptr when there is none.
RAMET_EXPORT Graph* GraphOf(const std::vector<Input>& inputs);

// A Const node.
RAMET_EXPORT Output Constant(Graph& graph, const Tensor& value, std::string_view name = "Const",
                             SourceLocation where = SourceLocation::current());

// A NoOp that runs after all of `ops` (tf.group): one, or one per device and one after these.
RAMET_EXPORT Operation Group(Graph& graph, const std::vector<Operation>& ops,
                             std::string_view name);

// The value of a tensor that is known while building: constants, and what foldable operations
// (OpBuilder::Foldable) make of them, evaluated with their CPU kernels within a budget of work.
// Empty when it is not known.
// (tf.get_static_value)
RAMET_EXPORT Tensor ConstantValue(const Output& output);

// The value that a variable has where the open scopes put the read: a new ReadVariableOp of a
// resource variable (tf's value()), the snapshot of a reference variable. Invalid for an invalid
// one.
RAMET_EXPORT Output ReadVariable(const Variable& variable,
                                 std::string_view name = "ReadVariableOp");

// The declared shape of the variable that a resource tensor names, where its VarHandleOp can be
// seen; else unknown.
RAMET_EXPORT Shape HandleShape(const Output& handle);

// Operators, named as in TensorFlow: add (AddV2), sub, mul, truediv (RealDiv), Neg.
RAMET_EXPORT Output operator+(const Input& x, const Input& y);
RAMET_EXPORT Output operator-(const Input& x, const Input& y);
RAMET_EXPORT Output operator*(const Input& x, const Input& y);
RAMET_EXPORT Output operator/(const Input& x, const Input& y);
RAMET_EXPORT Output operator-(const Output& x);

}  // namespace ramet
