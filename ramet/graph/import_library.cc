#include "ramet/graph/import_library.h"

#include <unordered_map>

#include "ramet/graph/message_file.h"

namespace ramet {
namespace {

using google::protobuf::Message;
using google::protobuf::UnknownFieldSet;

const UnknownFieldSet& UnknownFields(const Message& message) {
  return message.GetReflection()->GetUnknownFields(message);
}

void AddUnknownFields(const UnknownFieldSet& fields, Message* message) {
  message->GetReflection()->MutableUnknownFields(message)->MergeFrom(fields);
}

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
  const auto& unknown = UnknownFields(def);
  const auto& of_versions = UnknownFields(def.versions());
  if (!def.has_library() && !def.has_debug_info() && unknown.empty() && of_versions.empty()) {
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
    AddUnknownFields(UnknownFields(def.library()), library);
  }
  if (def.has_debug_info()) merged.mutable_debug_info()->MergeFrom(def.debug_info());
  if (!of_versions.empty()) AddUnknownFields(of_versions, merged.mutable_versions());
  AddUnknownFields(unknown, &merged);
  return CanonicalBytes(merged);
}

}  // namespace ramet
