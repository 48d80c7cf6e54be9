#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

namespace ramet {

// A TFRecordReader reads the records of a TFRecord file in order (tf.data.TFRecordDataset). Not
// thread-safe.
class RAMET_EXPORT TFRecordReader {
 public:
  // \error kNotFound: the file does not exist.
  // \error any other error of open(2).
  static StatusOr<std::unique_ptr<TFRecordReader>> Open(const std::string& path);
  ~TFRecordReader();
  TFRecordReader(const TFRecordReader&) = delete;
  TFRecordReader& operator=(const TFRecordReader&) = delete;

  // Reads the next record into *record. Returns false at the end. Memory is allocated as the file
  // fills it, so a wrong length does no harm.
  // \error kDataLoss: a checksum is wrong, or the file ends within a record.
  StatusOr<bool> Read(std::string* record);

 private:
  struct Impl;
  explicit TFRecordReader(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

// Appends `record` to *file in the form of a TFRecord file (tf.io.TFRecordWriter).
RAMET_EXPORT void AppendTFRecord(std::string_view record, std::string* file);

}  // namespace ramet
