#pragma once

#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ramet/base/status.h"
#include "ramet/graph/function.h"
#include "ramet/proto/graph.pb.h"

namespace ramet {

// The functions of a graph, with everything else of a GraphDef that has no other place in a graph
// (debug info, unknown fields), and the bodies that were made of them. Graphs of function bodies
// share it. Functions are only added: what Find has given stays as it is. Thread-safe.
class FunctionLibrary {
 public:
  // Whether Add(def) can be done. \error kInvalidArgument if both have a function of one name and
  //   the bodies differ, or two gradients for one function.
  Status Check(const GraphDef& def) const;
  // How much the library holds.
  struct Mark {
    int functions = 0;
    int gradients = 0;
  };
  // Adds the functions and their gradients of a GraphDef, which may lack its nodes. Only after
  // Check. Returns what there was before.
  Mark AddFunctions(const GraphDef& def);
  // Takes away what has been added since.
  void Remove(const Mark& mark);
  // Adds the others: debug info and unknown fields (those of the versions too).
  void AddRest(const GraphDef& def);
  Status AddFunction(const FunctionDef& def);
  Status AddGradient(const GradientDef& def);
  // All of it over `*def`.
  void CopyTo(GraphDef* def) const;

  // nullptr if there is none.
  const FunctionDef* Find(std::string_view name) const;
  std::string GradientOf(std::string_view name) const;
  std::vector<std::string> names() const;
  // Reserves a name that no function has: "f", "f_1".
  std::string UniqueName(std::string_view name);

  // What is kept under `key`, or else what `make` makes.
  using Body = std::shared_ptr<const FunctionBody>;
  StatusOr<Body> BodyFor(const std::string& key, const std::function<StatusOr<Body>()>& make);
  // Forgets the bodies, which hold the library, and keeps no more: the graph that it was made for
  // is gone.
  void Close();

 private:
  void IndexFunction(const FunctionDef& def);

  mutable std::shared_mutex mutex_;
  GraphDef rest_;
  std::unordered_map<std::string_view, const FunctionDef*> functions_;
  std::unordered_map<std::string, std::string> gradients_;
  std::unordered_map<std::string, int> used_names_;
  std::unordered_map<std::string, Body> bodies_;
  bool closed_ = false;
};

}  // namespace ramet
