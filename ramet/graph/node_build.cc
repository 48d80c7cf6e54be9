#include "ramet/graph/node_build.h"

#include <optional>

namespace ramet {
namespace {

// The length of input lists is clamped to this.
constexpr int64_t kMaxLength = int64_t{1} << 40;

bool IsVariableLength(const ArgSchema& arg, const AttrMap& attrs) {
  if (!arg.number_attr.empty()) return attrs.Find(arg.number_attr) == nullptr;
  return !arg.type_list_attr.empty() && attrs.Find(arg.type_list_attr) == nullptr;
}

StatusOr<int64_t> GivenLength(const ArgSchema& arg, const AttrMap& attrs) {
  if (!arg.number_attr.empty()) {
    RAMET_ASSIGN_OR_RETURN(const int64_t length, attrs.Get<int64_t>(arg.number_attr));
    if (length >= 0) return length;
    return InvalidArgument("attr '", arg.number_attr, "' gives ", length, " tensors for '",
                           arg.name, "', but it must not be negative");
  }
  if (!arg.type_list_attr.empty()) {
    RAMET_ASSIGN_OR_RETURN(auto types, attrs.Get<std::vector<DType>>(arg.type_list_attr));
    return static_cast<int64_t>(types.size());
  }
  return int64_t{1};
}

void SetIfMissing(AttrMap* attrs, const std::string& name, Attr value) {
  if (!name.empty() && attrs->Find(name) == nullptr) attrs->Set(name, std::move(value));
}

}  // namespace

StatusOr<std::vector<int>> SplitInputs(const OpSchema& schema, int num_inputs,
                                       const AttrMap& attrs) {
  std::vector<int> lengths;
  int64_t fixed = 0;
  std::optional<size_t> open;
  for (const ArgSchema& arg : schema.inputs) {
    int64_t length = 0;
    if (!IsVariableLength(arg, attrs)) {
      RAMET_ASSIGN_OR_RETURN(length, GivenLength(arg, attrs));
    } else if (open) {
      const ArgSchema& other = schema.inputs[*open];
      if (other.number_attr.empty() || other.number_attr != arg.number_attr) {
        return InvalidArgument("the lengths of '", other.name, "' and '", arg.name,
                               "' cannot be inferred from the inputs; set their attrs");
      }
      return InvalidArgument("set attr '", arg.number_attr, "'");
    } else {
      open = lengths.size();
    }
    lengths.push_back(static_cast<int>(std::min<int64_t>(length, num_inputs)));
    fixed = length > kMaxLength - fixed ? kMaxLength : fixed + length;
  }
  if (open) lengths[*open] = static_cast<int>(std::max<int64_t>(num_inputs - fixed, 0));
  if (open ? fixed > num_inputs : fixed != num_inputs) {
    return InvalidArgument("NodeDef expected ", open ? "at least " : "", fixed, " inputs but has ",
                           num_inputs, "; Op<", schema, ">");
  }
  return lengths;
}

Status InferAttrs(const OpSchema& schema, const std::vector<DType>& input_types, AttrMap* attrs) {
  RAMET_ASSIGN_OR_RETURN(auto lengths,
                         SplitInputs(schema, static_cast<int>(input_types.size()), *attrs));
  size_t next = 0;
  for (size_t a = 0; a < schema.inputs.size(); ++a) {
    const ArgSchema& arg = schema.inputs[a];
    std::vector<DType> types;
    for (int i = 0; i < lengths[a]; ++i) types.push_back(BaseType(input_types[next++]));
    SetIfMissing(attrs, arg.number_attr, static_cast<int64_t>(lengths[a]));
    if (!types.empty()) SetIfMissing(attrs, arg.type_attr, types[0]);
    SetIfMissing(attrs, arg.type_list_attr, types);
  }
  for (const AttrSchema& attr : schema.attrs) {
    if (attr.has_default) SetIfMissing(attrs, attr.name, attr.default_value);
  }
  return OkStatus();
}

}  // namespace ramet
