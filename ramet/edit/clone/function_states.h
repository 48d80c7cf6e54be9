#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ramet/graph/function_library.h"
#include "ramet/graph/graph_data.h"

namespace ramet {

// A FunctionStates finds the state that functions of a graph's library create by name: variables,
// tables and queues in their bodies and in those of their callees. Each function is examined once.
class FunctionStates {
 public:
  explicit FunctionStates(const FunctionLibrary& library);
  bool empty() const { return functions_.empty(); }
  const GraphDef& library() const { return library_; }

  // Returns the functions that a node calls through its op or attrs.
  std::vector<std::string> CalledBy(const NodeRecord& node);
  // The state of a function, its callees and its gradient functions, by name.
  struct State {
    std::string name;
    bool is_variable;
    bool operator==(const State&) const = default;
  };
  const std::vector<State>& Behind(const std::string& function);
  const FunctionDef* Find(const std::string& function) const;
  // Returns the gradient function of a function (GradientDef); "" if there is none.
  std::string GradientOf(const std::string& function) const;
  std::vector<std::string> CalledIn(const FunctionDef& def) const;
  // Returns the name of the state of a node in a body; "" if each use has its own state.
  static std::string NameOfState(const NodeDef& node);
  // Reports whether a node of a body creates a variable.
  static bool IsVariable(const NodeDef& node);

 private:
  bool MayCall(const Op* op);

  GraphDef library_;
  std::unordered_map<std::string, const FunctionDef*> functions_;
  std::unordered_map<std::string, std::vector<State>> behind_;
  std::unordered_map<const Op*, bool> callers_;
};

}  // namespace ramet
