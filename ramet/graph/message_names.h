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

// The messages that a collection's bytes_list holds under a standard key (spec: protos,
// collections).
enum class CollectionProto { kNone, kVariable, kCond, kWhile, kQueueRunner, kSaver };
CollectionProto CollectionProtoOf(std::string_view key);

// What a name of an op or tensor ("n", "n:k", "^n") becomes. Empty names are not asked for.
using RenameFn = std::function<std::string(std::string_view)>;

void RenameCond(const RenameFn& rename, CondContextDef* proto);
void RenameWhile(const RenameFn& rename, WhileContextDef* proto);
void RenameQueueRunner(const RenameFn& rename, QueueRunnerDef* proto);
void RenameSaver(const RenameFn& rename, SaverDef* proto);
void RenameSignature(const RenameFn& rename, SignatureDef* proto);
void RenameAsset(const RenameFn& rename, AssetFileDef* proto);

// Whether an Any with this type URL is an AssetFileDef (collection "saved_model_assets").
bool IsAssetUrl(std::string_view type_url);
// A serialised AssetFileDef with its tensor renamed. \error kDataLoss if the bytes are none.
StatusOr<std::string> RenameAssetBytes(const std::string& bytes, const RenameFn& rename);

// A serialised message of `kind` (not kVariable) with its names renamed.
// \error kDataLoss if the bytes are no such message.
StatusOr<std::string> RenameMessage(CollectionProto kind, const std::string& bytes,
                                    const RenameFn& rename);
// Whether a message of `kind` belongs to a scope: its own name (context, queue, saver's tensors)
// begins with `scope`. \error as RenameMessage.
StatusOr<bool> MessageInScope(CollectionProto kind, const std::string& bytes,
                              std::string_view scope);

// Calls `visit` for the context and all nested ones that are while contexts.
void ForEachWhileContext(const CondContextDef& proto,
                         const std::function<void(const WhileContextDef&)>& visit);
void ForEachWhileContext(const WhileContextDef& proto,
                         const std::function<void(const WhileContextDef&)>& visit);

}  // namespace ramet
