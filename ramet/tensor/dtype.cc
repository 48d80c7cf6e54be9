#include "ramet/tensor/dtype.h"

#include <array>
#include <ostream>
#include <vector>

namespace ramet {
namespace {

struct Info {
  std::string_view name;
  std::string_view client_name;
  size_t size;
};

constexpr std::array<Info, 24> kInfos = {{
    {"invalid", "", 0},
    {"float", "float32", 4},
    {"double", "float64", 8},
    {"int32", "int32", 4},
    {"uint8", "uint8", 1},
    {"int16", "int16", 2},
    {"int8", "int8", 1},
    {"string", "string", 0},
    {"complex64", "complex64", 8},
    {"int64", "int64", 8},
    {"bool", "bool", 1},
    {"qint8", "qint8", 1},
    {"quint8", "quint8", 1},
    {"qint32", "qint32", 4},
    {"bfloat16", "bfloat16", 2},
    {"qint16", "qint16", 2},
    {"quint16", "quint16", 2},
    {"uint16", "uint16", 2},
    {"complex128", "complex128", 16},
    {"half", "float16", 2},
    {"resource", "resource", 0},
    {"variant", "variant", 0},
    {"uint32", "uint32", 4},
    {"uint64", "uint64", 8},
}};

int Index(DType t) {
  int i = static_cast<int>(BaseType(t));
  return i > 0 && i < static_cast<int>(kInfos.size()) ? i : 0;
}

bool SameIgnoringCase(std::string_view upper, std::string_view lower) {
  if (upper.size() != lower.size()) return false;
  for (size_t i = 0; i < upper.size(); ++i) {
    char c = upper[i] >= 'A' && upper[i] <= 'Z' ? static_cast<char>(upper[i] + 32) : upper[i];
    if (c != lower[i]) return false;
  }
  return true;
}

}  // namespace

std::string DTypeName(DType t) {
  int i = Index(t);
  if (i == 0 && t != DType::kInvalid) return StrCat("dtype ", static_cast<int>(t));
  return StrCat(kInfos[i].name, IsRef(t) ? "_ref" : "");
}

std::ostream& operator<<(std::ostream& out, DType t) { return out << DTypeName(t); }

StatusOr<DType> ParseDType(std::string_view name) {
  std::string_view base = name;
  bool ref = base.ends_with("_ref") || base.ends_with("_REF");
  if (ref) base.remove_suffix(4);
  std::string_view enum_name = base.starts_with("DT_") ? base.substr(3) : std::string_view();
  for (size_t i = 1; i < kInfos.size(); ++i) {
    if (base == kInfos[i].name || base == kInfos[i].client_name ||
        SameIgnoringCase(enum_name, kInfos[i].name)) {
      DType t = static_cast<DType>(i);
      return ref ? RefType(t) : t;
    }
  }
  std::vector<std::string_view> names;
  for (const Info& info : kInfos) names.push_back(info.name);
  std::string near = NearestName(name, names);
  return InvalidArgument("unknown dtype '", name, "'",
                         near.empty() ? "" : StrCat("; did you mean '", near, "'?"));
}

size_t DTypeSize(DType t) { return kInfos[Index(t)].size; }

bool IsKnownDType(DType t) { return Index(t) != 0; }

bool IsFloating(DType t) {
  t = BaseType(t);
  return t == DType::kFloat || t == DType::kDouble || t == DType::kHalf || t == DType::kBFloat16;
}

bool IsComplex(DType t) {
  t = BaseType(t);
  return t == DType::kComplex64 || t == DType::kComplex128;
}

bool IsInteger(DType t) {
  switch (BaseType(t)) {
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUInt8:
    case DType::kUInt16:
    case DType::kUInt32:
    case DType::kUInt64: return true;
    default: return false;
  }
}

bool IsQuantized(DType t) {
  switch (BaseType(t)) {
    case DType::kQInt8:
    case DType::kQUInt8:
    case DType::kQInt16:
    case DType::kQUInt16:
    case DType::kQInt32: return true;
    default: return false;
  }
}

}  // namespace ramet
