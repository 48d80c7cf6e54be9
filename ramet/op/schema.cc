#include "ramet/op/schema.h"

#include <algorithm>
#include <charconv>
#include <span>

namespace ramet {
namespace {

std::string_view Trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

bool Consume(std::string_view& s, std::string_view prefix) {
  if (!s.starts_with(prefix)) return false;
  s = Trim(s.substr(prefix.size()));
  return true;
}

Status Malformed(std::string_view what, std::string_view text) {
  return InvalidArgument("cannot parse the ", what, " definition '", text, "'");
}

struct NameAndRest {
  std::string_view name, rest;
};

StatusOr<NameAndRest> SplitName(std::string_view what, std::string_view text) {
  size_t colon = text.find(':');
  if (colon == std::string_view::npos) return Malformed(what, text);
  return NameAndRest{Trim(text.substr(0, colon)), Trim(text.substr(colon + 1))};
}

// Returns the dtypes in TensorFlow's order, which is that of their numbers.
std::vector<DType> TypeGroup(std::string_view name) {
  using enum DType;
  if (name == "realnumbertype") {
    return {DType::kFloat,  DType::kDouble, DType::kInt32,  DType::kUInt8,
            DType::kInt16,  DType::kInt8,   DType::kInt64,  DType::kBFloat16,
            DType::kUInt16, DType::kHalf,   DType::kUInt32, DType::kUInt64};
  }
  if (name != "numbertype") return {};
  return {DType::kFloat, DType::kDouble, DType::kInt32,     DType::kUInt8,
          DType::kInt16, DType::kInt8,   DType::kComplex64, DType::kInt64,
          kQInt8,        kQUInt8,        kQInt32,           DType::kBFloat16,
          kQInt16,       kQUInt16,       DType::kUInt16,    DType::kComplex128,
          DType::kHalf,  DType::kUInt32, DType::kUInt64};
}

StatusOr<std::vector<Attr>> ParseListItems(std::string_view text, std::string_view type);

// Parses a vector such as "uint8[255, 0]".
StatusOr<Attr> ParseTensor(std::string_view text) {
  if (!Consume(text, "uint8")) return Malformed("tensor", text);
  RAMET_ASSIGN_OR_RETURN(std::vector<Attr> items, ParseListItems(text, "int"));
  std::vector<uint8_t> bytes;
  for (const Attr& item : items) bytes.push_back(static_cast<uint8_t>(*item.get<int64_t>()));
  return Attr(Tensor::Vector(bytes));
}

StatusOr<Attr> ParseValue(std::string_view text, std::string_view type) {
  text = Trim(text);
  if (type == "tensor") return ParseTensor(text);
  if (type.starts_with("list(")) {
    std::string_view element = type.substr(5, type.size() - 6);
    RAMET_ASSIGN_OR_RETURN(std::vector<Attr> items, ParseListItems(text, element));
    auto collect = [&]<class T>(T) -> Attr {
      std::vector<T> list;
      for (const Attr& item : items) list.push_back(*item.get<T>());
      return Attr(std::move(list));
    };
    if (element == "int") return collect(int64_t{});
    if (element == "float") return collect(float{});
    if (element == "bool") return collect(bool{});
    if (element == "type") return collect(DType{});
    if (element == "string") return collect(std::string{});
    if (element == "shape") return collect(Shape{});
    return Malformed("attr", text);
  }
  if (type == "int") {
    int64_t value;
    if (!ParseInt64(text, &value)) return Malformed("int", text);
    return Attr(value);
  }
  if (type == "float") {
    float value;
    auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc()) return Malformed("float", text);
    return Attr(value);
  }
  if (type == "bool") {
    if (text != "true" && text != "false") return Malformed("bool", text);
    return Attr(text == "true");
  }
  if (type == "type") {
    RAMET_ASSIGN_OR_RETURN(DType t, ParseDType(text));
    return Attr(t);
  }
  if (type == "string") {
    if (text.size() < 2) return Malformed("string", text);
    return Attr(text.substr(1, text.size() - 2));
  }
  if (type == "shape") return Attr(text == "unknown" ? Shape::Unknown() : Shape());
  return Malformed("attr", text);
}

StatusOr<std::vector<Attr>> ParseListItems(std::string_view text, std::string_view type) {
  if (!text.starts_with('[') || !text.ends_with(']')) return Malformed("list", text);
  text = Trim(text.substr(1, text.size() - 2));
  std::vector<Attr> items;
  if (text.empty()) return items;
  for (std::string_view piece : StrSplit(text, ',')) {
    RAMET_ASSIGN_OR_RETURN(Attr item, ParseValue(piece, type));
    items.push_back(std::move(item));
  }
  return items;
}

// Parses "{float, double}" or "{'SAME', 'VALID'}" after the name.
Status ParseAllowed(std::string_view body, AttrSchema& attr) {
  attr.type = body.find_first_of("'\"") == std::string_view::npos ? "type" : "string";
  for (std::string_view piece : StrSplit(body, ',')) {
    piece = Trim(piece);
    if (attr.type == "string") {
      attr.allowed_strings.emplace_back(piece.substr(1, piece.size() - 2));
      continue;
    }
    if (auto group = TypeGroup(piece); !group.empty()) {
      attr.allowed_types.insert(attr.allowed_types.end(), group.begin(), group.end());
      continue;
    }
    RAMET_ASSIGN_OR_RETURN(DType t, ParseDType(piece));
    attr.allowed_types.push_back(t);
  }
  return OkStatus();
}

// Returns the value of an attr, or the values of a list, if they are of type T.
template <class T>
std::span<const T> ValuesOf(const Attr& value) {
  if (const T* one = value.get<T>()) return {one, 1};
  if (const auto* list = value.get<std::vector<T>>()) return *list;
  return {};
}

Status CheckIntRange(const AttrSchema& schema, const Attr& value) {
  for (int64_t v : ValuesOf<int64_t>(value)) {
    if (v >= schema.least_value && v <= schema.greatest_value) continue;
    return InvalidArgument("attr '", schema.name, "' has value ", v,
                           ", which is outside of its range ", schema.least_value, " to ",
                           schema.greatest_value);
  }
  return OkStatus();
}

// Only outputs of the ops on variables have reference dtypes, and their schemas say so.
Status CheckNoReference(const AttrSchema& schema, const Attr& value) {
  for (DType t : ValuesOf<DType>(value)) {
    if (!IsRef(t)) continue;
    return InvalidArgument("AttrValue must not have reference type value of ", DTypeName(t),
                           " for attr '", schema.name, "'");
  }
  return OkStatus();
}

Status CheckOneAttr(const AttrSchema& schema, const Attr& value) {
  const bool kind_fits = value.KindName() == schema.type ||
                         (value.IsEmptyList() && schema.type.starts_with("list(")) ||
                         std::holds_alternative<OpaqueAttr>(value.value());
  if (!kind_fits) {
    return InvalidArgument("attr '", schema.name, "' must be of kind ", schema.type, ", but it is ",
                           value.KindName(), " ", value);
  }
  auto allowed = [&](DType t) {
    return schema.allowed_types.empty() ||
           std::ranges::count(schema.allowed_types, BaseType(t)) > 0;
  };
  auto refuse = [&](const std::string& found) {
    std::vector<std::string> names = schema.allowed_strings;
    for (DType t : schema.allowed_types) names.push_back(DTypeName(t));
    return InvalidArgument("Value for attr '", schema.name, "' of ", found,
                           " is not in the list of allowed values: ", StrJoin(names, ", "));
  };
  for (DType t : ValuesOf<DType>(value)) {
    if (!allowed(t)) return refuse(DTypeName(t));
  }
  if (const std::string* s = value.get<std::string>()) {
    if (!schema.allowed_strings.empty() && std::ranges::count(schema.allowed_strings, *s) == 0) {
      return refuse(StrCat("\"", *s, "\""));
    }
  }
  RAMET_RETURN_IF_ERROR(CheckNoReference(schema, value));
  RAMET_RETURN_IF_ERROR(CheckIntRange(schema, value));
  if (!schema.has_minimum) return OkStatus();
  int64_t n = schema.minimum;
  if (const int64_t* v = value.get<int64_t>()) n = *v;
  std::visit(
      [&](const auto& v) {
        using V = std::decay_t<decltype(v)>;
        if constexpr (requires { v.size(); } && !std::is_same_v<V, std::string>) {
          n = static_cast<int64_t>(v.size());
        }
      },
      value.value());
  if (n < schema.minimum) {
    return InvalidArgument("attr '", schema.name, "' is ", n, ", but must be at least ",
                           schema.minimum);
  }
  return OkStatus();
}

std::string ArgToString(const ArgSchema& arg) {
  std::string type = !arg.type_list_attr.empty() ? arg.type_list_attr
                     : !arg.type_attr.empty()    ? arg.type_attr
                                                 : DTypeName(arg.type);
  if (arg.is_ref) type = StrCat("Ref(", type, ")");
  if (!arg.number_attr.empty()) type = StrCat(arg.number_attr, " * ", type);
  return StrCat(arg.name, ":", type);
}

}  // namespace

StatusOr<AttrSchema> ParseAttrSchema(std::string_view text) {
  RAMET_ASSIGN_OR_RETURN(NameAndRest parts, SplitName("attr", text));
  AttrSchema attr;
  attr.name = std::string(parts.name);
  std::string_view rest = parts.rest;
  bool list = Consume(rest, "list(");
  if (Consume(rest, "{")) {
    size_t close = rest.find('}');
    if (close == std::string_view::npos) return Malformed("attr", text);
    RAMET_RETURN_IF_ERROR(ParseAllowed(rest.substr(0, close), attr));
    rest = Trim(rest.substr(close + 1));
  } else {
    size_t end = rest.find_first_of(" )>=");
    std::string_view word = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : Trim(rest.substr(end));
    attr.allowed_types = TypeGroup(word);
    attr.type = attr.allowed_types.empty() ? std::string(word) : "type";
  }
  if (list) {
    if (!Consume(rest, ")")) return Malformed("attr", text);
    attr.type = StrCat("list(", attr.type, ")");
  }
  if (Consume(rest, ">=")) {
    size_t end = std::min(rest.find_first_of(" ="), rest.size());
    if (!ParseInt64(rest.substr(0, end), &attr.minimum)) return Malformed("attr", text);
    attr.has_minimum = true;
    rest = Trim(rest.substr(end));
  }
  if (Consume(rest, "=")) {
    RAMET_ASSIGN_OR_RETURN(attr.default_value, ParseValue(rest, attr.type));
    attr.has_default = true;
  } else if (!rest.empty()) {
    return Malformed("attr", text);
  }
  return attr;
}

StatusOr<ArgSchema> ParseArg(std::string_view text, const std::vector<AttrSchema>& attrs) {
  RAMET_ASSIGN_OR_RETURN(NameAndRest parts, SplitName("argument", text));
  ArgSchema arg;
  arg.name = std::string(parts.name);
  std::string_view type = parts.rest;
  if (size_t star = type.find('*'); star != std::string_view::npos) {
    arg.number_attr = std::string(Trim(type.substr(0, star)));
    type = Trim(type.substr(star + 1));
  }
  if (Consume(type, "Ref(")) {
    arg.is_ref = true;
    type = Trim(type.substr(0, type.find(')')));
  }
  auto attr = std::ranges::find(attrs, type, &AttrSchema::name);
  if (attr == attrs.end()) {
    RAMET_ASSIGN_OR_RETURN(arg.type, ParseDType(type));
  } else if (attr->type == "list(type)") {
    arg.type_list_attr = std::string(type);
  } else {
    arg.type_attr = std::string(type);
  }
  return arg;
}

const AttrSchema* OpSchema::FindAttr(std::string_view attr_name) const {
  auto it = std::ranges::find(attrs, attr_name, &AttrSchema::name);
  return it == attrs.end() ? nullptr : &*it;
}

StatusOr<std::vector<DType>> OpSchema::Expand(const std::vector<ArgSchema>& args,
                                              const AttrMap& attr_map) const {
  constexpr int64_t kMaxArgs = 1'000'000;
  std::vector<DType> types;
  const auto check = [&](const ArgSchema& arg, int64_t more) -> Status {
    if (std::ssize(types) + more <= kMaxArgs) return OkStatus();
    return InvalidArgument("argument '", arg.name, "' has ", more,
                           " tensors; an op can have at most ", kMaxArgs,
                           " inputs and as many outputs");
  };
  for (const ArgSchema& arg : args) {
    int64_t repeat = 1;
    if (!arg.number_attr.empty()) {
      RAMET_ASSIGN_OR_RETURN(repeat, attr_map.Get<int64_t>(arg.number_attr));
      if (repeat < 0 || repeat > kMaxArgs) {
        return InvalidArgument("attr '", arg.number_attr, "' gives ", repeat, " tensors for '",
                               arg.name, "'; expected 0 to ", kMaxArgs);
      }
    }
    if (!arg.type_list_attr.empty()) {
      RAMET_ASSIGN_OR_RETURN(auto list, attr_map.Get<std::vector<DType>>(arg.type_list_attr));
      RAMET_RETURN_IF_ERROR(check(arg, std::ssize(list)));
      for (DType t : list) types.push_back(arg.is_ref ? RefType(t) : t);
      continue;
    }
    DType t = arg.type;
    if (!arg.type_attr.empty()) {
      RAMET_ASSIGN_OR_RETURN(t, attr_map.Get<DType>(arg.type_attr));
    }
    RAMET_RETURN_IF_ERROR(check(arg, repeat));
    types.insert(types.end(), static_cast<size_t>(repeat), arg.is_ref ? RefType(t) : t);
  }
  return types;
}

Status OpSchema::CheckAttrs(const AttrMap& attr_map) const {
  for (const AttrSchema& schema : attrs) {
    const Attr* value = attr_map.Find(schema.name);
    if (value == nullptr) {
      return InvalidArgument("NodeDef missing attr '", schema.name, "' from Op<", *this, ">");
    }
    RAMET_RETURN_IF_ERROR(CheckOneAttr(schema, *value));
  }
  return OkStatus();
}

std::string OpSchema::ToString() const {
  std::string text = StrCat(name, "(");
  for (size_t i = 0; i < inputs.size(); ++i) text += StrCat(i ? ", " : "", ArgToString(inputs[i]));
  text += ") -> (";
  for (size_t i = 0; i < outputs.size(); ++i) {
    text += StrCat(i ? ", " : "", ArgToString(outputs[i]));
  }
  text += ") {";
  for (size_t i = 0; i < attrs.size(); ++i) {
    text += StrCat(i ? ", " : "", attrs[i].name, ":", attrs[i].type,
                   attrs[i].has_default ? StrCat("=", attrs[i].default_value) : "");
  }
  return text + "}";
}

}  // namespace ramet
