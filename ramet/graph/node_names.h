#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ramet {

struct NodeRecord;

// The nodes of a graph by name: an open-addressing table of ids, eight bytes a slot. The names stay
// in the nodes, which are handed to each call.
class NodeNames {
 public:
  using Nodes = std::span<const NodeRecord>;

  // The id of the node, or -1.
  int32_t Find(Nodes nodes, std::string_view name) const;
  // Adds nodes[id]. Of two nodes with one name, the first one stays.
  void Add(Nodes nodes, int32_t id);
  // Adds all nodes from `first` on, in order; many faster than one by one.
  void AddFrom(Nodes nodes, int32_t first);
  // Takes nodes[id] out again.
  void Remove(Nodes nodes, int32_t id);
  // Room for so many names.
  void Reserve(size_t names);
  size_t size() const { return size_; }

 private:
  struct Slot {
    uint32_t hash;
    int32_t id;  // -1: empty
  };
  static uint32_t Hash(std::string_view name);
  size_t Home(uint32_t hash) const { return hash & (slots_.size() - 1); }
  size_t Next(size_t at) const { return (at + 1) & (slots_.size() - 1); }
  // The slot of that name, or the empty one where it would be.
  size_t Locate(Nodes nodes, std::string_view name, uint32_t hash) const;
  // There is room.
  void Insert(Nodes nodes, int32_t id, uint32_t hash);
  void Rehash(size_t slots);

  std::vector<Slot> slots_;
  size_t size_ = 0;
};

}  // namespace ramet
