#pragma once

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "ramet/graph/attr_proto.h"
#include "ramet/graph/import_names.h"
#include "ramet/graph/import_ops.h"

namespace ramet {

// The name of the attr that keeps what a NodeDef holds beside name, op, inputs, device and attrs
// (debug info, full types, unknown fields): the bytes of a NodeDef with just that.
inline constexpr char kNodeExtrasAttr[] = "_ramet_node_def";
// The name of the attr that keeps those attrs that an Attr does not hold whole (names of
// dimensions, constants written as repeated values, unknown fields): the bytes of a NodeDef with
// just those.
inline constexpr char kOriginalAttrsAttr[] = "_ramet_attrs";
inline constexpr char kOutputShapesAttr[] = "_output_shapes";

// The attrs of a node and what its op's definition makes of them. Nodes alike share one.
struct AttrSet {
  std::shared_ptr<const AttrMap> attrs;
  // The dtypes of inputs and outputs; empty when nothing defines the op.
  const std::vector<DType>* inputs;
  const std::vector<DType>* outputs;
};

// What _output_shapes says of each output.
using StatedShapes = std::vector<StatusOr<Shape>>;

// The attrs of a node with those that stand aside: they are not in the set that nodes share.
struct NodeAttrs {
  const NodeView* view;
  const AttrView* output_shapes = nullptr;  // may be nullptr
  const AttrView* classes = nullptr;        // may be nullptr
  bool IsAside(const AttrView& attr) const { return &attr == output_shapes || &attr == classes; }
  // Of those that are not aside.
  size_t size() const {
    return view->attrs.size() - (output_shapes != nullptr) - (classes != nullptr);
  }
};

// What an import reads from the attrs of one node.
struct ImportedAttrs {
  const AttrSet* set = nullptr;
  const StatedShapes* output_shapes = nullptr;  // may be nullptr
  // What _class puts the node beside, itself left out: num_colocated of ImportAttrs::colocated().
  size_t first_colocated = 0;
  size_t num_colocated = 0;
};

// Reads the attrs of the nodes of one import: renames colocations, fills in defaults, sets
// _output_shapes aside, drops what only the writer of the file knew. Borrows the nodes.
class ImportAttrs {
 public:
  explicit ImportAttrs(const ImportNames& names) : names_(names) {}

  // The set lives as long as this object.
  // \error kInvalidArgument naming the node: a malformed, missing or wrong attr, an unknown
  //   colocation; kDataLoss if the bytes of one are no AttrValue.
  StatusOr<ImportedAttrs> Read(const NodeView& node, const ImportOp& op);
  // Positions in the file of the nodes that others are beside.
  const std::vector<int32_t>& colocated() const { return colocated_; }

 private:
  // The first node that had these attrs, and its set.
  struct Known {
    const ImportOp* op;
    NodeAttrs node;
    const AttrSet* set;
  };
  StatusOr<const StatedShapes*> ReadShapes(const NodeView& node, std::string_view value);
  StatusOr<const AttrSet*> ReadSet(const NodeAttrs& node, const ImportOp& op);
  StatusOr<const AttrSet*> Build(const NodeAttrs& attr_views, const ImportOp& op);
  StatusOr<AttrMap> ReadAttrs(const NodeAttrs& node, const ImportOp& op);
  StatusOr<const AttrSet*> AddColocations(const NodeView& node, const AttrSet& set,
                                          std::string_view classes);
  // What is in value_.
  StatusOr<Attr> ReadAttr(std::string_view name, const ImportOp& op);
  // Into value_.
  Status ReadValue(const NodeView& node, const AttrView& attr);

  const ImportNames& names_;
  AttrBudget budget_;
  std::deque<AttrSet> sets_;
  std::deque<std::vector<DType>> types_;
  std::vector<int32_t> colocated_;
  std::unordered_multimap<uint64_t, Known> known_;
  std::unordered_map<std::string_view, StatedShapes> shapes_;
  std::vector<const AttrView*> sorted_;
  AttrValue value_;
};

}  // namespace ramet
