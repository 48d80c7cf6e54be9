#include "ramet/edit/clone/handle_makers.h"

#include <algorithm>

namespace ramet {
namespace {

constexpr int kMaxPasses = 1000;

bool IsHandle(DType t) { return t == DType::kResource || t == DType::kVariant; }

// Returns the operation that made a reference or handle, which others may have passed on.
NodeId MakerOf(const CloneSelection& selection, Endpoint e) {
  const GraphData& impl = selection.impl();
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    if (selection.boundary().IsCut(e)) return HandleMakers::kOutside;
    if (impl.nodes[e.node].num_inputs == 0) return e.node;
    const Endpoint from = impl.inputs(e.node)[0];
    const DType out = impl.output(e).dtype, in = impl.output(from).dtype;
    const bool passed_on = IsRef(out) ? IsRef(in) : IsHandle(out) && out == in;
    if (!passed_on) return e.node;
    e = from;
  }
  return e.node;
}

std::vector<NodeId> MakersOf(const CloneSelection& selection, NodeId id) {
  const GraphData& impl = selection.impl();
  std::vector<NodeId> makers;
  const OpSchema& schema = impl.nodes[id].op->schema();
  const auto wanted = schema.Expand(schema.inputs, *impl.nodes[id].attrs);
  const auto inputs = impl.inputs(id);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool ref = wanted.ok() && i < wanted->size() && IsRef((*wanted)[i]);
    if (!ref && !IsHandle(impl.output(inputs[i]).dtype)) continue;
    const NodeId maker = MakerOf(selection, inputs[i]);
    if (std::ranges::count(makers, maker) == 0) makers.push_back(maker);
  }
  return makers;
}

}  // namespace

HandleMakers::HandleMakers(const CloneSelection& selection) {
  for (NodeId id : selection.nodes()) {
    auto makers = MakersOf(selection, id);
    if (!makers.empty()) makers_.emplace(id, std::move(makers));
  }
}

const std::vector<NodeId>& HandleMakers::Of(NodeId id) const {
  auto found = makers_.find(id);
  return found == makers_.end() ? none_ : found->second;
}

}  // namespace ramet
