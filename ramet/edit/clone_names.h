#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ramet/edit/clone_selection.h"

namespace ramet {

// The names that a clone's operations, frames, shared resources and variables get. The target's
// lock is held.
class CloneNames {
 public:
  // \error kInvalidArgument naming dst_scope.
  Status Init(Graph& target, const CloneOptions& options);
  const std::string& scope() const { return scope_; }

  // Appends the new name of an operation to `block`, unique in the target and among those given.
  void AppendNode(std::string_view name, std::string* block);
  // The new name of a frame, a shared resource, a partitioned variable: the same one for the same
  // text, and one that the target does not have.
  std::string Text(const std::string& text);
  // Without the check: a key of get_variable.
  std::string Mapped(std::string_view name) const;

 private:
  void FindTexts(const GraphImpl& target);

  const GraphImpl* target_ = nullptr;
  std::string scope_;   // "copy"
  std::string prefix_;  // "copy/"
  std::string strip_;   // "net/"
  bool fresh_ = false;  // nothing in the target begins with the prefix
  std::unordered_set<std::string> given_;
  std::unordered_set<std::string> texts_in_use_;
  std::unordered_map<std::string, std::string> texts_;
};

}  // namespace ramet
