#pragma once

#include <string_view>

#include "ramet/edit/clone/copied_attrs.h"
#include "ramet/edit/clone/copied_devices.h"
#include "ramet/edit/clone/copied_edges.h"
#include "ramet/edit/clone/copied_ops.h"
#include "ramet/edit/clone/node_name_block.h"
#include "ramet/edit/clone/saved_names.h"

namespace ramet {

// A NodeCopier appends the clone's nodes to the target's arrays, as CopiedEdges has numbered them.
// It cannot fail. The caller holds the locks of both graphs.
class NodeCopier {
 public:
  NodeCopier(const CloneSelection& selection, const CloneDtypes& dtypes,
             const FunctionCopies& functions, const CopiedEdges& edges, CopiedDevices& devices,
             const CloneDevice& device, CloneNames& names, const CloneMapping& mapping);
  // \error kCancelled: the client interrupts the call.
  Status CopyAll();

 private:
  const GraphData& source() const { return selection_.impl(); }
  void Reserve();
  void AppendPlaceholder(Endpoint cut);
  void AppendCopy(NodeId id, size_t position);
  void AppendCast(const CastPlan::Cast& cast);
  NodeRecord NewNode(std::string_view op) const;
  void AppendOutputs(NodeId id, NodeRecord* copy);
  void AppendNode(NodeRecord&& node);

  const CloneSelection& selection_;
  const CloneDtypes& dtypes_;
  const CopiedEdges& edges_;
  CopiedDevices& devices_;
  CloneNames& names_;
  GraphData& target_;
  NodeNameBlock node_names_;
  SavedNames saved_names_;
  CopiedOps ops_;
  CopiedAttrs attrs_;
};

}  // namespace ramet
