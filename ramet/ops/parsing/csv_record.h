#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"

namespace ramet {

// How a record of comma-separated values (RFC 4180) is split into fields.
struct CsvFormat {
  char delimiter = ',';
  bool quotes = true;            // fields may be in double quotes
  std::vector<int64_t> columns;  // the columns to return, strictly increasing; empty for all
  bool leaves_out = false;       // `columns` are those not to return

  bool Wants(size_t column) const;
};

// A CsvSplitter splits records into fields, one record at a time.
class CsvSplitter {
 public:
  explicit CsvSplitter(const CsvFormat& format) : format_(format) {}

  // Returns the selected fields of a record, without quotes. They are valid until the next call.
  // \error kInvalidArgument: a quote or the end of a line is where it may not be.
  StatusOr<std::vector<std::string>*> Split(std::string_view record);

 private:
  Status TakePlain();
  Status TakeQuoted();
  // Returns the next character, or 0 at the end.
  char Next(size_t ahead = 0) const {
    return at_ + ahead < record_.size() ? record_[at_ + ahead] : '\0';
  }

  const CsvFormat& format_;
  std::string_view record_;
  size_t at_ = 0;
  std::string field_;
  std::vector<std::string> fields_;
};

}  // namespace ramet
