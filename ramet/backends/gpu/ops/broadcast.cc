#include "ramet/backends/gpu/ops/broadcast.h"

#include <algorithm>
#include <limits>

#include "ramet/backends/gpu/kernels/kernels.h"

namespace ramet::gpu {
namespace {

constexpr int kMaxDims = 8;

template <class Int>
struct BroadcastStruct {
  Int dims[kMaxDims];
  Int strides[linalg::BroadcastPlan::kMaxOperands][kMaxDims];
};

template <class Int>
LaunchArgument Describe(const linalg::BroadcastPlan& plan, int num_operands) {
  BroadcastStruct<Int> made = {};
  const int missing = kCompiledRanks[RankIndex(plan.ndims())] - plan.ndims();
  std::fill_n(made.dims, missing, Int{1});
  for (int d = 0; d < plan.ndims(); ++d) {
    made.dims[missing + d] = static_cast<Int>(plan.dim(d));
    for (int o = 0; o < num_operands; ++o) {
      made.strides[o][missing + d] = static_cast<Int>(plan.stride(o, d));
    }
  }
  return made;
}

}  // namespace

const std::string_view kBroadcastSource = R"(
#ifdef RANK
typedef struct {
  index_t dims[8];
  index_t strides[3][8];
} Broadcast;
INLINE_FUNCTION index_t broadcast_at(Broadcast plan, int operand, index_t i) {
  index_t at = 0;
  UNROLL for (int d = RANK - 1; d > 0; --d) {
    const index_t next = DIVIDE(i, plan.dims[d]);
    at += (i - next * plan.dims[d]) * plan.strides[operand][d];
    i = next;
  }
  return at + i * plan.strides[operand][0];
}
#endif
)";

StatusOr<LaunchArgument> BroadcastArgument(const linalg::BroadcastPlan& plan, int num_operands) {
  if (plan.ndims() > kMaxDims) {
    return Unimplemented("broadcasting along ", plan.ndims(),
                         " dimensions; kernels on GPUs support ", kMaxDims,
                         ", so place the operation on the CPU");
  }
  if (plan.size() > std::numeric_limits<int32_t>::max()) {
    return Describe<int64_t>(plan, num_operands);
  }
  return Describe<int32_t>(plan, num_operands);
}

}  // namespace ramet::gpu
