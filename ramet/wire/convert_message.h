#pragma once

#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

namespace ramet {

// Returns which message a file (binary or text form) holds: "GraphDef", "MetaGraphDef",
// "SavedModel" or "CheckpointState". The content decides. If it fits several kinds, the file name
// does: *.meta, saved_model.pb or checkpoint.
// \error kNotFound: the file does not exist.
// \error kDataLoss: the file is empty or holds none of these.
RAMET_EXPORT StatusOr<std::string> MessageKindOfFile(const std::string& path);

// Writes the message in the file `from` (binary or text form) to the file `to` in binary form, or
// in text form if `as_text`. Returns the kind of message. Ops and attrs that Ramet does not know
// are kept. Unknown fields are kept in binary form; text form cannot represent them.
//
// `kind` is "" for the kinds that MessageKindOfFile detects, or a message's name: one of those, or
// AttrValue, CollectionDef, FunctionDefLibrary, NodeDef, OpList, QueueRunnerDef, SaverDef,
// SignatureDef, TensorProto, TrackableObjectGraph, VariableDef. The file `to` is replaced
// atomically.
//
// Also returns the errors of writing.
// \error kNotFound: there is no file `from`.
// \error kDataLoss: its content is not one of these messages, or not a `kind`.
// \error kInvalidArgument: `kind` is unknown, or text form would lose fields, naming the message
//   and the field.
RAMET_EXPORT StatusOr<std::string> ConvertMessageFile(const std::string& from,
                                                      const std::string& to, bool as_text,
                                                      std::string_view kind = "");

}  // namespace ramet
