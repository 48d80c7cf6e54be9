#include "ramet/replica/announced_signatures.h"

#include "ramet/base/strings.h"
#include "ramet/graph_def/message_names.h"

namespace ramet {
namespace {

// Renames the tensors of a signature. Returns the first new name that `graph` does not have, or "".
std::string RenameWithin(const Graph& graph, std::string_view prefix, SignatureDef* signature) {
  std::string missing;
  const auto rename = [&](std::string_view name) {
    std::string renamed = StrCat(prefix, name);
    if (missing.empty() && !graph.Tensor(renamed).ok()) missing = renamed;
    return renamed;
  };
  RenameSignature(rename, signature);
  return missing;
}

}  // namespace

StatusOr<std::string> CarrySignatures(const Graph& graph, const SignatureDefs& signatures) {
  MetaGraphDef carried;
  for (const auto& [key, bytes] : signatures) {
    SignatureDef& signature = (*carried.mutable_signature_def())[key];
    if (!signature.ParseFromString(bytes)) {
      return InvalidArgument("signature '", key, "' is not a serialized SignatureDef");
    }
    const std::string missing = RenameWithin(graph, "", &signature);
    if (missing.empty()) continue;
    return InvalidArgument("signature '", key, "' names the tensor '", missing,
                           "', which the published graph does not have");
  }
  return carried.SerializeAsString();
}

SignatureDefs SignaturesOf(const Graph& graph, const SignatureDefs& signatures,
                           std::string_view prefix) {
  SignatureDefs found;
  for (const auto& [key, bytes] : signatures) {
    SignatureDef signature;
    if (!signature.ParseFromString(bytes)) continue;
    if (RenameWithin(graph, prefix, &signature).empty()) found[key] = signature.SerializeAsString();
  }
  return found;
}

}  // namespace ramet
