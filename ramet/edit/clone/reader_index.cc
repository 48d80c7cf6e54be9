#include "ramet/edit/clone/reader_index.h"

namespace ramet {

ReaderIndex::ReaderIndex(const GraphData& impl, const std::vector<uint8_t>& selected,
                         const StrippedParts& stripped) {
  const size_t n = impl.nodes.size();
  first_reader_.assign(n + 1, 0);
  auto each_edge = [&](auto&& visit) {
    for (NodeId id = 0; id < static_cast<NodeId>(n); ++id) {
      if (selected[static_cast<size_t>(id)] == 0) continue;
      for (int32_t i = 0; i < impl.nodes[id].num_inputs; ++i) {
        visit(stripped.InputOf(id, i).node, id);
      }
      for (Endpoint e : impl.controls(id)) visit(e.node, id);
    }
  };
  each_edge([&](NodeId from, NodeId) { ++first_reader_[static_cast<size_t>(from) + 1]; });
  for (size_t i = 0; i < n; ++i) first_reader_[i + 1] += first_reader_[i];
  readers_.resize(static_cast<size_t>(first_reader_[n]));
  std::vector<int32_t> next(first_reader_.begin(), first_reader_.end() - 1);
  each_edge([&](NodeId from, NodeId to) {
    readers_[static_cast<size_t>(next[static_cast<size_t>(from)]++)] = to;
  });
  remaining_.resize(n);
  for (size_t i = 0; i < n; ++i) remaining_[i] = first_reader_[i + 1] - first_reader_[i];
}

std::span<const NodeId> ReaderIndex::ReadersOf(NodeId id) const {
  const auto i = static_cast<size_t>(id);
  return {readers_.data() + first_reader_[i],
          static_cast<size_t>(first_reader_[i + 1] - first_reader_[i])};
}

}  // namespace ramet
