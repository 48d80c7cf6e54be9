#include "ramet/ops/parsing/csv_file.h"

namespace ramet {
namespace {

constexpr uint64_t kCsvWindowBytes = 64 << 10;

bool EndsLine(char c) { return c == '\n' || c == '\r'; }

}  // namespace

StatusOr<bool> CsvFile::More() {
  if (at_ < window_.size()) return true;
  window_.clear();
  at_ = 0;
  RAMET_ASSIGN_OR_RETURN(const uint64_t found, stream_->Read(kCsvWindowBytes, &window_));
  return found > 0;
}

StatusOr<bool> CsvFile::Next(const UseField& use) {
  RAMET_ASSIGN_OR_RETURN(const bool more, More());
  if (!more) return false;
  Status first;
  bool last = false;
  for (size_t column = 0; !last; ++column) {
    field_.clear();
    const Status taken = TakeField(&last);
    // Only damaged records can be read on.
    if (!taken.ok() && !IsInvalidArgument(taken)) return taken;
    first.Update(taken);
    if (first.ok() && format_.Wants(column)) first = use(field_);
  }
  if (!first.ok()) return first;
  return true;
}

Status CsvFile::TakeField(bool* last) {
  RAMET_ASSIGN_OR_RETURN(const bool more, More());
  *last = !more;
  if (!more) return OkStatus();
  return format_.quotes && window_[at_] == '"' ? TakeQuoted(last) : TakePlain(last);
}

Status CsvFile::EndRecord(char c, bool* last) {
  *last = true;
  if (c != '\r') return OkStatus();
  RAMET_ASSIGN_OR_RETURN(const bool more, More());
  if (more && window_[at_] == '\n') ++at_;
  return OkStatus();
}

Status CsvFile::TakePlain(bool* last) {
  Status status;
  while (true) {
    RAMET_ASSIGN_OR_RETURN(const bool more, More());
    *last = !more;
    if (!more) return status;
    const size_t start = at_;
    while (at_ < window_.size() && window_[at_] != format_.delimiter && !EndsLine(window_[at_])) {
      if (format_.quotes && window_[at_] == '"' && status.ok()) {
        status = InvalidArgument("Unquoted fields cannot have quotes inside");
      }
      ++at_;
    }
    field_.append(window_, start, at_ - start);
    if (at_ == window_.size()) continue;
    const char c = window_[at_++];
    if (c != format_.delimiter) RAMET_RETURN_IF_ERROR(EndRecord(c, last));
    return status;
  }
}

Status CsvFile::TakeQuoted(bool* last) {
  Status status;
  ++at_;
  while (true) {
    RAMET_ASSIGN_OR_RETURN(bool more, More());
    if (!more) {
      return InvalidArgument("Reached end of file without closing quoted field in record");
    }
    const char c = window_[at_++];
    if (c != '"') {
      field_ += c;
      continue;
    }
    RAMET_ASSIGN_OR_RETURN(more, More());
    *last = !more;
    if (!more) return status;
    const char next = window_[at_++];
    if (next == format_.delimiter) return status;
    if (EndsLine(next)) {
      RAMET_RETURN_IF_ERROR(EndRecord(next, last));
      return status;
    }
    field_ += next;
    if (next != '"' && status.ok()) {
      status = InvalidArgument("Quote inside a string has to be escaped by another quote");
    }
  }
}

}  // namespace ramet
