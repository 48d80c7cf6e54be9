#include "ramet/backends/gpu/ops/broadcast.h"

#include <limits>

namespace ramet::gpu {
namespace {

constexpr int kMaxDims = 8;

template <class Int>
struct BroadcastStruct {
  Int rank;
  Int dims[kMaxDims];
  Int strides[linalg::BroadcastPlan::kMaxOperands][kMaxDims];
};

template <class Int>
LaunchArgument Describe(const linalg::BroadcastPlan& plan, int num_operands) {
  BroadcastStruct<Int> made = {};
  made.rank = static_cast<Int>(plan.ndims());
  for (int d = 0; d < plan.ndims(); ++d) {
    made.dims[d] = static_cast<Int>(plan.dim(d));
    for (int o = 0; o < num_operands; ++o) {
      made.strides[o][d] = static_cast<Int>(plan.stride(o, d));
    }
  }
  return made;
}

}  // namespace

const std::string_view kBroadcastSource = R"(
typedef struct {
  index_t rank;
  index_t dims[8];
  index_t strides[3][8];
} Broadcast;
FUNCTION index_t broadcast_at(const Broadcast* plan, int operand, index_t i) {
  index_t at = 0;
  for (int d = (int)plan->rank - 1; d >= 0; --d) {
    const index_t next = i / plan->dims[d];
    at += (i - next * plan->dims[d]) * plan->strides[operand][d];
    i = next;
  }
  return at;
}
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
