#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/status.h"

namespace ramet {

// A TableWriter writes a sorted table file, byte for byte as TensorFlow does: blocks of 256 KiB,
// uncompressed. One thread at a time.
class TableWriter {
 public:
  // Makes a new file. \error kAlreadyExists if anything has that name; those of making it.
  static StatusOr<TableWriter> Create(const std::string& path);
  TableWriter(TableWriter&&) noexcept;
  TableWriter& operator=(TableWriter&&) noexcept;
  // Without Finish the file stays, incomplete.
  ~TableWriter();

  // \error kInternal if the key is not greater than the one before; those of writing.
  Status Add(std::string_view key, std::string_view value);
  // Writes the rest, syncs the file and closes it. Once. \error of writing.
  Status Finish();

 private:
  struct Impl;
  explicit TableWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
