#pragma once

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "ramet/graph_def/import_names.h"
#include "ramet/graph_def/import_ops.h"
#include "ramet/wire/attr_proto.h"

namespace ramet {

// The attr that keeps the parts of a NodeDef other than name, op, inputs, device and attrs (debug
// info, full types, unknown fields). Its value is a serialized NodeDef with just those parts.
inline constexpr char kNodeExtrasAttr[] = "_ramet_node_def";
// The attr that keeps attrs that an Attr cannot represent fully (names of dimensions, constants
// written as repeated values, unknown fields). Its value is a serialized NodeDef with just those
// attrs.
inline constexpr char kOriginalAttrsAttr[] = "_ramet_attrs";
inline constexpr char kOutputShapesAttr[] = "_output_shapes";

// The attrs of a node and the dtypes that the op's definition derives from them. Nodes with equal
// attrs share one.
struct AttrSet {
  std::shared_ptr<const AttrMap> attrs;
  // The dtypes of inputs and outputs; empty if the op has no definition.
  const std::vector<DType>* inputs;
  const std::vector<DType>* outputs;
};

// The shape of each output according to _output_shapes.
using StatedShapes = std::vector<StatusOr<Shape>>;

// The attrs of a node. _output_shapes and _class are set aside, since they are not part of the set
// that nodes share.
struct NodeAttrs {
  const NodeView* view;
  const AttrView* output_shapes = nullptr;  // may be nullptr
  const AttrView* classes = nullptr;        // may be nullptr
  bool IsAside(const AttrView& attr) const { return &attr == output_shapes || &attr == classes; }
  // The number of attrs that are not set aside.
  size_t size() const {
    return view->attrs.size() - (output_shapes != nullptr) - (classes != nullptr);
  }
};

// The result of reading the attrs of one node.
struct ImportedAttrs {
  const AttrSet* set = nullptr;
  const StatedShapes* output_shapes = nullptr;  // may be nullptr
  // The nodes that _class colocates this one with, except itself: `num_colocated` elements of
  // ImportAttrs::colocated().
  size_t first_colocated = 0;
  size_t num_colocated = 0;
};

// Reads the attrs of the nodes of one import. It renames colocations, fills in defaults, sets
// _output_shapes aside, and drops attrs that only the writer of the file knew. Borrows the nodes.
class ImportAttrs {
 public:
  explicit ImportAttrs(const ImportNames& names) : names_(names) {}

  // The returned set lives as long as this object.
  // \error kInvalidArgument: an attr is malformed, missing or wrong, or a colocation is unknown.
  //   Names the node.
  // \error kDataLoss: the bytes of an attr are not an AttrValue.
  StatusOr<ImportedAttrs> Read(const NodeView& node, const ImportOp& op);
  // File positions of the nodes that others are colocated with.
  const std::vector<int32_t>& colocated() const { return colocated_; }

 private:
  // The first node with these attrs, and its set.
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
  // Converts value_.
  StatusOr<Attr> ReadAttr(std::string_view name, const ImportOp& op);
  // Parses into value_.
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
