#include "ramet/format/safetensors_header.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "ramet/base/utf8.h"

namespace ramet {
namespace {

struct TypeName {
  std::string_view name;
  DType dtype;
};
constexpr TypeName kTypes[] = {
    {"BOOL", DType::kBool},  {"U8", DType::kUInt8},      {"I8", DType::kInt8},
    {"U16", DType::kUInt16}, {"I16", DType::kInt16},     {"F16", DType::kHalf},
    {"U32", DType::kUInt32}, {"I32", DType::kInt32},     {"BF16", DType::kBFloat16},
    {"F32", DType::kFloat},  {"U64", DType::kUInt64},    {"I64", DType::kInt64},
    {"F64", DType::kDouble}, {"C64", DType::kComplex64},
};

// Parses the JSON of a header only, with no deeper nesting than the format has.
class HeaderParser {
 public:
  HeaderParser(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  Status Parse(SafetensorsHeader* header) {
    RAMET_RETURN_IF_ERROR(Object([&](const std::string& name) -> Status {
      if (!names_.insert(name).second) return Bad(StrCat("the name '", name, "' appears twice"));
      if (name == "__metadata__") return Metadata(&header->metadata);
      SafetensorsEntry& entry = header->entries.emplace_back();
      entry.name = name;
      return Entry(&entry);
    }));
    Blank();
    return at_ == text_.size() ? OkStatus() : Bad("text after the object");
  }

 private:
  Status Bad(std::string_view what) const {
    return DataLoss("'", path_, "' at offset ", 8 + at_, ": ", what,
                    " (the header of a safetensors file is {\"name\": {\"dtype\": \"F32\", "
                    "\"shape\": [2], \"data_offsets\": [0, 8]}, ...})");
  }

  void Blank() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }
  bool Take(char c) {
    Blank();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  Status Need(char c) {
    return Take(c) ? OkStatus() : Bad(StrCat("'", std::string_view(&c, 1), "' expected"));
  }

  template <class Item>
  Status Object(Item&& item) {
    RAMET_RETURN_IF_ERROR(Need('{'));
    if (Take('}')) return OkStatus();
    do {
      std::string key;
      RAMET_RETURN_IF_ERROR(String(&key));
      RAMET_RETURN_IF_ERROR(Need(':'));
      RAMET_RETURN_IF_ERROR(item(key));
    } while (Take(','));
    return Need('}');
  }

  Status Hex(uint32_t* code) {
    *code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = at_ < text_.size() ? text_[at_] : '\0';
      const size_t digit = std::string_view("0123456789abcdef").find(static_cast<char>(c | 0x20));
      const bool is_digit =
          (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
      if (!is_digit) return Bad("\\u needs four hexadecimal digits");
      *code = *code * 16 + static_cast<uint32_t>(c <= '9' ? c - '0' : digit);
    }
    return OkStatus();
  }

  Status Escape(std::string* value) {
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    const char c = at_ < text_.size() ? text_[at_++] : '\0';
    if (const size_t i = kNames.find(c); c != '\0' && i != kNames.npos) {
      *value += kMeant[i];
      return OkStatus();
    }
    if (c != 'u') return Bad("an unknown escape in a string");
    uint32_t code = 0, low = 0;
    RAMET_RETURN_IF_ERROR(Hex(&code));
    if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_).starts_with("\\u")) {
      at_ += 2;
      RAMET_RETURN_IF_ERROR(Hex(&low));
      if (low < 0xDC00 || low > 0xDFFF) return Bad("half of a surrogate pair");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code >= 0xD800 && code <= 0xDFFF) return Bad("half of a surrogate pair");
    AppendUtf8(code, value);
    return OkStatus();
  }

  Status String(std::string* value) {
    RAMET_RETURN_IF_ERROR(Need('"'));
    for (;;) {
      if (at_ >= text_.size()) return Bad("a string does not end");
      const char c = text_[at_++];
      if (c == '"') return OkStatus();
      if (static_cast<unsigned char>(c) < ' ') return Bad("a control character in a string");
      if (c != '\\') {
        *value += c;
      } else {
        RAMET_RETURN_IF_ERROR(Escape(value));
      }
    }
  }

  Status Numbers(size_t most, std::vector<int64_t>* numbers) {
    RAMET_RETURN_IF_ERROR(Need('['));
    if (Take(']')) return OkStatus();
    do {
      Blank();
      const size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
      int64_t number = 0;
      if (!ParseInt64(text_.substr(at_, end - at_), &number)) {
        return Bad("expected a whole number from 0 to 2^63 - 1");
      }
      if (numbers->size() == most) return Bad(StrCat("more than ", most, " numbers"));
      numbers->push_back(number);
      at_ = end;
    } while (Take(','));
    return Need(']');
  }

  Status Metadata(std::map<std::string, std::string>* metadata) {
    return Object([&](const std::string& key) -> Status {
      std::string value;
      RAMET_RETURN_IF_ERROR(String(&value));
      if (metadata->emplace(key, std::move(value)).second) return OkStatus();
      return Bad(StrCat("the key '", key, "' appears twice"));
    });
  }

  Status Type(SafetensorsEntry* entry) {
    std::string name;
    RAMET_RETURN_IF_ERROR(String(&name));
    const auto* type = std::ranges::find(kTypes, std::string_view(name), &TypeName::name);
    if (type != std::end(kTypes)) {
      entry->dtype = type->dtype;
      return OkStatus();
    }
    static constexpr std::string_view kOthers[] = {"F8_E4M3", "F8_E5M2", "F8_E8M0", "F6_E2M3",
                                                   "F6_E3M2", "F4",      "C128"};
    if (std::ranges::count(kOthers, std::string_view(name)) == 0) {
      return Bad(StrCat("unknown dtype '", name, "'"));
    }
    return Unimplemented("'", path_, "': tensor '", entry->name, "' has the dtype ", name,
                         ", which Ramet does not support; convert it to F16 or F32 first");
  }

  Status Entry(SafetensorsEntry* entry) {
    std::set<std::string> seen;
    std::vector<int64_t> dims, offsets;
    RAMET_RETURN_IF_ERROR(Object([&](const std::string& key) -> Status {
      if (!seen.insert(key).second) return Bad(StrCat("'", key, "' appears twice"));
      if (key == "dtype") return Type(entry);
      if (key == "shape") return Numbers(Shape::kMaxRank, &dims);
      if (key == "data_offsets") return Numbers(2, &offsets);
      return Bad(StrCat("unknown key '", key, "'"));
    }));
    if (seen.size() != 3 || offsets.size() != 2) {
      return Bad(StrCat("tensor '", entry->name, "' needs dtype, shape and two data_offsets"));
    }
    auto shape = Shape::Make(dims);
    auto size = shape.ok() ? TensorBytes(entry->dtype, *shape) : StatusOr<size_t>(shape.status());
    if (!size.ok()) return Bad(StrCat("tensor '", entry->name, "': ", size.status().message()));
    entry->shape = *shape;
    entry->begin = static_cast<uint64_t>(offsets[0]);
    entry->end = static_cast<uint64_t>(offsets[1]);
    if (entry->end >= entry->begin && entry->end - entry->begin == *size) return OkStatus();
    return Bad(StrCat("tensor '", entry->name, "' is ", DTypeName(entry->dtype), entry->shape,
                      " and takes ", *size, " bytes, but its data_offsets are [", entry->begin,
                      ", ", entry->end, "]"));
  }

  const std::string& path_;
  std::string_view text_;
  size_t at_ = 0;
  std::set<std::string> names_;
};

void AppendJson(std::string_view text, std::string* out) {
  *out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') *out += '\\';
    if (static_cast<unsigned char>(c) >= ' ') {
      *out += c;
      continue;
    }
    constexpr std::string_view kDigits = "0123456789abcdef";
    *out += "\\u00";
    *out += kDigits[c >> 4];
    *out += kDigits[c & 15];
  }
  *out += '"';
}

}  // namespace

std::string_view SafetensorsTypeName(DType dtype) {
  const auto* type = std::ranges::find(kTypes, dtype, &TypeName::dtype);
  return type == std::end(kTypes) ? std::string_view() : type->name;
}

StatusOr<SafetensorsHeader> ParseSafetensorsHeader(const std::string& path, std::string_view json,
                                                   uint64_t data_bytes) {
  if (!json.starts_with('{')) {
    return DataLoss("'", path, "' at offset 8: the header must begin with '{'");
  }
  if (!IsUtf8(json)) return DataLoss("'", path, "': the header is not UTF-8");
  SafetensorsHeader header;
  RAMET_RETURN_IF_ERROR(HeaderParser(path, json).Parse(&header));
  std::ranges::sort(header.entries, [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t at = 0;
  for (const SafetensorsEntry& entry : header.entries) {
    if (entry.begin != at) {
      return DataLoss("'", path, "': the bytes of tensor '", entry.name, "' begin at ", entry.begin,
                      " of the data, but the previous tensor ends at ", at,
                      entry.begin < at ? " (they overlap)" : " (there is a gap)");
    }
    at = entry.end;
  }
  if (at == data_bytes) return header;
  return DataLoss("'", path, "': the tensors take ", at, " bytes, but the file has ", data_bytes,
                  " after its header");
}

std::string SafetensorsHeaderText(const SafetensorsHeader& header) {
  std::string text = "{";
  if (!header.metadata.empty()) {
    text += "\"__metadata__\":{";
    for (const auto& [key, value] : header.metadata) {
      if (text.back() != '{') text += ',';
      AppendJson(key, &text);
      text += ':';
      AppendJson(value, &text);
    }
    text += '}';
  }
  for (const SafetensorsEntry& entry : header.entries) {
    if (text.size() > 1) text += ',';
    AppendJson(entry.name, &text);
    text += StrCat(":{\"dtype\":\"", SafetensorsTypeName(entry.dtype), "\",\"shape\":[",
                   StrJoin(entry.shape.dims(), ","), "],\"data_offsets\":[", entry.begin, ",",
                   entry.end, "]}");
  }
  text += '}';
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

}  // namespace ramet
