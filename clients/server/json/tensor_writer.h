#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <string>

namespace server {

// How NaN and infinities are written. Tokens are TensorFlow Serving's: NaN, Infinity, -Infinity.
enum class NonFinite : uint8_t { kTokens, kNull, kError };

struct TensorWriterOptions {
  NonFinite non_finite = NonFinite::kTokens;
  bool base64 = false;  // writes strings as {"b64": "..."}; else only those that are not UTF-8
};

// Appends a number as a TensorWriter does. Returns false for NonFinite::kError and such a value.
bool AppendReal(float value, NonFinite non_finite, std::string* out);

// A TensorWriter appends the elements of a tensor to a text, as nested lists. Numbers have the
// fewest digits that read back to the same value. Floating-point numbers never look like integers.
class TensorWriter {
 public:
  // \error kInvalidArgument: JSON cannot express the dtype, or a tensor without elements has too
  //   many lists.
  static ramet::StatusOr<TensorWriter> Make(const ramet::Tensor& tensor,
                                            const TensorWriterOptions& options);

  // Appends the whole tensor.
  // \error kInvalidArgument: NonFinite::kError, and there is such an element.
  ramet::Status Write(std::string* out) const;
  // Appends one entry along dimension 0. The tensor must not be a scalar.
  // \error as Write.
  ramet::Status WriteRow(int64_t row, std::string* out) const;
  // Appends all elements as one list.
  // \error as Write.
  ramet::Status WriteFlat(std::string* out) const;

  // Appends `count` elements from `begin` on with commas between them. Returns false on an error.
  using WriteElements = bool (*)(const void* data, int64_t begin, int64_t count,
                                 const TensorWriterOptions& options, std::string* out);

 private:
  TensorWriter(const ramet::Tensor& tensor, const TensorWriterOptions& options, WriteElements write)
      : tensor_(tensor), options_(options), write_(write) {}
  // Appends the part of the tensor from dimension `dim` on that starts at `*element`.
  bool WriteDim(int dim, int64_t* element, std::string* out) const;

  ramet::Tensor tensor_;
  TensorWriterOptions options_;
  WriteElements write_;
};

}  // namespace server
