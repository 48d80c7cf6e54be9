#pragma once

#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "ramet/runtime/pruned_graph.h"
#include "ramet/runtime/run_order.h"

namespace ramet {

// The LoopFrames of a run say in which frame of TensorFlow 1's control flow each node runs. Frame 0
// is the run itself; the others are the positions of the loops in RunOrder::loops. Nodes with the
// same attr `frame_name` on their Enter share a frame.
class LoopFrames {
 public:
  // Finds the frames of order->nodes, in which each node comes after its sources except for back
  // edges. Adds the loops to order->loops, without units.
  // \error kInvalidArgument: a node reads tensors of different frames, an Exit or
  //   NextIteration is outside of any loop, or loops are nested too deeply.
  static StatusOr<LoopFrames> Find(const PrunedGraph& graph, RunOrder* order);

  // Return the frame that a node reads its inputs in, and the one that its outputs are in.
  int32_t InputFrame(NodeId id) const;
  int32_t OutputFrame(NodeId id) const;
  // Returns the frame in whose units a node is.
  int32_t UnitFrame(NodeId id) const;
  // \error kInvalidArgument: a fetched tensor is inside a loop.
  Status CheckFetches(std::span<const Endpoint> fetches) const;

 private:
  LoopFrames(const PrunedGraph& graph, RunOrder* order) : graph_(&graph), order_(order) {}
  Status AddNode(NodeId id);
  Status AddRole(NodeId id, int32_t frame);
  Status AddEnter(NodeId id, int32_t parent);
  Status AddLoop(NodeId enter, int32_t parent);
  Status CheckBackEdges() const;
  Status DifferentFrames(NodeId id, NodeId a, NodeId b) const;
  std::string NameOf(int32_t frame) const;

  const PrunedGraph* graph_;
  RunOrder* order_;
  std::unordered_map<NodeId, int32_t> frame_;    // of nodes inside loops
  std::unordered_map<NodeId, int32_t> entered_;  // the frame into which an Enter leads
  std::map<std::pair<int32_t, std::string>, int32_t> frame_of_name_;  // by parent and name
};

}  // namespace ramet
