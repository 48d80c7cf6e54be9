#include "ramet/graph_def/graph_import.h"

#include "ramet/graph/names.h"
#include "ramet/graph_def/import_devices.h"
#include "ramet/graph_def/import_elements.h"
#include "ramet/graph_def/import_shapes.h"
#include "ramet/graph_def/import_versions.h"
#include "ramet/graph_def/instantiate_function.h"

namespace ramet {

GraphImport::GraphImport(Graph& graph, const GraphDefView& def, const OpList& producer_ops,
                         const ImportOptions& options)
    : graph_(graph),
      impl_(graph.impl()),
      def_(def),
      options_(options),
      lock_(std::in_place, impl_.mutex),
      nodes_(impl_, def, producer_ops, options.return_elements) {}

GraphImport::~GraphImport() {
  if (library_before_) impl_.library->Remove(*library_before_);
}

Status GraphImport::Prepare() {
  if (impl_.finalized) return FailedPrecondition("Graph is finalized and cannot be modified.");
  RAMET_RETURN_IF_ERROR(CheckVersions(def_.rest().versions()));
  RAMET_ASSIGN_OR_RETURN(prefix_, ImportPrefix(impl_, options_.name));
  RAMET_RETURN_IF_ERROR(nodes_.ReadNames(prefix_));
  RAMET_RETURN_IF_ERROR(remap_.Init(&graph_, options_.input_map));
  RAMET_RETURN_IF_ERROR(nodes_.Append(&remap_));
  RAMET_RETURN_IF_ERROR(nodes_.CheckInputs());
  RAMET_RETURN_IF_ERROR(CheckRemapKeys(nodes_, remap_));
  RAMET_RETURN_IF_ERROR(impl_.library->Check(def_.rest()));
  library_before_ = impl_.library->AddFunctions(def_.rest(), FindFunctionFor);
  RAMET_RETURN_IF_ERROR(InferImportedShapes(nodes_, options_.validate_shapes));
  RAMET_RETURN_IF_ERROR(SetImportedDevices(nodes_, options_.clear_devices));
  RAMET_ASSIGN_OR_RETURN(results_.return_elements,
                         ReturnElements(graph_, nodes_, options_.return_elements, &remap_));
  return OkStatus();
}

NodeId GraphImport::FindNode(std::string_view name_in_file) const {
  const int32_t i = nodes_.FindInFile(name_in_file);
  if (i >= 0) return nodes_.id(i);
  return impl_.FindNode(JoinScope(prefix_, name_in_file));
}

void GraphImport::ReserveNames() {
  BuildState& state = impl_.build_state;
  if (!options_.name.empty() && !options_.name.ends_with('/')) {
    UniqueFullName(state, JoinScope(state.name_stack, options_.name), true);
  }
  impl_.node_names.AddFrom(impl_.nodes, nodes_.id(0));
  state.names.imported.reserve(state.names.imported.size() + static_cast<size_t>(nodes_.size()));
  for (int32_t i = 0; i < nodes_.size(); ++i) {
    state.names.imported.push_back(nodes_.record(i).name);
  }
}

ImportResults GraphImport::Commit() {
  ReserveNames();
  results_.operations.reserve(static_cast<size_t>(nodes_.size()));
  for (int32_t i = 0; i < nodes_.size(); ++i) {
    results_.operations.push_back(Operation(&graph_, nodes_.id(i)));
  }
  nodes_.Keep();
  library_before_.reset();
  impl_.library->AddRest(def_.rest());
  if (def_.rest().has_versions() || def_.node_size() > 0) {
    MergeVersions(def_.rest().versions(), &impl_.versions);
  }
  results_.prefix = prefix_;
  lock_.reset();
  return std::move(results_);
}

}  // namespace ramet
