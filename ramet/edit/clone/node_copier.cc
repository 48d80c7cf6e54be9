#include "ramet/edit/clone/node_copier.h"

#include "ramet/base/run_interrupt.h"
#include "ramet/graph/build_state.h"
#include "ramet/graph/edit_graph.h"

namespace ramet {
namespace {

// How many nodes are copied between two looks for an interrupt.
constexpr size_t kCopiedPerCheck = 1024;

// Reserves space for `added` more elements: just enough for a large clone, and geometrically for a
// series of small ones.
template <class T>
void ReserveMore(std::vector<T>& v, size_t added) {
  const size_t needed = v.size() + added;
  if (needed <= v.capacity()) return;
  // Leaves some space for the operations that initialize the clone.
  v.reserve(added > v.size() / 4 ? needed + added / 16 + 64 : v.size() + v.size() / 2);
}

}  // namespace

NodeCopier::NodeCopier(const CloneSelection& selection, const CloneDtypes& dtypes,
                       const FunctionCopies& functions, const CopiedEdges& edges,
                       CopiedDevices& devices, const CloneDevice& device, CloneNames& names,
                       const CloneMapping& mapping)
    : selection_(selection),
      dtypes_(dtypes),
      edges_(edges),
      devices_(devices),
      names_(names),
      target_(MutableGraphDataOf(*mapping.target)),
      node_names_(mapping),
      saved_names_(selection, names, node_names_),
      ops_(functions, mapping),
      attrs_(selection, dtypes.changes(), functions, saved_names_,
             ColocationGroups(mapping, node_names_, device), names) {}

Status NodeCopier::CopyAll() {
  Reserve();
  RAMET_RETURN_IF_ERROR(node_names_.Write(selection_, dtypes_, edges_.first(), &names_));
  saved_names_.Rename();
  for (Endpoint cut : selection_.boundary().cuts()) AppendPlaceholder(cut);
  size_t position = 0;
  for (NodeId id : selection_.nodes()) {
    if (position % kCopiedPerCheck == 0 && StopDue()) return InterruptedStatus();
    attrs_.Prefetch(position);
    AppendCopy(id, position++);
  }
  for (const CastPlan::Cast& cast : dtypes_.casts().casts()) AppendCast(cast);
  if (StopDue()) return InterruptedStatus();
  target_.node_names.AddFrom(target_.nodes, edges_.first());
  return OkStatus();
}

void NodeCopier::Reserve() {
  size_t edges = 0, outputs = 0;
  for (NodeId id : selection_.nodes()) {
    const NodeRecord& n = source().nodes[id];
    edges += static_cast<size_t>(n.num_inputs + n.num_controls);
    outputs += static_cast<size_t>(n.num_outputs);
  }
  const size_t casts = dtypes_.casts().casts().size();
  const size_t made = selection_.boundary().cuts().size() + casts;
  const size_t nodes = selection_.nodes().size() + made;
  ReserveMore(target_.nodes, nodes);
  ReserveMore(target_.edges, edges + casts);
  ReserveMore(target_.outputs, outputs + made);
  ReserveMore(target_.build_state.names.imported, nodes);
  // The operations that initialize the clone follow.
  target_.node_names.Reserve(target_.nodes.size() + nodes + nodes / 16);
}

void NodeCopier::AppendPlaceholder(Endpoint cut) {
  OutputRecord output = source().output(cut);
  output.dtype = BaseType(output.dtype);
  const ClonePlaceholder* requested = selection_.boundary().RequestedPlaceholder(cut);
  if (requested != nullptr && requested->shape) output.shape = *requested->shape;
  NodeRecord node = NewNode("Placeholder");
  node.attrs =
      std::make_shared<const AttrMap>(AttrMap{{"dtype", output.dtype}, {"shape", output.shape}});
  node.num_outputs = 1;
  target_.outputs.push_back(std::move(output));
  AppendNode(std::move(node));
}

// The cast is on the device of its input if that is part of the clone, otherwise on its reader's.
void NodeCopier::AppendCast(const CastPlan::Cast& cast) {
  const Endpoint from = edges_.Mapped(cast.from);
  const bool with_input = from.node >= edges_.first() || cast.reader < 0;
  const NodeId neighbor = with_input ? from.node : edges_.Copy(cast.reader);
  NodeRecord node = NewNode("Cast");
  node.attrs = std::make_shared<const AttrMap>(
      AttrMap{{"DstT", cast.dtype}, {"SrcT", cast.from_dtype}, {"Truncate", false}});
  node.device = target_.nodes[neighbor].device;
  node.num_inputs = 1;
  target_.edges.push_back(from);
  node.num_outputs = 1;
  target_.outputs.push_back({cast.dtype, Shape(source().output(cast.from).shape)});
  AppendNode(std::move(node));
}

void NodeCopier::AppendCopy(NodeId id, size_t position) {
  const NodeRecord& original = source().nodes[id];
  const CopiedOp& op = ops_.Of(original.op);
  NodeRecord copy{};
  copy.op = op.target;
  copy.device = devices_.Of(position);
  copy.num_inputs = original.num_inputs;
  copy.num_outputs = original.num_outputs;
  edges_.Append(id, &copy);
  copy.first_output = static_cast<int32_t>(target_.outputs.size());
  if (op.has_frame && selection_.open_enters().contains(id)) {
    const DType type = dtypes_.changes().TypeOf({id, 0});
    copy.op = OpRegistry::Global().Find(IsRef(type) ? "RefIdentity" : "Identity");
    copy.attrs = std::make_shared<const AttrMap>(AttrMap{{"T", BaseType(type)}});
    const Shape& known = source().output({id, 0}).shape;
    auto shape = known.MergeWith(source().output(source().inputs(id)[0]).shape);
    target_.outputs.push_back({type, shape.ok() ? *std::move(shape) : known});
  } else {
    copy.attrs = attrs_.Of(id, op);
    AppendOutputs(id, &copy);
  }
  AppendNode(std::move(copy));
}

void NodeCopier::AppendOutputs(NodeId id, NodeRecord* copy) {
  const int32_t from = source().nodes[id].first_output;
  for (int32_t i = 0; i < copy->num_outputs; ++i) {
    target_.outputs.push_back(OutputRecord(source().outputs[static_cast<size_t>(from + i)]));
    if (!dtypes_.none()) target_.outputs.back().dtype = dtypes_.changes().TypeOf({id, i});
  }
}

NodeRecord NodeCopier::NewNode(std::string_view op) const {
  NodeRecord node{};
  node.op = OpRegistry::Global().Find(op);
  node.first_edge = static_cast<int32_t>(target_.edges.size());
  node.first_output = static_cast<int32_t>(target_.outputs.size());
  return node;
}

void NodeCopier::AppendNode(NodeRecord&& node) {
  node.name = node_names_.Of(static_cast<NodeId>(target_.nodes.size()));
  target_.build_state.names.imported.push_back(node.name);
  target_.nodes.push_back(std::move(node));
}

}  // namespace ramet
