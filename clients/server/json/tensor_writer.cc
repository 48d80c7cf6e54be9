#include "json/tensor_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <type_traits>

#include "json/base64.h"
#include "json/json_text.h"

namespace server {
namespace {

constexpr int64_t kChunk = 256;  // elements that are written at a time
constexpr int64_t kMaxElementBytes = 32;
constexpr int64_t kMaxEmptyLists = 1'000'000;

template <class T>
char* AppendText(std::string_view text, T* to) {
  return std::copy(text.begin(), text.end(), to);
}

template <class T>
char* WriteReal(T value, char* to) {
  if (std::isnan(value)) return AppendText("NaN", to);
  if (std::isinf(value)) return AppendText(value > 0 ? "Infinity" : "-Infinity", to);
  char* const end = std::to_chars(to, to + kMaxElementBytes, value).ptr;
  const bool is_real = std::find_if(to, end, [](char c) { return c == '.' || c == 'e'; }) != end;
  return is_real ? end : AppendText(".0", end);
}

template <class T>
char* WriteNumber(T value, char* to) {
  if constexpr (std::is_same_v<T, bool>) {
    return AppendText(value ? "true" : "false", to);
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_chars(to, to + kMaxElementBytes, value).ptr;
  } else if constexpr (std::is_floating_point_v<T>) {
    return WriteReal(value, to);
  } else {
    return WriteReal(static_cast<float>(value), to);
  }
}

template <class T>
void WriteNumbers(const void* data, int64_t begin, int64_t count, StringForm, std::string* out) {
  char buffer[kChunk * (kMaxElementBytes + 1)];
  const T* const values = static_cast<const T*>(data) + begin;
  for (int64_t i = 0; i < count;) {
    const int64_t end = std::min(count, i + kChunk);
    char* to = buffer;
    for (; i < end; ++i) {
      if (i > 0) *to++ = ',';
      to = WriteNumber(values[i], to);
    }
    out->append(buffer, to);
  }
}

void WriteStrings(const void* data, int64_t begin, int64_t count, StringForm strings,
                  std::string* out) {
  const std::string* const values = static_cast<const std::string*>(data) + begin;
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) *out += ',';
    if (strings == StringForm::kBase64 || !IsUtf8(values[i])) {
      *out += "{\"b64\":\"";
      AppendBase64(values[i], out);
      *out += "\"}";
    } else {
      AppendJsonString(values[i], out);
    }
  }
}

TensorWriter::WriteElements WriteFunction(ramet::DType dtype) {
  switch (dtype) {
    case ramet::kFloat: return &WriteNumbers<float>;
    case ramet::kDouble: return &WriteNumbers<double>;
    case ramet::kHalf: return &WriteNumbers<ramet::Half>;
    case ramet::kBFloat16: return &WriteNumbers<ramet::BFloat16>;
    case ramet::kInt8: return &WriteNumbers<int8_t>;
    case ramet::kInt16: return &WriteNumbers<int16_t>;
    case ramet::kInt32: return &WriteNumbers<int32_t>;
    case ramet::kInt64: return &WriteNumbers<int64_t>;
    case ramet::kUInt8: return &WriteNumbers<uint8_t>;
    case ramet::kUInt16: return &WriteNumbers<uint16_t>;
    case ramet::kUInt32: return &WriteNumbers<uint32_t>;
    case ramet::kUInt64: return &WriteNumbers<uint64_t>;
    case ramet::kBool: return &WriteNumbers<bool>;
    case ramet::kString: return &WriteStrings;
    default: return nullptr;
  }
}

// Returns the number of lists of a tensor without elements, at most kMaxEmptyLists + 1.
int64_t CountEmptyLists(const ramet::Shape& shape) {
  int64_t lists = 1;
  for (const int64_t dim : shape.dims()) {
    if (dim == 0) return lists;
    if (dim > kMaxEmptyLists / lists) return kMaxEmptyLists + 1;
    lists *= dim;
  }
  return lists;
}

}  // namespace

void AppendReal(float value, std::string* out) {
  WriteNumbers<float>(&value, 0, 1, StringForm::kText, out);
}

ramet::StatusOr<TensorWriter> TensorWriter::Make(const ramet::Tensor& tensor, StringForm strings) {
  const WriteElements write = WriteFunction(tensor.dtype());
  if (write == nullptr) {
    return ramet::InvalidArgument("Failed to write JSON value for tensor type: ",
                                  ramet::DTypeName(tensor.dtype()));
  }
  if (tensor.num_elements() == 0 && CountEmptyLists(tensor.shape()) > kMaxEmptyLists) {
    return ramet::InvalidArgument("Failed to write JSON value for the shape ", tensor.shape(),
                                  ": it has more than ", kMaxEmptyLists, " empty lists");
  }
  return TensorWriter(tensor, strings, write);
}

void TensorWriter::WriteDim(int dim, int64_t* element, std::string* out) const {
  if (dim == tensor_.rank()) return write_(tensor_.raw_data(), (*element)++, 1, strings_, out);
  const int64_t size = tensor_.dim(dim);
  *out += '[';
  if (dim == tensor_.rank() - 1) {
    write_(tensor_.raw_data(), *element, size, strings_, out);
    *element += size;
  } else {
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0) *out += ',';
      WriteDim(dim + 1, element, out);
    }
  }
  *out += ']';
}

void TensorWriter::Write(std::string* out) const {
  int64_t element = 0;
  WriteDim(0, &element, out);
}

void TensorWriter::WriteRow(int64_t row, std::string* out) const {
  const int64_t rows = tensor_.dim(0);
  int64_t element = rows == 0 ? 0 : tensor_.num_elements() / rows * row;
  WriteDim(1, &element, out);
}

void TensorWriter::WriteFlat(std::string* out) const {
  *out += '[';
  write_(tensor_.raw_data(), 0, tensor_.num_elements(), strings_, out);
  *out += ']';
}

}  // namespace server
