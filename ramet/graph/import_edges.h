#pragma once

#include <map>
#include <string>
#include <vector>

#include "ramet/graph/import_names.h"

namespace ramet {

// What an import replaces inputs by, and which of its keys were of use.
class InputRemap {
 public:
  // \error kInvalidArgument if an output is not of `graph`.
  Status Init(const Graph* graph, const std::map<std::string, Output>& input_map);
  // The replacement of an input, or nullptr.
  const Endpoint* Find(const TensorRef& ref);
  bool empty() const { return entries_.empty(); }
  struct Entry {
    std::string key;
    Endpoint target;
    bool used = false;
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
  std::unordered_map<std::string, size_t> by_ref_;
};

// The edges of a GraphDef's nodes as they will stand in the graph: node ids are `base` + the position
// in the file. Data inputs of a node come first.
struct ImportEdges {
  struct Range {
    int32_t first, num_inputs, num_controls;
  };
  std::vector<Endpoint> edges;
  std::vector<Range> ranges;  // by position

  // \error kInvalidArgument naming the node: unknown input, control input before a data input.
  Status Init(const GraphDef& def, const ImportNames& names, NodeId base, InputRemap* remap);

  // Positions in an order in which each node comes after its inputs; a Merge comes after its other
  // inputs where a NextIteration feeds it. \error kInvalidArgument "3 nodes in a cycle" naming one.
  StatusOr<std::vector<int32_t>> Order(const GraphDef& def, NodeId base) const;
};

}  // namespace ramet
