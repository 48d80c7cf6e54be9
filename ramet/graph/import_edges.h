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

// The nodes of a GraphDef in the order in which they are created, which is TensorFlow's: each comes
// after its inputs (a Merge after its other inputs where a NextIteration feeds it), the earliest in
// the file first. Node i gets the id `base` + i; its edges hold ids of the graph, data inputs
// first.
class ImportEdges {
 public:
  struct Range {
    int32_t first, num_inputs, num_controls;
  };
  // \error kInvalidArgument naming a node: unknown input, control input before a data input, "3
  // nodes in
  //   a cycle".
  Status Init(const GraphDefView& def, const ImportNames& names, NodeId base, InputRemap* remap);

  const std::vector<Endpoint>& edges() const { return edges_; }
  const std::vector<Range>& ranges() const { return ranges_; }
  // The position in the file of node i, and the reverse.
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
