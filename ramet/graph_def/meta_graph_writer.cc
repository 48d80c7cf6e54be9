#include "ramet/graph_def/meta_graph_writer.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include "ramet/base/wire_format.h"
#include "ramet/graph_def/collection_export.h"
#include "ramet/graph_def/graph_writer.h"
#include "ramet/graph_def/message_names.h"
#include "ramet/graph_def/op_definitions.h"
#include "ramet/graph_def/saver_proto.h"
#include "ramet/wire/message_file.h"
#include "ramet/wire/tensor_ref.h"

namespace ramet {
namespace {

constexpr char kTensorFlowVersion[] = "2.21.0";
constexpr char kWriter[] = "ramet";

bool IsSaveOrRestore(const std::string& op) {
  for (const char* name : {"SaveV2", "RestoreV2", "MergeV2Checkpoints", "Save", "SaveSlices",
                           "Restore", "RestoreSlice", "ShardedFilename", "ShardedFilespec"}) {
    if (op == name) return true;
  }
  return false;
}

// Returns "a/b/" for "a/b/c" and "/" (which no name begins with) for "c".
std::string ScopeOf(std::string_view name) {
  const size_t slash = name.rfind('/');
  return StrCat(slash == std::string_view::npos ? std::string_view() : name.substr(0, slash), "/");
}

// Returns the scopes that are not inside another one, sorted. Then only the last scope that does
// not sort after a name can contain it.
std::vector<std::string_view> OutermostOf(const std::set<std::string>& scopes) {
  std::vector<std::string_view> outer;
  for (const std::string& scope : scopes) {
    if (outer.empty() || !scope.starts_with(outer.back())) outer.push_back(scope);
  }
  return outer;
}

// Returns the nodes in scopes of savers other than `saver`.
std::unordered_set<std::string> ExtraneousSaverNodes(const GraphImpl& impl,
                                                     const std::optional<SaverNames>& saver) {
  std::set<std::string> scopes;
  for (const NodeRecord& node : impl.nodes) {
    if (IsSaveOrRestore(node.op->name())) scopes.insert(ScopeOf(node.name));
  }
  if (saver) {
    scopes.erase(ScopeOf(TensorRef::Parse(saver->save_tensor_name).node));
    scopes.erase(ScopeOf(saver->restore_op_name));
  }
  const std::vector<std::string_view> outer = OutermostOf(scopes);
  std::unordered_set<std::string> extraneous;
  for (const NodeRecord& node : impl.nodes) {
    auto after = std::ranges::upper_bound(outer, node.name);
    if (after != outer.begin() && node.name.starts_with(*std::prev(after))) {
      extraneous.emplace(node.name);
    }
  }
  return extraneous;
}

void WriteMetaInfo(const ExportMetaGraphOptions& options, MetaGraphDef* meta) {
  auto* info = meta->mutable_meta_info_def();
  info->set_tensorflow_version(kTensorFlowVersion);
  info->set_tensorflow_git_version(kWriter);
  info->set_stripped_default_attrs(options.strip_default_attrs);
  if (!options.tags.empty()) info->clear_tags();
  for (const std::string& tag : options.tags) info->add_tags(tag);
}

// Strips the scope from the tensor names in carried signatures and assets.
void StripCarriedNames(const ExportScope& scope, MetaGraphDef* meta) {
  if (scope.scope().empty()) return;
  auto strip = [&](std::string_view name) { return scope.Strip(name); };
  for (auto& [key, signature] : *meta->mutable_signature_def()) RenameSignature(strip, &signature);
  for (AssetFileDef& asset : *meta->mutable_asset_file_def()) RenameAsset(strip, &asset);
}

// Returns the collections to write, with program objects replaced by their forms in a file; those
// without one stay, and those that have nothing to write yet are left out. Holds no lock, since it
// calls the program.
Collections CollectionsToWrite(const Graph& graph, const ExportMetaGraphOptions& options) {
  const Collections now = graph.collections();
  const std::string scope = ExportScope(options.export_scope).scope();
  Collections plain;
  for (const auto& [key, given] : now.all()) {
    const auto& keys = options.collections;
    if (keys && std::ranges::find(*keys, key) == keys->end()) continue;
    std::vector<CollectionItem> items = given;
    std::erase_if(items, [&scope](CollectionItem& item) {
      const auto* object = std::get_if<std::shared_ptr<const CollectionObject>>(&item);
      if (object == nullptr) return false;
      auto made = (*object)->Export(scope);
      if (made.ok()) item = *std::move(made);
      return IsNotFound(made.status());
    });
    plain.Replace(key, std::move(items));
  }
  return plain;
}

void WriteCollections(const GraphImpl& impl, const Collections& collections,
                      const ExportMetaGraphOptions& options, const GraphWriterOptions& scope,
                      MetaGraphDef* meta) {
  auto* out = meta->mutable_collection_def();
  auto write = [&](const std::string& key, const std::vector<CollectionItem>& items) {
    CollectionDef proto;
    if (CollectionToProto(impl, key, items, scope, &proto)) (*out)[key] = std::move(proto);
  };
  for (const auto& [key, items] : collections.all()) {
    const bool only_saver = options.clear_extraneous_savers && key == graph_keys::kSavers;
    if (!only_saver) write(key, items);
    if (only_saver && options.saver) {
      write(key, {OpaqueMessage{"", meta->saver_def().SerializeAsString()}});
    }
  }
}

void WriteUnboundInputs(const std::vector<std::string>& unbound, MetaGraphDef* meta) {
  if (unbound.empty()) return;
  auto* list = (*meta->mutable_collection_def())[kUnboundInputsCollection].mutable_bytes_list();
  std::set<std::string_view> seen;
  for (const std::string& name : unbound) {
    if (seen.insert(name).second) list->add_value(name);
  }
}

// Writes everything except the graph to `*rest`.
Status WriteMetaGraph(const Graph& graph, const ExportMetaGraphOptions& options, MetaGraphDef* rest,
                      GraphBytes* written) {
  if (!rest->ParseFromString(options.carried)) {
    return InvalidArgument("the bytes in `carried` are not a MetaGraphDef");
  }
  const Collections collections = CollectionsToWrite(graph, options);
  const GraphImpl& impl = graph.impl();
  ReaderLock lock(impl.mutex);
  std::unordered_set<std::string> exclude;
  if (options.clear_extraneous_savers) exclude = ExtraneousSaverNodes(impl, options.saver);
  GraphWriterOptions scope;
  scope.scope = ExportScope(options.export_scope);
  scope.exclude = &exclude;
  scope.def = {.add_shapes = true,
               .strip_default_attrs = options.strip_default_attrs,
               .clear_devices = options.clear_devices};
  RAMET_RETURN_IF_ERROR(GraphWriter(impl, scope).Write(written));
  WriteMetaInfo(options, rest);
  StripCarriedNames(scope.scope, rest);
  OpList* ops = rest->mutable_meta_info_def()->mutable_stripped_op_list();
  RAMET_RETURN_IF_ERROR(StrippedOpList(impl, written->ops, written->library, *ops, ops));
  if (options.saver) {
    SaverToProto(*options.saver, rest->mutable_saver_def());
    RenameSaver([&](std::string_view name) { return scope.scope.Strip(name); },
                rest->mutable_saver_def());
  } else {
    rest->clear_saver_def();
  }
  WriteCollections(impl, collections, options, scope, rest);
  WriteUnboundInputs(written->unbound, rest);
  return OkStatus();
}

}  // namespace

Status MetaGraphToProto(const Graph& graph, const ExportMetaGraphOptions& options,
                        MetaGraphDef* meta) {
  GraphBytes written;
  RAMET_RETURN_IF_ERROR(WriteMetaGraph(graph, options, meta, &written));
  if (meta->mutable_graph_def()->ParseFromString(written.bytes)) return OkStatus();
  return Internal("the serialized graph does not parse");
}

StatusOr<std::string> MetaGraphToBytes(const Graph& graph, const ExportMetaGraphOptions& options) {
  MetaGraphDef meta;
  GraphBytes written;
  RAMET_RETURN_IF_ERROR(WriteMetaGraph(graph, options, &meta, &written));
  MetaGraphDef info;
  info.mutable_meta_info_def()->Swap(meta.mutable_meta_info_def());
  meta.clear_meta_info_def();
  std::string bytes = CanonicalBytes(info);
  bytes.reserve(bytes.size() + written.bytes.size() + meta.ByteSizeLong() + kMaxVarint64Bytes + 1);
  AppendBytesField(&bytes, MetaGraphDef::kGraphDefFieldNumber, written.bytes);
  AppendCanonical(meta, &bytes);
  if (bytes.size() <= static_cast<size_t>(std::numeric_limits<int>::max())) return bytes;
  return ResourceExhausted("a MetaGraphDef of ", bytes.size(),
                           " bytes cannot be written: the format is limited to 2 GiB");
}

}  // namespace ramet
