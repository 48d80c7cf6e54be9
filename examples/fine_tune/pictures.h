#pragma once

#include <ramet/ramet.h>

#include <cstdint>

namespace example {

// Pictures of some kinds of garments.
struct Pictures {
  ramet::Tensor images;  // float[n,28,28,1]
  ramet::Tensor labels;  // int64[n]: 0 for the first kind, ...

  int64_t count() const { return labels.num_elements(); }
  // `size` of them for training step `step`, which goes round and round.
  Pictures BatchOf(int64_t step, int64_t size) const;
};

constexpr int kKinds = 5;  // how many kinds each side tells apart

// The pictures of `data` whose class is one of first_kind ... first_kind + kKinds - 1, at most
// `limit` of them.
Pictures PicturesOf(const ramet::DataSet& data, int64_t first_kind, int64_t limit = INT64_MAX);

}  // namespace example
