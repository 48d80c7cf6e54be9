#include "ramet/ops/parsing/csv_record.h"

#include <algorithm>

namespace ramet {

bool CsvFormat::Wants(size_t column) const {
  if (columns.empty()) return true;
  return std::ranges::binary_search(columns, static_cast<int64_t>(column)) != leaves_out;
}

StatusOr<std::vector<std::string>*> CsvSplitter::Split(std::string_view record) {
  record_ = record;
  at_ = 0;
  fields_.clear();
  size_t column = 0;
  while (at_ < record_.size()) {
    if (Next() == '\n' || Next() == '\r') {
      ++at_;
      continue;
    }
    field_.clear();
    const bool quoted = format_.quotes && Next() == '"';
    RAMET_RETURN_IF_ERROR(quoted ? TakeQuoted() : TakePlain());
    if (format_.Wants(column++)) fields_.push_back(field_);
    if (!format_.columns.empty() && fields_.size() == format_.columns.size()) return &fields_;
  }
  const bool open = !record_.empty() && record_.back() == format_.delimiter;
  if (open && format_.Wants(column)) fields_.emplace_back();
  return &fields_;
}

Status CsvSplitter::TakePlain() {
  for (; at_ < record_.size() && Next() != format_.delimiter; ++at_) {
    if ((format_.quotes && Next() == '"') || Next() == '\n' || Next() == '\r') {
      return InvalidArgument("Unquoted fields cannot have quotes/CRLFs inside");
    }
    field_ += Next();
  }
  ++at_;
  return OkStatus();
}

Status CsvSplitter::TakeQuoted() {
  ++at_;
  while (at_ + 1 < record_.size() && (Next() != '"' || Next(1) != format_.delimiter)) {
    if (Next() == '"') {
      if (Next(1) != '"') {
        return InvalidArgument("Quote inside a string has to be escaped by another quote");
      }
      ++at_;
    }
    field_ += Next();
    ++at_;
  }
  const bool last = at_ + 1 == record_.size();
  if (Next() != '"' || at_ >= record_.size() || (!last && Next(1) != format_.delimiter)) {
    return InvalidArgument("Quoted field has to end with quote followed by delim or end");
  }
  at_ += 2;
  return OkStatus();
}

}  // namespace ramet
