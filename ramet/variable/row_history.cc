#include "ramet/variable/row_history.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "ramet/base/prefetch.h"
#include "ramet/linalg/parallel_rows.h"

namespace ramet {
namespace {

// The number of rows copied before checking whether an update waits.
constexpr size_t kRowsAtOnce = 32;

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

// Rows whose flags are in the same word of RowHistory::copied_ must belong to one thread.
constexpr int64_t kRowGroupSize = 64;

// Copies rows of one tensor to another, each once. Skips out-of-range rows, which come from failed
// updates.
class RowCopy {
 public:
  RowCopy(const Tensor& from, const Tensor& to, std::span<const int64_t> rows,
          std::vector<bool>* copied)
      : rows_(rows), copied_(*copied), count_(from.dim(0)) {
    bytes_ = count_ == 0 ? 0 : static_cast<int64_t>(from.bytes()) / count_;
    from_ = static_cast<const char*>(from.raw_data());
    to_ = static_cast<char*>(to.raw_data());
    if (copied_.size() != static_cast<size_t>(count_)) copied_.assign(count_, false);
  }

  // Copies all rows on the calling thread's team.
  void CopyAll() {
    const int64_t n = static_cast<int64_t>(rows_.size());
    const auto row = [&](int64_t i) { return rows_[i]; };
    const linalg::RowLanes lanes(n, bytes_, kRowGroupSize);
    linalg::ParallelForRows(
        lanes, n, row, [&](int64_t i) { Prefetch(rows_[i]); }, [&](int64_t i) { Copy(rows_[i]); });
  }

  void Copy(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (i + kRowsAhead < rows_.size()) Prefetch(rows_[i + kRowsAhead]);
      Copy(rows_[i]);
    }
  }

  // Clears the flags of the first `end` rows.
  void ForgetCopied(size_t end) {
    for (size_t i = 0; i < end; ++i) {
      if (IsWithin(rows_[i])) copied_[rows_[i]] = false;
    }
  }

 private:
  bool IsWithin(int64_t row) const { return row >= 0 && row < count_; }
  void Copy(int64_t row) {
    if (!IsWithin(row) || copied_[row]) return;
    copied_[row] = true;
    std::memcpy(to_ + row * bytes_, from_ + row * bytes_, static_cast<size_t>(bytes_));
  }
  void Prefetch(int64_t row) const {
    if (!IsWithin(row)) return;
    PrefetchToRead(from_ + row * bytes_, bytes_);
    PrefetchToWrite(to_ + row * bytes_, bytes_);
  }

  const std::span<const int64_t> rows_;
  std::vector<bool>& copied_;
  const int64_t count_;
  int64_t bytes_;
  const char* from_;
  char* to_;
};

}  // namespace

bool RowHistory::IsFree(const Spare& spare, const Tensor& current) {
  return spare.value.unique() && spare.value.dtype() == current.dtype() &&
         spare.value.shape() == current.shape();
}

size_t RowHistory::Nearest(const Tensor& current) const {
  size_t nearest = spares_.size();
  for (size_t i = 0; i < spares_.size(); ++i) {
    if (!IsFree(spares_[i], current)) continue;
    if (nearest == spares_.size() || spares_[i].seen > spares_[nearest].seen) nearest = i;
  }
  return nearest;
}

Tensor RowHistory::TakeSpare(const Tensor& current, bool* was_ready) {
  const size_t nearest = Nearest(current);
  const bool found = nearest != spares_.size();
  if (was_ready != nullptr) *was_ready = found && spares_[nearest].seen == end();
  if (!found) return Tensor();
  CatchUp(current, nullptr, &spares_[nearest]);
  Tensor value = std::move(spares_[nearest].value);
  spares_.erase(spares_.begin() + static_cast<std::ptrdiff_t>(nearest));
  return value;
}

bool RowHistory::Prepare(const Tensor& current, const std::atomic<int>& waiting) {
  std::ranges::sort(spares_, std::greater(), &Spare::seen);
  bool all = true;
  for (Spare& spare : spares_) {
    if (waiting != 0) return true;
    if (IsFree(spare, current)) {
      CatchUp(current, &waiting, &spare);
    } else {
      all = false;
    }
  }
  return all;
}

void RowHistory::CatchUp(const Tensor& current, const std::atomic<int>* waiting, Spare* spare) {
  const auto rows = std::span(std::as_const(rows_)).subspan(spare->seen - first_);
  if (rows.empty()) return;
  RowCopy copy(current, spare->value, rows, &copied_);
  size_t done = 0;
  if (waiting == nullptr) {
    copy.CopyAll();
    done = rows.size();
  }
  while (done < rows.size() && *waiting == 0) {
    const size_t next = std::min(rows.size(), done + kRowsAtOnce);
    copy.Copy(done, next);
    done = next;
  }
  copy.ForgetCopied(done);
  spare->seen += done;
}

void RowHistory::Note(Tensor replaced, const Tensor& indices) {
  if (!replaced.empty()) {
    if (spares_.size() == kMaxSpares) {
      spares_.erase(std::ranges::min_element(spares_, {}, &Spare::seen));
    }
    spares_.push_back({std::move(replaced), end()});
  }
  if (spares_.empty()) return;
  AppendRows(indices, &rows_);
  const Tensor& value = spares_.back().value;
  const uint64_t most = value.rank() == 0 ? 0 : static_cast<uint64_t>(value.dim(0)) / 2;
  std::erase_if(spares_, [&](const Spare& spare) { return end() - spare.seen > most; });
  Forget();
}

// Drops the rows that every spare includes, once they are half of the recorded rows.
void RowHistory::Forget() {
  if (spares_.empty()) return Clear();
  const uint64_t needed = std::ranges::min(spares_, {}, &Spare::seen).seen;
  if ((needed - first_) * 2 < rows_.size()) return;
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(needed - first_));
  first_ = needed;
}

void RowHistory::Clear() {
  first_ = end();
  spares_.clear();
  rows_.clear();
}

}  // namespace ramet
