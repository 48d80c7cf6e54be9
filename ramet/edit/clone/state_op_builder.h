#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/edit/clone/mapping.h"

namespace ramet {

// A StateOpBuilder adds operations on a clone's variables and tables. They are under the clone's
// name scope, colocated with the state, and ignore open scopes. Errors are those of Graph::AddNode.
class StateOpBuilder {
 public:
  explicit StateOpBuilder(const CloneMapping& mapping)
      : mapping_(mapping), graph_(*mapping.target) {}

  StatusOr<Operation> Add(std::string_view op, std::string_view name, std::vector<Output> inputs,
                          AttrMap attrs = {});
  StatusOr<Operation> AddColocated(const Operation& state, std::string_view op,
                                   std::string_view name, std::vector<Output> inputs,
                                   AttrMap attrs = {});
  StatusOr<Operation> AddColocated(const Variable& v, std::string_view op, std::string_view name,
                                   std::vector<Output> inputs, AttrMap attrs = {}) {
    return AddColocated(v.ref().op(), op, name, std::move(inputs), std::move(attrs));
  }
  StatusOr<Output> Constant(const Operation& state, std::string_view name, const Tensor& value);
  // Returns an operation that runs `ops`.
  StatusOr<Operation> Group(std::string_view name, std::vector<Operation> ops);
  // Makes the nodes that `make` adds run only if `condition` is true. Returns an operation that
  // always runs after them.
  StatusOr<Operation> OnlyIf(const Operation& state, const Output& condition,
                             const std::string& name,
                             const std::function<StatusOr<Operation>()>& make);

  // Returns the value of `variable`, a reference or handle like that of `neighbor`.
  StatusOr<Output> Read(const Variable& neighbor, const Output& variable, DType dtype,
                        std::string_view name);
  // Returns the value of the original in its dtype.
  StatusOr<Output> ReadOriginal(const ClonedVariable& v, std::string_view name);
  StatusOr<Operation> Assign(const Variable& to, const Output& value, std::string_view name);
  // Returns `value` in the given dtype; itself if it has that dtype.
  StatusOr<Output> Cast(const Variable& neighbor, const Output& value, DType dtype,
                        std::string_view name);

 private:
  std::string NewName(std::string_view name) const;

  const CloneMapping& mapping_;
  Graph& graph_;
  std::vector<Operation> controls_;  // control inputs of added operations
};

// Returns the original's dtype, never a reference type.
DType OriginalDtype(const ClonedVariable& v);

}  // namespace ramet
