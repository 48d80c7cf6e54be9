#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace ramet {

// A CountTree counts occurrences of the values 0..size-1, each of which starts with one, and finds
// a value by its position among all occurrences in order of the values. A Fenwick tree.
class CountTree {
 public:
  explicit CountTree(int64_t size) : size_(size), total_(size), sums_(size + 1) {}

  int64_t total() const { return total_; }
  int64_t count(int64_t value) const { return Before(value + 1) - Before(value); }

  void Increment(int64_t value) {
    ++total_;
    for (int64_t i = value + 1; i <= size_; i += i & -i) ++sums_[i];
  }

  // Returns the value of the occurrence at `position`, which is in [0, total()).
  int64_t Find(int64_t position) const {
    int64_t value = 0;
    for (auto step = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(size_))); step > 0;
         step /= 2) {
      const int64_t next = value + step;
      if (next > size_ || sums_[next] + step > position) continue;
      position -= sums_[next] + step;
      value = next;
    }
    return value;
  }

 private:
  // Returns the number of occurrences of values less than `value`.
  int64_t Before(int64_t value) const {
    int64_t sum = value;
    for (int64_t i = value; i > 0; i -= i & -i) sum += sums_[i];
    return sum;
  }

  int64_t size_, total_;
  // sums_[i] counts the increments of the i & -i values before value i.
  std::vector<int32_t> sums_;
};

}  // namespace ramet
