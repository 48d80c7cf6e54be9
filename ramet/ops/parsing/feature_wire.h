#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/ops/parsing/wire_cursor.h"
#include "ramet/tensor/tensor.h"

// The message Feature in wire format: a list of strings, floats or int64s.

namespace ramet {

// A SerializedFeature is a Feature whose values are still in wire format.
struct SerializedFeature {
  DType dtype = DType::kInvalid;  // of the values; kInvalid for a feature without a list
  std::string_view list;          // the length of the list, and the list
};

// Finds the list in the bytes of a Feature.
// \error kInvalidArgument: "Unsupported datatype."
StatusOr<SerializedFeature> ReadFeature(std::string_view bytes);

// A sink is a place for the values of a list: it has Add(value), and for floats also
// AddPacked(bytes, count). A BoundedSink is an array for an expected number of values. It counts
// those that do not fit. A string is a std::string_view of the message.
template <class T, class Stored = T>
class BoundedSink {
 public:
  BoundedSink(Stored* values, size_t room) : values_(values), room_(room) {}
  void Add(T value) {
    if (count_ < room_) values_[count_] = value;
    ++count_;
  }
  void AddPacked(const char* bytes, size_t count) {
    const size_t fits = count_ < room_ ? std::min(count, room_ - count_) : 0;
    if (fits > 0) std::memcpy(values_ + count_, bytes, fits * sizeof(T));
    count_ += count;
  }
  size_t count() const { return count_; }

 private:
  Stored* values_;
  const size_t room_;
  size_t count_ = 0;
};

// A sink that appends to a vector.
template <class T>
class GrowingSink {
 public:
  explicit GrowingSink(std::vector<T>* values) : values_(*values) {}
  void Add(T value) { values_.push_back(value); }
  void AddPacked(const char* bytes, size_t count) {
    const size_t old = values_.size();
    values_.resize(old + count);
    if (count > 0) std::memcpy(values_.data() + old, bytes, count * sizeof(T));
  }

 private:
  std::vector<T>& values_;
};

// The functions below pass the values of a list to a sink, and return false if it is malformed.
// Like TensorFlow, they read a packed list only up to the end of its first pack.
template <class Sink>
bool ReadBytesList(std::string_view list, Sink& sink) {
  WireCursor feature(list), values({});
  if (!feature.Message(&values)) return false;
  while (!values.AtEnd()) {
    std::string_view value;
    if (!values.Expect(WireCursor::BytesTag(1)) || !values.Bytes(&value)) return false;
    sink.Add(value);
  }
  return true;
}

template <class Sink>
bool ReadFloatList(std::string_view list, Sink& sink) {
  WireCursor feature(list), values({});
  if (!feature.Message(&values)) return false;
  if (values.Expect(WireCursor::BytesTag(1))) {
    std::string_view pack;
    if (!values.Bytes(&pack)) return false;
    sink.AddPacked(pack.data(), pack.size() / sizeof(float));
    return true;
  }
  while (!values.AtEnd()) {
    std::string_view rest = values.rest();
    uint32_t bits;
    if (!values.Expect(WireCursor::Fixed32Tag(1)) || !values.Fixed32(&bits)) return false;
    sink.AddPacked(rest.data() + 1, 1);
  }
  return true;
}

template <class Sink>
bool ReadInt64List(std::string_view list, Sink& sink) {
  WireCursor feature(list), values({}), pack({});
  if (!feature.Message(&values)) return false;
  uint64_t value;
  if (values.Expect(WireCursor::BytesTag(1))) {
    if (!values.Message(&pack)) return false;
    while (!pack.AtEnd()) {
      if (!pack.Varint(&value)) return false;
      sink.Add(static_cast<int64_t>(value));
    }
    return true;
  }
  while (!values.AtEnd()) {
    if (!values.Expect(WireCursor::VarintTag(1)) || !values.Varint(&value)) return false;
    sink.Add(static_cast<int64_t>(value));
  }
  return true;
}

// A FeatureValues is a list of values of one dtype that grows. Strings borrow the messages.
struct FeatureValues {
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<std::string_view> strings;

  size_t size(DType dtype) const;
  // Appends the values of a list of this dtype. Returns false if the list is malformed.
  bool Append(const SerializedFeature& feature);
  // Copies `count` values from position `from` to position `to` of `out`, whose dtype selects the
  // list.
  void CopyTo(int64_t from, int64_t count, Tensor& out, int64_t to) const;
};

}  // namespace ramet
