#include "pictures.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace example {
namespace {

namespace rm = ramet;

Pictures Pick(const rm::Tensor& images, const rm::Tensor& labels, const std::vector<int64_t>& rows,
              int64_t first_kind) {
  const auto count = static_cast<int64_t>(rows.size());
  const int64_t height = images.dim(1), width = images.dim(2), pixels = height * width;
  Pictures picked{rm::Tensor(rm::kFloat, {count, height, width, 1}),
                  rm::Tensor(rm::kInt64, {count})};
  for (int64_t i = 0; i < count; ++i) {
    std::copy_n(images.data<float>() + rows[i] * pixels, pixels,
                picked.images.mutable_data<float>() + i * pixels);
    picked.labels.mutable_data<int64_t>()[i] = labels.data<int64_t>()[rows[i]] - first_kind;
  }
  return picked;
}

}  // namespace

Pictures Pictures::BatchOf(int64_t step, int64_t size) const {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < size; ++i) rows.push_back((step * size + i) % count());
  return Pick(images, labels, rows, 0);
}

Pictures PicturesOf(const rm::DataSet& data, int64_t first_kind, int64_t limit) {
  const rm::Tensor images = data.images(), labels = data.labels();
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < labels.num_elements(); ++i) {
    const int64_t kind = labels.data<int64_t>()[i] - first_kind;
    if (kind >= 0 && kind < kKinds && static_cast<int64_t>(rows.size()) < limit) rows.push_back(i);
  }
  return Pick(images, labels, rows, first_kind);
}

}  // namespace example
