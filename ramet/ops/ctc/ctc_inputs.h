#pragma once

#include <vector>

#include "ramet/op/kernel.h"
#include "ramet/op/shape_context.h"

// Connectionist temporal classification: the loss and the decoders take logits of shape [time,
// batch, classes]; one class is the blank.

namespace ramet {

// A CtcLogits is a view of the logits.
template <class T>
struct CtcLogits {
  const Tensor& tensor;

  int64_t time() const { return tensor.dim(0); }
  int64_t batch() const { return tensor.dim(1); }
  int64_t classes() const { return tensor.dim(2); }
  const T* row(int64_t t, int64_t b) const {
    return tensor.data<T>() + (t * batch() + b) * classes();
  }
};

// Writes decoded sequences as a sparse matrix to outputs indices, values and shape at `first`,
// `first + step` and `first + 2 * step`.
Status WriteSequences(KernelContext& c, int first, int step,
                      const std::vector<std::vector<int>>& sequences);

}  // namespace ramet
