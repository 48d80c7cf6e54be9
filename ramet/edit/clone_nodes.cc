#include "ramet/edit/clone_nodes.h"

#include <algorithm>

#include "ramet/graph/build_state.h"
#include "ramet/op/control_flow.h"

namespace ramet {
namespace {

constexpr size_t kMaxNodes = size_t{1} << 30;

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

CloneNodes::CloneNodes(const CloneSelection& selection, const CloneDtypes& dtypes,
                       const CloneFunctions& functions, const CloneOptions& options,
                       CloneNames& names, CloneMapping& mapping)
    : selection_(selection),
      dtypes_(dtypes),
      functions_(functions),
      saves_(selection, names),
      options_(options),
      names_(names),
      mapping_(mapping),
      source_(mapping.source->impl()),
      target_(mapping.target->impl()),
      same_(mapping.same_graph()) {}

void CloneNodes::AskDevices() {
  const auto* function = std::get_if<CloneDevice::Function>(&options_.device.rule());
  if (function == nullptr) return;
  for (NodeId id : selection_.nodes()) {
    asked_devices_.push_back((*function)(Operation(mapping_.source, id)));
  }
}

Status CloneNodes::Prepare() {
  if (target_.finalized) return FailedPrecondition("Graph is finalized and cannot be modified.");
  const size_t added =
      selection_.nodes().size() + selection_.cuts().size() + dtypes_.casts().size();
  if (target_.nodes.size() + added > kMaxNodes) {
    return ResourceExhausted("a graph cannot hold ", target_.nodes.size(), " + ", added, " nodes");
  }
  NumberNodes();
  return same_ ? OkStatus() : CheckOutsideInputs();
}

void CloneNodes::NumberNodes() {
  base_ = static_cast<NodeId>(target_.nodes.size());
  NodeId next = base_;
  for (Endpoint cut : selection_.cuts()) {
    mapping_.replaced[EndpointKey(cut)] = {next, 0};
    cut_nodes_[cut.node].push_back(next++);
  }
  for (const auto& [tensor, by] : selection_.replacements()) {
    mapping_.replaced[EndpointKey(tensor)] = {by.op().id(), by.index()};
    cut_nodes_[tensor.node].push_back(by.op().id());
  }
  mapping_.copies.assign(source_.nodes.size(), -1);
  for (NodeId id : selection_.nodes()) mapping_.copies[static_cast<size_t>(id)] = next++;
  NumberSplices();
  NumberCasts(next);
}

Endpoint CloneNodes::Mapped(Endpoint e) const {
  if (mapping_.IsReplaced(e)) return mapping_.replaced.at(EndpointKey(e));
  const NodeId copy = mapping_.Copy(e.node);
  return {copy >= 0 ? copy : e.node, e.index};
}

void CloneNodes::NumberSplices() {
  for (const auto& [key, from] : selection_.splices()) {
    mapping_.replaced[key] = Mapped(selection_.Unspliced(from));
  }
}

void CloneNodes::NumberCasts(NodeId first) {
  first_cast_ = first;
  const auto& casts = dtypes_.casts();
  for (size_t i = 0; i < casts.size(); ++i) {
    const NodeId id = first + static_cast<NodeId>(i);
    mapping_.casts[{EndpointKey(casts[i].from), casts[i].dtype}] = id;
  }
  for (const auto& [e, cast] : dtypes_.given_back()) {
    mapping_.given_back[EndpointKey(e)] = {first + cast, 0};
  }
}

Status CloneNodes::CheckOutsideInputs() const {
  for (NodeId id : selection_.nodes()) {
    for (int32_t i = 0; i < source_.nodes[id].num_inputs; ++i) {
      const Endpoint e = selection_.Unspliced(selection_.InputOf(id, i));
      if (mapping_.IsCloned(e.node) || mapping_.IsReplaced(e)) continue;
      return InvalidArgument("clone: inputs: node '", source_.nodes[id].name, "' reads '",
                             source_.nodes[e.node].name, ":", e.index,
                             "', which is not cloned into the target graph; add it to inputs "
                             "(it becomes a placeholder) or to input_map");
    }
  }
  return OkStatus();
}

void CloneNodes::Reserve() {
  size_t edges = 0, outputs = 0;
  for (NodeId id : selection_.nodes()) {
    const NodeRecord& n = source_.nodes[id];
    edges += static_cast<size_t>(n.num_inputs + n.num_controls);
    outputs += static_cast<size_t>(n.num_outputs);
  }
  const size_t made = selection_.cuts().size() + dtypes_.casts().size();
  const size_t nodes = selection_.nodes().size() + made;
  ReserveMore(target_.nodes, nodes);
  ReserveMore(target_.edges, edges + dtypes_.casts().size());
  ReserveMore(target_.outputs, outputs + made);
  ReserveMore(target_.build_state.imported_names, nodes);
  // The operations that initialize the clone follow.
  target_.node_names.Reserve(target_.nodes.size() + nodes + nodes / 16);
}

void CloneNodes::WriteNames() {
  std::string& block = target_.names.emplace_back();
  name_ends_.reserve(selection_.cuts().size() + selection_.nodes().size() + dtypes_.casts().size());
  size_t bytes = 0;
  for (NodeId id : selection_.nodes()) bytes += source_.nodes[id].name.size();
  block.reserve(bytes + selection_.nodes().size() * (names_.scope().size() + 1));
  for (Endpoint cut : selection_.cuts()) {
    std::string name(source_.nodes[cut.node].name);
    if (cut.index > 0 || mapping_.IsCloned(cut.node)) name += StrCat("_", cut.index);
    const ClonePlaceholder* asked = selection_.AskedPlaceholder(cut);
    names_.AppendNode(asked != nullptr && !asked->name.empty() ? asked->name : name, &block);
    name_ends_.push_back(block.size());
  }
  for (NodeId id : selection_.nodes()) {
    names_.AppendNode(source_.nodes[id].name, &block);
    name_ends_.push_back(block.size());
  }
  for (const CloneDtypes::Cast& cast : dtypes_.casts()) {
    names_.AppendNode(StrCat(source_.nodes[cast.from.node].name, "/Cast"), &block);
    name_ends_.push_back(block.size());
  }
  block_ = block;
}

std::string_view CloneNodes::NewName(NodeId id) const {
  const size_t position = static_cast<size_t>(mapping_.Copy(id) - base_);
  const size_t begin = position == 0 ? 0 : name_ends_[position - 1];
  return block_.substr(begin, name_ends_[position] - begin);
}

void CloneNodes::Append() {
  Reserve();
  WriteNames();
  saves_.Plan([&](NodeId id) { return std::string(NewName(id)); });
  device_ids_.assign(source_.devices.size(), -1);
  size_t begin = 0, position = 0;
  auto next_name = [&] {
    const std::string_view name = block_.substr(begin, name_ends_[position] - begin);
    begin = name_ends_[position++];
    return name;
  };
  for (size_t i = 0; i < selection_.cuts().size(); ++i) AppendPlaceholder(i, next_name());
  size_t i = 0;
  for (NodeId id : selection_.nodes()) {
    PrefetchAttrs(i);
    AppendCopy(id, i++, next_name());
  }
  for (size_t c = 0; c < dtypes_.casts().size(); ++c) AppendCast(c, next_name());
  target_.node_names.AddFrom(target_.nodes, base_);
}

// Places the cast on the device of its input if that is part of the clone, otherwise on its
// reader's.
void CloneNodes::AppendCast(size_t position, std::string_view name) {
  const CloneDtypes::Cast& cast = dtypes_.casts()[position];
  const Endpoint from = Mapped(cast.from);
  const NodeId beside =
      from.node >= base_ || cast.reader < 0 ? from.node : mapping_.Copy(cast.reader);
  NodeRecord node{};
  node.name = name;
  node.op = OpRegistry::Global().Find("Cast");
  node.attrs = std::make_shared<const AttrMap>(
      AttrMap{{"DstT", cast.dtype}, {"SrcT", cast.from_dtype}, {"Truncate", false}});
  node.device = target_.nodes[beside].device;
  node.first_edge = static_cast<int32_t>(target_.edges.size());
  node.num_inputs = 1;
  target_.edges.push_back(from);
  node.first_output = static_cast<int32_t>(target_.outputs.size());
  node.num_outputs = 1;
  target_.outputs.push_back({cast.dtype, Shape(source_.output(cast.from).shape)});
  AppendNode(std::move(node));
}

void CloneNodes::AppendNode(NodeRecord&& node) {
  target_.build_state.imported_names.push_back(node.name);
  target_.nodes.push_back(std::move(node));
}

void CloneNodes::AppendPlaceholder(size_t cut, std::string_view name) {
  OutputRecord output = source_.output(selection_.cuts()[cut]);
  const ClonePlaceholder* asked = selection_.AskedPlaceholder(selection_.cuts()[cut]);
  if (asked != nullptr && asked->shape) output.shape = *asked->shape;
  AttrMap attrs{{"dtype", BaseType(output.dtype)}, {"shape", output.shape}};
  NodeRecord node{};
  node.name = name;
  node.op = OpRegistry::Global().Find("Placeholder");
  node.attrs = std::make_shared<const AttrMap>(std::move(attrs));
  node.first_edge = static_cast<int32_t>(target_.edges.size());
  node.first_output = static_cast<int32_t>(target_.outputs.size());
  node.num_outputs = 1;
  target_.outputs.push_back({BaseType(output.dtype), output.shape});
  AppendNode(std::move(node));
}

const CloneNodes::OpTraits& CloneNodes::TraitsOf(const Op* op) {
  if (last_traits_ != nullptr && last_traits_->op == op) return *last_traits_;
  auto [it, added] = traits_.try_emplace(op);
  last_traits_ = &it->second;
  if (!added) return it->second;
  it->second.op = op;
  it->second.target = TargetOp(op);
  it->second.has_frame = ControlFlowOf(*op) == ControlFlow::kEnter;
  it->second.has_shared_name = op->schema().FindAttr("shared_name") != nullptr;
  it->second.is_handle = op->name() == "VarHandleOp";
  it->second.calls_functions =
      !functions_.empty() && std::ranges::any_of(op->schema().attrs, [](const AttrSchema& a) {
        return a.type == "func" || a.type == "list(func)";
      });
  it->second.may_hold_names = op->name() == "Const";
  return it->second;
}

// Ops that are defined by a file or the library belong to a graph.
const Op* CloneNodes::TargetOp(const Op* op) {
  const std::string* copy = functions_.CopyOf(op->name());
  if (copy == nullptr && (same_ || op->registered())) return op;
  OpSchema schema = op->schema();
  if (copy != nullptr) schema.name = *copy;
  auto [it, added] = target_.foreign_ops.try_emplace(schema.name);
  if (added) it->second = std::make_unique<Op>(std::move(schema));
  return it->second.get();
}

void CloneNodes::AppendCopy(NodeId id, size_t position, std::string_view name) {
  const NodeRecord& original = source_.nodes[id];
  const OpTraits& traits = TraitsOf(original.op);
  NodeRecord copy{};
  copy.name = name;
  copy.op = traits.target;
  copy.device = DeviceOf(original, position);
  copy.num_inputs = original.num_inputs;
  copy.num_controls = original.num_controls;
  copy.num_outputs = original.num_outputs;
  if (traits.has_frame && selection_.open_enters().contains(id)) {
    const DType type = BaseType(dtypes_.TypeOf({id, 0}));
    copy.op = OpRegistry::Global().Find("Identity");
    copy.attrs = std::make_shared<const AttrMap>(AttrMap{{"T", type}});
    AppendEdges(id, &copy);
    copy.first_output = static_cast<int32_t>(target_.outputs.size());
    target_.outputs.push_back({type, Shape(source_.output({id, 0}).shape)});
  } else {
    copy.attrs = AttrsOf(id, traits);
    AppendEdges(id, &copy);
    AppendOutputs(id, &copy);
  }
  AppendNode(std::move(copy));
}

void CloneNodes::AppendOutputs(NodeId id, NodeRecord* copy) {
  const int32_t from = source_.nodes[id].first_output;
  copy->first_output = static_cast<int32_t>(target_.outputs.size());
  for (int32_t i = 0; i < copy->num_outputs; ++i) {
    target_.outputs.push_back(OutputRecord(source_.outputs[from + i]));
    if (!dtypes_.none()) target_.outputs.back().dtype = dtypes_.TypeOf({id, i});
  }
}

void CloneNodes::AppendEdges(NodeId id, NodeRecord* copy) {
  const size_t first = target_.edges.size();
  const int32_t from = source_.nodes[id].first_edge;
  copy->first_edge = static_cast<int32_t>(first);
  const std::vector<int32_t>* casts = dtypes_.none() ? nullptr : dtypes_.CastsOf(id);
  for (int32_t i = 0; i < copy->num_inputs; ++i) {
    const int32_t cast = casts == nullptr ? -1 : (*casts)[static_cast<size_t>(i)];
    target_.edges.push_back(cast >= 0 ? Endpoint{first_cast_ + cast, 0}
                                      : Mapped(selection_.InputOf(id, i)));
  }
  const size_t first_control = target_.edges.size();
  for (int32_t i = 0; i < copy->num_controls; ++i) {
    AppendControl(source_.edges[from + copy->num_inputs + i].node, first_control);
  }
  copy->num_controls = static_cast<int32_t>(target_.edges.size() - first_control);
}

// A node that waits for an operation waits for its copy, or for the replacements of its tensors,
// or, in the same graph, for the operation itself.
void CloneNodes::AppendControl(NodeId control, size_t first) {
  auto add = [&](NodeId id) {
    const Endpoint e{id, Endpoint::kControl};
    const auto begin = target_.edges.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::find(begin, target_.edges.end(), e) == target_.edges.end()) target_.edges.push_back(e);
  };
  if (selection_.IsStripped(control)) return;
  const NodeId mapped = mapping_.Copy(control);
  if (mapped >= 0) {
    target_.edges.push_back({mapped, Endpoint::kControl});
    return;
  }
  auto cut = cut_nodes_.find(control);
  if (cut != cut_nodes_.end()) {
    for (NodeId id : cut->second) add(id);
  } else if (same_) {
    add(control);
  }
}

int32_t CloneNodes::Intern(const std::string& device) {
  auto [it, added] =
      target_.device_ids.try_emplace(device, static_cast<int32_t>(target_.devices.size()));
  if (added) target_.devices.push_back(device);
  return it->second;
}

int32_t CloneNodes::DeviceOf(const NodeRecord& node, size_t position) {
  if (!asked_devices_.empty()) return Intern(asked_devices_[position]);
  int32_t& known = device_ids_[static_cast<size_t>(node.device)];
  if (known >= 0) return known;
  const std::string own = source_.devices[static_cast<size_t>(node.device)];
  if (const auto* device = std::get_if<std::string>(&options_.device.rule())) {
    return known = Intern(*device);
  }
  const auto* map = std::get_if<CloneDevice::Map>(&options_.device.rule());
  auto mapped = map == nullptr ? CloneDevice::Map::const_iterator() : map->find(own);
  return known = Intern(map != nullptr && mapped != map->end() ? mapped->second : own);
}

}  // namespace ramet
