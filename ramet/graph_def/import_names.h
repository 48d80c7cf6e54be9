#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ramet/base/folded_hash.h"
#include "ramet/graph/graph_impl.h"
#include "ramet/wire/graph_def_view.h"
#include "ramet/wire/tensor_ref.h"

namespace ramet {

// Returns the name scope without the slash for an import under `name`; see ImportOptions::name.
// Marks nothing as used.
// \error kInvalidArgument: the name is not a legal scope name.
StatusOr<std::string> ImportPrefix(const GraphImpl& impl, std::string_view name);

// The names of a GraphDef's nodes, with their file positions and their names in the graph. Borrows
// the GraphDef.
class ImportNames {
 public:
  // \error kInvalidArgument: a name is illegal or repeated.
  Status Init(const GraphImpl& impl, const GraphDefView& def, const std::string& prefix);

  // Returns the file position of a name in the file, or -1.
  int32_t Find(std::string_view name) const {
    return slots_[FindSlot(name, FoldedHash(name))].position;
  }
  // The name in the graph.
  std::string_view final_name(int32_t position) const { return finals_[position]; }

  // The total length of the names in the graph.
  size_t total_bytes() const {
    size_t total = 0;
    for (std::string_view name : finals_) total += name.size();
    return total;
  }

 private:
  // A slot of the hash table, whose values are file positions.
  struct Slot {
    uint32_t hash = 0;
    int32_t position = -1;
  };
  // The slot of `name`, or the free one where it belongs.
  size_t FindSlot(std::string_view name, uint32_t hash) const;
  void MakeUnique(const GraphImpl& impl, bool under_prefix);

  std::vector<Slot> slots_;  // size is a power of two; at least half are free
  std::vector<std::string_view> names_;
  std::vector<std::string_view> finals_;  // in the GraphDef or in renamed_
  std::deque<std::string> renamed_;
};

}  // namespace ramet
