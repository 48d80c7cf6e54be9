#pragma once

#include <unordered_map>
#include <vector>

#include "ramet/graph/graph_impl.h"

namespace ramet {

// The input edges of a node as they are to be.
struct PlannedEdges {
  std::vector<Endpoint> inputs;
  std::vector<NodeId> controls;
};

// The edges of a graph with those of some nodes replaced. The graph's lock is held as long as it is
// used.
class EdgePlan {
 public:
  explicit EdgePlan(const GraphImpl& impl) : impl_(impl) {}

  // The planned edges of a node, at first those that it has.
  PlannedEdges& Edit(NodeId id);
  const std::unordered_map<NodeId, PlannedEdges>& edited() const { return edited_; }
  const GraphImpl& impl() const { return impl_; }

  // The producers that a node waits for, without the back edges of loops.
  std::vector<NodeId> Producers(NodeId id) const;

  // Puts the planned edges into the graph, whose lock is held for writing.
  void Write(GraphImpl& impl) const;

 private:
  const GraphImpl& impl_;
  std::unordered_map<NodeId, PlannedEdges> edited_;
};

// Whether an edge that is new in the plan is part of a cycle.
// \error kInvalidArgument naming both ends of such an edge.
Status CheckNoNewCycle(const EdgePlan& plan);

}  // namespace ramet
