#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/edit/clone/state_op_builder.h"

namespace ramet {

// A VariableUpdates adds operations that move a clone's variables to the originals' values, which
// they read in the graph or take from placeholders. Errors are those of Graph::AddNode.
class VariableUpdates {
 public:
  // If `feeds` is not null, a placeholder for each variable is appended to it.
  explicit VariableUpdates(const CloneMapping& mapping, std::vector<Output>* feeds = nullptr)
      : mapping_(mapping), builder_(mapping), feeds_(feeds) {}

  // Assigns the originals' values.
  StatusOr<Operation> AddUpdate();
  // Assigns tau * original + (1 - tau) * clone, or the originals' values for other dtypes than
  // floating ones.
  StatusOr<Operation> AddPolyak(double tau);

 private:
  StatusOr<Output> OriginalValue(const ClonedVariable& v, const std::string& name);
  StatusOr<Output> Mixed(const ClonedVariable& v, Output value, double tau,
                         const std::string& name);
  StatusOr<Output> Weighted(const Variable& to, const Output& value, double weight,
                            const std::string& weight_name, const std::string& name);

  const CloneMapping& mapping_;
  StateOpBuilder builder_;
  std::vector<Output>* feeds_;
};

}  // namespace ramet
