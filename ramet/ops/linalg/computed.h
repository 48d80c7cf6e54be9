#pragma once

#include <algorithm>
#include <vector>

#include "ramet/base/float16.h"
#include "ramet/op/op.h"

namespace ramet {

// The type in which elements of type T are computed: float for halves, otherwise T.
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, Half>, float, T>;

// The elements of a tensor, converted to Computed<T>.
template <class T>
class Elements {
 public:
  using C = Computed<T>;
  explicit Elements(const Tensor& t) : t_(t) {
    if constexpr (std::is_same_v<T, C>) return;
    own_.resize(t.num_elements());
    std::ranges::transform(t.flat<T>(), own_.begin(), [](T v) { return static_cast<C>(v); });
  }
  const C* data() const {
    if constexpr (std::is_same_v<T, C>) {
      return t_.data<T>();
    } else {
      return own_.data();
    }
  }

 private:
  const Tensor& t_;
  std::vector<C> own_;
};

// Runs fill(out) on a buffer of type Computed<T> and stores the result in `y`.
template <class T, class Fill>
Status FillOutput(Tensor* y, Fill&& fill) {
  using C = Computed<T>;
  if constexpr (std::is_same_v<T, C>) {
    return fill(y->mutable_data<T>());
  } else {
    std::vector<C> out(y->num_elements());
    RAMET_RETURN_IF_ERROR(fill(out.data()));
    std::ranges::transform(out, y->mutable_data<T>(), [](C v) { return static_cast<T>(v); });
    return OkStatus();
  }
}

}  // namespace ramet
