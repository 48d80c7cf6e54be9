#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ramet {

struct NodeRecord;

// An index of a graph's nodes by name: an open-addressing table of ids with 8-byte slots. The names
// stay in the nodes, which are passed to each call.
class NodeNames {
 public:
  using Nodes = std::span<const NodeRecord>;

  // Returns the id of the node, or -1.
  int32_t Find(Nodes nodes, std::string_view name) const;
  // Adds nodes[id]. If two nodes have the same name, the first one is kept.
  void Add(Nodes nodes, int32_t id);
  // Adds all nodes from `first` on, in order. Faster than adding many nodes one by one.
  void AddFrom(Nodes nodes, int32_t first);
  // Removes nodes[id]. Clears next_numbers.
  void Remove(Nodes nodes, int32_t id);
  // Reserves space for `names` names.
  void Reserve(size_t names);
  size_t size() const { return size_; }
  // Numbers at which unique names continue, see FreeName.
  std::unordered_map<std::string, int>* next_numbers() { return &next_numbers_; }

 private:
  struct Slot {
    uint32_t hash;
    int32_t id;  // -1 if empty
  };
  static uint32_t Hash(std::string_view name);
  size_t Home(uint32_t hash) const { return hash & (slots_.size() - 1); }
  size_t Next(size_t at) const { return (at + 1) & (slots_.size() - 1); }
  // Returns the slot of the name, or the empty slot where it belongs.
  size_t Locate(Nodes nodes, std::string_view name, uint32_t hash) const;
  // Requires a free slot.
  void Insert(Nodes nodes, int32_t id, uint32_t hash);
  void Rehash(size_t slots);

  std::vector<Slot> slots_;
  size_t size_ = 0;
  std::unordered_map<std::string, int> next_numbers_;
};

}  // namespace ramet
