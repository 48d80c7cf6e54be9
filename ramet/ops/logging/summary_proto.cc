#include "ramet/ops/logging/summary_proto.h"

#include <bit>

#include "ramet/base/strings.h"

namespace ramet {
namespace {

void AppendTag(std::string* message, uint32_t number, WireType type) {
  AppendVarint64(message, uint64_t{number} << 3 | static_cast<uint64_t>(type));
}

}  // namespace

void AppendNonZero(std::string* message, uint32_t number, uint64_t value) {
  if (value == 0) return;
  AppendTag(message, number, WireType::kVarint);
  AppendVarint64(message, value);
}

void AppendNonZero(std::string* message, uint32_t number, double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  if (bits == 0) return;
  AppendTag(message, number, WireType::kFixed64);
  AppendFixed64(message, bits);
}

void AppendNonEmpty(std::string* message, uint32_t number, std::string_view bytes) {
  if (!bytes.empty()) AppendBytesField(message, number, bytes);
}

void AppendFloat(std::string* message, uint32_t number, float value) {
  AppendTag(message, number, WireType::kFixed32);
  AppendFixed32(message, std::bit_cast<uint32_t>(value));
}

std::string TaggedValue(std::string_view tag, SummaryField field, std::string_view bytes) {
  std::string value;
  AppendNonEmpty(&value, static_cast<uint32_t>(SummaryField::kTag), tag);
  AppendField(&value, field, bytes);
  return value;
}

std::string IndexedTag(std::string_view tag, std::string_view kind, int64_t max, int64_t index) {
  return max > 1 ? StrCat(tag, "/", kind, "/", index) : StrCat(tag, "/", kind);
}

}  // namespace ramet
