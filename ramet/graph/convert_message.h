#pragma once

#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

namespace ramet {

// Writes the GraphDef, MetaGraphDef or SavedModel in the file `from` (binary or text form) to the
// file `to` in the form asked for, and says which of them it was. The message goes through as it
// is: ops and attrs that Ramet does not know stay; fields that it does not know stay in binary
// form, and text form would lose them.
//
// `kind` is "GraphDef", "MetaGraphDef", "SavedModel", or "" to find out: the content decides, the
// names *.meta and saved_model.pb where it fits several. The file `to` is replaced in one step.
//
// \error kNotFound if there is no file `from`; kDataLoss if its content is none of these messages,
// or
//   not `kind`; kInvalidArgument for another kind, or if text form would lose fields; those of
//   writing.
RAMET_EXPORT StatusOr<std::string> ConvertMessageFile(const std::string& from,
                                                      const std::string& to, bool as_text,
                                                      std::string_view kind = "");

}  // namespace ramet
