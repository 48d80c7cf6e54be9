#include "ramet/replica/followed_model.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "ramet/base/strings.h"
#include "ramet/edit/clone.h"
#include "ramet/graph/scope.h"
#include "ramet/graph_def/meta_graph.h"
#include "ramet/replica/announced_graph.h"
#include "ramet/replica/conversions.h"
#include "ramet/replica/published_variables.h"
#include "ramet/runtime/placer.h"

namespace ramet {
namespace {

// Reports whether `name` begins with one of `prefixes`, or `prefixes` is empty.
bool IsAmong(const std::vector<std::string>& prefixes, std::string_view name) {
  return prefixes.empty() || std::ranges::any_of(prefixes, [&](const std::string& prefix) {
           return name.starts_with(prefix);
         });
}

// Returns the entries of a signature by the names that a model may use for them.
std::unordered_map<std::string_view, int> EntriesByName(const ReplicaSignature& offered,
                                                        const std::string& prefix, bool by_source) {
  std::unordered_map<std::string_view, int> entries;
  auto add = [&](std::string_view name, size_t i) {
    if (!name.starts_with(prefix) || offered[i].is_scales()) return;
    entries.emplace(name.substr(prefix.size()), static_cast<int>(i));
  };
  if (by_source) {
    for (size_t i = 0; i < offered.size(); ++i) add(offered[i].source_name(), i);
  }
  for (size_t i = 0; i < offered.size(); ++i) add(offered[i].name, i);
  return entries;
}

// Returns the entries that are scales, by name.
std::unordered_map<std::string_view, int> Scales(const ReplicaSignature& offered) {
  std::unordered_map<std::string_view, int> scales;
  for (size_t i = 0; i < offered.size(); ++i) {
    if (offered[i].is_scales()) scales.emplace(offered[i].name, static_cast<int>(i));
  }
  return scales;
}

StatusOr<MetaGraphInfo> Import(Graph& into, std::string_view meta_graph,
                               ImportMetaGraphOptions import, const std::string& device) {
  if (device.empty()) return ImportMetaGraphBytes(into, meta_graph, import);
  import.clear_devices = true;
  Scope root(into);
  const Scope at = root.Device(device);
  return ImportMetaGraphBytes(into, meta_graph, import);
}

}  // namespace

FollowedModel::~FollowedModel() {
  Detach();
  if (impl_) impl_->followed().Unclaim();
}

StatusOr<std::shared_ptr<FollowedModel>> FollowedModel::Make(const std::string& announced,
                                                             const FollowerOptions& options) {
  std::shared_ptr<FollowedModel> model(new FollowedModel());
  model->announced_ = announced;
  if (options.session != nullptr) {
    model->session_ = options.session;
  } else {
    RAMET_RETURN_IF_ERROR(model->BuildGraph(options));
    RAMET_RETURN_IF_ERROR(model->MakeSession(options));
  }
  std::shared_ptr<SessionImpl> impl = ImplOf(*model->session_);
  if (!impl->followed().Claim()) {
    return FailedPrecondition(
        "the session already has a follower; close that one first, or use a session for each");
  }
  model->impl_ = std::move(impl);
  model->FindVariables(options);
  return model;
}

Status FollowedModel::BuildGraph(const FollowerOptions& options) {
  if (announced_.empty()) {
    return FailedPrecondition(
        "no graph is published; pass a session (FollowerOptions::session), "
        "or publish with graph=true");
  }
  RAMET_ASSIGN_OR_RETURN(const std::string_view meta_graph,
                         AnnouncedGraph(announced_, options.model));
  own_graph_ = options.host ? options.host->NewGraph() : std::make_shared<Graph>();
  if (own_graph_ == nullptr) return Cancelled("the follower's host creates no more graphs");
  if (!options.scope.empty()) scope_ = StrCat(options.scope, "/");
  const bool clones = options.strip_training || !options.outputs.empty();
  Graph published;
  Graph& into = clones ? published : *own_graph_;
  ImportMetaGraphOptions import;
  import.clear_devices = options.clear_devices;
  if (!clones) import.import_scope = options.scope;
  RAMET_ASSIGN_OR_RETURN(const MetaGraphInfo info,
                         Import(into, meta_graph, import, options.device));
  if (clones) RAMET_RETURN_IF_ERROR(CloneFrom(published, options));
  signature_defs_ = SignaturesOf(*own_graph_, info.signature_defs, clones ? scope_ : "");
  return OkStatus();
}

Status FollowedModel::MakeSession(const FollowerOptions& options) {
  if (options.host) {
    RAMET_ASSIGN_OR_RETURN(own_session_,
                           options.host->NewSession(own_graph_, options.session_options));
  } else {
    RAMET_ASSIGN_OR_RETURN(Session session, Session::Create(*own_graph_, options.session_options));
    own_session_ = std::make_shared<Session>(std::move(session));
  }
  session_ = own_session_.get();
  return OkStatus();
}

Status FollowedModel::CloneFrom(Graph& published, const FollowerOptions& options) {
  CloneOptions clone;
  clone.into = own_graph_.get();
  clone.dst_scope = options.scope;
  clone.strip_training = options.strip_training;
  clone.outputs = {options.outputs.begin(), options.outputs.end()};
  return Clone(published, clone).status();
}

void FollowedModel::FindVariables(const FollowerOptions& options) {
  std::set<std::string> needed;
  std::vector<NodeId> nodes;
  for (const Variable& v : VariablesForInference(session_->graph())) needed.insert(v.op_name());
  for (const Variable& v :
       session_->graph().collections().Get<Variable>(graph_keys::kGlobalVariables)) {
    std::string name = v.op_name();
    const bool is_needed = needed.contains(name);
    if (name.starts_with(scope_)) name.erase(0, scope_.size());
    if (!IsAmong(options.subsets, name)) continue;
    variables_.push_back(
        {{name, v.dtype(), v.shape()}, is_needed, impl_->StateOf(v.record(), true)});
    nodes.push_back(v.record().variable.op().id());
  }
  FindDevices(nodes);
}

// A run may use a variable elsewhere if other nodes have no kernel on the device; then the run
// copies the value.
void FollowedModel::FindDevices(const std::vector<NodeId>& nodes) {
  const GraphData& graph = GraphDataOf(session_->graph());
  ReaderLock lock(graph.mutex);
  const std::vector<Device*> devices(impl_->devices().begin(), impl_->devices().end());
  const auto placed = PlaceNodes(graph, nodes, {.devices = devices, .allow_soft_placement = true});
  for (size_t i = 0; placed.ok() && i < variables_.size(); ++i) {
    Device* const device = devices[static_cast<size_t>((*placed)[i])];
    if (device->memory() != nullptr) variables_[i].device = device;
  }
}

void FollowedModel::Attach() {
  for (size_t i = 0; i < variables_.size(); ++i) {
    variables_[i].state->FollowAs(static_cast<int>(i));
  }
  attached_ = true;
}

void FollowedModel::Detach() {
  if (!attached_) return;
  attached_ = false;
  impl_->followed().Set(nullptr);
  for (const FollowedVariable& variable : variables_) variable.state->FollowAs(-1);
}

StatusOr<FollowerBinding> BindModel(const FollowedModel& model, const ReplicaSignature& offered,
                                    const FollowerOptions& options) {
  const std::string prefix = options.model.empty() ? "" : StrCat(options.model, "/");
  const auto entries = EntriesByName(offered, prefix, model.is_own());
  const auto scales = Scales(offered);
  FollowerBinding binding;
  ReplicaSignature wanted, found;
  std::vector<bool> used(offered.size());
  for (const auto& variable : model.variables()) {
    const auto entry = entries.find(variable.spec.name);
    const int index = entry == entries.end() ? -1 : entry->second;
    binding.published_as.push_back(index);
    const auto scale = index < 0 ? scales.end() : scales.find(offered[index].scales);
    binding.scales.push_back(scale == scales.end() ? -1 : scale->second);
    if (index >= 0) {
      used[index] = true;
      wanted.push_back(variable.spec);
      found.push_back(offered[index]);
      found.back().name = variable.spec.name;
    } else if (variable.is_needed) {
      binding.missing.push_back(variable.spec.name);
      if (!options.allow_missing) wanted.push_back(variable.spec);
    }
  }
  RAMET_RETURN_IF_ERROR(CheckOffers(found, wanted));
  for (size_t i = 0; i < offered.size(); ++i) {
    binding.bytes += *TensorBytes(offered[i].dtype, offered[i].shape);
    if (!used[i] && !offered[i].is_scales() && offered[i].name.starts_with(prefix)) {
      binding.extra.push_back(offered[i].name.substr(prefix.size()));
    }
  }
  return binding;
}

StatusOr<std::vector<Tensor>> DecodeValues(const FollowerBinding& binding,
                                           const ReplicaSignature& signature,
                                           const std::vector<Tensor>& published) {
  std::vector<Tensor> values(binding.published_as.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const int index = binding.published_as[i];
    if (index < 0) continue;
    const Tensor scales = binding.scales[i] < 0 ? Tensor() : published[binding.scales[i]];
    RAMET_ASSIGN_OR_RETURN(values[i], Decode(signature[index], published[index], scales));
  }
  return values;
}

}  // namespace ramet
