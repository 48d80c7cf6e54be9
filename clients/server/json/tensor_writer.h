#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <string>

namespace server {

// How a TensorWriter writes strings.
enum class StringForm : uint8_t {
  kText,    // as strings, except that those that are not UTF-8 are written as with kBase64
  kBase64,  // as {"b64": "..."}
};

// Appends a number as a TensorWriter does.
void AppendReal(float value, std::string* out);

// A TensorWriter appends the elements of a tensor to a text, as nested lists. Numbers have the
// fewest digits that read back to the same value. Floating-point numbers never look like integers;
// NaN, Infinity and -Infinity are written as TensorFlow Serving writes them.
class TensorWriter {
 public:
  // \error kInvalidArgument: JSON cannot express the dtype, or a tensor without elements has too
  //   many lists.
  static ramet::StatusOr<TensorWriter> Make(const ramet::Tensor& tensor,
                                            StringForm strings = StringForm::kText);

  // Appends the whole tensor.
  void Write(std::string* out) const;
  // Appends one entry along dimension 0. The tensor must not be a scalar.
  void WriteRow(int64_t row, std::string* out) const;
  // Appends all elements as one list.
  void WriteFlat(std::string* out) const;

  // Appends `count` elements from `begin` on with commas between them.
  using WriteElements = void (*)(const void* data, int64_t begin, int64_t count, StringForm strings,
                                 std::string* out);

 private:
  TensorWriter(const ramet::Tensor& tensor, StringForm strings, WriteElements write)
      : tensor_(tensor), strings_(strings), write_(write) {}
  // Appends the part of the tensor from dimension `dim` on that starts at `*element`.
  void WriteDim(int dim, int64_t* element, std::string* out) const;

  ramet::Tensor tensor_;
  StringForm strings_;
  WriteElements write_;
};

}  // namespace server
