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

// A Scope is a position in a graph where builder functions put new nodes: a name scope, a device,
// control dependencies and so on. It is open from construction to destruction. The scopes of a
// graph nest, so keep them in blocks. Builder functions (MatMul, operators, ...) use the innermost
// open scope of their graph. Placeholders and variables are created through a Scope.
class RAMET_EXPORT [[nodiscard]] Scope {
 public:
  // Refers to the graph's current scope without opening a new one.
  explicit Scope(Graph& graph) : Scope(graph, Restore{}) {}
  // Opens the variable scope `name`, which also opens a name scope (tf.variable_scope(name)).
  Scope(Graph& graph, std::string_view name, const VariableScopeOptions& options = {});
  Scope(Scope&&) = delete;
  ~Scope();

  // Inner scopes. Each is open as long as the returned object lives.
  Scope NameScope(std::string_view name);  // "x" is made unique, "x/" reopened; "" is the root
  Scope VariableScope(std::string_view name, const VariableScopeOptions& options = {});
  Scope Device(std::string_view device);  // merged with the outer devices; see ClearDevice
  Scope ClearDevice();
  Scope ControlDependencies(std::vector<Operation> controls);
  Scope ClearControlDependencies();
  Scope ColocateWith(Operation op);

  Graph& graph() const { return *graph_; }
  // The full name scope with a trailing slash, "" at the root.
  std::string name() const;

  // Adds a tensor to be fed (tf.placeholder). Unknown dimensions are -1.
  Output Placeholder(std::string_view name, DType dtype, const Shape& shape = Shape::Unknown(),
                     SourceLocation where = SourceLocation::current());
  // Returns a variable like tf.get_variable: named by the variable scopes and shared if they allow
  // reuse. On an error, which the graph keeps in TensorFlow's wording, the Variable is invalid.
  Variable GetVariable(std::string_view name, const Shape& shape, Initializer initializer = nullptr,
                       SourceLocation where = SourceLocation::current());
  Variable GetVariable(std::string_view name, const Shape& shape, const VariableOptions& options,
                       SourceLocation where = SourceLocation::current());
  // Always makes a new variable, named by the name scopes, like tf.Variable(initial_value,
  // name=...).
  Variable NewVariable(const Input& initial_value, std::string_view name = "Variable",
                       const VariableOptions& options = {},
                       SourceLocation where = SourceLocation::current());

  std::vector<Variable> GlobalVariables() const;
  // The trainable variables under the open variable scope.
  std::vector<Variable> TrainableVariables() const;
  // Adds a NoOp that runs the initializers (tf.global_variables_initializer,
  // tf.variables_initializer).
  Operation GlobalVariablesInitializer();
  Operation VariablesInitializer(const std::vector<Variable>& variables,
                                 std::string_view name = "init");
  // Adds a vector of the names of the uninitialized variables (tf.report_uninitialized_variables).
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
