#include "ramet/linalg/depthwise.h"

#include "ramet/linalg/conv_onednn.h"
#include "ramet/linalg/half_spans.h"
#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"

namespace ramet::linalg {
namespace {

// Multiplications that justify a thread (ramet_linalg_bench conv/depthwise).
constexpr int64_t kGrainMultiplications = 1 << 15;

// For as many output channels as input channels.
void OneToOne(ConvKind kind, Type type, const ConvGeometry& g, const ConvOperands& o) {
  if (type == Type::kFloat && OneDnnConv(kind, g, o)) return;
  const ConvTable::Depthwise kernel =
      Kernels().conv.depthwise[static_cast<int>(kind)][static_cast<int>(type)];
  const DepthwiseArgs args{g, o};
  const int64_t pieces = kind == ConvKind::kForward         ? g.batch * g.out[1]
                         : kind == ConvKind::kBackpropInput ? g.batch * g.in[1]
                                                            : g.taps();
  const int64_t work = g.batch * g.out_pixels() * g.out_channels * g.taps() / pieces;
  ParallelFor(pieces, kGrainMultiplications / (work + 1) + 1,
              [&](int64_t begin, int64_t end) { kernel(args, begin, end); });
}

// Repeats each of n elements m times.
template <class T>
void Repeat(int64_t n, int64_t m, const void* from, void* to) {
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  ParallelFor(n, kGrainMultiplications / m + 1, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t j = 0; j < m; ++j) y[i * m + j] = x[i];
    }
  });
}

// Computes n sums of m elements each.
template <class T>
void SumOfEach(int64_t n, int64_t m, const void* from, void* to) {
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  ParallelFor(n, kGrainMultiplications / m + 1, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T sum = x[i * m];
      for (int64_t j = 1; j < m; ++j) sum += x[i * m + j];
      y[i] = sum;
    }
  });
}

}  // namespace

void DepthwiseConv(ConvKind kind, Type type, const ConvGeometry& g, const ConvOperands& o) {
  const int64_t multiplier = g.out_channels / g.in_channels;
  if (multiplier == 1) return OneToOne(kind, type, g, o);
  const bool is_float = type == Type::kFloat;
  const int64_t n = g.in_elements();
  ConvGeometry wide = g;
  wide.in_channels = wide.groups = g.out_channels;
  const ConvOperands wide_operands = {
      Scratch(ScratchUse::kRepeated, n * multiplier * TypeSize(type)), o.filter, o.y};
  if (kind != ConvKind::kBackpropInput) {
    (is_float ? Repeat<float> : Repeat<double>)(n, multiplier, o.x, wide_operands.x);
  }
  OneToOne(kind, type, wide, wide_operands);
  if (kind == ConvKind::kBackpropInput) {
    (is_float ? SumOfEach<float> : SumOfEach<double>)(n, multiplier, wide_operands.x, o.x);
  }
}

}  // namespace ramet::linalg
