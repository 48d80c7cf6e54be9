#include "ramet/runtime/placer.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "ramet/base/log.h"
#include "ramet/graph/device_name.h"
#include "ramet/op/colocation.h"
#include "ramet/op/function_call.h"
#include "ramet/runtime/host_memory.h"

namespace ramet {
namespace {

class Placer {
 public:
  Placer(const GraphData& graph, std::span<const NodeId> nodes, const PlacerOptions& options)
      : graph_(graph), nodes_(nodes), options_(options), parent_(nodes.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (size_t i = 0; i < nodes.size(); ++i) position_[nodes[i]] = static_cast<int>(i);
  }

  StatusOr<std::vector<int>> Run() {
    if (NothingAsked()) return std::vector<int>(nodes_.size(), 0);
    for (size_t i = 0; i < nodes_.size(); ++i) Join(static_cast<int>(i));
    std::vector<int> device(nodes_.size(), -1);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      int root = Find(static_cast<int>(i));
      members_[root].push_back(static_cast<int>(i));
    }
    for (auto& [root, members] : members_) {
      RAMET_ASSIGN_OR_RETURN(int chosen, PlaceGroup(members));
      for (int m : members) device[m] = chosen;
    }
    return device;
  }

 private:
  bool NothingAsked() const {
    return options_.devices.size() == 1 &&
           std::ranges::all_of(nodes_, [&](NodeId id) { return graph_.nodes[id].device == 0; });
  }

  int Find(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  void Unite(int a, NodeId other) {
    auto it = position_.find(other);
    if (it != position_.end()) parent_[Find(it->second)] = Find(a);
  }

  // A call runs on the host; the nodes of its body are placed separately.
  static bool IsCall(const NodeRecord& node) {
    return FunctionCallOf(*node.op) != FunctionCallKind::kNone;
  }

  // Joins a node with its colocation groups and with the producers of its reference and resource
  // inputs.
  void Join(int i) {
    const NodeRecord& node = graph_.nodes[nodes_[i]];
    if (const Attr* groups = node.attrs->Find("_class")) {
      if (const auto* list = groups->get<std::vector<std::string>>()) {
        for (const std::string& group : *list) {
          if (!group.starts_with(kColocationPrefix)) continue;
          auto [it, added] = group_head_.try_emplace(group.substr(kColocationPrefix.size()), i);
          if (!added) parent_[Find(it->second)] = Find(i);
          const NodeId named =
              graph_.FindNode(std::string_view(group).substr(kColocationPrefix.size()));
          if (named >= 0) Unite(i, named);
        }
      }
    }
    if (IsCall(node)) return;
    auto inputs = graph_.inputs(nodes_[i]);
    const std::vector<DType> wanted = InputTypes(node);
    for (size_t k = 0; k < inputs.size() && k < wanted.size(); ++k) {
      if (!IsRef(wanted[k]) && wanted[k] != DType::kResource) continue;
      Unite(i, inputs[k].node);
      if (auto pinned = options_.pinned.find(inputs[k].node); pinned != options_.pinned.end()) {
        pinned_.emplace_back(i, pinned->second);
      }
    }
  }

  static std::vector<DType> InputTypes(const NodeRecord& node) {
    auto types = node.op->schema().Expand(node.op->schema().inputs, *node.attrs);
    return types.ok() ? *types : std::vector<DType>();
  }

  Status Refuse(NodeId id, const DeviceName& wanted, std::string_view why) const {
    std::vector<std::string> names;
    for (const Device* d : options_.devices) names.push_back(d->name());
    const NodeRecord& node = graph_.nodes[id];
    return InvalidArgument(
        "Cannot assign a device for operation ", node.name, ": {{node ", node.name,
        "}} was explicitly assigned to ", wanted, " but ", why, "available devices are [ ",
        StrJoin(names, ", "),
        " ]. Make sure the device specification refers to a valid device, or set "
        "allow_soft_placement (import_meta_graph has clear_devices).");
  }

  bool CanRun(const std::vector<int>& members, const Device& device) const {
    return std::ranges::all_of(members, [&](int m) {
      const NodeRecord& node = graph_.nodes[nodes_[m]];
      if (IsCall(node)) return true;
      return node.op->HasKernel(device.kernel_type(), *node.attrs) &&
             (device.memory() == nullptr || FitsDevice(*node.op, *node.attrs));
    });
  }

  // Returns the first GPU that can run nodes whose device type is left open, or -1.
  int PreferredGpu(const std::vector<int>& members, const DeviceName& wanted) const {
    const auto is_call = [&](int m) { return IsCall(graph_.nodes[nodes_[m]]); };
    if (std::ranges::all_of(members, is_call)) return -1;
    for (size_t d = 1; d < options_.devices.size(); ++d) {
      const Device& device = *options_.devices[d];
      if (device.type() != "GPU" || !CanRun(members, device)) continue;
      auto name = DeviceName::Parse(device.name());
      if (name.ok() && name->Satisfies(wanted)) return static_cast<int>(d);
    }
    return -1;
  }

  StatusOr<int> PlaceGroup(const std::vector<int>& members) {
    for (auto [member, device] : pinned_) {
      if (Find(member) == Find(members[0])) return Chosen(members, device);
    }
    DeviceName wanted;
    NodeId asker = nodes_[members[0]];
    for (int m : members) {
      const NodeRecord& node = graph_.nodes[nodes_[m]];
      if (node.device == 0) continue;
      RAMET_ASSIGN_OR_RETURN(DeviceName asked, DeviceName::Parse(graph_.devices[node.device]));
      wanted = wanted.MergedUnder(asked);
      asker = nodes_[m];
    }
    if (!wanted.type) {
      if (const int gpu = PreferredGpu(members, wanted); gpu >= 0) return Chosen(members, gpu);
    }
    bool there = false;
    for (size_t d = 0; d < options_.devices.size(); ++d) {
      const Device& device = *options_.devices[d];
      auto name = DeviceName::Parse(device.name());
      if (!name.ok() || !name->Satisfies(wanted)) continue;
      there = true;
      if (d > 0 && !wanted.type) break;
      if (device.type() == "CPU" || CanRun(members, device)) return Chosen(members, d);
    }
    if (!options_.allow_soft_placement) {
      return Refuse(asker, wanted, there ? "this device has no kernel for it; " : "");
    }
    std::string missing = wanted.ToString();
    LogOnce(LogLevel::kWarning, StrCat("soft placement of ", missing, there),
            StrCat(there ? "some operations have no kernel on " : "there is no device ", missing,
                   "; '", graph_.nodes[asker].name, "' and others requested it and run on ",
                   options_.devices[0]->name()));
    return Chosen(members, 0);
  }

  int Chosen(const std::vector<int>& members, size_t device) const {
    if (options_.log_placement) {
      for (int m : members) {
        const NodeRecord& node = graph_.nodes[nodes_[m]];
        LogInfo(node.name, ": (", node.op->name(), "): ", options_.devices[device]->name());
      }
    }
    return static_cast<int>(device);
  }

  const GraphData& graph_;
  std::span<const NodeId> nodes_;
  const PlacerOptions& options_;
  std::vector<int> parent_;
  std::unordered_map<NodeId, int> position_;
  std::unordered_map<std::string, int> group_head_;
  std::map<int, std::vector<int>> members_;
  std::vector<std::pair<int, int>> pinned_;  // position, device
};

}  // namespace

StatusOr<std::vector<int>> PlaceNodes(const GraphData& graph, std::span<const NodeId> nodes,
                                      const PlacerOptions& options) {
  return Placer(graph, nodes, options).Run();
}

}  // namespace ramet
