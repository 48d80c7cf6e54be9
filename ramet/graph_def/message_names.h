#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/proto/control_flow.pb.h"
#include "ramet/proto/meta_graph.pb.h"
#include "ramet/proto/saver.pb.h"

namespace ramet {

// The message type in a collection's bytes_list, determined by its standard key.
enum class CollectionProto { kNone, kVariable, kCond, kWhile, kQueueRunner, kSaver };
CollectionProto CollectionProtoOf(std::string_view key);

// Maps the name of an op or tensor ("n", "n:k", "^n") to its new name. Not called for empty names.
using RenameFn = std::function<std::string(std::string_view)>;

void RenameCond(const RenameFn& rename, CondContextDef* proto);
void RenameWhile(const RenameFn& rename, WhileContextDef* proto);
void RenameQueueRunner(const RenameFn& rename, QueueRunnerDef* proto);
void RenameSaver(const RenameFn& rename, SaverDef* proto);
void RenameSignature(const RenameFn& rename, SignatureDef* proto);
void RenameAsset(const RenameFn& rename, AssetFileDef* proto);

// Reports whether an Any with this type URL is an AssetFileDef (collection "saved_model_assets").
bool IsAssetUrl(std::string_view type_url);
// Returns a serialized AssetFileDef with its tensor renamed.
// \error kDataLoss: the bytes are not an AssetFileDef.
StatusOr<std::string> RenameAssetBytes(const std::string& bytes, const RenameFn& rename);

// Returns a serialized message of `kind` (not kVariable) with its names renamed.
// \error kDataLoss: the bytes are not such a message.
StatusOr<std::string> RenameMessage(CollectionProto kind, const std::string& bytes,
                                    const RenameFn& rename);
// Reports whether a message of `kind` belongs to a scope: its own name (of the context, the queue
// or the saver's tensors) begins with `scope`. Errors are those of RenameMessage.
StatusOr<bool> MessageInScope(CollectionProto kind, const std::string& bytes,
                              std::string_view scope);

// Calls `visit` for each while context among the context and those nested in it.
void ForEachWhileContext(const CondContextDef& proto,
                         const std::function<void(const WhileContextDef&)>& visit);
void ForEachWhileContext(const WhileContextDef& proto,
                         const std::function<void(const WhileContextDef&)>& visit);

}  // namespace ramet
