#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ramet/edit/cloned.h"
#include "ramet/graph/graph_data.h"

namespace ramet {

// The clone's own variables, in the order of the originals.
struct CopiedVariables {
  // The original of a variable: its record in the source, or -1, and its name in checkpoints.
  struct Origin {
    VariableId id;
    std::string checkpoint_name;
  };
  std::vector<ClonedVariable> list;
  std::vector<Origin> origins;     // by position in `list`
  std::vector<VariableId> copies;  // by source id; -1 if there is no copy
};

// One of the clone's own tables.
struct CopiedTable {
  Operation original, copy;
  std::vector<Operation> initializers;  // of the copy
};

// The operations that give a clone's variables values.
struct CloneSteps {
  // An operation that assigns values fed to it.
  struct Fed {
    std::vector<Output> feeds;  // by position in CopiedVariables::list
    Operation op;
  };
  Operation init, update;
  std::map<double, Fed> fed;  // for Update and Polyak, by tau
};

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
    return static_cast<size_t>(id) < variables.copies.size()
               ? variables.copies[static_cast<size_t>(id)]
               : -1;
  }
  // Returns the operation's copy; invalid if it has none.
  Operation Of(const Operation& op) const {
    const NodeId id = op.graph() == source ? Copy(op.id()) : -1;
    return id < 0 ? Operation() : Operation(target, id);
  }
  // Returns the replacement of the tensor or the copy's output; invalid if there is neither.
  Output Of(const Output& tensor) const {
    if (tensor.graph() != source) return Output();
    auto it = replaced.find(EndpointKey({tensor.op().id(), tensor.index()}));
    if (it != replaced.end()) return Output(Operation(target, it->second.node), it->second.index);
    return Copied(tensor);
  }
  // Returns the copy's output, ignoring replacements; invalid if there is no copy.
  Output Copied(const Output& tensor) const {
    const Operation op = tensor.valid() ? Of(tensor.op()) : Operation();
    return op.valid() ? Output(op, tensor.index()) : Output();
  }
  // Returns the tensor that a copy uses: the tensor itself if it is outside of a clone within the
  // same graph.
  Output CopiedOrSame(const Output& tensor) const {
    if (!tensor.valid()) return tensor;
    const Output copy = Of(tensor);
    return copy.valid() || !same_graph() ? copy : tensor;
  }

  Graph* source;
  Graph* target;
  std::string scope;           // without a trailing slash
  std::vector<NodeId> copies;  // by source id; -1 if there is no copy
  // Source tensors that the clone does not compute.
  std::unordered_map<uint64_t, Endpoint> replaced;
  // Source tensors of requested outputs, with the Cast back to their dtype.
  std::unordered_map<uint64_t, Endpoint> restored_dtypes;
  std::unordered_set<NodeId> shared;  // source operations that the clone uses directly
  CopiedVariables variables;
  std::vector<CopiedTable> tables;
  CloneSteps steps;
};

}  // namespace ramet
