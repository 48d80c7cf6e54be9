#pragma once

#include <cstdint>
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

  // A buffer with the elements of `current` that nobody holds; empty if there is none.
  Tensor TakeSpare(const Tensor& current);
  // The rows `indices` (int32 or int64) are being changed; `replaced` is the value before, in a
  // buffer that the variable has no more, or empty if they are changed in place.
  void Note(Tensor replaced, const Tensor& indices);
  void Clear();

 private:
  struct Spare {
    Tensor value;
    uint64_t changes;  // how many changes it has seen
  };
  void Forget();

  std::vector<Spare> spares_;  // the oldest first
  // The rows of change i (counted from the first one ever) end at ends_[i - first_] of rows_.
  std::vector<int64_t> rows_;
  std::vector<size_t> ends_;
  uint64_t first_ = 0;
};

}  // namespace ramet
