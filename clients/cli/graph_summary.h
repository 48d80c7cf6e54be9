#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cli {

// The summary of a graph that `ramet inspect` prints.
struct GraphSummary {
  struct Variable {
    std::string name;
    ramet::DType dtype = ramet::DType::kInvalid;
    ramet::Shape shape = ramet::Shape::Unknown();
    int64_t bytes = 0;  // 0 for an unknown shape and for strings
    bool trainable = false;
  };
  // An op that cannot run, with the nodes that use it.
  struct Missing {
    std::string op, reason;
    std::vector<std::string> nodes;
  };

  int ops = 0;
  int producer = 0, min_consumer = 0;
  std::string tensorflow_version;
  std::vector<std::string> tags;
  // The placeholders, and the tensors that depend on one and that no other operation reads, without
  // those of savers and gradients.
  std::vector<ramet::Output> inputs, outputs;
  std::map<std::string, int> op_types;
  std::vector<Variable> variables;
  int64_t variable_bytes = 0, constant_bytes = 0;
  int constants = 0;
  std::map<std::string, size_t> collections;
  std::map<std::string, ramet::Signature> signatures;
  std::vector<Missing> cannot_run;
};

// `info` is the result of importing a MetaGraphDef; it is empty for a GraphDef.
GraphSummary Summarize(ramet::Graph& graph, const ramet::MetaGraphInfo& info);

// Prints one line, then indented ones. Shortens long lists unless `all`.
void PrintGraph(const GraphSummary& graph, bool all);
// docs/command-line.md describes the layout.
nlohmann::json ToJson(const GraphSummary& graph);

}  // namespace cli
