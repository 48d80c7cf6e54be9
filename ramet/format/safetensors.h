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

// A tensor of a safetensors file: its bytes are [begin, end) behind the header.
struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// A SafetensorsReader reads one file, tensor by tensor. Nothing in the file is trusted: the header
// is checked as a whole before anything is read, and memory is taken only for what the file holds.
// Immutable once open; several threads may read at once.
class RAMET_EXPORT SafetensorsReader {
 public:
  // \error kNotFound, kPermissionDenied if the file cannot be opened; kDataLoss naming file and
  // offset if
  //   the header is longer than the file or 100 MB, is no JSON of the format, has a name twice, or
  //   if the tensors' bytes overlap, leave gaps or bytes behind them, or do not fit their shapes;
  //   kUnimplemented for dtypes that a Tensor does not hold (F8_E4M3, ...).
  static StatusOr<SafetensorsReader> Open(const std::string& path);
  SafetensorsReader(SafetensorsReader&&) noexcept;
  SafetensorsReader& operator=(SafetensorsReader&&) noexcept;
  ~SafetensorsReader();

  // In the order of their bytes.
  const std::vector<SafetensorsEntry>& entries() const;
  // The texts of "__metadata__".
  const std::map<std::string, std::string>& metadata() const;
  // \error kNotFound if there is none of that name; kOutOfRange if the file was cut since;
  // kDataLoss if
  //   a bool is neither 0 nor 1.
  StatusOr<Tensor> Read(std::string_view name) const;

 private:
  class Impl;
  explicit SafetensorsReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A SafetensorsWriter writes one file: first what will be in it, then the tensors. The file appears
// under its name, whole, with Finish; until then an old one stays. One thread at a time.
class RAMET_EXPORT SafetensorsWriter {
 public:
  // `entries` need name, dtype and shape. \error kInvalidArgument if a name is there twice, empty
  // or
  // "__metadata__", or not UTF-8; kUnimplemented for dtypes that the format does not have (string,
  //   complex128, ...); those of making the file.
  static StatusOr<SafetensorsWriter> Create(
      const std::string& path, std::vector<SafetensorsEntry> entries,
      const std::map<std::string, std::string>& metadata = {});
  SafetensorsWriter(SafetensorsWriter&&) noexcept;
  SafetensorsWriter& operator=(SafetensorsWriter&&) noexcept;
  // Without a successful Finish: removes what was written.
  ~SafetensorsWriter();

  // The entries in the order in which Add wants them: wide elements first, then by name, so that
  // all are aligned.
  const std::vector<SafetensorsEntry>& entries() const;
  // The next tensor. \error kInvalidArgument if dtype or shape are not those of the entry, or all
  // were added; those of the file.
  Status Add(const Tensor& tensor);
  // \error kFailedPrecondition if tensors are missing; those of the file.
  Status Finish();

 private:
  class Impl;
  explicit SafetensorsWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
