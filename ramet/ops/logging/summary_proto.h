#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ramet/base/status.h"
#include "ramet/base/wire_format.h"

// Summary messages (tensorflow/core/framework/summary.proto) in wire format, the output of summary
// ops.
namespace ramet {

// The fields of Summary.Value.
enum class SummaryField : uint32_t {
  kTag = 1,
  kSimpleValue = 2,
  kImage = 4,
  kHistogram = 5,
  kAudio = 6,
  kNodeName = 7,
  kTensor = 8,
  kMetadata = 9,
};

// Each function appends one field. The first three omit a zero or empty value, as protobuf does.
void AppendNonZero(std::string* message, uint32_t number, uint64_t value);
void AppendNonZero(std::string* message, uint32_t number, double value);
void AppendNonEmpty(std::string* message, uint32_t number, std::string_view bytes);
void AppendFloat(std::string* message, uint32_t number, float value);

inline void AppendField(std::string* value, SummaryField field, std::string_view bytes) {
  AppendBytesField(value, static_cast<uint32_t>(field), bytes);
}
// Appends a Summary.Value, given by its fields, to a Summary.
inline void AppendValue(std::string* summary, std::string_view value) {
  AppendBytesField(summary, 1, value);
}
// Returns a Summary.Value with this tag and one more field.
std::string TaggedValue(std::string_view tag, SummaryField field, std::string_view bytes);

// Returns "TAG/KIND/INDEX", or "TAG/KIND" if at most one value is written.
std::string IndexedTag(std::string_view tag, std::string_view kind, int64_t max, int64_t index);

}  // namespace ramet
