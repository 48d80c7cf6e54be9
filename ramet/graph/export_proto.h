#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ramet/graph/graph_def.h"
#include "ramet/graph/graph_impl.h"
#include "ramet/proto/graph.pb.h"

namespace ramet {

// The part of a graph that is written, and what its names become (spec: graph-semantics 11).
class ExportScope {
 public:
  // "" is the whole graph; a slash at the end does not count.
  explicit ExportScope(std::string_view scope) : scope_(scope) {
    if (scope_.ends_with('/')) scope_.pop_back();
  }
  const std::string& scope() const { return scope_; }
  // Whether a name belongs to it: it begins with the scope's letters.
  bool Includes(std::string_view name) const { return name.starts_with(scope_); }
  // "S/x" without "S/"; so for "^S/x" and "loc:@S/x". Other names as they are.
  std::string Strip(std::string_view name) const;

 private:
  std::string scope_;
};

inline constexpr char kUnboundInputPrefix[] = "$unbound_inputs_";
inline constexpr char kUnboundInputsCollection[] = "unbound_inputs";

struct GraphWriterOptions {
  GraphDefOptions def = {};
  ExportScope scope{""};
  const std::unordered_set<std::string>* exclude = nullptr;  // names of nodes to leave out
};

// A graph that has been written.
struct GraphBytes {
  std::string bytes;                  // a GraphDef
  std::unordered_set<const Op*> ops;  // of the nodes
  FunctionDefLibrary library;
  // "$unbound_inputs_n" for each input from outside the scope, as often as it stands there.
  std::vector<std::string> unbound;
};

// The definition of an op as the graph knows it, or nullptr if it is only known from use.
const OpSchema* FindSchema(const GraphImpl& impl, const std::string& op);

}  // namespace ramet
