#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ramet/edit/clone_options.h"
#include "ramet/graph/graph_data.h"

namespace ramet {

// A CloneNames names the operations, frames, shared resources and variables of a clone. The
// target's lock is held during use.
class CloneNames {
 public:
  // \error kInvalidArgument: the scope's name is illegal. Names dst_scope.
  Status Init(Graph& target, const CloneOptions& options);
  const std::string& scope() const { return scope_; }

  // Appends the new name of an operation to `block`. It is unique in the target and among the names
  // returned before.
  // \error kInvalidArgument: without a scope, the name is illegal.
  Status AppendNode(std::string_view name, std::string* block);
  // Makes AppendNode check names that can collide with others of the clone.
  void ExpectCollisions() { fresh_ = false; }
  // Returns the new name of a frame, a shared resource or a partitioned variable. Equal texts get
  // equal names. The name is not used in the target.
  std::string Text(const std::string& text);
  // Like Text, but does not check for uniqueness. Used for keys of get_variable.
  std::string Mapped(std::string_view name) const;

 private:
  void FindTexts(const GraphData& target);

  GraphData* target_ = nullptr;
  std::string scope_;   // "copy"
  std::string prefix_;  // "copy/"
  std::string strip_;   // "net/"
  bool fresh_ = false;  // no name of the clone can collide
  std::unordered_set<std::string> given_;
  std::unordered_set<std::string> texts_in_use_;
  std::unordered_map<std::string, std::string> texts_;
  std::unordered_map<std::string, int> next_text_numbers_;
};

}  // namespace ramet
