#include <array>
#include <vector>

#include "ramet/backends/gpu/ops/families.h"

namespace ramet::gpu {
namespace {

// A dimension of a copy and its steps in both tensors.
struct Dim {
  int64_t size, from, to;
};

// Joins dimensions that are one in both tensors.
std::vector<Dim> Collapse(std::span<const int64_t> sizes, std::span<const int64_t> from,
                          std::span<const int64_t> to, int64_t scale) {
  std::vector<Dim> dims;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 1) continue;
    const Dim d = {sizes[i], from[i] * scale, to[i] * scale};
    if (!dims.empty() && dims.back().from == d.size * d.from && dims.back().to == d.size * d.to) {
      dims.back() = {dims.back().size * d.size, d.from, d.to};
    } else {
      dims.push_back(d);
    }
  }
  return dims;
}

Status CopyDimensions(GpuDevice& device, size_t width, const Tensor& x, Tensor& y,
                      std::span<const Dim> dims, int64_t from, int64_t to) {
  if (dims.size() > kMaxCopyDims) {
    for (int64_t i = 0; i < dims[0].size; ++i) {
      RAMET_RETURN_IF_ERROR(CopyDimensions(device, width, x, y, dims.subspan(1),
                                           from + i * dims[0].from, to + i * dims[0].to));
    }
    return OkStatus();
  }
  CopyDims d = {};
  d.from_offset = from;
  d.to_offset = to;
  const int rank = kCompiledRanks[RankIndex(static_cast<int>(dims.size()))];
  const size_t missing = rank - dims.size();
  std::fill_n(d.sizes, missing, 1);
  int64_t count = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    d.sizes[missing + i] = dims[i].size;
    d.from[missing + i] = dims[i].from;
    d.to[missing + i] = dims[i].to;
    count *= dims[i].size;
  }
  return ForEach(device, kCopyProgram, "copy", CopyDefinitions(width, rank), count,
                 {x, y, d, Index{count}});
}

// Returns x repeated to the result of `plan`, or x if it has that size.
StatusOr<Tensor> Broadcast(GpuDevice& device, const linalg::BroadcastPlan& plan, int operand,
                           const Tensor& x) {
  if (x.num_elements() == plan.size()) return x;
  RAMET_ASSIGN_OR_RETURN(Tensor y, Temporary(device, x.dtype(), Shape{plan.size()}));
  const int rank = plan.ndims();
  std::vector<int64_t> sizes(rank), from(rank), to(rank, 1);
  for (int d = rank - 1; d >= 0; --d) {
    sizes[d] = plan.dim(d);
    from[d] = plan.stride(operand, d);
    if (d + 1 < rank) to[d] = to[d + 1] * sizes[d + 1];
  }
  RAMET_RETURN_IF_ERROR(CopyStrided(device, x, 0, from, y, 0, to, sizes));
  return y;
}

}  // namespace

Status CopyStrided(GpuDevice& device, const Tensor& x, int64_t x_offset,
                   std::span<const int64_t> x_strides, Tensor& y, int64_t y_offset,
                   std::span<const int64_t> y_strides, std::span<const int64_t> dims) {
  if (std::ranges::count(dims, 0) > 0) return OkStatus();
  const size_t width = DTypeSize(x.dtype());
  const bool is_wide = width == 16;  // two words per element
  std::vector<Dim> collapsed = Collapse(dims, x_strides, y_strides, is_wide ? 2 : 1);
  if (is_wide) {
    collapsed.push_back({2, 1, 1});
    x_offset *= 2;
    y_offset *= 2;
  }
  return CopyDimensions(device, is_wide ? 8 : width, x, y, collapsed, x_offset, y_offset);
}

Status SetZeros(GpuDevice& device, Tensor& y) {
  if (y.bytes() == 0) return OkStatus();
  return device.Checked(device.queue().Zero(GpuBuffer::BlockOf(y), y.bytes()));
}

Status SetAll(GpuDevice& device, const Tensor& value, Tensor& y) {
  if (y.bytes() == 0) return OkStatus();
  Tensor from = value;
  if (value.memory() == nullptr) {
    RAMET_ASSIGN_OR_RETURN(from, device.CopyFromHost(value));
  }
  const int64_t dims[] = {y.num_elements()}, still[] = {0}, step[] = {1};
  return CopyStrided(device, from, 0, still, y, 0, step, dims);
}

Status AddRepeated(GpuDevice& device, const Tensor& a, const Tensor& b, int64_t inner, Tensor& y) {
  const int64_t n = y.num_elements();
  return ForEach(device, kAddProgram, "add_repeated", AddDefinitions(y.dtype()), n,
                 {a, b, y, Index{inner}, Index{b.num_elements()}, Index{n}});
}

Status TakeRoots(GpuDevice& device, Tensor& y) {
  const int64_t n = y.num_elements();
  return ForEach(device, kRootProgram, "roots", RootDefinitions(y.dtype()), n, {y, Index{n}});
}

Status Select(GpuDevice& device, const linalg::BroadcastPlan& plan, const Tensor& condition,
              const Tensor& a, const Tensor& b, Tensor& y) {
  const size_t width = DTypeSize(y.dtype());
  if (width == 16) {
    return Unimplemented("selecting elements of 16 bytes on a GPU; place the operation on the CPU");
  }
  RAMET_ASSIGN_OR_RETURN(const Tensor all_conditions, Broadcast(device, plan, 0, condition));
  RAMET_ASSIGN_OR_RETURN(const Tensor all_a, Broadcast(device, plan, 1, a));
  RAMET_ASSIGN_OR_RETURN(const Tensor all_b, Broadcast(device, plan, 2, b));
  const int64_t n = y.num_elements();
  return ForEach(device, kSelectProgram, "select_elements", SelectDefinitions(width), n,
                 {all_conditions, all_a, all_b, y, Index{n}});
}

}  // namespace ramet::gpu
