#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "ramet/op/op.h"

namespace ramet {

// The shared_name of handles that create a new variable each time (ResourceHandle::ANONYMOUS_NAME).
inline constexpr std::string_view kAnonymousName = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

// An op's role in handling state, for cloning.
enum class StateRole : uint8_t {
  kNone,
  kVariable,     // VariableV2, VarHandleOp: creates a variable
  kResource,     // another op with a shared_name
  kAssign,       // Assign, AssignVariableOp
  kCheck,        // IsVariableInitialized, VarIsInitializedOp
  kRead,         // Identity, ReadVariableOp
  kInitializes,  // InitializeTable...
  kImports,      // LookupTableImport: initializes a table that is only filled once
  kApply         // ApplyAdam, ...: an optimizer's update
};

// Caches the roles of ops. Not thread-safe.
class StateRoles {
 public:
  StateRole Of(const Op* op) {
    if (op == last_) return last_role_;
    auto [it, added] = roles_.try_emplace(op);
    if (added) it->second = Classify(*op);
    last_ = op;
    return last_role_ = it->second;
  }
  static StateRole Classify(const Op& op);

 private:
  std::unordered_map<const Op*, StateRole> roles_;
  const Op* last_ = nullptr;
  StateRole last_role_ = StateRole::kNone;
};

}  // namespace ramet
