#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ramet/format/byte_stream.h"
#include "ramet/ops/parsing/csv_record.h"

namespace ramet {

// A CsvFile reads the records of a file of comma-separated values (RFC 4180). A record ends with
// "\n", "\r" or "\r\n", or at the end of the file; fields in quotes may have line breaks.
class CsvFile {
 public:
  // Uses a selected field, without its quotes.
  using UseField = std::function<Status(const std::string& field)>;

  CsvFile(std::unique_ptr<ByteStream> stream, const CsvFormat& format)
      : stream_(std::move(stream)), format_(format) {}

  // Passes the selected fields of the next record to `use`. Returns false at the end of the file.
  // After an error, the next call continues with the next record.
  // \error kInvalidArgument: quotes are where they may not be.
  // \error any error of `use` and of ByteStream::Read; the first one, in the order of fields.
  StatusOr<bool> Next(const UseField& use);

 private:
  // Returns whether there is another character. Reads the file on if necessary.
  StatusOr<bool> More();
  // Reads a field. Sets *last after the last one of a record.
  Status TakeField(bool* last);
  Status TakePlain(bool* last);
  Status TakeQuoted(bool* last);
  // Ends a field at the character `c` that has been read.
  Status EndRecord(char c, bool* last);

  const std::unique_ptr<ByteStream> stream_;
  const CsvFormat& format_;
  std::string window_;
  size_t at_ = 0;  // the next character, in window_
  std::string field_;
};

}  // namespace ramet
