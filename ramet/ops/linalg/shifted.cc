#include "ramet/ops/linalg/shifted.h"

#include <algorithm>
#include <vector>

#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/math/gradient_util.h"

namespace ramet {
namespace {

Tensor Rows(std::span<const int32_t> values) {
  Tensor rows(DType::kInt32, Shape{std::ssize(values) / 2, 2});
  std::ranges::copy(values, rows.mutable_data<int32_t>());
  return rows;
}

// Returns the paddings for a tensor like x whose last dimensions are padded as `last` says.
Output PaddingsFor(GradientContext& c, const Output& x, std::vector<int32_t> last) {
  const int rank = x.shape().rank();
  if (rank >= 0) {
    last.insert(last.begin(), 2 * rank - last.size(), 0);
    return Constant(c.graph(), Rows(last));
  }
  const Output before = RankOf(c, x) - Tensor(static_cast<int32_t>(last.size() / 2));
  const Output shape = c.Add("Pack", {before, Tensor(int32_t{2})});
  const Output zeros = c.Add("Fill", {shape, Tensor(int32_t{0})});
  return c.Add("ConcatV2", {zeros, Rows(last), Tensor(int32_t{0})}, {{"N", 2}});
}

}  // namespace

Output Shifted(GradientContext& c, const Output& x, int from_end, int by) {
  // Slices [..., 1:, :] or [..., :-1, :]: position 0 of the vectors stands for the ellipsis.
  std::vector<int64_t> begin(from_end + 1, 0), end(from_end + 1, 0);
  begin[1] = by > 0 ? 1 : 0;
  end[1] = by > 0 ? 0 : -1;
  const int64_t after = (int64_t{1} << (from_end + 1)) - 4;  // the dimensions that are not cut
  const Output part = c.Add("StridedSlice",
                            {x, Int32Vector(c, begin), Int32Vector(c, end),
                             Int32Vector(c, std::vector<int64_t>(from_end + 1, 1))},
                            {{"ellipsis_mask", 1},
                             {"begin_mask", by > 0 ? after : after + 2},
                             {"end_mask", by > 0 ? after + 2 : after}});
  std::vector<int32_t> pad(2 * from_end, 0);
  pad[by > 0 ? 1 : 0] = 1;
  return c.Add("Pad", {part, PaddingsFor(c, x, pad)});
}

}  // namespace ramet
