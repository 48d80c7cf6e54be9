#include "ramet/graph_def/message_names.h"

#include "ramet/graph/collections.h"
#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

void Apply(const RenameFn& rename, std::string* name) {
  if (!name->empty()) *name = rename(*name);
}

template <class Names>
void ApplyToAll(const RenameFn& rename, Names* names) {
  for (std::string& name : *names) Apply(rename, &name);
}

void RenameValues(const RenameFn& rename, ValuesDef* proto) {
  ApplyToAll(rename, proto->mutable_values());
  ValuesDef renamed;
  for (const auto& [outer, inner] : proto->external_values()) {
    (*renamed.mutable_external_values())[rename(outer)] = inner.empty() ? "" : rename(inner);
  }
  proto->mutable_external_values()->swap(*renamed.mutable_external_values());
}

void RenameTensorInfo(const RenameFn& rename, TensorInfo* proto) {
  if (proto->has_name()) Apply(rename, proto->mutable_name());
  if (proto->has_coo_sparse()) {
    auto* sparse = proto->mutable_coo_sparse();
    Apply(rename, sparse->mutable_values_tensor_name());
    Apply(rename, sparse->mutable_indices_tensor_name());
    Apply(rename, sparse->mutable_dense_shape_tensor_name());
  }
  if (!proto->has_composite_tensor()) return;
  for (TensorInfo& component : *proto->mutable_composite_tensor()->mutable_components()) {
    RenameTensorInfo(rename, &component);
  }
}

template <class Contexts>
void RenameNested(const RenameFn& rename, Contexts* contexts) {
  for (ControlFlowContextDef& nested : *contexts) {
    if (nested.has_cond_ctxt()) RenameCond(rename, nested.mutable_cond_ctxt());
    if (nested.has_while_ctxt()) RenameWhile(rename, nested.mutable_while_ctxt());
  }
}

template <class Contexts>
void VisitNested(const Contexts& contexts,
                 const std::function<void(const WhileContextDef&)>& visit) {
  for (const ControlFlowContextDef& nested : contexts) {
    if (nested.has_cond_ctxt()) ForEachWhileContext(nested.cond_ctxt(), visit);
    if (nested.has_while_ctxt()) ForEachWhileContext(nested.while_ctxt(), visit);
  }
}

// Parses the bytes as the message of `kind` and passes it to `use`.
template <class Use>
Status WithMessage(CollectionProto kind, const std::string& bytes, Use use) {
  auto read = [&]<class M>(M message) -> Status {
    if (!message.ParseFromString(bytes)) return DataLoss("not a ", message.GetTypeName());
    use(message);
    return OkStatus();
  };
  switch (kind) {
    case CollectionProto::kCond: return read(CondContextDef());
    case CollectionProto::kWhile: return read(WhileContextDef());
    case CollectionProto::kQueueRunner: return read(QueueRunnerDef());
    case CollectionProto::kSaver: return read(SaverDef());
    default: return Internal("this kind of message has no names");
  }
}

void Rename(const RenameFn& rename, CondContextDef* proto) { RenameCond(rename, proto); }
void Rename(const RenameFn& rename, WhileContextDef* proto) { RenameWhile(rename, proto); }
void Rename(const RenameFn& rename, QueueRunnerDef* proto) { RenameQueueRunner(rename, proto); }
void Rename(const RenameFn& rename, SaverDef* proto) { RenameSaver(rename, proto); }

bool InScope(const CondContextDef& m, std::string_view s) {
  return m.context_name().starts_with(s);
}
bool InScope(const WhileContextDef& m, std::string_view s) {
  return m.context_name().starts_with(s);
}
bool InScope(const QueueRunnerDef& m, std::string_view s) { return m.queue_name().starts_with(s); }
bool InScope(const SaverDef& m, std::string_view s) {
  return m.filename_tensor_name().starts_with(s) && m.save_tensor_name().starts_with(s) &&
         m.restore_op_name().starts_with(s);
}

}  // namespace

CollectionProto CollectionProtoOf(std::string_view key) {
  for (std::string_view variables :
       {graph_keys::kGlobalVariables, graph_keys::kTrainableVariables, graph_keys::kLocalVariables,
        graph_keys::kModelVariables, graph_keys::kMovingAverageVariables,
        graph_keys::kMetricVariables, graph_keys::kGlobalStep}) {
    if (key == variables) return CollectionProto::kVariable;
  }
  if (key == graph_keys::kCondContext) return CollectionProto::kCond;
  if (key == graph_keys::kWhileContext) return CollectionProto::kWhile;
  if (key == graph_keys::kQueueRunners) return CollectionProto::kQueueRunner;
  return key == graph_keys::kSavers ? CollectionProto::kSaver : CollectionProto::kNone;
}

void RenameCond(const RenameFn& rename, CondContextDef* proto) {
  Apply(rename, proto->mutable_context_name());
  Apply(rename, proto->mutable_pred_name());
  Apply(rename, proto->mutable_pivot_name());
  if (proto->has_values_def()) RenameValues(rename, proto->mutable_values_def());
  RenameNested(rename, proto->mutable_nested_contexts());
}

void RenameWhile(const RenameFn& rename, WhileContextDef* proto) {
  Apply(rename, proto->mutable_context_name());
  Apply(rename, proto->mutable_pivot_name());
  Apply(rename, proto->mutable_pivot_for_pred_name());
  Apply(rename, proto->mutable_pivot_for_body_name());
  Apply(rename, proto->mutable_maximum_iterations_name());
  ApplyToAll(rename, proto->mutable_loop_exit_names());
  ApplyToAll(rename, proto->mutable_loop_enter_names());
  if (proto->has_values_def()) RenameValues(rename, proto->mutable_values_def());
  RenameNested(rename, proto->mutable_nested_contexts());
}

void RenameQueueRunner(const RenameFn& rename, QueueRunnerDef* proto) {
  Apply(rename, proto->mutable_queue_name());
  ApplyToAll(rename, proto->mutable_enqueue_op_name());
  Apply(rename, proto->mutable_close_op_name());
  Apply(rename, proto->mutable_cancel_op_name());
}

void RenameSaver(const RenameFn& rename, SaverDef* proto) {
  Apply(rename, proto->mutable_filename_tensor_name());
  Apply(rename, proto->mutable_save_tensor_name());
  Apply(rename, proto->mutable_restore_op_name());
}

void RenameSignature(const RenameFn& rename, SignatureDef* proto) {
  for (auto& [key, tensor] : *proto->mutable_inputs()) RenameTensorInfo(rename, &tensor);
  for (auto& [key, tensor] : *proto->mutable_outputs()) RenameTensorInfo(rename, &tensor);
}

void RenameAsset(const RenameFn& rename, AssetFileDef* proto) {
  if (proto->has_tensor_info()) RenameTensorInfo(rename, proto->mutable_tensor_info());
}

bool IsAssetUrl(std::string_view type_url) { return type_url.ends_with(".AssetFileDef"); }

StatusOr<std::string> RenameAssetBytes(const std::string& bytes, const RenameFn& rename) {
  AssetFileDef asset;
  if (!asset.ParseFromString(bytes)) return DataLoss("not an AssetFileDef");
  RenameAsset(rename, &asset);
  return CanonicalBytes(asset);
}

StatusOr<std::string> RenameMessage(CollectionProto kind, const std::string& bytes,
                                    const RenameFn& rename) {
  std::string renamed;
  RAMET_RETURN_IF_ERROR(WithMessage(kind, bytes, [&](auto& message) {
    Rename(rename, &message);
    renamed = CanonicalBytes(message);
  }));
  return renamed;
}

StatusOr<bool> MessageInScope(CollectionProto kind, const std::string& bytes,
                              std::string_view scope) {
  bool inside = false;
  RAMET_RETURN_IF_ERROR(
      WithMessage(kind, bytes, [&](auto& message) { inside = InScope(message, scope); }));
  return inside;
}

void ForEachWhileContext(const CondContextDef& proto,
                         const std::function<void(const WhileContextDef&)>& visit) {
  VisitNested(proto.nested_contexts(), visit);
}

void ForEachWhileContext(const WhileContextDef& proto,
                         const std::function<void(const WhileContextDef&)>& visit) {
  visit(proto);
  VisitNested(proto.nested_contexts(), visit);
}

}  // namespace ramet
