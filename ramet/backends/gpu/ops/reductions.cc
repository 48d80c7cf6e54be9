#include "ramet/backends/gpu/ops/families.h"
#include "ramet/backends/gpu/ops/reduce_launch.h"

namespace ramet::gpu {
namespace {

using linalg::ReduceOp;
using linalg::ReducePlan;

// The operand of a reduction; `map` is MAP of kReduceProgram, `rank` RANK of a computed operand.
struct Operand {
  static Operand Of(const Tensor& x, int map = 0) { return {kReduceProgram, x.dtype(), {x}, map}; }
  const Program& program;
  DType dtype;
  std::vector<LaunchArgument> arguments;
  int map = 0;
  int rank = 0;
};

ReduceRanks CountDims(const ReducePlan& plan) {
  ReduceRanks counts = {0, 0};
  for (int d = 0; d < plan.ndims(); ++d) ++(plan.is_reduced(d) ? counts.reduced : counts.kept);
  return counts;
}

bool FitsKernel(const ReducePlan& plan) {
  const ReduceRanks counts = CountDims(plan);
  return counts.kept <= kMaxReduceDims && counts.reduced <= kMaxReduceDims;
}

// Returns the ranks to compile for. Larger ones, which are rare, share a program.
ReduceRanks RanksFor(const ReducePlan& plan) {
  const ReduceRanks counts = CountDims(plan);
  if (counts.kept > 2 || counts.reduced > 2) return {kMaxReduceDims, kMaxReduceDims};
  return {std::max(counts.kept, 1), std::max(counts.reduced, 1)};
}

// Dimensions that are missing have size 1 and come first.
ReduceDims DimsOf(const ReducePlan& plan, const ReduceRanks& ranks) {
  ReduceDims dims = {};
  std::ranges::fill(dims.kept, 1);
  std::ranges::fill(dims.reduced, 1);
  ReduceRanks at = ranks;
  int64_t stride = 1;
  for (int d = plan.ndims() - 1; d >= 0; --d) {
    const bool reduced = plan.is_reduced(d);
    const int k = --(reduced ? at.reduced : at.kept);
    (reduced ? dims.reduced : dims.kept)[k] = plan.dim(d);
    (reduced ? dims.reduced_strides : dims.kept_strides)[k] = stride;
    stride *= plan.dim(d);
  }
  return dims;
}

// Starts one pass of a reduction, which writes a row of results for each chunk.
Status Pass(GpuDevice& device, const ReduceLaunch& launch, ReduceOp op, const ReducePlan& plan,
            const Operand& from, Tensor& y, int64_t divisor) {
  const ReduceRanks ranks = RanksFor(plan);
  LaunchSize size;
  size.groups[0] =
      static_cast<uint32_t>(CeilDivide(plan.output_size(), launch.group / launch.lanes));
  size.groups[1] = static_cast<uint32_t>(launch.chunks);
  size.group_size[0] = static_cast<uint32_t>(launch.group);
  std::vector<LaunchArgument> arguments = from.arguments;
  const LaunchArgument others[] = {y,
                                   DimsOf(plan, ranks),
                                   Index{plan.output_size()},
                                   Index{plan.reduced_size()},
                                   Index{launch.chunk},
                                   static_cast<int32_t>(launch.lanes),
                                   static_cast<int32_t>(NeighborsAreReduced(plan)),
                                   divisor};
  arguments.insert(arguments.end(), std::begin(others), std::end(others));
  Definitions definitions = ReduceDefinitions(op, from.map, from.dtype, y.dtype(), ranks);
  if (from.rank > 0) definitions.emplace_back("RANK", StrCat(from.rank));
  return Launch(device, {from.program, "reduce", std::move(definitions)}, size, arguments);
}

// The op that joins results of chunks.
ReduceOp JoinOf(ReduceOp op) {
  return op == ReduceOp::kMean || op == ReduceOp::kSumSquares ? ReduceOp::kSum : op;
}

Status ReduceOperand(const ReduceDevice& like, GpuDevice& device, ReduceOp op,
                     const ReducePlan& plan, const Operand& from, Tensor& y, int64_t divisor) {
  const ReduceLaunch launch(like, plan);
  if (launch.chunks == 1) return Pass(device, launch, op, plan, from, y, divisor);
  RAMET_ASSIGN_OR_RETURN(Tensor parts, Temporary(device, SumType(from.dtype),
                                                 Shape{launch.chunks, plan.output_size()}));
  RAMET_RETURN_IF_ERROR(Pass(device, launch, op, plan, from, parts, 1));
  const ReducePlan joined = ReducePlan::Columns(launch.chunks, plan.output_size());
  return ReduceOperand(like, device, JoinOf(op), joined, Operand::Of(parts), y, divisor);
}

Status ReduceOperand(GpuDevice& device, ReduceOp op, const ReducePlan& plan, const Operand& from,
                     Tensor& y, int64_t divisor) {
  return ReduceOperand(ReduceDevice::Of(device.driver().info()), device, op, plan, from, y,
                       divisor);
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
  return ReduceLike(ReduceDevice::Of(device.driver().info()), device, op, plan, x, y, divisor);
}

Status ReduceLike(const ReduceDevice& like, GpuDevice& device, ReduceOp op, const ReducePlan& plan,
                  const Tensor& x, Tensor& y, int64_t divisor) {
  if (y.num_elements() == 0) return OkStatus();
  if (plan.reduced_size() == 0) {
    RAMET_ASSIGN_OR_RETURN(const Tensor none, Tensor::Allocate(y.dtype(), Shape()));
    linalg::Reduce(op, static_cast<linalg::Type>(y.dtype()), ReducePlan::Full(0), nullptr,
                   none.raw_data());
    return SetAll(device, none, y);
  }
  if (op == ReduceOp::kMean) divisor = plan.reduced_size();
  const int map = op == ReduceOp::kSumSquares ? 1 : 0;
  if (FitsKernel(plan)) {
    return ReduceOperand(like, device, op, plan, Operand::Of(x, map), y, divisor);
  }
  RAMET_ASSIGN_OR_RETURN(const Tensor moved, WithReducedLast(device, plan, x));
  const ReducePlan rows = ReducePlan::Rows(plan.output_size(), plan.reduced_size());
  return ReduceOperand(like, device, op, rows, Operand::Of(moved, map), y, divisor);
}

bool CanReduceInPlace(const ReducePlan& plan) { return FitsKernel(plan); }

Status ReduceComputed(GpuDevice& device, ReduceOp op, const ReducePlan& plan,
                      const ComputedOperand& operand, Tensor& y) {
  const int64_t divisor = op == ReduceOp::kMean ? plan.reduced_size() : 1;
  return ReduceOperand(device, op, plan,
                       {operand.program, operand.dtype, operand.arguments, 0, operand.rank}, y,
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
