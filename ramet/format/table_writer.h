#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/status.h"

namespace ramet {

// A TableWriter writes a sorted table file, byte for byte as TensorFlow does: uncompressed blocks
// of 256 KiB. Not thread-safe.
class TableWriter {
 public:
  // Creates a new file.
  // \error kAlreadyExists: something has that name.
  // \error any error of creating the file.
  static StatusOr<TableWriter> Create(const std::string& path);
  TableWriter(TableWriter&&) noexcept;
  TableWriter& operator=(TableWriter&&) noexcept;
  // Without Finish, the file stays incomplete.
  ~TableWriter();

  // Appends an entry.
  // \error kInternal: the key is not greater than the previous one.
  // \error any error of writing.
  Status Add(std::string_view key, std::string_view value);
  // Writes the rest, syncs the file and closes it. Called once.
  // \error any error of writing.
  Status Finish();

 private:
  struct Impl;
  explicit TableWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
