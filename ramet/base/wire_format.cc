#include "ramet/base/wire_format.h"

namespace ramet {
namespace {

constexpr int kMaxGroups = 100;
constexpr size_t kMaxBytes = INT32_MAX;

bool TakeTag(std::string_view* rest, WireField* field) {
  uint32_t tag;
  if (!TakeVarint32(rest, &tag) || tag >> 3 == 0) return false;
  field->number = tag >> 3;
  field->type = static_cast<WireType>(tag & 7);
  return true;
}

bool Skip(std::string_view* rest, uint64_t length) {
  if (length > rest->size() || length > kMaxBytes) return false;
  rest->remove_prefix(length);
  return true;
}

// Removes the content of a field other than a group, after its tag.
bool TakeContent(std::string_view* rest, WireField* field) {
  uint64_t number;
  switch (field->type) {
    case WireType::kVarint: return TakeVarint64(rest, &number);
    case WireType::kFixed64: return Skip(rest, 8);
    case WireType::kFixed32: return Skip(rest, 4);
    case WireType::kBytes: {
      if (!TakeVarint64(rest, &number)) return false;
      const char* start = rest->data();
      if (!Skip(rest, number)) return false;
      field->bytes = {start, number};
      return true;
    }
    default: return false;
  }
}

// Removes the rest of a group, after its first tag.
bool TakeGroup(std::string_view* rest, uint32_t number) {
  uint32_t open[kMaxGroups] = {number};
  for (int depth = 1; depth > 0;) {
    WireField field;
    if (!TakeTag(rest, &field)) return false;
    if (field.type == WireType::kEndGroup) {
      if (field.number != open[--depth]) return false;
    } else if (field.type == WireType::kStartGroup) {
      if (depth == kMaxGroups) return false;
      open[depth++] = field.number;
    } else if (!TakeContent(rest, &field)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool TakeField(std::string_view* rest, WireField* field) {
  const char* start = rest->data();
  field->bytes = {};
  if (!TakeTag(rest, field)) return false;
  const bool taken = field->type == WireType::kStartGroup ? TakeGroup(rest, field->number)
                                                          : TakeContent(rest, field);
  field->whole = {start, static_cast<size_t>(rest->data() - start)};
  return taken;
}

}  // namespace ramet
