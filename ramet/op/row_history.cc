#include "ramet/op/row_history.h"

#include <algorithm>
#include <cstring>

namespace ramet {
namespace {

void AppendRows(const Tensor& indices, std::vector<int64_t>* rows) {
  const auto append = [rows](auto values) {
    rows->insert(rows->end(), values.begin(), values.end());
  };
  if (indices.dtype() == DType::kInt32) {
    append(indices.flat<int32_t>());
  } else {
    append(indices.flat<int64_t>());
  }
}

// Rows outside are those of updates that have failed.
void CopyRows(std::span<const int64_t> rows, const Tensor& from, const Tensor& to) {
  const int64_t count = from.dim(0);
  const size_t bytes = count == 0 ? 0 : from.bytes() / static_cast<size_t>(count);
  if (bytes == 0) return;
  for (int64_t row : rows) {
    if (row < 0 || row >= count) continue;
    const size_t at = static_cast<size_t>(row) * bytes;
    std::memcpy(static_cast<char*>(to.raw_data()) + at,
                static_cast<const char*>(from.raw_data()) + at, bytes);
  }
}

}  // namespace

Tensor RowHistory::TakeSpare(const Tensor& current) {
  for (size_t i = spares_.size(); i-- > 0;) {
    Spare& spare = spares_[i];
    if (!spare.value.unique()) continue;
    Tensor value = std::move(spare.value);
    const uint64_t seen = spare.changes;
    spares_.erase(spares_.begin() + static_cast<std::ptrdiff_t>(i));
    if (value.dtype() != current.dtype() || !(value.shape() == current.shape())) continue;
    const size_t begin = seen == first_ ? 0 : ends_[seen - first_ - 1];
    CopyRows(std::span(rows_).subspan(begin), current, value);
    return value;
  }
  return Tensor();
}

void RowHistory::Note(Tensor replaced, const Tensor& indices) {
  if (!replaced.empty()) {
    if (spares_.size() == kMostSpares) spares_.erase(spares_.begin());
    spares_.push_back({std::move(replaced), first_ + ends_.size()});
  }
  if (spares_.empty()) return;
  Forget();
  AppendRows(indices, &rows_);
  ends_.push_back(rows_.size());
  const Tensor& value = spares_.back().value;
  const int64_t most = value.rank() == 0 ? 0 : value.dim(0) / 2;
  while (!spares_.empty() && static_cast<int64_t>(rows_.size()) > most) {
    spares_.erase(spares_.begin());
    Forget();
  }
}

// Changes that every spare has seen.
void RowHistory::Forget() {
  if (spares_.empty()) return Clear();
  uint64_t needed = spares_[0].changes;
  for (const Spare& spare : spares_) needed = std::min(needed, spare.changes);
  const size_t changes = static_cast<size_t>(needed - first_);
  if (changes == 0) return;
  const size_t rows = ends_[changes - 1];
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(rows));
  ends_.erase(ends_.begin(), ends_.begin() + static_cast<std::ptrdiff_t>(changes));
  for (size_t& end : ends_) end -= rows;
  first_ = needed;
}

void RowHistory::Clear() {
  first_ += ends_.size();
  spares_.clear();
  rows_.clear();
  ends_.clear();
}

}  // namespace ramet
