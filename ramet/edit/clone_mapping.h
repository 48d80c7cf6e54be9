#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ramet/edit/clone.h"
#include "ramet/graph/graph_impl.h"

namespace ramet {

inline uint64_t EndpointKey(Endpoint e) {
  return (static_cast<uint64_t>(static_cast<uint32_t>(e.node)) << 32) |
         static_cast<uint32_t>(e.index);
}

// A CloneMapping maps the source's parts to those of one clone. Shared by all handles to the clone.
class CloneMapping {
 public:
  CloneMapping(Graph* source, Graph* target) : source(source), target(target) {}

  bool same_graph() const { return source == target; }
  bool IsCloned(NodeId id) const { return Copy(id) >= 0; }
  NodeId Copy(NodeId id) const {
    return static_cast<size_t>(id) < copies.size() ? copies[static_cast<size_t>(id)] : -1;
  }
  bool IsReplaced(Endpoint e) const {
    return !replaced.empty() && replaced.contains(EndpointKey(e));
  }
  VariableId CopyOfVariable(VariableId id) const {
    return static_cast<size_t>(id) < variable_ids.size() ? variable_ids[static_cast<size_t>(id)]
                                                         : -1;
  }
  // Returns the operation's copy; invalid if it has none.
  Operation Of(const Operation& op) const {
    const NodeId id = op.graph() == source ? Copy(op.id()) : -1;
    return id < 0 ? Operation() : Operation(target, id);
  }
  Output Of(const Output& tensor) const {
    if (tensor.graph() != source) return Output();
    auto it = replaced.find(EndpointKey({tensor.op().id(), tensor.index()}));
    if (it != replaced.end()) return Output(Operation(target, it->second.node), it->second.index);
    const Operation op = Of(tensor.op());
    return op.valid() ? Output(op, tensor.index()) : Output();
  }

  Graph* source;
  Graph* target;
  std::string scope;           // without a trailing slash
  std::vector<NodeId> copies;  // by source id; -1 if there is no copy
  std::unordered_map<uint64_t, Endpoint>
      replaced;                          // source tensors that the clone does not compute
  std::vector<VariableId> variable_ids;  // by source id; -1 if there is no copy
  std::vector<ClonedVariable> variables;
  // By position in `variables`: the original's record, or -1.
  std::vector<VariableId> original_ids;
  // By position in `variables`: the name in checkpoints.
  std::vector<std::string> checkpoint_names;
  std::unordered_set<NodeId> shared;  // source operations that the clone uses directly
  // Source tensors of requested outputs, with the Cast back to their dtype.
  std::unordered_map<uint64_t, Endpoint> given_back;
  // Casts of the clone, by their input and dtype.
  std::map<std::pair<uint64_t, DType>, NodeId> casts;
  // The clone's own tables.
  struct Table {
    Operation original, copy;
    std::vector<Operation> initializers;  // of the copy
  };
  std::vector<Table> tables;
  Operation init_op;
  Operation update_op;
  // The operations that Update and Polyak run, by tau.
  struct FedStep {
    std::vector<Output> feeds;  // by position in `variables`
    Operation op;
  };
  std::map<double, FedStep> fed_steps;
};

}  // namespace ramet
