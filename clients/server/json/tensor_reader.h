#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/json_reader.h"

namespace server {

// A GrowingTensor is a list of elements of one dtype that becomes a tensor.
class GrowingTensor {
 public:
  // Appends the number, bool or string of an event.
  enum class Result : uint8_t { kOk, kWrongType, kNoMemory };
  using Convert = Result (*)(const JsonEvent& event, void* element);

  // `convert` is null if JSON cannot express the dtype.
  explicit GrowingTensor(ramet::DType dtype);
  ramet::DType dtype() const { return dtype_; }
  int64_t size() const { return size_; }
  bool convertible() const { return convert_ != nullptr; }
  Result Add(const JsonEvent& event);
  Result AddBytes(std::string bytes);  // of a string tensor
  // \error kResourceExhausted: the elements do not fit into memory.
  ramet::StatusOr<ramet::Tensor> Take(const ramet::Shape& shape);

 private:
  bool Grow();

  const ramet::DType dtype_;
  const Convert convert_;
  ramet::Tensor elements_;  // of rank 1, with room for more
  int64_t size_ = 0;
  int64_t capacity_ = 0;
};

// A TensorReader makes a tensor from the events of JSON values. Nested lists give the dimensions;
// the first element of each list decides, and all others must agree. Errors are TensorFlow
// Serving's.
//
// A tensor is one value, or several values of one shape, along a dimension 0 that is added.
class TensorReader {
 public:
  // `json` is the text of the events, for errors. There are at most `max_elements`.
  TensorReader(std::string_view json, ramet::DType dtype, int64_t max_elements)
      : json_(json), max_elements_(max_elements), elements_(dtype) {}

  // Consumes the next event of a value. `*done` says whether the value ends with it.
  // \error kInvalidArgument: the value does not have the dtype, or its lists do not agree.
  // \error kUnimplemented: JSON cannot express the dtype.
  // \error kResourceExhausted: the elements do not fit into memory.
  ramet::Status Add(const JsonEvent& event, bool* done);
  // Ends one of several values.
  // \error kInvalidArgument: its shape differs from that of the first one.
  ramet::Status EndRow();

  int64_t rows() const { return rows_; }

  // Return the tensor of the value, or of the rows. Call one of them, once.
  ramet::StatusOr<ramet::Tensor> TakeValue() { return elements_.Take(ramet::Shape(value_.dims)); }
  ramet::StatusOr<ramet::Tensor> TakeRows();

 private:
  // The shape of a value. Dimensions that are not known yet are -1.
  struct Value {
    std::vector<int64_t> dims = {};
    bool has_rank = false;  // otherwise the first element has not come yet
    int depth = 0;          // of the lists that are open
    int64_t first = 0;      // the number of elements before the value
  };
  enum class ObjectState : uint8_t { kNone, kOpen, kKey, kValue };

  ramet::Status StartList();
  ramet::Status EndList(int64_t size);
  ramet::Status AddElement(const JsonEvent& event);
  // Consumes an event of {"b64": "..."}.
  ramet::Status AddToObject(const JsonEvent& event);
  ramet::Status CheckLevel(const JsonEvent& event);
  ramet::Status Convert(GrowingTensor::Result result, const JsonEvent& event);
  ramet::Status WrongType(const JsonEvent& event) const;

  const std::string_view json_;
  const int64_t max_elements_;
  GrowingTensor elements_;
  Value value_;
  std::optional<Value> first_row_;
  int64_t rows_ = 0;
  ObjectState object_ = ObjectState::kNone;
  size_t object_offset_ = 0;
};

}  // namespace server
