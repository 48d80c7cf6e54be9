#pragma once

#include <string>
#include <string_view>
#include <vector>
#include "ramet/base/source_location.h"

#include "ramet/graph/add_op.h"
#include "ramet/graph/build_state.h"
#include "ramet/graph/graph.h"

namespace ramet {

// The arguments of a variable scope.
struct VariableScopeOptions {
  Reuse reuse = Reuse::kInherit;
  Initializer initializer = {};
  std::optional<DType> dtype = {};
  std::optional<bool> use_resource = {};
};

// A Scope is the place of a graph where builder functions put what they make: a name scope, a
// device, control dependencies, ... It is open from its construction to its destruction; scopes of
// one graph nest, so keep them in blocks. Builder functions (MatMul, operators, ...) follow the
// innermost open scope of their graph; a Scope object is also where placeholders and variables are
// asked for.
class RAMET_EXPORT [[nodiscard]] Scope {
 public:
  // The graph's current place.
  explicit Scope(Graph& graph) : Scope(graph, Restore{}) {}
  // A variable scope `name`, which opens a name scope too (tf.variable_scope(name)).
  Scope(Graph& graph, std::string_view name, const VariableScopeOptions& options = {});
  Scope(Scope&&) = delete;
  ~Scope();

  // Inner scopes; each is open as long as the returned object lives.
  Scope NameScope(std::string_view name);  // "x" unique, "x/" again, "" the root
  Scope VariableScope(std::string_view name, const VariableScopeOptions& options = {});
  Scope Device(std::string_view device);  // merged with outer ones; see also ClearDevice
  Scope ClearDevice();
  Scope ControlDependencies(std::vector<Operation> controls);
  Scope ClearControlDependencies();
  Scope ColocateWith(Operation op);

  Graph& graph() const { return *graph_; }
  // The full name scope with a slash at the end, "" at the root.
  std::string name() const;

  // A tensor to be fed (tf.placeholder). Unknown dimensions are -1.
  Output Placeholder(std::string_view name, DType dtype, const Shape& shape = Shape::Unknown(),
                     SourceLocation where = SourceLocation::current());
  // As tf.get_variable: named by the variable scopes, shared under reuse. Errors go to the graph,
  // in TensorFlow's wording (spec: graph-semantics 2), and give an invalid Variable.
  Variable GetVariable(std::string_view name, const Shape& shape, Initializer initializer = nullptr,
                       SourceLocation where = SourceLocation::current());
  Variable GetVariable(std::string_view name, const Shape& shape, const VariableOptions& options,
                       SourceLocation where = SourceLocation::current());
  // As tf.Variable(initial_value, name=...): always new, named by the name scopes.
  Variable NewVariable(const Input& initial_value, std::string_view name = "Variable",
                       const VariableOptions& options = {},
                       SourceLocation where = SourceLocation::current());

  std::vector<Variable> GlobalVariables() const;
  // Those under the open variable scope.
  std::vector<Variable> TrainableVariables() const;
  // A NoOp that runs the initializers (tf.global_variables_initializer, tf.variables_initializer).
  Operation GlobalVariablesInitializer();
  Operation VariablesInitializer(const std::vector<Variable>& variables,
                                 std::string_view name = "init");
  // A vector of the names of those variables that are not initialised
  // (tf.report_uninitialized_variables).
  Output ReportUninitializedVariables();

 private:
  struct Restore {};
  struct OpenName {};
  struct OpenDevice {};
  Scope(Graph& graph, Restore);
  Scope(Graph& graph, OpenName, std::string_view name);
  Scope(Graph& graph, OpenDevice, std::optional<std::string> device);
  Scope(Graph& graph, ControlScope controls);
  Scope(Graph& graph, Operation colocate_with);

  Graph* graph_;
  std::string saved_name_;
  size_t saved_devices_, saved_controls_, saved_colocations_;
  VariableScopeState saved_variable_scope_;
};

}  // namespace ramet
