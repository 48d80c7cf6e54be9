#pragma once

#include "ramet/graph/attr_proto.h"
#include "ramet/graph/import_names.h"
#include "ramet/graph/import_ops.h"

namespace ramet {

// The name of the attr that keeps what a NodeDef holds beside name, op, inputs, device and attrs (debug
// info, full types, unknown fields): the bytes of a NodeDef with just that.
inline constexpr char kNodeExtrasAttr[] = "_ramet_node_def";
inline constexpr char kOutputShapesAttr[] = "_output_shapes";

// Reads the attrs of the nodes of one import: renames colocations, fills in defaults, drops
// _output_shapes and what only the writer of the file knew.
class ImportAttrs {
 public:
  explicit ImportAttrs(const ImportNames& names) : names_(names) {}

  // \error kInvalidArgument naming the node: a malformed, missing or wrong attr, an unknown colocation.
  StatusOr<AttrMap> Read(const NodeDef& node, const ImportOp& op);

 private:
  StatusOr<Attr> RenameColocations(const NodeDef& node, Attr classes) const;

  const ImportNames& names_;
  AttrBudget budget_;
  std::vector<const AttrProtoMap::value_type*> sorted_;
};

// The names of the nodes that the _class attr of `node` puts it beside, itself left out.
std::vector<std::string_view> ColocatedWith(const NodeDef& node);

}  // namespace ramet
