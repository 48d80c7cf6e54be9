#include "ramet/graph_def/bound_function.h"

#include "ramet/wire/attr_proto.h"
#include "ramet/wire/message_file.h"
#include "ramet/wire/op_def_proto.h"

namespace ramet {
namespace {

// Returns the attrs of the signature, from `attrs` or their defaults.
StatusOr<AttrMap> BindSignature(const OpSchema& signature, const AttrMap& attrs) {
  AttrMap bound;
  for (const AttrSchema& attr : signature.attrs) {
    if (const Attr* given = attrs.Find(attr.name)) {
      bound.Set(attr.name, *given);
    } else if (attr.has_default) {
      bound.Set(attr.name, attr.default_value);
    } else {
      return InvalidArgument("function '", signature.name, "': attr '", attr.name,
                             "' is not given");
    }
  }
  Status checked = signature.CheckAttrs(bound);
  if (!checked.ok()) return checked.WithContext(StrCat("function '", signature.name, "'"));
  return bound;
}

}  // namespace

StatusOr<BoundFunction> BindFunction(const GraphImpl& graph, const FunctionRef& ref) {
  BoundFunction function{graph.library, nullptr, {}};
  function.def = function.library->Find(ref.name);
  if (function.def == nullptr) {
    const std::vector<std::string> names = function.library->names();
    const std::string near =
        NearestName(ref.name, std::vector<std::string_view>(names.begin(), names.end()));
    return NotFound("Function '", ref.name, "' is not defined in the graph's library.",
                    near.empty() ? "" : StrCat(" Did you mean '", near, "'?"));
  }
  auto signature = OpSchemaFromProto(function.def->signature());
  if (!signature.ok()) return signature.status().WithContext(StrCat("function '", ref.name, "'"));
  RAMET_ASSIGN_OR_RETURN(function.attrs,
                         BindSignature(*signature, ref.attrs ? *ref.attrs : AttrMap()));
  return function;
}

StatusOr<std::string> KeyOf(const BoundFunction& function) {
  std::string key = function.def->signature().name();
  for (const auto& [name, attr] : function.attrs) {
    AttrValue value;
    RAMET_RETURN_IF_ERROR(AttrToProto(attr, &value));
    const std::string bytes = CanonicalBytes(value);
    key += StrCat("\n", name, " ", bytes.size(), " ", bytes);
  }
  return key;
}

}  // namespace ramet
