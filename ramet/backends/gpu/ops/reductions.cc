#include <bit>

#include "ramet/backends/gpu/ops/families.h"

namespace ramet::gpu {
namespace {

using linalg::ReduceOp;
using linalg::ReducePlan;

constexpr int64_t kReduceGroup = 128;
// An item joins at most about this many elements one after the other, which bounds the error.
constexpr int64_t kElementsPerItem = 512;
constexpr int64_t kMaxReduceChunks = 4096;

// The operand of a reduction; `map` is MAP of kReduceProgram.
struct Operand {
  static Operand Of(const Tensor& x, int map = 0) { return {kReduceProgram, x.dtype(), {x}, map}; }
  const Program& program;
  DType dtype;
  std::vector<LaunchArgument> arguments;
  int map = 0;
};

bool FitsKernel(const ReducePlan& plan) {
  int counts[2] = {0, 0};
  for (int d = 0; d < plan.ndims(); ++d) ++counts[plan.is_reduced(d) ? 1 : 0];
  return counts[0] <= kMaxReduceDims && counts[1] <= kMaxReduceDims;
}

ReduceDims DimsOf(const ReducePlan& plan) {
  ReduceDims dims = {};
  int64_t strides[ReducePlan::kMaxDims];
  int64_t stride = 1;
  for (int d = plan.ndims() - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= plan.dim(d);
  }
  for (int d = 0; d < plan.ndims(); ++d) {
    const bool reduced = plan.is_reduced(d);
    const int at = reduced ? dims.num_reduced++ : dims.num_kept++;
    (reduced ? dims.reduced : dims.kept)[at] = plan.dim(d);
    (reduced ? dims.reduced_strides : dims.kept_strides)[at] = strides[d];
  }
  return dims;
}

// Starts one pass of a reduction, which writes `chunks` rows of results.
Status Pass(GpuDevice& device, ReduceOp op, const ReducePlan& plan, const Operand& from, Tensor& y,
            int64_t lanes, int64_t chunk, int64_t chunks, int64_t divisor) {
  const bool neighbors = plan.ndims() > 0 && plan.is_reduced(plan.ndims() - 1);
  LaunchSize size;
  size.groups[0] = static_cast<uint32_t>(CeilDivide(plan.output_size(), kReduceGroup / lanes));
  size.groups[1] = static_cast<uint32_t>(chunks);
  size.group_size[0] = kReduceGroup;
  std::vector<LaunchArgument> arguments = from.arguments;
  const LaunchArgument others[] = {y,
                                   DimsOf(plan),
                                   Index{plan.output_size()},
                                   Index{plan.reduced_size()},
                                   Index{chunk},
                                   static_cast<int32_t>(lanes),
                                   static_cast<int32_t>(neighbors),
                                   divisor};
  arguments.insert(arguments.end(), std::begin(others), std::end(others));
  return Launch(device,
                {from.program, "reduce", ReduceDefinitions(op, from.map, from.dtype, y.dtype())},
                size, arguments);
}

// The op that joins results of chunks.
ReduceOp JoinOf(ReduceOp op) {
  return op == ReduceOp::kMean || op == ReduceOp::kSumSquares ? ReduceOp::kSum : op;
}

Status ReduceOperand(GpuDevice& device, ReduceOp op, const ReducePlan& plan, const Operand& from,
                     Tensor& y, int64_t divisor) {
  const int64_t count = plan.reduced_size();
  const bool neighbors = plan.ndims() > 0 && plan.is_reduced(plan.ndims() - 1);
  const int64_t max_lanes = neighbors || plan.output_size() < 8 ? kReduceGroup : kReduceGroup / 8;
  const int64_t wanted = std::clamp<int64_t>(CeilDivide(count, 16), 1, max_lanes);
  const auto lanes = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(wanted)));
  const int64_t chunks = std::min(CeilDivide(count, lanes * kElementsPerItem), kMaxReduceChunks);
  const int64_t chunk = CeilDivide(count, chunks);
  if (chunks == 1) return Pass(device, op, plan, from, y, lanes, chunk, 1, divisor);
  RAMET_ASSIGN_OR_RETURN(Tensor parts,
                         Temporary(device, SumType(from.dtype), Shape{chunks, plan.output_size()}));
  const int64_t filled = CeilDivide(count, chunk);
  RAMET_RETURN_IF_ERROR(Pass(device, op, plan, from, parts, lanes, chunk, filled, 1));
  const Operand joined = Operand::Of(parts);
  return ReduceOperand(device, JoinOf(op), ReducePlan::Columns(filled, plan.output_size()), joined,
                       y, divisor);
}

// Moves the reduced dimensions of x to the end, for shapes with too many dimensions.
StatusOr<Tensor> WithReducedLast(GpuDevice& device, const ReducePlan& plan, const Tensor& x) {
  RAMET_ASSIGN_OR_RETURN(
      Tensor y, Temporary(device, x.dtype(), Shape{plan.output_size(), plan.reduced_size()}));
  const int rank = plan.ndims();
  std::vector<int64_t> sizes(rank), from(rank, 1), to(rank);
  for (int d = rank - 1; d >= 0; --d) {
    sizes[d] = plan.dim(d);
    if (d + 1 < rank) from[d] = from[d + 1] * sizes[d + 1];
  }
  int64_t stride = 1;
  for (const bool reduced : {true, false}) {
    for (int d = rank - 1; d >= 0; --d) {
      if (plan.is_reduced(d) != reduced) continue;
      to[d] = stride;
      stride *= sizes[d];
    }
  }
  RAMET_RETURN_IF_ERROR(CopyStrided(device, x, 0, from, y, 0, to, sizes));
  return y;
}

}  // namespace

Status Reduce(GpuDevice& device, ReduceOp op, const ReducePlan& plan, const Tensor& x, Tensor& y,
              int64_t divisor) {
  if (y.num_elements() == 0) return OkStatus();
  if (plan.reduced_size() == 0) {
    RAMET_ASSIGN_OR_RETURN(const Tensor none, Tensor::Allocate(y.dtype(), Shape()));
    linalg::Reduce(op, static_cast<linalg::Type>(y.dtype()), ReducePlan::Full(0), nullptr,
                   none.raw_data());
    return SetAll(device, none, y);
  }
  if (op == ReduceOp::kMean) divisor = plan.reduced_size();
  const int map = op == ReduceOp::kSumSquares ? 1 : 0;
  if (FitsKernel(plan)) return ReduceOperand(device, op, plan, Operand::Of(x, map), y, divisor);
  RAMET_ASSIGN_OR_RETURN(const Tensor moved, WithReducedLast(device, plan, x));
  return ReduceOperand(device, op, ReducePlan::Rows(plan.output_size(), plan.reduced_size()),
                       Operand::Of(moved, map), y, divisor);
}

bool CanReduceInPlace(const ReducePlan& plan) { return FitsKernel(plan); }

Status ReduceComputed(GpuDevice& device, ReduceOp op, const ReducePlan& plan,
                      const ComputedOperand& operand, Tensor& y) {
  const int64_t divisor = op == ReduceOp::kMean ? plan.reduced_size() : 1;
  return ReduceOperand(device, op, plan, {operand.program, operand.dtype, operand.arguments}, y,
                       divisor);
}

Status ReduceRows(GpuDevice& device, const Tensor& sums, Tensor& y) {
  return ReduceOperand(device, ReduceOp::kSum, ReducePlan::Columns(sums.dim(0), sums.dim(1)),
                       Operand::Of(sums), y, 1);
}

Status ArgReduce(GpuDevice& device, bool max, int64_t outer, int64_t n, int64_t inner,
                 const Tensor& x, Tensor& y) {
  const int64_t count = outer * inner;
  return ForEach(device, kArgProgram, "arg", ArgDefinitions(max, x.dtype(), y.dtype()), count,
                 {x, y, Index{n}, Index{inner}, Index{count}});
}

}  // namespace ramet::gpu
