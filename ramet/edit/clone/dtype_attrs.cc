#include "ramet/edit/clone/dtype_attrs.h"

#include <algorithm>
#include <array>
#include <optional>

#include "ramet/edit/clone/convert_floating.h"

namespace ramet {
namespace {

// Reports whether an op converts between complex numbers and their parts. Its Tout must correspond
// to T.
bool JoinsParts(const Op& op) {
  static constexpr std::array kNames = {"Angle", "Complex", "ComplexAbs", "Imag", "Real"};
  return std::ranges::count(kNames, op.name()) > 0;
}

// Reports whether an attr must not change. Batch normalization kernels support scales and averages
// only in float.
bool IsFixed(const Op& op, const AttrSchema& schema) {
  return JoinsParts(op) || (schema.name == "U" && op.name().starts_with("FusedBatchNorm"));
}

bool Allows(const AttrSchema& schema, DType t) {
  return schema.allowed_types.empty() || std::ranges::count(schema.allowed_types, t) > 0;
}

DType Mapped(const CloneDtype::Map& rule, const AttrSchema& schema, DType t) {
  auto to = rule.find(t);
  return to != rule.end() && Allows(schema, to->second) ? to->second : t;
}

// Returns the type attr changed by the rule, or nothing if it stays the same.
std::optional<Attr> MappedAttr(const CloneDtype::Map& rule, const AttrSchema& schema,
                               const Attr& attr) {
  if (schema.type == "type") {
    const DType* t = attr.get<DType>();
    if (t == nullptr || Mapped(rule, schema, *t) == *t) return std::nullopt;
    return Attr(Mapped(rule, schema, *t));
  }
  const auto* types = schema.type == "list(type)" ? attr.get<std::vector<DType>>() : nullptr;
  if (types == nullptr) return std::nullopt;
  std::vector<DType> mapped;
  for (DType t : *types) mapped.push_back(Mapped(rule, schema, t));
  if (mapped == *types) return std::nullopt;
  return Attr(std::move(mapped));
}

Status ConvertValue(AttrMap* attrs) {
  const Attr* value = attrs->Find("value");
  const Tensor* tensor = value == nullptr ? nullptr : value->get<Tensor>();
  if (tensor == nullptr) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(Tensor rounded,
                         ConvertFloating(*tensor, attrs->GetOr<DType>("dtype", kFloat)));
  attrs->Set("value", std::move(rounded));
  return OkStatus();
}

}  // namespace

StatusOr<std::shared_ptr<const AttrMap>> ChangeDtypes(const NodeRecord& node,
                                                      const CloneDtype::Map& rule) {
  if (rule.empty()) return node.attrs;
  std::optional<AttrMap> changed;
  for (const AttrSchema& schema : node.op->schema().attrs) {
    if (IsFixed(*node.op, schema)) continue;
    const Attr* attr = node.attrs->Find(schema.name);
    if (attr == nullptr && schema.has_default) attr = &schema.default_value;
    auto mapped = attr == nullptr ? std::nullopt : MappedAttr(rule, schema, *attr);
    if (!mapped) continue;
    if (!changed) changed = *node.attrs;
    changed->Set(schema.name, *std::move(mapped));
  }
  if (!changed) return node.attrs;
  if (node.op->name() == "Const") RAMET_RETURN_IF_ERROR(ConvertValue(&*changed));
  return std::make_shared<const AttrMap>(*std::move(changed));
}

}  // namespace ramet
