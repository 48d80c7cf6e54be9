#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/op/kernel.h"

namespace ramet {

// An InputCache keeps a value that a kernel computes from some of its inputs, which are constants
// in most graphs, as long as these inputs have the same buffers. It holds the buffers, so nothing
// writes to them in the meantime. Thread-safe.
template <class T>
class InputCache {
 public:
  // Returns the value for inputs [begin, end): the kept one, or that of make() -> StatusOr<
  // shared_ptr<const T>>.
  template <class Make>
  StatusOr<std::shared_ptr<const T>> Get(KernelContext& c, int begin, int end, Make&& make) {
    {
      MutexLock lock(mutex_);
      if (value_ != nullptr && Same(c, begin, end)) return value_;
    }
    RAMET_ASSIGN_OR_RETURN(std::shared_ptr<const T> made, make());
    MutexLock lock(mutex_);
    value_ = nullptr;
    inputs_.clear();
    for (int i = begin; i < end; ++i) {
      if (c.input(i).borrowed()) return made;
      inputs_.push_back(c.input(i));
    }
    value_ = made;
    return made;
  }

 private:
  bool Same(KernelContext& c, int begin, int end) const RAMET_REQUIRES(mutex_) {
    for (int i = begin; i < end; ++i) {
      const Tensor &kept = inputs_[static_cast<size_t>(i - begin)], &now = c.input(i);
      if (kept.raw_data() != now.raw_data() || kept.shape() != now.shape()) return false;
    }
    return true;
  }

  Mutex mutex_;
  std::vector<Tensor> inputs_ RAMET_GUARDED_BY(mutex_);
  std::shared_ptr<const T> value_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
