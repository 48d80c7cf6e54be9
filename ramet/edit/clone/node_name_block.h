#pragma once

#include <string_view>
#include <vector>

#include "ramet/edit/clone/dtypes.h"
#include "ramet/edit/clone/mapping.h"
#include "ramet/edit/clone/names.h"

namespace ramet {

// A NodeNameBlock holds the names of all new nodes of a clone, in the order of their ids, in one
// block of memory of the target. The caller holds the locks of both graphs.
class NodeNameBlock {
 public:
  explicit NodeNameBlock(const CloneMapping& mapping) : mapping_(mapping) {}
  // `first` is the id of the first new node.
  Status Write(const CloneSelection& selection, const CloneDtypes& dtypes, NodeId first,
               CloneNames* names);
  // Returns the name of a node of the clone.
  std::string_view Of(NodeId new_node) const;
  // Returns the name of the copy of a node of the source.
  std::string_view OfCopy(NodeId id) const { return Of(mapping_.Copy(id)); }

 private:
  const CloneMapping& mapping_;
  NodeId first_ = 0;
  std::string_view block_;
  std::vector<size_t> ends_;
};

}  // namespace ramet
