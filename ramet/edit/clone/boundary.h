#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ramet/edit/clone/mapping.h"
#include "ramet/edit/clone_options.h"

namespace ramet {

// A CloneBoundary is where a clone begins and ends: the tensors at which it is cut off, their
// replacements, and the outputs and operations that the options name.
class CloneBoundary {
 public:
  CloneBoundary(const Graph& source, const CloneOptions& options);
  // Looks up the elements that the options name. Locks the source during the call. Errors are those
  // of Clone.
  Status Resolve();

  // The tensors that become placeholders.
  const std::vector<Endpoint>& cuts() const { return cuts_; }
  // Returns the requested placeholder of a cut; null if there is none.
  const ClonePlaceholder* RequestedPlaceholder(Endpoint cut) const;
  // Tensors of the source, and the tensors of the target that replace them.
  const std::vector<std::pair<Endpoint, Output>>& replacements() const { return replacements_; }
  // The requested outputs: the tensors, and all tensors of the operations.
  const std::vector<Endpoint>& outputs() const { return outputs_; }
  // The operations to begin with: those of the outputs, or those listed, and input placeholders.
  const std::vector<NodeId>& roots() const { return roots_; }
  // Reports whether the clone copies the whole source.
  bool whole() const { return whole_; }

  // Reports whether the tensor is a cut or has a replacement.
  bool IsCut(Endpoint e) const { return HasCut(e.node) && cut_keys_.contains(EndpointKey(e)); }
  // Reports whether one of the node's outputs is a cut or has a replacement.
  bool HasCut(NodeId id) const {
    return static_cast<size_t>(id) < has_cut_.size() && has_cut_[static_cast<size_t>(id)] != 0;
  }

 private:
  Status ResolveInputs();
  Status ResolveReplacements();
  Status ResolveReplacement(Endpoint e, const CloneReplacement& replacement);
  Status ResolveOutputs();
  Status CheckReplacement(const Output& replaced, const Output& by) const;
  void Cut(Endpoint e);
  Status CutAtPlaceholder(Endpoint e, const char* argument);

  const Graph& source_;
  const CloneOptions& options_;
  bool whole_ = false;
  std::vector<NodeId> roots_;
  std::vector<Endpoint> cuts_, outputs_;
  std::vector<std::pair<Endpoint, Output>> replacements_;
  std::unordered_map<uint64_t, ClonePlaceholder> requested_;
  std::unordered_set<uint64_t> cut_keys_;
  std::vector<uint8_t> has_cut_;
};

}  // namespace ramet
