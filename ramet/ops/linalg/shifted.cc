#include "ramet/ops/linalg/shifted.h"

#include <algorithm>
#include <vector>

#include "ramet/ops/math/gradient_util.h"

namespace ramet {

Output Shifted(GradientContext& c, const Output& x, int from_end, int by) {
  const auto rank = static_cast<size_t>(x.shape().rank());
  std::vector<int64_t> begin(rank, 0), end(rank, 0), pad(2 * rank, 0);
  const size_t d = rank - static_cast<size_t>(from_end);
  begin[d] = by > 0 ? 1 : 0;
  end[d] = by > 0 ? 0 : -1;
  pad[2 * d + (by > 0 ? 1 : 0)] = 1;
  const auto mask = static_cast<int64_t>((uint64_t{1} << rank) - 1);
  const int64_t own = int64_t{1} << d;
  const Output part =
      c.Add("StridedSlice",
            {x, Int32Vector(c, begin), Int32Vector(c, end),
             Int32Vector(c, std::vector<int64_t>(rank, 1))},
            {{"begin_mask", by > 0 ? mask - own : mask}, {"end_mask", by > 0 ? mask : mask - own}});
  Tensor padding(DType::kInt32, Shape{static_cast<int64_t>(rank), 2});
  std::ranges::copy(pad, padding.mutable_data<int32_t>());
  return c.Add("Pad", {part, padding});
}

}  // namespace ramet
