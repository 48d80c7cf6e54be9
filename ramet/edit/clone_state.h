#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ramet/edit/clone_mapping.h"

namespace ramet {

// Values of variables, by the variables' operations in the source.
using VariableValues = std::unordered_map<NodeId, Tensor>;

// The operations that give a clone's variables values. They stand outside of the open scopes, under
// the clone's name scope, beside the variables.
class CloneStateOps {
 public:
  explicit CloneStateOps(CloneMapping& mapping) : mapping_(mapping), graph_(*mapping.target) {}

  // Completes what the graph says of variables that were found from their operations, and makes
  // init_op. `values` has one for
  // every variable with kCurrent across graphs. \error as Graph::AddNode.
  Status MakeInit(const CloneOptions& options, const VariableValues& values);
  // The original's values are read in the graph, or come through placeholders, which `feeds` gets.
  StatusOr<Operation> MakeUpdate(std::string_view name, std::vector<Output>* feeds = nullptr);
  StatusOr<Operation> MakePolyak(double tau, std::vector<Output>* feeds = nullptr);
  // Of the original; never a reference type.
  DType OriginalDtype(const ClonedVariable& v) const;

 private:
  std::string NewName(std::string_view name) const;
  StatusOr<Operation> Add(std::string_view op, std::string_view name, std::vector<Output> inputs,
                          AttrMap attrs = {});
  StatusOr<Operation> AddBeside(const Variable& v, std::string_view op, std::string_view name,
                                std::vector<Output> inputs, AttrMap attrs = {});
  StatusOr<Operation> Group(std::string_view name, std::vector<Operation> ops);
  StatusOr<Output> Read(const Variable& beside, const Output& variable, DType dtype,
                        std::string_view name);
  StatusOr<Operation> Assign(const Variable& to, const Output& value, std::string_view name);
  StatusOr<Output> Converted(const Variable& beside, const Output& value, DType dtype,
                             std::string_view name);
  StatusOr<Output> Current(const ClonedVariable& v, std::string_view name);
  StatusOr<Output> Fed(const ClonedVariable& v, const std::string& name);
  StatusOr<Output> MixedValue(const ClonedVariable& v, Output value, double tau,
                              const std::string& name);
  Status CompleteReads();
  StatusOr<std::vector<Operation>> RestoreAll(const std::string& prefix);
  StatusOr<std::vector<Operation>> AssignAll(const VariableValues& values);
  StatusOr<Output> Mixed(const Variable& to, const Output& current, const Output& target,
                         double tau, const std::string& name);

  CloneMapping& mapping_;
  Graph& graph_;
};

}  // namespace ramet
