#pragma once

#include <map>
#include <string>
#include <string_view>

#include "ramet/base/status.h"
#include "ramet/graph/graph.h"

// The signatures that a publisher announces with the graph, as serialized SignatureDefs by key
// (MetaGraphInfo::signature_defs).
namespace ramet {

using SignatureDefs = std::map<std::string, std::string>;

// Returns a serialized MetaGraphDef with these signatures only (ExportMetaGraphOptions::carried).
// \error kInvalidArgument: the bytes are not a SignatureDef, or one names a tensor that `graph`
//   does not have. The message names the signature.
StatusOr<std::string> CarrySignatures(const Graph& graph, const SignatureDefs& signatures);

// Returns the signatures with `prefix` before the names of their tensors, without those whose
// tensors `graph` does not have under these names.
SignatureDefs SignaturesOf(const Graph& graph, const SignatureDefs& signatures,
                           std::string_view prefix);

}  // namespace ramet
