#include "ramet/linalg/pooling.h"

#include <algorithm>

#include "ramet/linalg/cast.h"
#include "ramet/linalg/half_spans.h"
#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"

namespace ramet::linalg {
namespace {

// Elements of windows that justify a thread (ramet_linalg_bench pool/*).
constexpr int64_t kGrainElements = 1 << 14;

bool ByImages(PoolKind kind) { return kind == PoolKind::kMaxGrad || kind == PoolKind::kAvgGrad; }

// With channels first, each channel is treated as an image.
PoolGeometry ChannelsLast(PoolGeometry g) {
  if (!g.channels_first) return g;
  g.batch *= g.channels;
  g.channels = 1;
  g.channels_first = false;
  return g;
}

void RunFull(PoolKind kind, Type type, const PoolArgs& args) {
  const PoolGeometry& g = args.g;
  const KernelTable::Pool kernel = Kernels().pool[static_cast<int>(kind)][static_cast<int>(type)];
  const int64_t pieces = ByImages(kind) ? g.batch : g.batch * g.out_pixels();
  double work = static_cast<double>(g.channels) * (ByImages(kind) ? g.out_pixels() : 1);
  for (int d = 0; d < 3; ++d) work *= static_cast<double>(std::min(g.window[d], g.in[d]));
  ParallelFor(pieces, static_cast<int64_t>(kGrainElements / (work + 1)) + 1,
              [&](int64_t begin, int64_t end) { kernel(args, begin, end); });
}

// Computes half and bfloat16 in float.
void RunHalf(PoolKind kind, Type type, const PoolArgs& args, int64_t dy_size, int64_t y_size) {
  const PoolGeometry& g = args.g;
  const int64_t x_size = g.batch * g.in_pixels() * g.channels;
  const auto widened = [&](ScratchUse use, const void* from, int64_t n) -> const void* {
    if (from == nullptr) return nullptr;
    void* wide = Scratch(use, n * int64_t{sizeof(float)});
    Cast(type, from, Type::kFloat, wide, n);
    return wide;
  };
  void* const y = Scratch(ScratchUse::kWideY, y_size * int64_t{sizeof(float)});
  RunFull(kind, Type::kFloat,
          {g, widened(ScratchUse::kWideX, args.x, x_size),
           widened(ScratchUse::kWideFilter, args.dy, dy_size), y, args.argmax});
  Cast(Type::kFloat, y, type, args.y, y_size);
}

void Run(PoolKind kind, Type type, const PoolGeometry& geometry, const void* x, const void* dy,
         void* y, int64_t* argmax = nullptr) {
  const PoolGeometry g = ChannelsLast(geometry);
  const PoolArgs args{g, x, dy, y, argmax};
  const int64_t in = g.batch * g.in_pixels() * g.channels;
  const int64_t out = g.batch * g.out_pixels() * g.channels;
  const int64_t y_size = ByImages(kind) ? in : out;
  if (y_size == 0) return;
  if (!IsHalf(type)) return RunFull(kind, type, args);
  RunHalf(kind, type, args, kind == PoolKind::kMaxGradGrad ? in : out, y_size);
}

}  // namespace

void MaxPool(Type type, const PoolGeometry& g, const void* x, void* y) {
  Run(PoolKind::kMax, type, g, x, nullptr, y);
}

void MaxPoolWithArgmax(Type type, const PoolGeometry& g, const void* x, void* y, int64_t* argmax) {
  Run(PoolKind::kArgmax, type, g, x, nullptr, y, argmax);
}

void MaxPoolGrad(Type type, const PoolGeometry& g, const void* x, const void* dy, void* dx) {
  Run(PoolKind::kMaxGrad, type, g, x, dy, dx);
}

void MaxPoolGradGrad(Type type, const PoolGeometry& g, const void* x, const void* ddx, void* ddy) {
  Run(PoolKind::kMaxGradGrad, type, g, x, ddx, ddy);
}

void AvgPool(Type type, const PoolGeometry& g, const void* x, void* y) {
  Run(PoolKind::kAvg, type, g, x, nullptr, y);
}

void AvgPoolGrad(Type type, const PoolGeometry& g, const void* dy, void* dx) {
  Run(PoolKind::kAvgGrad, type, g, nullptr, dy, dx);
}

}  // namespace ramet::linalg
