#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ramet/base/mutex.h"
#include "ramet/base/status.h"
#include "ramet/graph/function_body.h"
#include "ramet/proto/graph.pb.h"

namespace ramet {

// The functions of a graph, the instantiated bodies, and the rest of a GraphDef that a Graph cannot
// hold (debug info, unknown fields). Graphs of function bodies share it. Functions are only added,
// so pointers returned by Find stay valid. Thread-safe.
class FunctionLibrary {
 public:
  using Body = std::shared_ptr<const FunctionBody>;
  // Returns the body of a function of the graph's library for arguments of these shapes.
  using BodyFinder = StatusOr<Body> (*)(const GraphImpl& graph, const FunctionRef& ref,
                                        const std::vector<Shape>& arg_shapes);

  // Checks that AddFunctions(def) can succeed.
  // \error kInvalidArgument: the library and `def` have different bodies for one function name or
  //   different gradients for one function.
  Status Check(const GraphDef& def) const;
  // The size of the library at some moment.
  struct Mark {
    int functions = 0;
    int gradients = 0;
  };
  // Adds the functions and gradients of a GraphDef, whose nodes may be missing. Call Check first.
  // Returns the size before. Shape inference finds bodies through `find_body`, since this layer
  // cannot read a FunctionDef.
  Mark AddFunctions(const GraphDef& def, BodyFinder find_body);
  // Removes everything added since `mark`.
  void Remove(const Mark& mark);
  // Adds everything else: debug info and unknown fields (of the versions, too).
  void AddRest(const GraphDef& def);
  // Add one function or gradient. Errors are those of Check.
  Status AddFunction(const FunctionDef& def, BodyFinder find_body);
  Status AddGradient(const GradientDef& def);
  // Copies the whole library to `*def`.
  void CopyTo(GraphDef* def) const;

  // Returns nullptr if there is no such function.
  const FunctionDef* Find(std::string_view name) const;
  std::string GradientOf(std::string_view name) const;
  std::vector<std::string> names() const;
  // Reserves a name that no function has: "f", "f_1".
  std::string UniqueName(std::string_view name);

  // Returns the body cached under `key`, or caches and returns the result of `make`.
  StatusOr<Body> BodyFor(const std::string& key, const std::function<StatusOr<Body>()>& make);
  // The function that the last addition passed, or nullptr if the library is empty.
  BodyFinder body_finder() const;
  // Drops the cached bodies, which hold references to the library, and disables caching. Called
  // when the graph of the library is destroyed.
  void Close();

 private:
  void IndexFunction(const FunctionDef& def) RAMET_REQUIRES(mutex_);

  mutable SharedMutex mutex_;
  GraphDef rest_ RAMET_GUARDED_BY(mutex_);
  std::unordered_map<std::string_view, const FunctionDef*> functions_ RAMET_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::string> gradients_ RAMET_GUARDED_BY(mutex_);
  std::unordered_map<std::string, int> used_names_ RAMET_GUARDED_BY(mutex_);
  std::unordered_map<std::string, Body> bodies_ RAMET_GUARDED_BY(mutex_);
  BodyFinder find_body_ RAMET_GUARDED_BY(mutex_) = nullptr;
  bool closed_ RAMET_GUARDED_BY(mutex_) = false;
};

// The library of a graph. The graph's lock is not needed.
const FunctionLibrary& LibraryOf(const Graph& graph);
FunctionLibrary& LibraryOf(Graph& graph);

}  // namespace ramet
