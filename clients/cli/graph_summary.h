#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cli {

// What a person wants to know of a graph before using it.
struct GraphSummary {
  struct Variable {
    std::string name;
    ramet::DType dtype = ramet::DType::kInvalid;
    ramet::Shape shape = ramet::Shape::Unknown();
    int64_t bytes = 0;  // 0 where the shape is not known, and of texts
    bool trainable = false;
  };
  // An op whose nodes have no kernel here.
  struct Missing {
    std::string op, reason;
    std::vector<std::string> nodes;
  };

  int ops = 0;
  int producer = 0, min_consumer = 0;
  std::string tensorflow_version;
  std::vector<std::string> tags;
  // Placeholders, and what is made from them and read by nobody; those of saver and gradients left
  // out.
  std::vector<ramet::Output> inputs, outputs;
  std::map<std::string, int> op_types;
  std::vector<Variable> variables;
  int64_t variable_bytes = 0, constant_bytes = 0;
  int constants = 0;
  std::map<std::string, size_t> collections;
  std::map<std::string, ramet::Signature> signatures;
  std::vector<Missing> cannot_run;
};

// `info` is what the import of a meta graph gave; of a GraphDef an empty one.
GraphSummary Summarize(ramet::Graph& graph, const ramet::MetaGraphInfo& info);

// One line, then indented ones; lists end after a few items unless `all`.
void PrintGraph(const GraphSummary& graph, bool all);
// Layout: docs/command-line.md.
nlohmann::json ToJson(const GraphSummary& graph);

}  // namespace cli
