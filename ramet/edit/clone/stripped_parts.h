#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "ramet/edit/clone/mapping.h"
#include "ramet/graph/graph_data.h"

namespace ramet {

// A StrippedParts holds what CloneOptions::strip_training changes: nodes that the clone omits,
// operations that are spliced out, and batch norms that become inference batch norms. Empty without
// strip_training. Everything refers to the source.
class StrippedParts {
 public:
  explicit StrippedParts(const GraphData& impl) : impl_(impl) {}

  // Omits a node. Nothing in the clone waits for it.
  void Strip(NodeId id) {
    if (stripped_.empty()) stripped_.assign(impl_.nodes.size(), 0);
    stripped_[static_cast<size_t>(id)] = 1;
  }
  bool IsStripped(NodeId id) const {
    return !stripped_.empty() && stripped_[static_cast<size_t>(id)] != 0;
  }

  // Omits an operation whose output is its input `from`. Readers read `from` instead.
  void Splice(NodeId id, Endpoint from) {
    Strip(id);
    splices_[EndpointKey({id, 0})] = from;
  }
  // Makes each spliced output lead to its tensor in one step. Call after the last Splice; following
  // long chains of spliced operations from each of them would take quadratic time.
  void ShortenSplices() {
    std::vector<Endpoint*> chain;
    for (auto& [key, from] : splices_) {
      chain.clear();
      Endpoint end = from;
      for (auto it = splices_.find(EndpointKey(end)); it != splices_.end();
           it = splices_.find(EndpointKey(end))) {
        chain.push_back(&it->second);
        end = it->second;
      }
      from = end;
      for (Endpoint* on_the_way : chain) *on_the_way = end;
    }
  }
  // Outputs of spliced operations, with the tensors that they passed on.
  const std::unordered_map<uint64_t, Endpoint>& splices() const { return splices_; }
  // Returns the tensor that the clone reads instead of `e`; `e` itself if nothing is spliced out.
  Endpoint Unspliced(Endpoint e) const {
    for (auto it = splices_.find(EndpointKey(e)); it != splices_.end();
         it = splices_.find(EndpointKey(e))) {
      e = it->second;
    }
    return e;
  }

  // Makes a batch norm use moving averages instead of the statistics of its batch.
  void FreezeBatchNorm(NodeId id, Endpoint mean, Endpoint variance) {
    batch_norms_[id] = {mean, variance};
  }
  bool IsFrozenBatchNorm(NodeId id) const { return batch_norms_.contains(id); }
  // Returns input `i` of a node in the clone, as a tensor of the source.
  Endpoint InputOf(NodeId id, int32_t i) const {
    return batch_norms_.empty() ? impl_.inputs(id)[static_cast<size_t>(i)] : FrozenInputOf(id, i);
  }

 private:
  Endpoint FrozenInputOf(NodeId id, int32_t i) const {
    const auto frozen = i == 3 || i == 4 ? batch_norms_.find(id) : batch_norms_.end();
    if (frozen == batch_norms_.end()) return impl_.inputs(id)[static_cast<size_t>(i)];
    return i == 3 ? frozen->second.first : frozen->second.second;
  }

  const GraphData& impl_;
  std::vector<uint8_t> stripped_;
  std::unordered_map<uint64_t, Endpoint> splices_;
  std::unordered_map<NodeId, std::pair<Endpoint, Endpoint>> batch_norms_;  // mean, variance
};

}  // namespace ramet
