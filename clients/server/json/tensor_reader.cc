#include "json/tensor_reader.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "json/base64.h"

namespace server {
namespace {

using Kind = JsonEvent::Kind;
using Result = GrowingTensor::Result;

// Reads NaN, Inf and Infinity, and numbers that are too large or too small for T.
template <class T>
T ParseUnusualNumber(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  T value = 0;
  if (text.starts_with('N')) {
    value = std::numeric_limits<T>::quiet_NaN();
  } else if (text.starts_with('I')) {
    value = std::numeric_limits<T>::infinity();
  } else {
    const std::string copy(text);
    value = std::is_same_v<T, float> ? static_cast<T>(std::strtof(copy.c_str(), nullptr))
                                     : static_cast<T>(std::strtod(copy.c_str(), nullptr));
  }
  return negative ? -value : value;
}

template <class T>
void ParseReal(std::string_view text, T* value) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), *value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size() || std::isnan(*value)) {
    *value = ParseUnusualNumber<T>(text);
  }
}

// Integers have neither a fraction nor an exponent.
template <class T>
bool ParseInteger(std::string_view text, T* value) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), *value);
  if (end.ec == std::errc() && end.ptr == text.data() + text.size()) return true;
  *value = 0;
  return text == "-0";  // from_chars refuses the sign of an unsigned number
}

template <class T>
Result ConvertNumber(const JsonEvent& event, void* element) {
  if (event.kind != Kind::kNumber) return Result::kWrongType;
  if constexpr (std::is_integral_v<T>) {
    return ParseInteger(event.text, static_cast<T*>(element)) ? Result::kOk : Result::kWrongType;
  } else if constexpr (std::is_floating_point_v<T>) {
    ParseReal(event.text, static_cast<T*>(element));
  } else {
    float value = 0;
    ParseReal(event.text, &value);
    *static_cast<T*>(element) = T(value);
  }
  return Result::kOk;
}

Result ConvertBool(const JsonEvent& event, void* element) {
  if (event.kind != Kind::kBool) return Result::kWrongType;
  *static_cast<bool*>(element) = event.boolean;
  return Result::kOk;
}

Result ConvertString(const JsonEvent& event, void* element) {
  if (event.kind != Kind::kString) return Result::kWrongType;
  *static_cast<std::string*>(element) = event.text;
  return Result::kOk;
}

GrowingTensor::Convert ConvertOf(ramet::DType dtype) {
  switch (dtype) {
    case ramet::kFloat: return &ConvertNumber<float>;
    case ramet::kDouble: return &ConvertNumber<double>;
    case ramet::kHalf: return &ConvertNumber<ramet::Half>;
    case ramet::kBFloat16: return &ConvertNumber<ramet::BFloat16>;
    case ramet::kInt8: return &ConvertNumber<int8_t>;
    case ramet::kInt16: return &ConvertNumber<int16_t>;
    case ramet::kInt32: return &ConvertNumber<int32_t>;
    case ramet::kInt64: return &ConvertNumber<int64_t>;
    case ramet::kUInt8: return &ConvertNumber<uint8_t>;
    case ramet::kUInt16: return &ConvertNumber<uint16_t>;
    case ramet::kUInt32: return &ConvertNumber<uint32_t>;
    case ramet::kUInt64: return &ConvertNumber<uint64_t>;
    case ramet::kBool: return &ConvertBool;
    case ramet::kString: return &ConvertString;
    default: return nullptr;
  }
}

size_t ElementBytes(ramet::DType dtype) {
  return dtype == ramet::kString ? sizeof(std::string) : ramet::DTypeSize(dtype);
}

constexpr int64_t kMinCapacity = 16;

}  // namespace

GrowingTensor::GrowingTensor(ramet::DType dtype) : dtype_(dtype), convert_(ConvertOf(dtype)) {}

bool GrowingTensor::Grow() {
  const int64_t capacity = std::max(kMinCapacity, 2 * capacity_);
  auto larger = ramet::Tensor::Allocate(dtype_, ramet::Shape{capacity});
  if (!larger.ok()) return false;
  if (dtype_ == ramet::kString) {
    std::string* const to = larger->mutable_data<std::string>();
    for (int64_t i = 0; i < size_; ++i) to[i].swap(elements_.mutable_data<std::string>()[i]);
  } else if (size_ > 0) {
    std::memcpy(larger->raw_data(), elements_.raw_data(),
                static_cast<size_t>(size_) * ElementBytes(dtype_));
  }
  elements_ = *std::move(larger);
  capacity_ = capacity;
  return true;
}

Result GrowingTensor::Add(const JsonEvent& event) {
  if (size_ == capacity_ && !Grow()) return Result::kNoMemory;
  char* const begin = static_cast<char*>(elements_.raw_data());
  const Result result = convert_(event, begin + static_cast<size_t>(size_) * ElementBytes(dtype_));
  size_ += result == Result::kOk;
  return result;
}

Result GrowingTensor::AddBytes(std::string bytes) {
  if (size_ == capacity_ && !Grow()) return Result::kNoMemory;
  elements_.mutable_data<std::string>()[size_++] = std::move(bytes);
  return Result::kOk;
}

ramet::StatusOr<ramet::Tensor> GrowingTensor::Take(const ramet::Shape& shape) {
  if (size_ == 0) return ramet::Tensor::Allocate(dtype_, shape);
  ramet::Tensor elements = std::move(elements_);
  elements_ = ramet::Tensor();
  return ramet::Tensor(dtype_, shape, elements.buffer());
}

ramet::Status TensorReader::WrongType(const JsonEvent& event) const {
  return ramet::InvalidArgument("JSON Value: ", QuoteValue(json_, event.offset),
                                " Type: ", JsonTypeName(event),
                                " is not of expected type: ", ramet::DTypeName(elements_.dtype()));
}

ramet::Status TensorReader::Convert(Result result, const JsonEvent& event) {
  switch (result) {
    case Result::kOk: return ramet::OkStatus();
    case Result::kWrongType: return WrongType(event);
    default: return ramet::ResourceExhausted("not enough memory for this request");
  }
}

// An element must be as deep as the first one.
ramet::Status TensorReader::CheckLevel(const JsonEvent& event) {
  if (!value_.has_rank) {
    value_.has_rank = true;
    value_.dims.assign(static_cast<size_t>(value_.depth), -1);
  }
  const int rank = static_cast<int>(value_.dims.size());
  if (value_.depth != rank) {
    return ramet::InvalidArgument("JSON Value: ", QuoteValue(json_, event.offset),
                                  " found at incorrect level: ", value_.depth + 1,
                                  " expected at level: ", rank);
  }
  if (elements_.size() >= max_elements_) {
    return ramet::InvalidArgument("a tensor of the request has more than ", max_elements_,
                                  " elements");
  }
  if (elements_.convertible()) return ramet::OkStatus();
  return ramet::Unimplemented("Conversion of JSON Value: ", QuoteValue(json_, event.offset),
                              " to type: ", ramet::DTypeName(elements_.dtype()));
}

ramet::Status TensorReader::StartList() {
  const int rank = static_cast<int>(value_.dims.size());
  if (value_.has_rank && value_.depth >= rank) {
    return ramet::InvalidArgument("Encountered list at unexpected level: ", value_.depth,
                                  " expected < ", rank);
  }
  constexpr int kMaxDepth = ramet::Shape::kMaxRank - 1;  // rows add a dimension
  if (++value_.depth <= kMaxDepth) return ramet::OkStatus();
  return ramet::InvalidArgument("lists are nested more than ", kMaxDepth, " levels deep");
}

ramet::Status TensorReader::EndList(int64_t size) {
  if (!value_.has_rank) {
    value_.has_rank = true;
    value_.dims.assign(static_cast<size_t>(value_.depth), -1);
  }
  const int level = --value_.depth;
  int64_t& dim = value_.dims[static_cast<size_t>(level)];
  if (dim == -1) dim = size;
  if (dim == size) return ramet::OkStatus();
  return ramet::InvalidArgument("Encountered list at unexpected size: ", size, " at level: ", level,
                                " expected size: ", dim);
}

ramet::Status TensorReader::AddElement(const JsonEvent& event) {
  RAMET_RETURN_IF_ERROR(CheckLevel(event));
  return Convert(elements_.Add(event), event);
}

ramet::Status TensorReader::AddToObject(const JsonEvent& event) {
  const JsonEvent object = {.kind = Kind::kStartObject, .offset = object_offset_};
  const auto malformed = [&] {
    return ramet::InvalidArgument("JSON Value: ", QuoteValue(json_, object_offset_),
                                  " not formatted correctly for base64 data");
  };
  switch (object_) {
    case ObjectState::kOpen:
      if (event.kind != Kind::kKey || event.text != "b64") return WrongType(object);
      object_ = ObjectState::kKey;
      return ramet::OkStatus();
    case ObjectState::kKey: {
      if (event.kind != Kind::kString || elements_.dtype() != ramet::kString) return malformed();
      RAMET_RETURN_IF_ERROR(CheckLevel(object));
      std::optional<std::string> bytes = DecodeBase64(event.text);
      if (!bytes) return ramet::InvalidArgument("Unable to base64 decode");
      object_ = ObjectState::kValue;
      return Convert(elements_.AddBytes(*std::move(bytes)), event);
    }
    default:
      if (event.kind != Kind::kEndObject) return malformed();
      object_ = ObjectState::kNone;
      return ramet::OkStatus();
  }
}

ramet::Status TensorReader::Add(const JsonEvent& event, bool* done) {
  ramet::Status status;
  if (object_ != ObjectState::kNone) {
    status = AddToObject(event);
  } else if (event.kind == Kind::kStartArray) {
    status = StartList();
  } else if (event.kind == Kind::kEndArray) {
    status = EndList(event.count);
  } else if (event.kind == Kind::kStartObject) {
    object_ = ObjectState::kOpen;
    object_offset_ = event.offset;
  } else {
    status = AddElement(event);
  }
  *done = value_.depth == 0 && object_ == ObjectState::kNone;
  return status;
}

ramet::Status TensorReader::EndRow() {
  const int64_t size = elements_.size() - value_.first;
  ++rows_;
  if (!first_row_) {
    first_row_ = std::move(value_);
    first_row_->first = size;
  } else if (first_row_->first != size) {
    return ramet::InvalidArgument("Expecting tensor size: ", first_row_->first, " but got: ", size);
  } else if (first_row_->dims != value_.dims) {
    return ramet::InvalidArgument("Expecting shape ", ramet::Shape(first_row_->dims),
                                  " but got: ", ramet::Shape(value_.dims));
  }
  value_.dims.clear();
  value_.has_rank = false;
  value_.first = elements_.size();
  return ramet::OkStatus();
}

ramet::StatusOr<ramet::Tensor> TensorReader::TakeRows() {
  std::vector<int64_t> dims = {rows_};
  if (first_row_) dims.insert(dims.end(), first_row_->dims.begin(), first_row_->dims.end());
  return elements_.Take(ramet::Shape(dims));
}

}  // namespace server
