#include <algorithm>

#include "ramet/backends/gpu/ops/families.h"

namespace ramet::gpu {

PhiloxState StateOf(const linalg::Philox& generator) {
  PhiloxState state;
  std::ranges::copy(generator.counter(), state.counter);
  std::ranges::copy(generator.key(), state.key);
  return state;
}

namespace {

Status Run(GpuDevice& device, std::string_view kernel, DType dtype, Tensor& y,
           std::initializer_list<LaunchArgument> arguments) {
  const int64_t per_group = DTypeSize(dtype) == 8 ? 2 : 4;
  return StartOutsideOfGraphs(device, [&] {
    return ForEach(device, kRandomProgram, kernel, RandomDefinitions(dtype),
                   CeilDivide(y.num_elements(), per_group), arguments);
  });
}

}  // namespace

Status Fill(GpuDevice& device, Draw draw, const linalg::Philox& generator, Tensor& y) {
  const char* const kernel = draw == Draw::kUniform  ? "uniform"
                             : draw == Draw::kNormal ? "normal"
                                                     : "truncated_normal";
  return Run(device, kernel, y.dtype(), y, {y, StateOf(generator), Index{y.num_elements()}});
}

Status FillUniformInt(GpuDevice& device, const linalg::Philox& generator, int64_t low, int64_t high,
                      Tensor& y) {
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  return Run(device, "uniform_int", DTypeSize(y.dtype()) == 4 ? kInt32 : kInt64, y,
             {y, StateOf(generator), low, range, Index{y.num_elements()}});
}

}  // namespace ramet::gpu
