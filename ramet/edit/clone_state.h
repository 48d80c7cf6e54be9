#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ramet/edit/clone_mapping.h"

namespace ramet {

// The keys and values of a table.
struct TableEntries {
  Tensor keys, values;
};

// The state of a session, keyed by operations of the source. State without a value is missing.
struct StateValues {
  std::unordered_map<NodeId, Tensor> variables;
  std::unordered_map<NodeId, TableEntries> tables;
  bool has_tables = false;  // the tables of the session were read
};

// Adds the operations that give a clone's variables and tables values. They are under the clone's
// name scope, next to the state, and ignore open scopes.
class CloneStateOps {
 public:
  explicit CloneStateOps(CloneMapping& mapping) : mapping_(mapping), graph_(*mapping.target) {}

  // Completes the records of variables that were found by their operations, and makes init_op.
  // `values` has the originals' values for kCurrent with different graphs. Errors are those of
  // Graph::AddNode.
  Status MakeInit(const CloneOptions& options, const StateValues& values);
  // Reads the original's values in the graph or, if `feeds` is not null, takes them from
  // placeholders, which are appended to `feeds`.
  StatusOr<Operation> MakeUpdate(std::string_view name, std::vector<Output>* feeds = nullptr);
  StatusOr<Operation> MakePolyak(double tau, std::vector<Output>* feeds = nullptr);
  // Returns the original's dtype, never a reference type.
  DType OriginalDtype(const ClonedVariable& v) const;

 private:
  std::string NewName(std::string_view name) const;
  StatusOr<Operation> Add(std::string_view op, std::string_view name, std::vector<Output> inputs,
                          AttrMap attrs = {});
  StatusOr<Operation> AddBeside(const Operation& state, std::string_view op, std::string_view name,
                                std::vector<Output> inputs, AttrMap attrs = {});
  StatusOr<Operation> AddBeside(const Variable& v, std::string_view op, std::string_view name,
                                std::vector<Output> inputs, AttrMap attrs = {}) {
    return AddBeside(v.ref().op(), op, name, std::move(inputs), std::move(attrs));
  }
  // Makes the nodes that `make` adds run only if `condition` is true. Returns an operation that
  // always runs after them.
  StatusOr<Operation> OnlyIf(const Operation& state, const Output& condition,
                             const std::string& name,
                             const std::function<StatusOr<Operation>()>& make);
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
  // Returns one operation per variable; invalid if there is no value.
  StatusOr<std::vector<Operation>> AssignAll(const StateValues& values);
  StatusOr<Operation> AssignCurrent(const ClonedVariable& v, const std::string& name);
  StatusOr<Operation> AssignHeld(const ClonedVariable& v, Tensor held, const std::string& name);
  Status InitTables(const CloneOptions& options, const StateValues& values,
                    std::vector<Operation>* ops);
  StatusOr<Operation> CopyTable(const CloneMapping::Table& table, const std::string& name);
  StatusOr<Operation> FillTable(const Operation& table, const TableEntries& entries,
                                const std::string& name);
  StatusOr<Output> Mixed(const Variable& to, const Output& current, const Output& target,
                         double tau, const std::string& name);

  CloneMapping& mapping_;
  Graph& graph_;
  std::vector<Operation> controls_;  // control inputs of added operations
};

}  // namespace ramet
