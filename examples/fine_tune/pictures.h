#pragma once

#include <ramet/ramet.h>

#include <cstdint>

namespace example {

// Pictures of garments and their labels.
struct Pictures {
  ramet::Tensor images;  // float[n,28,28,1]
  ramet::Tensor labels;  // int64[n]; 0 is the first kind

  int64_t count() const { return labels.num_elements(); }
  // Returns `size` pictures for training step `step`, starting again after the last picture.
  Pictures BatchOf(int64_t step, int64_t size) const;
};

constexpr int kKinds = 5;  // the number of classes of each network

// Returns at most `limit` pictures of `data` whose class is one of first_kind, ...,
// first_kind + kKinds - 1.
Pictures PicturesOf(const ramet::DataSet& data, int64_t first_kind, int64_t limit = INT64_MAX);

}  // namespace example
