#include "ramet/linalg/bias.h"

#include <algorithm>
#include <functional>

#include "ramet/linalg/conv_args.h"
#include "ramet/linalg/conv_onednn.h"
#include "ramet/linalg/direct_conv.h"
#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/half_spans.h"
#include "ramet/linalg/parallel.h"

namespace ramet::linalg {
namespace {

// Sizes that fit in the first-level cache and stay in the second-level cache.
constexpr int64_t kFirstLevelBytes = 1 << 14;
constexpr int64_t kSecondLevelBytes = 1 << 19;
// Elements that justify a thread (ramet_linalg_bench add_bias/*).
constexpr int64_t kGrainElements = 1 << 14;

// Returns how many rows of `row_bytes` make up about `bytes`.
int64_t RowsPer(int64_t bytes, int64_t row_bytes) {
  return std::max<int64_t>(bytes / std::max<int64_t>(row_bytes, 1), 1);
}

void BiasPiece(Type type, int64_t rows, int64_t n, const void* bias, bool relu, void* y) {
  const int64_t value_dims[2] = {rows, n}, bias_dims[1] = {n};
  BroadcastPlan plan;
  BroadcastPlan::Make(value_dims, bias_dims, &plan);
  Binary(BinaryOp::kAdd, type, plan, y, bias, y);
  if (relu) Unary(UnaryOp::kRelu, type, y, y, rows * n);
}

}  // namespace

void AddBias(Type type, int64_t rows, int64_t n, const void* bias, bool relu, void* y) {
  const int64_t step = RowsPer(kFirstLevelBytes, n * TypeSize(type));
  ParallelFor((rows + step - 1) / step, kGrainElements / (step * n + 1) + 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  BiasPiece(type, std::min(step, rows - i * step), n, bias, relu,
                            Advance(type, y, i * step * n));
                }
              });
}

void ConvBias(Type type, const ConvGeometry& g, const void* x, const void* filter, const void* bias,
              bool relu, void* y) {
  if (type == Type::kFloat &&
      DirectConv(g, static_cast<const float*>(x), static_cast<const float*>(filter),
                 {.before = static_cast<const float*>(bias), .relu = relu},
                 static_cast<float*>(y))) {
    return;
  }
  const int64_t image = g.out_pixels() * g.out_channels;
  const int64_t fit = RowsPer(kSecondLevelBytes, image * TypeSize(type));
  if (type == Type::kFloat && g.groups == 1 && IntraOpThreads() == 1 && fit < g.batch) {
    const int64_t pieces = (g.batch + fit - 1) / fit;
    const int64_t step = (g.batch + pieces - 1) / pieces;
    const ConvOperands operands{const_cast<void*>(x), const_cast<void*>(filter), y};
    const auto add = [&](int64_t begin, int64_t end) {
      AddBias(type, (end - begin) * g.out_pixels(), g.out_channels, bias, relu,
              Advance(type, y, begin * image));
    };
    if (OneDnnConvInPieces(g, operands, step, std::ref(add))) return;
  }
  Conv(type, g, x, filter, y);
  AddBias(type, g.batch * g.out_pixels(), g.out_channels, bias, relu, y);
}

void ConvWithEpilogue(const ConvGeometry& g, const float* x, const float* filter,
                      const ChannelEpilogue& epilogue, float* y) {
  if (DirectConv(g, x, filter, epilogue, y)) return;
  Conv(Type::kFloat, g, x, filter, y);
  ApplyEpilogue(g.batch * g.out_pixels(), g.out_channels, epilogue, y);
}

}  // namespace ramet::linalg
