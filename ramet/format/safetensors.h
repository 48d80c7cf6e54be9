#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/tensor/tensor.h"

// Tensors in the safetensors format (docs/formats/safetensors.md): bool, integers, half, bfloat16,
// float, double and complex64.
namespace ramet {

// A tensor of a safetensors file. Its bytes are [begin, end) after the header.
struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// A SafetensorsReader reads one file, tensor by tensor. Nothing in the file is trusted: the whole
// header is checked before anything else is read, and allocations are bounded by the size of the
// file. Immutable. Thread-safe.
class RAMET_EXPORT SafetensorsReader {
 public:
  // Opens a file and checks its header.
  // \error kNotFound, kPermissionDenied, ...: the file cannot be opened.
  // \error kDataLoss: the header is longer than the file or 100 MB, is not valid JSON of the format
  //   or has a duplicate name; or the bytes of tensors overlap, leave gaps or do not fit the
  //   shapes. The message names the file and the offset.
  // \error kUnimplemented: a Tensor cannot hold a dtype (F8_E4M3, ...).
  static StatusOr<SafetensorsReader> Open(const std::string& path);
  SafetensorsReader(SafetensorsReader&&) noexcept;
  SafetensorsReader& operator=(SafetensorsReader&&) noexcept;
  ~SafetensorsReader();

  // Returns the entries in the order of their bytes.
  const std::vector<SafetensorsEntry>& entries() const;
  // Returns the strings of "__metadata__".
  const std::map<std::string, std::string>& metadata() const;
  // Reads a tensor.
  // \error kNotFound: no tensor has this name.
  // \error kOutOfRange: the file was truncated.
  // \error kDataLoss: a bool is neither 0 nor 1.
  StatusOr<Tensor> Read(std::string_view name) const;

 private:
  class Impl;
  explicit SafetensorsReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A SafetensorsWriter writes one file: first the list of tensors, then their values. Finish makes
// the complete file appear atomically; until then an old file is kept. Not thread-safe.
class RAMET_EXPORT SafetensorsWriter {
 public:
  // Starts a file. `entries` need name, dtype and shape.
  // \error kInvalidArgument: a name is a duplicate, empty, "__metadata__" or not UTF-8.
  // \error kUnimplemented: the format does not have a dtype (string, complex128, ...).
  // \error any error of creating the file.
  static StatusOr<SafetensorsWriter> Create(
      const std::string& path, std::vector<SafetensorsEntry> entries,
      const std::map<std::string, std::string>& metadata = {});
  SafetensorsWriter(SafetensorsWriter&&) noexcept;
  SafetensorsWriter& operator=(SafetensorsWriter&&) noexcept;
  // Without a successful Finish, removes what was written.
  ~SafetensorsWriter();

  // Returns the entries in the order in which they must be added: by descending element size, so
  // that all are aligned, then by name.
  const std::vector<SafetensorsEntry>& entries() const;
  // Adds the next tensor.
  // \error kInvalidArgument: the dtype or shape is not that of the entry, or all tensors were
  //   added.
  // \error any error of the file.
  Status Add(const Tensor& tensor);
  // Completes the file.
  // \error kFailedPrecondition: tensors are missing.
  // \error any error of the file.
  Status Finish();

 private:
  class Impl;
  explicit SafetensorsWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
