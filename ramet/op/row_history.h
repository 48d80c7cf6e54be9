#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "ramet/tensor/tensor.h"

namespace ramet {

// The buffers that a variable had before its latest updates, and the rows that have changed since.
// A buffer that nobody else holds any more is brought up to date by copying these rows, and serves
// for the next update. Keeps kMostSpares buffers, and no more rows than make half of the variable.
// One thread at a time.
class RowHistory {
 public:
  static constexpr size_t kMostSpares = 3;

  // A buffer with the elements of `current` that nobody holds; empty if there is none. Of several,
  // the one that lacks the fewest rows. `*was_ready` (may be null): whether it lacked none.
  Tensor TakeSpare(const Tensor& current, bool* was_ready = nullptr);
  // Brings buffers that nobody holds up to date, the one that TakeSpare would take first; or a part
  // of their rows, once `waiting` is not 0 any more. False if somebody holds one of them.
  bool Prepare(const Tensor& current, const std::atomic<int>& waiting);
  // The rows `indices` (int32 or int64) are being changed; `replaced` is the value before, in a
  // buffer that the variable has no more, or empty if they are changed in place.
  void Note(Tensor replaced, const Tensor& indices);
  void Clear();
  // Whether there are no buffers.
  bool empty() const { return spares_.empty(); }

 private:
  struct Spare {
    Tensor value;
    uint64_t seen;  // how many rows it has of all that were ever noted
  };
  uint64_t end() const { return first_ + rows_.size(); }
  static bool IsFree(const Spare& spare, const Tensor& current);
  // The free buffer that lacks the fewest rows; spares_.size() if there is none.
  size_t Nearest(const Tensor& current) const;
  void CatchUp(const Tensor& current, const std::atomic<int>* waiting, Spare* spare);
  void Forget();

  std::vector<Spare> spares_;
  std::vector<int64_t> rows_;  // noted, one update after another; the first_-th of all is the first
  uint64_t first_ = 0;
  std::vector<bool> copied_;  // by row, of CatchUp; false between two calls
};

}  // namespace ramet
