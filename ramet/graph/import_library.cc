#include "ramet/graph/import_library.h"

#include <unordered_map>

#include "ramet/graph/message_file.h"
#include "ramet/tensor/tensor_proto.h"

namespace ramet {
namespace {

Status AddFunctions(const FunctionDefLibrary& from, FunctionDefLibrary* to) {
  std::unordered_map<std::string, std::string> known;
  for (const FunctionDef& f : to->function())
    known.emplace(f.signature().name(), CanonicalBytes(f));
  for (const FunctionDef& f : from.function()) {
    auto [it, added] = known.try_emplace(f.signature().name());
    if (added) {
      it->second = CanonicalBytes(f);
      *to->add_function() = f;
    } else if (it->second != CanonicalBytes(f)) {
      return InvalidArgument("Cannot add function '", f.signature().name(),
                             "' because a different function with the same name already exists.");
    }
  }
  return OkStatus();
}

Status AddGradients(const FunctionDefLibrary& from, FunctionDefLibrary* to) {
  std::unordered_map<std::string, std::string> known;
  for (const GradientDef& g : to->gradient()) known.emplace(g.function_name(), g.gradient_func());
  for (const GradientDef& g : from.gradient()) {
    auto [it, added] = known.emplace(g.function_name(), g.gradient_func());
    if (added) {
      *to->add_gradient() = g;
    } else if (it->second != g.gradient_func()) {
      return InvalidArgument("Cannot assign gradient function '", g.gradient_func(), "' to '",
                             g.function_name(), "' because it already has gradient function '",
                             it->second, "'");
    }
  }
  for (const RegisteredGradient& g : from.registered_gradients())
    *to->add_registered_gradients() = g;
  return OkStatus();
}

}  // namespace

StatusOr<std::string> MergeLibraries(const std::string& before, const GraphDef& def) {
  const bool strange_versions = HasUnknownFields(def.versions());
  if (!def.has_library() && !def.has_debug_info() && !strange_versions && !HasUnknownFields(def)) {
    return before;
  }
  GraphDef merged;
  if (!merged.ParseFromString(before)) {
    return DataLoss("the function library of the graph cannot be read back");
  }
  if (def.has_library()) {
    FunctionDefLibrary* library = merged.mutable_library();
    RAMET_RETURN_IF_ERROR(AddFunctions(def.library(), library));
    RAMET_RETURN_IF_ERROR(AddGradients(def.library(), library));
    AddUnknownFields(def.library(), library);
  }
  if (def.has_debug_info()) merged.mutable_debug_info()->MergeFrom(def.debug_info());
  if (strange_versions) AddUnknownFields(def.versions(), merged.mutable_versions());
  AddUnknownFields(def, &merged);
  return CanonicalBytes(merged);
}

}  // namespace ramet
