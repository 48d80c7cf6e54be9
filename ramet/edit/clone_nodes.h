#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ramet/edit/clone_dtypes.h"
#include "ramet/edit/clone_functions.h"
#include "ramet/edit/clone_names.h"
#include "ramet/edit/clone_saves.h"
#include "ramet/edit/clone_selection.h"

namespace ramet {

// Appends copies of the selected nodes to the target's arrays. The caller holds the locks of both
// graphs. Prepare does everything that can fail and changes nothing. Attrs are handled in
// clone_attrs.cc.
class CloneNodes {
 public:
  CloneNodes(const CloneSelection& selection, const CloneDtypes& dtypes,
             const CloneFunctions& functions, const CloneOptions& options, CloneNames& names,
             CloneMapping& mapping);

  // Evaluates the device options. Holds no lock, since a function may call the program.
  void AskDevices();
  // Errors are those of Clone.
  Status Prepare();
  void Append();

 private:
  struct OpTraits {
    const Op* op = nullptr;
    const Op* target = nullptr;
    bool has_frame = false;
    bool has_shared_name = false;
    bool is_handle = false;  // VarHandleOp, whose resource does not default to the node's name
    bool calls_functions = false;
    bool may_hold_names = false;  // Const
  };
  const OpTraits& TraitsOf(const Op* op);
  const Op* TargetOp(const Op* op);
  Status CheckOutsideInputs() const;
  void NumberNodes();
  void NumberSplices();
  void NumberCasts(NodeId first);
  Endpoint Mapped(Endpoint e) const;
  void AppendCast(size_t cast, std::string_view name);
  void Reserve();
  void WriteNames();
  void AppendPlaceholder(size_t cut, std::string_view name);
  void PrefetchAttrs(size_t position) const;
  void AppendCopy(NodeId id, size_t position, std::string_view name);
  void AppendOutputs(NodeId id, NodeRecord* copy);
  void AppendEdges(NodeId id, NodeRecord* copy);
  void AppendControl(NodeId control, size_t first);
  void AppendNode(NodeRecord&& node);
  std::shared_ptr<const AttrMap> AttrsOf(NodeId id, const OpTraits& traits);
  std::shared_ptr<const AttrMap> ChangedAttrs(const std::shared_ptr<const AttrMap>& before,
                                              const OpTraits& traits);
  bool ChangeAttrs(const OpTraits& traits, const AttrMap& before, AttrMap* attrs);
  bool ChangeGroups(const AttrMap& before, AttrMap* attrs);
  std::string NewGroup(const std::string& group) const;
  std::string_view NewName(NodeId id) const;
  int32_t DeviceOf(const NodeRecord& node, size_t position);
  int32_t Intern(const std::string& device);

  const CloneSelection& selection_;
  const CloneDtypes& dtypes_;
  const CloneFunctions& functions_;
  CloneSaves saves_;
  const CloneOptions& options_;
  CloneNames& names_;
  CloneMapping& mapping_;
  const GraphImpl& source_;
  GraphImpl& target_;
  const bool same_;
  NodeId base_ = 0;
  NodeId first_cast_ = 0;
  std::string_view block_;         // all new names
  std::vector<size_t> name_ends_;  // placeholders first, then copies
  std::vector<std::string> asked_devices_;
  std::vector<int32_t> device_ids_;  // by the source's device number; -1 if not seen yet
  std::unordered_map<const Op*, OpTraits> traits_;
  const OpTraits* last_traits_ = nullptr;
  std::string last_group_, last_new_group_;
  // A cache of changed attrs by the address of the originals.
  struct KnownAttrs {
    const AttrMap* before = nullptr;
    std::shared_ptr<const AttrMap> after;
  };
  std::array<KnownAttrs, 1024> known_attrs_;
  std::unordered_map<NodeId, std::vector<NodeId>> cut_nodes_;  // replacements of a node's outputs
};

}  // namespace ramet
