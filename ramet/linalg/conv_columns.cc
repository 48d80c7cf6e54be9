#include "ramet/linalg/conv_columns.h"

#include <algorithm>
#include <cstring>

#include "ramet/base/run_interrupt.h"
#include "ramet/linalg/gemm.h"
#include "ramet/linalg/half_spans.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"

// Convolutions as matrix products. Row p of the columns matrix is the patch of the input for output
// pixel p, [taps, channels of the group].

namespace ramet::linalg {
namespace {

// A columns matrix is computed in blocks of about this size.
constexpr int64_t kBlockBytes = 1 << 18;

struct Patches {
  const ConvGeometry& g;
  Type type;
  int64_t group_in, group_out;
  int64_t width;  // of a row

  Patches(const ConvGeometry& geometry, Type t)
      : g(geometry),
        type(t),
        group_in(g.in_channels / g.groups),
        group_out(g.out_channels / g.groups),
        width(g.taps() * group_in) {}

  int64_t rows() const {
    const int64_t fit = kBlockBytes / (width * TypeSize(type));
    return std::clamp<int64_t>(fit, std::min<int64_t>(16, g.out_pixels()), g.out_pixels());
  }
  // Reports whether the patches are the input itself.
  bool AreInput() const {
    for (int d = 0; d < 3; ++d) {
      if (g.filter[d] != 1 || g.stride[d] != 1 || g.pad[d] != 0 || g.in[d] != g.out[d]) {
        return false;
      }
    }
    return true;
  }
};

// Calls visit(column, pixel) for each tap of the patch for output pixel `row`, with the tap's first
// column and its input pixel, or -1 if that is outside of the image.
template <class Visit>
void VisitTaps(const Patches& p, int64_t row, Visit&& visit) {
  const ConvGeometry& g = p.g;
  const int64_t at[3] = {row / (g.out[1] * g.out[2]), row / g.out[2] % g.out[1], row % g.out[2]};
  int64_t first[3];
  for (int d = 0; d < 3; ++d) first[d] = at[d] * g.stride[d] - g.pad[d];
  int64_t column = 0;
  for (int64_t i = 0; i < g.filter[0]; ++i) {
    const int64_t z = first[0] + i * g.dilation[0];
    for (int64_t j = 0; j < g.filter[1]; ++j) {
      const int64_t y = first[1] + j * g.dilation[1];
      const bool inside = z >= 0 && z < g.in[0] && y >= 0 && y < g.in[1];
      for (int64_t k = 0; k < g.filter[2]; ++k, column += p.group_in) {
        const int64_t x = first[2] + k * g.dilation[2];
        visit(column, inside && x >= 0 && x < g.in[2] ? (z * g.in[1] + y) * g.in[2] + x : -1);
      }
    }
  }
}

// Copies rows [begin, end) of the columns of one group of an image.
void Gather(const Patches& p, const void* image, int64_t group, int64_t begin, int64_t end,
            void* columns) {
  const int64_t size = TypeSize(p.type);
  const int64_t bytes = p.group_in * size, pixel_bytes = p.g.in_channels * size;
  const char* from = static_cast<const char*>(image) + group * bytes;
  for (int64_t row = begin; row < end; ++row) {
    char* to = static_cast<char*>(columns) + (row - begin) * p.width * size;
    VisitTaps(p, row, [&](int64_t column, int64_t pixel) {
      if (pixel < 0) {
        std::memset(to + column * size, 0, bytes);
      } else {
        std::memcpy(to + column * size, from + pixel * pixel_bytes, bytes);
      }
    });
  }
}

// Adds rows [begin, end) of the columns to the image pixels that they come from.
template <class T>
void Scatter(const Patches& p, const void* columns, int64_t group, int64_t begin, int64_t end,
             void* image) {
  using Sum = std::conditional_t<std::is_integral_v<T>, uint32_t, T>;
  Sum* to = static_cast<Sum*>(image) + group * p.group_in;
  for (int64_t row = begin; row < end; ++row) {
    const Sum* from = static_cast<const Sum*>(columns) + (row - begin) * p.width;
    VisitTaps(p, row, [&](int64_t column, int64_t pixel) {
      if (pixel < 0) return;
      Sum* sum = to + pixel * p.g.in_channels;
      for (int64_t c = 0; c < p.group_in; ++c) sum[c] += from[column + c];
    });
  }
}

void ScatterAs(const Patches& p, const void* columns, int64_t group, int64_t begin, int64_t end,
               void* image) {
  if (p.type == Type::kFloat) return Scatter<float>(p, columns, group, begin, end, image);
  if (p.type == Type::kDouble) return Scatter<double>(p, columns, group, begin, end, image);
  Scatter<int32_t>(p, columns, group, begin, end, image);
}

// The operands of one group of image n, starting at output pixel `begin`.
struct Block {
  void* image;
  void* filter;
  void* y;
};

Block BlockOf(const Patches& p, const ConvOperands& o, int64_t n, int64_t group, int64_t begin) {
  const ConvGeometry& g = p.g;
  return {
      Advance(p.type, o.x, n * g.in_pixels() * g.in_channels),
      Advance(p.type, o.filter, group * p.group_out),
      Advance(p.type, o.y, (n * g.out_pixels() + begin) * g.out_channels + group * p.group_out),
  };
}

void ForwardBlock(const Patches& p, const Block& b, int64_t group, int64_t begin, int64_t end) {
  GemmOptions options{.ldb = p.g.out_channels, .ldc = p.g.out_channels};
  const void* columns;
  if (p.AreInput()) {
    columns = Advance(p.type, b.image, begin * p.g.in_channels + group * p.group_in);
    options.lda = p.g.in_channels;
  } else {
    void* made = Scratch(ScratchUse::kColumns, (end - begin) * p.width * TypeSize(p.type));
    Gather(p, b.image, group, begin, end, made);
    columns = made;
  }
  Gemm(p.type, false, false, end - begin, p.group_out, p.width, columns, b.filter, b.y, options);
}

void InputBlock(const Patches& p, const Block& b, int64_t group, int64_t begin, int64_t end) {
  void* columns = Scratch(ScratchUse::kColumns, (end - begin) * p.width * TypeSize(p.type));
  Gemm(p.type, false, true, end - begin, p.width, p.group_out, b.y, b.filter, columns,
       {.lda = p.g.out_channels, .ldb = p.g.out_channels});
  ScatterAs(p, columns, group, begin, end, b.image);
}

void FilterBlock(const Patches& p, const Block& b, int64_t group, int64_t begin, int64_t end,
                 bool accumulate) {
  void* columns = Scratch(ScratchUse::kColumns, (end - begin) * p.width * TypeSize(p.type));
  Gather(p, b.image, group, begin, end, columns);
  Gemm(p.type, true, false, p.width, p.group_out, end - begin, columns, b.y, b.filter,
       {.accumulate = accumulate, .ldb = p.g.out_channels, .ldc = p.g.out_channels});
}

// Calls run(block, group, begin, end) for all blocks of image n, or until `stop` is due.
template <class Run>
void ForBlocks(const Patches& p, const ConvOperands& o, int64_t n, const StopCheck& stop,
               Run&& run) {
  const int64_t step = p.rows();
  for (int64_t group = 0; group < p.g.groups; ++group) {
    for (int64_t begin = 0; begin < p.g.out_pixels() && !stop.due(); begin += step) {
      run(BlockOf(p, o, n, group, begin), group, begin, std::min(begin + step, p.g.out_pixels()));
    }
  }
}

void BackpropFilter(const Patches& p, const ConvOperands& o) {
  const StopCheck stop;
  for (int64_t n = 0; n < p.g.batch; ++n) {
    ForBlocks(p, o, n, stop, [&](const Block& b, int64_t group, int64_t begin, int64_t end) {
      FilterBlock(p, b, group, begin, end, n > 0 || begin > 0);
    });
  }
}

}  // namespace

void ColumnConv(ConvKind kind, Type type, const ConvGeometry& g, const ConvOperands& o) {
  const Patches p(g, type);
  if (kind == ConvKind::kBackpropFilter) return BackpropFilter(p, o);
  // Images are processed in parallel. No image's value depends on how they are split.
  HaveOneDnn();
  const StopCheck stop;
  ParallelFor(g.batch, 1, [&](int64_t from, int64_t to) {
    for (int64_t n = from; n < to; ++n) {
      if (kind == ConvKind::kForward) {
        ForBlocks(p, o, n, stop, [&](const Block& b, int64_t group, int64_t begin, int64_t end) {
          ForwardBlock(p, b, group, begin, end);
        });
        continue;
      }
      const int64_t image = g.in_pixels() * g.in_channels;
      std::memset(Advance(type, o.x, n * image), 0, image * TypeSize(type));
      ForBlocks(p, o, n, stop, [&](const Block& b, int64_t group, int64_t begin, int64_t end) {
        InputBlock(p, b, group, begin, end);
      });
    }
  });
}

}  // namespace ramet::linalg
