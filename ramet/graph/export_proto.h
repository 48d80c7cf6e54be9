#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ramet/graph/graph_def.h"
#include "ramet/graph/graph_impl.h"
#include "ramet/proto/graph.pb.h"

namespace ramet {

// The part of a graph to write, and its renaming.
class ExportScope {
 public:
  // "" is the whole graph. A trailing slash is ignored.
  explicit ExportScope(std::string_view scope) : scope_(scope) {
    if (scope_.ends_with('/')) scope_.pop_back();
  }
  const std::string& scope() const { return scope_; }
  // Reports whether a name belongs to the scope: its text begins with the scope's.
  bool Includes(std::string_view name) const { return name.starts_with(scope_); }
  // Strips "S/" from "S/x", "^S/x" and "loc:@S/x". Returns other names unchanged.
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
  // One "$unbound_inputs_n" per input from outside the scope, in each place where it is used.
  std::vector<std::string> unbound;
};

// Returns the graph's definition of an op, or nullptr if the op is known only from use.
const OpSchema* FindSchema(const GraphImpl& impl, const std::string& op);

}  // namespace ramet
