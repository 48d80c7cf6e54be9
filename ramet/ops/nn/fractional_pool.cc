#include "ramet/ops/nn/fractional_pool.h"

#include <cmath>

#include "ramet/linalg/random_bits.h"

namespace ramet {
namespace {

// Sets sequence[i + 1] to the size of window i: sizes that a random offset spreads evenly.
void DrawPseudoRandom(int64_t in, std::span<int64_t> sequence, linalg::Philox* generator) {
  const int64_t out = std::ssize(sequence) - 1, least = in / out;
  const double alpha = static_cast<double>(in) / static_cast<double>(out);
  const double at_first = static_cast<double>(least + 2) / alpha - 1;
  const double at_last = static_cast<double>(in + 1 - least) / alpha - static_cast<double>(out - 1);
  linalg::Philox copy = *generator;
  const double offset = linalg::WordStream(&copy).NextDouble() * std::min(at_first, at_last);
  generator->Skip(1);
  int64_t before = 1;
  for (int64_t i = 1; i <= out; ++i) {
    const int64_t end =
        i == out ? in + 1
                 : static_cast<int64_t>(std::ceil(alpha * (static_cast<double>(i) + offset)));
    sequence[i] = end - before;
    before = end;
  }
}

// Sets sequence[i + 1] to the size of window i: the two possible sizes in random order.
void DrawRandom(int64_t in, std::span<int64_t> sequence, linalg::Philox* generator) {
  const int64_t out = std::ssize(sequence) - 1;
  const auto sizes = sequence.subspan(1);
  for (int64_t i = 0; i < out; ++i) sizes[i] = in / out + (i < in % out ? 1 : 0);
  linalg::Philox copy = *generator;
  linalg::WordStream word(&copy);
  for (int64_t i = 0; i + 1 < out; ++i) {
    std::swap(sizes[i], sizes[i + word() % static_cast<uint32_t>(out - i)]);
  }
  generator->Skip(static_cast<uint64_t>(out + 3) / 4);
}

}  // namespace

StatusOr<std::vector<float>> PoolingRatio(const AttrMap& attrs) {
  RAMET_ASSIGN_OR_RETURN(auto ratio, attrs.Get<std::vector<float>>("pooling_ratio"));
  if (ratio.size() != 4) return InvalidArgument("pooling_ratio field must specify 4 dimensions");
  for (const float r : ratio) {
    if (!(r >= 1)) return InvalidArgument("pooling_ratio cannot be smaller than 1, got: ", r);
  }
  return ratio;
}

StatusOr<FractionalPool> FractionalPool::Parse(const AttrMap& attrs, std::string_view kind) {
  FractionalPool pool;
  RAMET_ASSIGN_OR_RETURN(pool.ratio, PoolingRatio(attrs));
  if (pool.ratio[0] != 1 || pool.ratio[3] != 1) {
    return Unimplemented("Fractional ", kind,
                         " pooling is not yet supported on the batch nor channel dimension.");
  }
  pool.pseudo_random = attrs.GetOr("pseudo_random", false);
  pool.overlapping = attrs.GetOr("overlapping", false);
  pool.deterministic = attrs.GetOr("deterministic", false);
  pool.seed = static_cast<uint64_t>(attrs.GetOr<int64_t>("seed", 0));
  pool.seed2 = static_cast<uint64_t>(attrs.GetOr<int64_t>("seed2", 0));
  const bool seeded = pool.seed != 0 || pool.seed2 != 0;
  if (seeded && !pool.deterministic) {
    return InvalidArgument("Both seed and seed2 should be 0 if deterministic is false.");
  }
  if (pool.deterministic && !seeded) DrawSeeds(&pool.seed, &pool.seed2);
  return pool;
}

int64_t FractionalPool::OutputSize(int d, int64_t in) const {
  const auto size = static_cast<int64_t>(std::floor(static_cast<float>(in) / ratio[d]));
  return std::min(size, in);
}

void FractionalPool::Draw(int64_t height, int64_t width, std::span<int64_t> rows,
                          std::span<int64_t> columns) const {
  uint64_t first = seed, second = seed2;
  if (!deterministic) DrawSeeds(&first, &second);
  linalg::Philox generator(first, second);
  for (const auto& [in, sequence] : {std::pair{height, rows}, std::pair{width, columns}}) {
    (pseudo_random ? DrawPseudoRandom : DrawRandom)(in, sequence, &generator);
    sequence[0] = 0;
    for (size_t i = 1; i < sequence.size(); ++i) sequence[i] += sequence[i - 1];
  }
}

Status FractionalPoolShape(ShapeContext& c) {
  FractionalPool pool;
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.WithRank(0, 4));
  RAMET_ASSIGN_OR_RETURN(pool.ratio, PoolingRatio(c.attrs()));
  for (int d = 0; d < 4; ++d) {
    if (shape.dim(d) >= 0) shape.set_dim(d, pool.OutputSize(d, shape.dim(d)));
  }
  for (int i : {1, 2}) {
    c.set_output(i, Shape{shape.dim(i) >= 0 ? shape.dim(i) + 1 : Shape::kUnknownDim});
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace ramet
