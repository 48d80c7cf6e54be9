#pragma once

#include <map>
#include <string>
#include <vector>

#include "ramet/graph_def/import_names.h"

namespace ramet {

// The replacements of inputs in an import (ImportOptions::input_map), with the keys that were used.
class InputRemap {
 public:
  // \error kInvalidArgument: an output does not belong to `graph`.
  Status Init(const Graph* graph, const std::map<std::string, Output>& input_map);
  // Returns the replacement of an input, or nullptr.
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

// The nodes of a GraphDef in TensorFlow's creation order. Each node comes after its inputs, but a
// Merge need not come after a NextIteration that feeds it. Otherwise nodes are in file order. Node
// i gets the id `base` + i. Its edges hold ids of the graph, data inputs first.
class ImportEdges {
 public:
  struct Range {
    int32_t first, num_inputs, num_controls;
  };
  // \error kInvalidArgument: an unknown input, a control input before a data input, or "3 nodes in
  //   a cycle". Names a node.
  Status Init(const GraphDefView& def, const ImportNames& names, NodeId base, InputRemap* remap);

  const std::vector<Endpoint>& edges() const { return edges_; }
  const std::vector<Range>& ranges() const { return ranges_; }
  // Maps node i to its file position, and back.
  int32_t position(int32_t i) const { return order_[i]; }
  int32_t rank(int32_t position) const { return ranks_[position]; }

 private:
  Status Read(const GraphDefView& def, const ImportNames& names, NodeId base, InputRemap* remap);
  Status Sort(const GraphDefView& def, NodeId base);
  void Permute(NodeId base);

  std::vector<Endpoint> edges_;
  std::vector<Range> ranges_;
  std::vector<int32_t> order_, ranks_;
};

}  // namespace ramet
