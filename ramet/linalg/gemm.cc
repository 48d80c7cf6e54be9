#include "ramet/linalg/gemm.h"

#include <algorithm>
#include <complex>
#include <cstring>

#include "ramet/base/run_interrupt.h"
#include "ramet/linalg/cast.h"
#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/half_spans.h"
#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/onednn.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"
#include "ramet/linalg/signals.h"

namespace ramet::linalg {
namespace {

// Multiplications that justify a thread (ramet_linalg_bench gemm/row* and gemm/dots*).
constexpr int64_t kGrainMultiplications = 1 << 16;
// Below this one thread is as fast (ramet_linalg_bench gemm/forward* and gemm/weights*).
constexpr int64_t kMinTeamMultiplications = 8 * kGrainMultiplications;

// oneDNN's kernels have tiles of 48 columns or rows.
constexpr int64_t kTile = 48;

bool OnOneDnn(Type type) { return type == Type::kFloat && LoadOneDnn() != nullptr; }

// oneDNN copies blocks of b. If rows of b are whole pages apart, the cache lines of a deep block
// map to few sets of the cache. With few rows of a, the copying takes longer than the product
// (ramet_linalg_bench gemm/pages*).
constexpr int64_t kPageFloats = 1024;
constexpr int64_t kShallowDepth = 192;
constexpr int64_t kMinShallowRows = 4, kMaxShallowRows = 128;

bool InShallowBlocks(const ProductArgs& p) {
  return !p.transpose_b && p.ldb % kPageFloats == 0 && p.n >= kPageFloats &&
         p.k >= 2 * kShallowDepth && p.m >= kMinShallowRows && p.m <= kMaxShallowRows;
}

void SgemmBlock(const ProductArgs& p) {
  const SignalsBlocked blocked;
  LoadOneDnn()->sgemm(p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N', p.m, p.n, p.k, 1.0f,
                      static_cast<const float*>(p.a), p.lda, static_cast<const float*>(p.b), p.ldb,
                      p.accumulate ? 1.0f : 0.0f, static_cast<float*>(p.c), p.ldc);
}

void SgemmCall(ProductArgs p) {
  if (!InShallowBlocks(p)) return SgemmBlock(p);
  for (int64_t left = p.k; left > 0; left -= p.k) {
    p.k = std::min(kShallowDepth, left);
    SgemmBlock(p);
    p.a = Advance(Type::kFloat, p.a, p.transpose_a ? p.k * p.lda : p.k);
    p.b = Advance(Type::kFloat, p.b, p.k * p.ldb);
    p.accumulate = true;
  }
}

ProductArgs Part(Type type, ProductArgs p, int64_t i, int64_t rows, int64_t j, int64_t columns) {
  p.a = Advance(type, p.a, p.transpose_a ? i : i * p.lda);
  p.b = Advance(type, p.b, p.transpose_b ? j * p.ldb : j);
  p.c = Advance(type, p.c, i * p.ldc + j);
  p.m = rows;
  p.n = columns;
  return p;
}

// A run can be cancelled between two pieces of a large product. Pieces of this many multiplications
// take about 50 ms, of which copying the operands' blocks is a small part.
constexpr double kMaxPieceMultiplications = double{1u << 30};
constexpr int64_t kMinPieceLength = 256;

void SgemmInPieces(const ProductArgs& p) {
  const int64_t size = std::max(p.m, p.n);
  if (double(p.m) * double(p.n) * double(p.k) <= kMaxPieceMultiplications ||
      size < 2 * kMinPieceLength) {
    return SgemmCall(p);
  }
  const int64_t first = size / 2 / kTile * kTile;
  const bool by_columns = p.n == size;
  const auto part = [&](int64_t at, int64_t count) {
    return by_columns ? Part(Type::kFloat, p, 0, p.m, at, count)
                      : Part(Type::kFloat, p, at, count, 0, p.n);
  };
  SgemmInPieces(part(0, first));
  if (!StopDue()) SgemmInPieces(part(first, size - first));
}

// Computes a product on the calling thread; within ParallelFor oneDNN does not start a team either.
void Serial(Type type, const ProductArgs& p) {
  if (OnOneDnn(type)) {
    SgemmCall(p);
  } else {
    Kernels().product[static_cast<int>(type)](p);
  }
}

// Computes the result in blocks, each of which is one serial product. Their size, and so the bits,
// depend only on the shape.
void Blocked(Type type, const ProductArgs& p) {
  const bool split_columns = p.n >= p.m;
  const int64_t size = split_columns ? p.n : p.m;
  const int64_t work = p.m * p.n * p.k / std::max<int64_t>(size, 1);
  const int64_t least = kMinTeamMultiplications / std::max<int64_t>(work, 1);
  const int64_t step = (std::max<int64_t>({size / 16, least, 1}) + kTile - 1) / kTile * kTile;
  if (step >= size) {
    const parallel_internal::OneThread one;
    return Serial(type, p);
  }
  const StopCheck stop;
  ParallelFor((size + step - 1) / step, 1, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end && !stop.due(); ++block) {
      const int64_t at = block * step;
      const int64_t count = std::min(step, size - at);
      Serial(type,
             split_columns ? Part(type, p, 0, p.m, at, count) : Part(type, p, at, count, 0, p.n));
    }
  });
}

// Computes y = x * matrix for the vector operand of a product with one row or column.
bool TryGemv(Type type, const ProductArgs& p) {
  const int t = static_cast<int>(type);
  const bool row = p.m == 1 && (!p.transpose_a || p.lda == 1);
  const bool column = p.n == 1 && (p.transpose_b || p.ldb == 1) && p.ldc == 1;
  if (Kernels().gemv[t] == nullptr || (!row && !column)) return false;
  const bool by_columns = row ? !p.transpose_b : p.transpose_a;
  const KernelTable::GemvColumns kernel =
      by_columns ? Kernels().gemv[t] : Kernels().gemv_transposed[t];
  const GemvArgs args = row ? GemvArgs{p.a, p.b, p.c, p.k, p.ldb, p.accumulate}
                            : GemvArgs{p.b, p.a, p.c, p.k, p.lda, p.accumulate};
  const int64_t size = row ? p.n : p.m;
  // Pieces are whole numbers of vectors, so that an element's value does not depend on the split.
  constexpr int64_t kUnit = 128;
  ParallelFor((size + kUnit - 1) / kUnit,
              kGrainMultiplications / (kUnit * std::max<int64_t>(p.k, 1)) + 1,
              [&](int64_t begin, int64_t end) {
                kernel(args, begin * kUnit, std::min(end * kUnit, size));
              });
  return true;
}

// Sizes for which dot products pay: repacking a transposed matrix, as oneDNN does, would take a
// large part of the time (ramet_linalg_bench gemm/dots*).
constexpr int64_t kMinDotRows = 4, kFewDotRows = 16, kMaxDotRows = 128;
constexpr int64_t kMinDepthOfFewRows = 256, kMinDepthOfManyRows = 512;

bool DotsPay(const ProductArgs& p) {
  if (p.transpose_a || !p.transpose_b || p.m < kMinDotRows) return false;
  if (p.m <= kFewDotRows) return p.k >= kMinDepthOfFewRows;
  return p.m <= kMaxDotRows && p.k >= kMinDepthOfManyRows;
}

bool TryDots(Type type, const ProductArgs& p) {
  if (type != Type::kFloat || !DotsPay(p)) return false;
  constexpr int64_t kUnit = 16;
  ParallelFor(
      (p.n + kUnit - 1) / kUnit, kGrainMultiplications / (kUnit * p.m * p.k) + 1,
      [&](int64_t begin, int64_t end) {
        const int64_t at = begin * kUnit;
        Kernels().float_products.dots(Part(type, p, 0, p.m, at, std::min(end * kUnit, p.n) - at));
      });
  return true;
}

void FillZero(Type type, const ProductArgs& p) {
  for (int64_t i = 0; i < p.m; ++i) {
    std::memset(Advance(type, p.c, i * p.ldc), 0, p.n * TypeSize(type));
  }
}

void Multiply(Type type, const ProductArgs& p) {
  if (p.m == 0 || p.n == 0) return;
  if (p.k == 0) {
    if (!p.accumulate) FillZero(type, p);
    return;
  }
  if (TryGemv(type, p) || TryDots(type, p)) return;
  if (!OnOneDnn(type) || Deterministic()) return Blocked(type, p);
  if (p.m * p.n * p.k < kMinTeamMultiplications) {
    const parallel_internal::OneThread one;
    return SgemmCall(p);
  }
  if (IntraOpThreads() > 1) parallel_internal::NoteTeam();
  SgemmInPieces(p);
}

// Copies `rows` rows of a matrix to dense scratch memory, in float or conjugated.
const void* DenseCopy(Type type, ScratchUse use, bool conjugate, int64_t rows, int64_t columns,
                      int64_t ld, const void* x) {
  const Type wide = Widened(type);
  void* copy = Scratch(use, rows * columns * TypeSize(wide));
  for (int64_t i = 0; i < rows; ++i) {
    const void* row = Advance(type, x, i * ld);
    void* out = Advance(wide, copy, i * columns);
    if (conjugate) {
      Unary(UnaryOp::kConj, type, row, out, columns);
    } else {
      Cast(type, row, wide, out, columns);
    }
  }
  return copy;
}

void PrepareA(Type type, bool conjugate, ProductArgs* p) {
  const int64_t rows = p->transpose_a ? p->k : p->m;
  const int64_t columns = p->transpose_a ? p->m : p->k;
  p->a = DenseCopy(type, ScratchUse::kGemmA, conjugate, rows, columns, p->lda, p->a);
  p->lda = columns;
}

void PrepareB(Type type, bool conjugate, ProductArgs* p) {
  const int64_t rows = p->transpose_b ? p->n : p->k;
  const int64_t columns = p->transpose_b ? p->k : p->n;
  p->b = DenseCopy(type, ScratchUse::kGemmB, conjugate, rows, columns, p->ldb, p->b);
  p->ldb = columns;
}

void MultiplyHalf(Type type, ProductArgs p) {
  PrepareA(type, false, &p);
  PrepareB(type, false, &p);
  void* c = p.c;
  const int64_t ldc = p.ldc;
  float* wide = static_cast<float*>(Scratch(ScratchUse::kGemmC, p.m * p.n * 4));
  for (int64_t i = 0; p.accumulate && i < p.m; ++i) {
    WidenHalf(type, Advance(type, c, i * ldc), wide + i * p.n, p.n);
  }
  p.c = wide;
  p.ldc = p.n;
  Multiply(Type::kFloat, p);
  for (int64_t i = 0; i < p.m; ++i) {
    NarrowHalf(type, wide + i * p.n, Advance(type, c, i * ldc), p.n);
  }
}

}  // namespace

bool HaveOneDnn() { return LoadOneDnn() != nullptr; }

bool HasGemm(Type type) {
  return TypeSize(type) != 0 && Kernels().product[static_cast<int>(Widened(type))] != nullptr;
}

void Gemm(Type type, bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k,
          const void* a, const void* b, void* c, const GemmOptions& options) {
  ProductArgs p{transpose_a, transpose_b,       m, n, k, a, b, c, options.lda, options.ldb,
                options.ldc, options.accumulate};
  // oneDNN refuses a leading dimension of 0, which an empty operand has.
  if (p.lda == 0) p.lda = std::max<int64_t>(transpose_a ? m : k, 1);
  if (p.ldb == 0) p.ldb = std::max<int64_t>(transpose_b ? k : n, 1);
  if (p.ldc == 0) p.ldc = std::max<int64_t>(n, 1);
  if (IsHalf(type)) return MultiplyHalf(type, p);
  if (options.conjugate_a) PrepareA(type, true, &p);
  if (options.conjugate_b) PrepareB(type, true, &p);
  Multiply(type, p);
}

void BatchGemm(Type type, bool transpose_a, bool transpose_b, int64_t batch, int64_t m, int64_t n,
               int64_t k, const void* a, int64_t stride_a, const void* b, int64_t stride_b, void* c,
               int64_t stride_c, const GemmOptions& options) {
  const int64_t products_per_check =
      std::max<int64_t>(kMinTeamMultiplications / (m * n * k + 1), 1);
  const auto one = [&](int64_t i) {
    Gemm(type, transpose_a, transpose_b, m, n, k, Advance(type, a, i * stride_a),
         Advance(type, b, i * stride_b), Advance(type, c, i * stride_c), options);
  };
  // Small products run in parallel, large ones one by one on the whole team.
  const int64_t work = m * n * k;
  const int64_t grain =
      work >= kMinTeamMultiplications ? batch : kGrainMultiplications / (work + 1) + 1;
  if (work >= kMinTeamMultiplications) LoadOneDnn();
  const StopCheck stop;
  ParallelFor(batch, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if ((i - begin) % products_per_check == 0 && stop.due()) return;
      one(i);
    }
  });
}

}  // namespace ramet::linalg
