#pragma once

#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

namespace ramet {

// Which message a file (binary or text form) holds: "GraphDef", "MetaGraphDef", "SavedModel" or
// "CheckpointState". The content decides, the names *.meta, saved_model.pb and checkpoint where it
// fits several. \error kNotFound if there is no such file; kDataLoss if it is empty or none of
// these.
RAMET_EXPORT StatusOr<std::string> MessageKindOfFile(const std::string& path);

// Writes the message in the file `from` (binary or text form) to the file `to` in the form asked
// for, and says which message it was. The message goes through as it is: ops and attrs that Ramet
// does not know stay; fields that it does not know stay in binary form, and text form would lose
// them.
//
// `kind` is "" for those that MessageKindOfFile tells, or a message's name: one of those, or
// AttrValue, CollectionDef, FunctionDefLibrary, NodeDef, OpList, QueueRunnerDef, SaverDef,
// SignatureDef, TensorProto, TrackableObjectGraph, VariableDef. The file `to` is replaced in one
// step.
//
// \error kNotFound if there is no file `from`; kDataLoss if its content is none of these messages,
//   or not `kind`; kInvalidArgument for another kind, or, naming the message and the field, if text
//   form would lose fields; those of writing.
RAMET_EXPORT StatusOr<std::string> ConvertMessageFile(const std::string& from,
                                                      const std::string& to, bool as_text,
                                                      std::string_view kind = "");

}  // namespace ramet
