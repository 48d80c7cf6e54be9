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

// Copies the selected nodes to the end of the target's arrays. Both graphs are locked by the
// caller. Everything that can fail is in Prepare, which changes nothing. clone_attrs.cc says what
// becomes of attrs.
class CloneNodes {
 public:
  CloneNodes(const CloneSelection& selection, const CloneDtypes& dtypes,
             const CloneFunctions& functions, const CloneOptions& options, CloneNames& names,
             CloneMapping& mapping);

  // The devices that the options ask for; without a lock, since it may call the program.
  void AskDevices();
  // \error see Clone.
  Status Prepare();
  void Append();

 private:
  struct OpTraits {
    const Op* op = nullptr;
    const Op* target = nullptr;
    bool has_frame = false;
    bool has_shared_name = false;
    bool is_handle = false;  // VarHandleOp: without a shared_name it is not named as the node
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
  std::vector<int32_t> device_ids_;  // by the source's device number; -1: not seen
  std::unordered_map<const Op*, OpTraits> traits_;
  const OpTraits* last_traits_ = nullptr;
  std::string last_group_, last_new_group_;
  // The attrs in the clone of those seen last, by address.
  struct KnownAttrs {
    const AttrMap* before = nullptr;
    std::shared_ptr<const AttrMap> after;
  };
  std::array<KnownAttrs, 1024> known_attrs_;
  std::unordered_map<NodeId, std::vector<NodeId>> cut_nodes_;  // what replaced outputs of a node
};

}  // namespace ramet
