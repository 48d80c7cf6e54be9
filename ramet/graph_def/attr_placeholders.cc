#include "ramet/graph_def/attr_placeholders.h"

namespace ramet {
namespace {

constexpr int kMaxAttrDepth = 50;

Status Substitute(const AttrProtoMap& values, int depth, AttrValue* value);

Status SubstituteIn(const AttrProtoMap& values, int depth, NameAttrList* function) {
  if (depth > kMaxAttrDepth) return InvalidArgument("functions in attrs are nested too deeply");
  for (auto& [name, attr] : *function->mutable_attr()) {
    Status done = Substitute(values, depth + 1, &attr);
    if (!done.ok()) return done.WithContext(StrCat("attr '", name, "'"));
  }
  return OkStatus();
}

Status Substitute(const AttrProtoMap& values, int depth, AttrValue* value) {
  if (value->value_case() == AttrValue::kPlaceholder) {
    auto it = values.find(value->placeholder());
    if (it == values.end()) {
      return InvalidArgument("the function has no attr '", value->placeholder(),
                             "', which provides the value");
    }
    *value = it->second;
    return OkStatus();
  }
  if (value->has_func()) return SubstituteIn(values, depth, value->mutable_func());
  if (!value->has_list()) return OkStatus();
  for (NameAttrList& function : *value->mutable_list()->mutable_func()) {
    RAMET_RETURN_IF_ERROR(SubstituteIn(values, depth, &function));
  }
  return OkStatus();
}

}  // namespace

Status ReplacePlaceholders(const AttrProtoMap& values, AttrValue* value) {
  return Substitute(values, 0, value);
}

}  // namespace ramet
