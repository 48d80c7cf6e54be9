#include "ramet/graph_def/meta_graph_reader.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>

#include "ramet/graph_def/collection_import.h"
#include "ramet/graph_def/control_flow_proto.h"
#include "ramet/graph_def/export_scope.h"
#include "ramet/graph_def/graph_import.h"
#include "ramet/graph_def/message_names.h"
#include "ramet/graph_def/saver_proto.h"
#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

Status CheckUnboundInputs(const MetaGraphDef& meta,
                          const std::map<std::string, Output>& input_map) {
  auto it = meta.collection_def().find(kUnboundInputsCollection);
  if (it == meta.collection_def().end()) return OkStatus();
  const auto& list = it->second.bytes_list().value();
  std::vector<std::string> wanted(list.begin(), list.end());
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::vector<std::string> missing;
  for (const std::string& name : wanted) {
    if (!input_map.contains(name)) missing.push_back(name);
  }
  if (wanted.empty() || (missing.empty() && wanted.size() == input_map.size())) return OkStatus();
  return InvalidArgument("Graph contains unbound inputs: ", StrJoin(missing, ","),
                         ". Must provide these inputs through input_map.",
                         missing.empty() ? " It has keys that are not unbound inputs." : "");
}

// "" means the current name scope itself.
std::string ScopeName(const Graph& graph, const std::string& import_scope) {
  if (!import_scope.empty()) {
    return import_scope.ends_with('/') ? import_scope.substr(0, import_scope.size() - 1)
                                       : import_scope;
  }
  const std::string& stack = graph.impl().build_state.name_stack;
  return stack.empty() ? "" : StrCat(stack, "/");
}

// Returns the message without the parts that the graph holds, with the new names of the nodes.
MetaGraphDef Carried(const MetaGraphDef& meta, const std::vector<std::string>& unknown,
                     const RenameFn& rename) {
  MetaGraphDef carried;
  *carried.mutable_meta_info_def() = meta.meta_info_def();
  *carried.mutable_signature_def() = meta.signature_def();
  *carried.mutable_asset_file_def() = meta.asset_file_def();
  if (meta.has_object_graph_def()) *carried.mutable_object_graph_def() = meta.object_graph_def();
  for (const std::string& key : unknown) {
    (*carried.mutable_collection_def())[key] = meta.collection_def().at(key);
  }
  AddUnknownFields(meta, &carried);
  if (meta.has_saver_def()) AddUnknownFields(meta.saver_def(), carried.mutable_saver_def());
  for (auto& [key, signature] : *carried.mutable_signature_def()) {
    RenameSignature(rename, &signature);
  }
  for (AssetFileDef& asset : *carried.mutable_asset_file_def()) RenameAsset(rename, &asset);
  return carried;
}

MetaGraphInfo Describe(const MetaGraphDef& meta, const std::vector<std::string>& unknown,
                       const RenameFn& rename) {
  MetaGraphInfo info;
  const auto& meta_info = meta.meta_info_def();
  info.tensorflow_version = meta_info.tensorflow_version();
  info.tags.assign(meta_info.tags().begin(), meta_info.tags().end());
  const MetaGraphDef carried = Carried(meta, unknown, rename);
  for (const auto& [key, signature] : carried.signature_def()) {
    info.signature_defs[key] = CanonicalBytes(signature);
  }
  info.carried = CanonicalBytes(carried);
  if (!meta.has_saver_def()) return info;
  SaverDef saver = meta.saver_def();
  RenameSaver(rename, &saver);
  info.saver = SaverFromProto(saver);
  return info;
}

// Imports everything except the parts that need the finished graph.
StatusOr<MetaGraphInfo> ImportNodesAndCollections(Graph& graph, const MetaGraphView& view,
                                                  const ImportMetaGraphOptions& options) {
  const MetaGraphDef& meta = view.rest;
  RAMET_RETURN_IF_ERROR(CheckUnboundInputs(meta, options.input_map));
  ImportOptions import_options;
  import_options.name = ScopeName(graph, options.import_scope);
  import_options.input_map = options.input_map;
  import_options.return_elements = options.return_elements;
  import_options.clear_devices = options.clear_devices;
  import_options.validate_shapes = options.validate_shapes;

  GraphImport import(graph, view.graph, meta.meta_info_def().stripped_op_list(), import_options);
  RAMET_RETURN_IF_ERROR(import.Prepare());
  GraphImpl& impl = import.impl();
  NameResolver resolver(&graph, impl, import.prefix(),
                        [&](std::string_view name) { return import.FindNode(name); });
  CollectionImport collections(&graph, impl, resolver, meta);
  RAMET_RETURN_IF_ERROR(collections.Read());
  RAMET_RETURN_IF_ERROR(collections.RenameFrames(&impl));

  MetaGraphInfo info = Describe(meta, collections.unknown(),
                                [&](std::string_view name) { return resolver.Rename(name); });
  info.variables = collections.Commit(&impl);
  ImportResults results = import.Commit();
  info.prefix = results.prefix;
  info.operations = std::move(results.operations);
  info.return_elements = std::move(results.return_elements);
  return info;
}

}  // namespace

StatusOr<MetaGraphInfo> ImportMetaGraphView(Graph& graph, const MetaGraphView& view,
                                            const ImportMetaGraphOptions& options) {
  google::protobuf::LogSilencer silencer;
  const size_t conds = graph.collections().Get(graph_keys::kCondContext).size();
  const size_t loops = graph.collections().Get(graph_keys::kWhileContext).size();
  RAMET_ASSIGN_OR_RETURN(MetaGraphInfo info, ImportNodesAndCollections(graph, view, options));
  RestoreContexts(graph, conds, loops);
  return info;
}

}  // namespace ramet
