#include "ramet/linalg/conv.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ramet/base/run_interrupt.h"
#include "ramet/linalg/cast.h"
#include "ramet/linalg/conv_args.h"
#include "ramet/linalg/conv_columns.h"
#include "ramet/linalg/conv_onednn.h"
#include "ramet/linalg/depthwise.h"
#include "ramet/linalg/direct_conv.h"
#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/filter_gradient.h"
#include "ramet/linalg/half_spans.h"
#include "ramet/linalg/scratch.h"
#include "ramet/linalg/strided_copy.h"

namespace ramet::linalg {
namespace {

struct Sizes {
  int64_t x, filter, y;
};

Sizes SizesOf(const ConvGeometry& g) {
  return {g.in_elements(), g.filter_elements(), g.out_elements()};
}

// The operand that the kind writes, and its size.
void** Result(ConvKind kind, ConvOperands* o) {
  return kind == ConvKind::kForward ? &o->y : kind == ConvKind::kBackpropInput ? &o->x : &o->filter;
}
int64_t ResultSize(ConvKind kind, const Sizes& sizes) {
  return kind == ConvKind::kForward         ? sizes.y
         : kind == ConvKind::kBackpropInput ? sizes.x
                                            : sizes.filter;
}

bool IsDepthwise(Type type, const ConvGeometry& g) {
  return (type == Type::kFloat || type == Type::kDouble) && g.groups > 1 &&
         g.groups == g.in_channels && g.in[0] == 1 && g.filter[0] == 1 && g.out[0] == 1 &&
         g.pad[0] == 0;
}

// Converts [batch, channels, pixels] to [batch, pixels, channels], or back.
void SwapChannels(Type type, int64_t batch, int64_t rows, int64_t columns, const void* from,
                  void* to) {
  const int64_t dims[3] = {batch, rows, columns};
  constexpr int kSwap[3] = {0, 2, 1};
  Transpose(TypeSize(type), dims, kSwap, from, to);
}

void ChannelsLast(ConvKind kind, Type type, const ConvGeometry& g, const ConvOperands& o) {
  if (IsDepthwise(type, g)) {
    DepthwiseConv(kind, type, g, o);
  } else {
    ColumnConv(kind, type, g, o);
  }
}

// Computes with channels first by copying to and from channels last.
void ChannelsFirst(ConvKind kind, Type type, ConvGeometry g, const ConvOperands& o) {
  ConvOperands last = o;
  last.x = Scratch(ScratchUse::kConvX, g.in_elements() * TypeSize(type));
  last.y = Scratch(ScratchUse::kConvY, g.out_elements() * TypeSize(type));
  if (kind != ConvKind::kBackpropInput) {
    SwapChannels(type, g.batch, g.in_channels, g.in_pixels(), o.x, last.x);
  }
  if (kind != ConvKind::kForward) {
    SwapChannels(type, g.batch, g.out_channels, g.out_pixels(), o.y, last.y);
  }
  g.channels_first = false;
  ChannelsLast(kind, type, g, last);
  if (kind == ConvKind::kForward) {
    SwapChannels(type, g.batch, g.out_pixels(), g.out_channels, last.y, o.y);
  } else if (kind == ConvKind::kBackpropInput) {
    SwapChannels(type, g.batch, g.in_pixels(), g.in_channels, last.x, o.x);
  }
}

// Runs a convolution that is fastest without another library. Returns false if it is not one.
bool Direct(ConvKind kind, Type type, const ConvGeometry& g, const ConvOperands& o) {
  if (type != Type::kFloat) return false;
  float *x = static_cast<float*>(o.x), *y = static_cast<float*>(o.y);
  float* filter = static_cast<float*>(o.filter);
  if (kind == ConvKind::kForward) return DirectConv(g, x, filter, {}, y);
  if (kind == ConvKind::kBackpropInput) return DirectInputGradient(g, filter, y, x);
  return DirectFilterGradient(g, x, y, filter);
}

void Full(ConvKind kind, Type type, const ConvGeometry& g, const ConvOperands& o) {
  if (Direct(kind, type, g, o)) return;
  // oneDNN is slow if the input's gradient has few channels (ramet_linalg_bench
  // conv/input_gradient*).
  constexpr int64_t kMaxColumnChannels = 4;
  const bool columns =
      kind == ConvKind::kBackpropInput && g.groups == 1 && g.in_channels <= kMaxColumnChannels;
  if (type == Type::kFloat && !IsDepthwise(type, g) && !columns && OneDnnConv(kind, g, o)) return;
  if (g.channels_first) return ChannelsFirst(kind, type, g, o);
  ChannelsLast(kind, type, g, o);
}

// Returns how many parts of the batch take about 50 ms each.
int64_t PiecesOf(const ConvGeometry& g) {
  constexpr double kMaxPieceMultiplications = double{1u << 30};  // as in Gemm
  const double work = double(g.out_elements()) * double(g.taps()) * double(g.in_channels) /
                      double(std::max<int64_t>(g.groups, 1));
  return std::min<int64_t>(g.batch, std::ceil(work / kMaxPieceMultiplications));
}

// The images [begin, begin + count) of a convolution.
struct Images {
  ConvGeometry g;
  ConvOperands operands;
};
Images ImagesOf(Type type, const ConvGeometry& g, const ConvOperands& o, int64_t begin,
                int64_t count) {
  Images images{g, o};
  images.g.batch = count;
  images.operands.x = Advance(type, o.x, begin * g.in_pixels() * g.in_channels);
  images.operands.y = Advance(type, o.y, begin * g.out_pixels() * g.out_channels);
  return images;
}

// A run can be cancelled between two pieces of a large convolution, which are parts of the batch.
// The filter's gradient is the sum of those of the pieces.
void FullInPieces(ConvKind kind, Type type, const ConvGeometry& g, const ConvOperands& o) {
  const int64_t pieces = PiecesOf(g);
  if (pieces <= 1) return Full(kind, type, g, o);
  const bool sums = kind == ConvKind::kBackpropFilter;
  for (int64_t i = 0; i < pieces && !StopDue(); ++i) {
    const int64_t begin = g.batch * i / pieces;
    Images images = ImagesOf(type, g, o, begin, g.batch * (i + 1) / pieces - begin);
    if (!sums || i == 0) {
      Full(kind, type, images.g, images.operands);
      continue;
    }
    images.operands.filter =
        Scratch(ScratchUse::kFilterPiece, g.filter_elements() * TypeSize(type));
    Full(kind, type, images.g, images.operands);
    AddTo(type, images.operands.filter, o.filter, g.filter_elements());
  }
}

// Computes half and bfloat16 in float.
void Widened(ConvKind kind, Type type, const ConvGeometry& g, const Sizes& sizes, ConvOperands o) {
  void** const result = Result(kind, &o);
  void* const narrow = *result;
  const auto widen = [type, result](ScratchUse use, int64_t n, void*& operand) {
    void* wide = Scratch(use, n * int64_t{sizeof(float)});
    if (&operand != result) Cast(type, operand, Type::kFloat, wide, n);
    operand = wide;
  };
  widen(ScratchUse::kWideX, sizes.x, o.x);
  widen(ScratchUse::kWideFilter, sizes.filter, o.filter);
  widen(ScratchUse::kWideY, sizes.y, o.y);
  FullInPieces(kind, Type::kFloat, g, o);
  Cast(Type::kFloat, *result, type, narrow, ResultSize(kind, sizes));
}

void Run(ConvKind kind, Type type, const ConvGeometry& g, ConvOperands o) {
  const Sizes sizes = SizesOf(g);
  const int64_t n = ResultSize(kind, sizes);
  if (n == 0) return;
  if (sizes.x == 0 || sizes.filter == 0 || sizes.y == 0) {
    std::memset(*Result(kind, &o), 0, n * TypeSize(type));
  } else if (IsHalf(type)) {
    Widened(kind, type, g, sizes, o);
  } else {
    FullInPieces(kind, type, g, o);
  }
}

}  // namespace

bool HasConv(Type type) {
  return IsHalf(type) || type == Type::kFloat || type == Type::kDouble || type == Type::kInt32;
}

void Conv(Type type, const ConvGeometry& g, const void* x, const void* filter, void* y) {
  Run(ConvKind::kForward, type, g, {const_cast<void*>(x), const_cast<void*>(filter), y});
}

void ConvBackpropInput(Type type, const ConvGeometry& g, const void* filter, const void* dy,
                       void* dx) {
  Run(ConvKind::kBackpropInput, type, g, {dx, const_cast<void*>(filter), const_cast<void*>(dy)});
}

void ConvBackpropFilter(Type type, const ConvGeometry& g, const void* x, const void* dy,
                        void* dfilter) {
  Run(ConvKind::kBackpropFilter, type, g, {const_cast<void*>(x), dfilter, const_cast<void*>(dy)});
}

}  // namespace ramet::linalg
