#include "ramet/backends/gpu/ops/families.h"

namespace ramet::gpu {
namespace {

constexpr int64_t kProductTile = 32;  // rows and columns per work group, as in kProductProgram
constexpr uint32_t kProductSide = 8;
// The gradient for a filter sums over all pixels of a batch; chunks of them run in parallel.
constexpr int64_t kChunk = 4096;
constexpr int64_t kMaxChunks = 64;
constexpr int64_t kMaxStacks = 65535;  // groups in dimension 1, in CUDA

LaunchSize Tiles(int64_t rows, int64_t columns, int64_t stacks) {
  LaunchSize size;
  // CUDA limits the groups of all dimensions but the first to 65535.
  size.groups = {
      static_cast<uint32_t>(CeilDivide(columns, kProductTile) * CeilDivide(rows, kProductTile)),
      static_cast<uint32_t>(stacks), 1};
  size.group_size = {kProductSide, kProductSide, 1};
  return size;
}

// A product that KIND and the geometry of a convolution describe.
struct ConvProduct {
  int kind;
  int64_t rows, columns, depth;
};

ConvProduct ProductOf(ConvPart part, const linalg::ConvGeometry& g) {
  const int64_t in = g.batch * g.in_pixels(), out = g.batch * g.out_pixels();
  switch (part) {
    case ConvPart::kForward: return {1, out, g.out_channels, g.taps() * g.in_channels};
    case ConvPart::kBackpropInput: return {2, in, g.in_channels, g.taps() * g.out_channels};
    default: return {3, g.taps() * g.in_channels, g.out_channels, out};
  }
}

Status ConvolveGroups(GpuDevice& device, ConvPart part, const Window& w, const Tensor& a,
                      const Tensor& b, Tensor& result) {
  const int64_t n = result.num_elements();
  const Definitions definitions = GroupedDefinitions(a.dtype());
  if (part != ConvPart::kBackpropFilter) {
    return ForEach(device, kGroupedProgram,
                   part == ConvPart::kForward ? "forward" : "backprop_input", definitions, n,
                   {a, b, result, w, Index{n}});
  }
  LaunchSize size;
  size.groups[0] = static_cast<uint32_t>(n);
  size.group_size[0] = 128;
  return ForGroups(device, kGroupedProgram, "backprop_filter", definitions, size,
                   {a, b, result, w, Index{n}});
}

}  // namespace

Status Multiply(GpuDevice& device, const MatrixSizes& s, const linalg::BroadcastPlan& plan,
                const Tensor& x, const Tensor& y, Tensor& z) {
  if (s.k == 0) return SetZeros(device, z);
  if (plan.ndims() > kMaxStackDims || plan.size() > kMaxStacks) {
    return Unimplemented("a product of ", plan.size(), " matrices broadcast along ", plan.ndims(),
                         " dimensions; GPUs support ", kMaxStacks, " and ", kMaxStackDims,
                         ", so place the operation on the CPU");
  }
  if (plan.ndims() == 1 && x.dtype() == z.dtype()) {
    const StackedProduct product = {x.dtype(),
                                    s.m,
                                    s.n,
                                    s.k,
                                    s.transpose_x,
                                    s.transpose_y,
                                    plan.size(),
                                    plan.stride(0, 0) == 0,
                                    plan.stride(1, 0) == 0};
    RAMET_ASSIGN_OR_RETURN(const bool is_started, device.libraries().Multiply(product, x, y, z));
    if (is_started) return OkStatus();
  }
  Stacks stacks = {};
  stacks.rank = plan.ndims();
  for (int d = 0; d < plan.ndims(); ++d) {
    stacks.sizes[d] = plan.dim(d);
    stacks.a[d] = plan.stride(0, d) * s.m * s.k;
    stacks.b[d] = plan.stride(1, d) * s.k * s.n;
  }
  stacks.a_row = s.transpose_x ? 1 : s.k;
  stacks.a_column = s.transpose_x ? s.m : 1;
  stacks.b_row = s.transpose_y ? 1 : s.n;
  stacks.b_column = s.transpose_y ? s.k : 1;
  return ForGroups(device, kProductProgram, "product", ProductDefinitions(0, x.dtype(), z.dtype()),
                   Tiles(s.m, s.n, plan.size()),
                   {x, y, z, stacks, Index{s.m}, Index{s.n}, Index{s.k}, Index{s.k}});
}

Status Convolve(GpuDevice& device, ConvPart part, const linalg::ConvGeometry& g, const Tensor& a,
                const Tensor& b, Tensor& result) {
  if (result.num_elements() == 0) return OkStatus();
  if (a.num_elements() == 0 || b.num_elements() == 0) return SetZeros(device, result);
  RAMET_ASSIGN_OR_RETURN(const bool is_started, ConvolveWithLibrary(device, part, g, a, b, result));
  if (is_started) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(const Window w, WindowOf(g));
  if (g.groups != 1) return ConvolveGroups(device, part, w, a, b, result);
  const bool is_input = part == ConvPart::kBackpropInput;
  const Tensor& image = is_input ? b : a;
  const Tensor& other = is_input ? a : b;
  const ConvProduct p = ProductOf(part, g);
  const int64_t chunks =
      part == ConvPart::kBackpropFilter ? std::min(CeilDivide(p.depth, kChunk), kMaxChunks) : 1;
  const int64_t chunk = CeilDivide(p.depth, chunks);
  const auto launch = [&](Tensor& y) {
    return ForGroups(
        device, kProductProgram, "product", ProductDefinitions(p.kind, a.dtype(), y.dtype()),
        Tiles(p.rows, p.columns, CeilDivide(p.depth, chunk) * (p.kind == 3) + (p.kind != 3)),
        {image, other, y, w, Index{p.rows}, Index{p.columns}, Index{p.depth}, Index{chunk}});
  };
  if (chunks == 1) return launch(result);
  const DType sum = SumType(a.dtype());
  RAMET_ASSIGN_OR_RETURN(
      Tensor parts,
      Temporary(device, sum, Shape{CeilDivide(p.depth, chunk), result.num_elements()}));
  RAMET_RETURN_IF_ERROR(launch(parts));
  return ReduceRows(device, parts, result);
}

}  // namespace ramet::gpu
