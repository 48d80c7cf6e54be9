#include "rest/example_writer.h"

#include <cstring>
#include <utility>

namespace server {
namespace {

void AppendVarint(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    *out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *out += static_cast<char>(value);
}

// Appends a field of bytes or of a message.
void AppendField(uint32_t number, std::string_view bytes, std::string* out) {
  constexpr uint32_t kLengthDelimited = 2;
  AppendVarint(number << 3 | kLengthDelimited, out);
  AppendVarint(bytes.size(), out);
  *out += bytes;
}

constexpr const char* kKindNames[] = {"", "bytes", "float", "int64"};

}  // namespace

void ExampleWriter::StartFeature(std::string_view name) {
  name_ = name;
  kind_ = Kind::kNone;
  values_.clear();
}

ramet::Status ExampleWriter::SetKind(Kind kind) {
  if (kind_ == Kind::kNone) kind_ = kind;
  if (kind_ == kind) return ramet::OkStatus();
  return ramet::InvalidArgument("Unexpected element type in feature: ", name_,
                                " expecting type: ", kKindNames[static_cast<int>(kind_)]);
}

ramet::Status ExampleWriter::AddInt(int64_t value) {
  RAMET_RETURN_IF_ERROR(SetKind(Kind::kInt64));
  AppendVarint(static_cast<uint64_t>(value), &values_);
  return ramet::OkStatus();
}

ramet::Status ExampleWriter::AddFloat(float value) {
  RAMET_RETURN_IF_ERROR(SetKind(Kind::kFloat));
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  values_.append(bytes, sizeof value);
  return ramet::OkStatus();
}

ramet::Status ExampleWriter::AddBytes(std::string_view value) {
  RAMET_RETURN_IF_ERROR(SetKind(Kind::kBytes));
  AppendField(1, value, &values_);
  return ramet::OkStatus();
}

void ExampleWriter::EndFeature() {
  std::string list;
  if (kind_ == Kind::kBytes) {
    list = std::move(values_);
  } else if (kind_ != Kind::kNone) {
    AppendField(1, values_, &list);  // packed
  }
  std::string feature;
  if (kind_ != Kind::kNone) AppendField(static_cast<uint32_t>(kind_), list, &feature);
  std::string entry;
  AppendField(1, name_, &entry);
  AppendField(2, feature, &entry);
  AppendField(1, entry, &features_);
  values_.clear();
}

std::string ExampleWriter::TakeExample() {
  std::string example;
  AppendField(1, features_, &example);
  features_.clear();
  return example;
}

}  // namespace server
