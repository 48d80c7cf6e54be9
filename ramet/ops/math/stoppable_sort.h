#pragma once

#include <algorithm>
#include <cstdint>

#include "ramet/base/run_interrupt.h"

// Sorting that a run can stop.
namespace ramet {

// Sorting fewer elements takes at most 20 ms.
inline constexpr int64_t kMinStoppableElements = 1 << 17;

namespace stoppable_sort_internal {

struct Stopped {};

// An order that throws Stopped when the run must stop.
template <class T, class Less>
class CheckedOrder {
 public:
  CheckedOrder(const Less& less, const StopCheck& stop, int64_t* left)
      : less_(less), stop_(stop), left_(left) {}
  bool operator()(const T& a, const T& b) const {
    if (--*left_ < 0) Check();
    return less_(a, b);
  }

 private:
  void Check() const {
    constexpr int64_t kComparisonsPerCheck = 1 << 16;
    *left_ = kComparisonsPerCheck;
    if (stop_.due()) throw Stopped();
  }
  const Less& less_;
  const StopCheck& stop_;
  int64_t* left_;
};

}  // namespace stoppable_sort_internal

// Calls sort(less), a function of the standard library on `n` elements of type T that must not own
// anything. Long ones stop when `stop` is due; the elements are then in any order, and some may be
// there twice. Returns false if it stopped.
template <class T, class Less, class Sort>
bool SortStoppably(int64_t n, const StopCheck& stop, const Less& less, const Sort& sort) {
  if (n < kMinStoppableElements) {
    sort(less);
    return true;
  }
  int64_t left = 0;
  try {
    sort(stoppable_sort_internal::CheckedOrder<T, Less>(less, stop, &left));
  } catch (const stoppable_sort_internal::Stopped&) {
    return false;
  }
  return true;
}

}  // namespace ramet
