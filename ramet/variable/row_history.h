#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "ramet/tensor/tensor.h"

namespace ramet {

// A RowHistory keeps the previous buffers of a variable and records which rows have changed since.
// A spare is a previous buffer that nothing else holds. Copying the changed rows brings it up to
// date, so that the next update can write to it. Keeps at most kMaxSpares buffers, and records at
// most half as many rows as the variable has. Not thread-safe.
class RowHistory {
 public:
  static constexpr size_t kMaxSpares = 3;

  // Returns a spare with the elements of `current`, or an empty Tensor if there is none. Picks the
  // one with the fewest outdated rows. Sets `*was_ready`, if not null, to whether it had none.
  Tensor TakeSpare(const Tensor& current, bool* was_ready = nullptr);
  // Brings spares up to date, first the one that TakeSpare would return. Stops early once `waiting`
  // is not 0. Returns false if something still holds one of the buffers.
  bool Prepare(const Tensor& current, const std::atomic<int>& waiting);
  // Records that the rows `indices` (int32 or int64) are being changed. `replaced` is the previous
  // value, whose buffer the variable gives up, or empty if the rows are changed in place.
  void Note(Tensor replaced, const Tensor& indices);
  void Clear();
  // Reports whether there are no buffers.
  bool empty() const { return spares_.empty(); }

 private:
  struct Spare {
    Tensor value;
    uint64_t seen;  // the number of recorded rows, from the very first on, that it includes
  };
  uint64_t end() const { return first_ + rows_.size(); }
  static bool IsFree(const Spare& spare, const Tensor& current);
  // Returns the index of the spare with the fewest outdated rows; spares_.size() if there is none.
  size_t Nearest(const Tensor& current) const;
  void CatchUp(const Tensor& current, const std::atomic<int>* waiting, Spare* spare);
  void Forget();

  std::vector<Spare> spares_;
  std::vector<int64_t> rows_;  // the recorded rows in order; rows_[0] is number first_
  uint64_t first_ = 0;
  std::vector<bool> copied_;  // per row, used by CatchUp; all false between calls
};

}  // namespace ramet
