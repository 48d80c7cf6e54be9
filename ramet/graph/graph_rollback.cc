#include "ramet/graph/graph_rollback.h"

#include "ramet/graph/control_flow_context.h"
#include "ramet/graph/graph_impl.h"
#include "ramet/graph/names.h"

namespace ramet {
namespace {

template <class T>
void Truncate(T& list, size_t size) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(size), list.end());
}

}  // namespace

GraphRollback::GraphRollback(Graph& graph)
    : impl_(graph.impl()),
      nodes_(impl_.nodes.size()),
      edges_(impl_.edges.size()),
      outputs_(impl_.outputs.size()),
      names_(impl_.names.size()),
      devices_(impl_.devices.size()),
      variables_(impl_.variables.size()),
      contexts_(impl_.build_state.control_flow.contexts.size()),
      imported_names_(impl_.build_state.names.imported.size()),
      versions_(impl_.versions) {
  for (const auto& [name, op] : impl_.foreign_ops) foreign_ops_.insert(name);
  for (const auto& [key, items] : impl_.collections.all()) collections_[key] = items.size();
}

GraphRollback::~GraphRollback() {
  if (!kept_) Undo();
}

void GraphRollback::Undo() {
  WriterLock lock(impl_.mutex);
  if (functions_) impl_.library->Remove(*functions_);
  RemoveRecords();
  RemoveNames();
  RemoveNodes();
  impl_.versions = versions_;
  // The number of nodes is the same as before, so plans made in between must be invalidated.
  ++impl_.edit_version;
}

void GraphRollback::RemoveNames() {
  BuildState& state = impl_.build_state;
  const bool noted = state.names.imported.size() == imported_names_;
  for (size_t id = nodes_; id < impl_.nodes.size(); ++id) {
    impl_.node_names.Remove(impl_.nodes, static_cast<NodeId>(id));
    if (noted) state.names.in_use.erase(LowerCase(impl_.nodes[id].name));
  }
  for (const std::string& key : scopes_) state.names.in_use.erase(key);
  if (!noted) Truncate(state.names.imported, imported_names_);
}

void GraphRollback::RemoveNodes() {
  Truncate(impl_.nodes, nodes_);
  Truncate(impl_.edges, edges_);
  Truncate(impl_.outputs, outputs_);
  Truncate(impl_.names, names_);
  impl_.devices.Truncate(devices_);
  std::erase_if(impl_.foreign_ops,
                [&](const auto& entry) { return !foreign_ops_.contains(entry.first); });
}

void GraphRollback::RemoveRecords() {
  BuildState& state = impl_.build_state;
  Truncate(impl_.variables, variables_);
  std::erase_if(state.variable_store, [&](const auto& entry) {
    return entry.second >= static_cast<VariableId>(variables_);
  });
  std::erase_if(state.control_flow.context_of,
                [&](const auto& entry) { return entry.first >= static_cast<NodeId>(nodes_); });
  Truncate(state.control_flow.contexts, contexts_);
  for (const std::string& key : impl_.collections.Keys()) {
    auto before = collections_.find(key);
    if (before == collections_.end()) {
      impl_.collections.Clear(key);
    } else if (std::vector<CollectionItem> items = impl_.collections.Get(key);
               items.size() > before->second) {
      Truncate(items, before->second);
      impl_.collections.Replace(key, std::move(items));
    }
  }
}

}  // namespace ramet
