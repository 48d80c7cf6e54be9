#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "ramet/graph/function_library.h"
#include "ramet/graph/graph.h"

namespace ramet {

// A GraphRollback removes everything added to a graph since its construction, unless Keep is
// called: nodes, variables, items of collections, contexts, functions, names. During its lifetime,
// existing edges and attrs must not change and no other thread may add to the graph, but runs may
// proceed. Not thread-safe.
class GraphRollback {
 public:
  explicit GraphRollback(Graph& graph);
  ~GraphRollback();
  GraphRollback(const GraphRollback&) = delete;
  GraphRollback& operator=(const GraphRollback&) = delete;

  void Keep() { kept_ = true; }
  // Notes a new key of UsedNames::in_use.
  void NoteScope(std::string key) { scopes_.push_back(std::move(key)); }
  // Notes that functions were added to the library; `mark` is its previous size.
  void NoteFunctions(FunctionLibrary::Mark mark) { functions_ = mark; }

 private:
  void Undo();
  void RemoveNames();
  void RemoveNodes();
  void RemoveRecords();

  GraphImpl& impl_;
  bool kept_ = false;
  const size_t nodes_, edges_, outputs_, names_, devices_, variables_, contexts_, imported_names_;
  const GraphVersions versions_;
  std::unordered_set<std::string> foreign_ops_;
  std::unordered_map<std::string, size_t> collections_;
  std::vector<std::string> scopes_;
  std::optional<FunctionLibrary::Mark> functions_;
};

}  // namespace ramet
