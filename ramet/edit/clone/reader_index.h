#pragma once

#include <span>
#include <vector>

#include "ramet/edit/clone/stripped_parts.h"

namespace ramet {

// A ReaderIndex lists the readers of each node within a selected part of a graph, through data and
// control edges, and counts those that remain while parts are removed. The lock of the graph is
// held during construction.
class ReaderIndex {
 public:
  ReaderIndex(const GraphData& impl, const std::vector<uint8_t>& selected,
              const StrippedParts& stripped);
  std::span<const NodeId> ReadersOf(NodeId id) const;
  // Notes that one of the node's readers was removed.
  void NoteRemovedReader(NodeId id) { --remaining_[static_cast<size_t>(id)]; }
  // Reports whether all readers are removed.
  bool IsUnread(NodeId id) const { return remaining_[static_cast<size_t>(id)] <= 0; }

 private:
  std::vector<int32_t> first_reader_;  // by id: start of the node's readers in readers_
  std::vector<NodeId> readers_;
  std::vector<int32_t> remaining_;  // by id
};

}  // namespace ramet
