#include "ramet/linalg/reduce.h"

#include <algorithm>
#include <cstring>

#include "ramet/linalg/cast.h"
#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/half_spans.h"
#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"

namespace ramet::linalg {
namespace {

// Elements that justify a thread (ramet_linalg_bench sum/*).
constexpr int64_t kGrainElements = 16384;
// Long reductions are split into pieces of this many elements, for any number of threads.
constexpr int64_t kPieceElements = 65536;
constexpr int64_t kTileColumns = 256;

// Reduces one array, from the innermost reduced dimension outwards.
class Reduction {
 public:
  Reduction(ReduceOp op, Type type) : op_(op), type_(type) {}

  void Run(const ReducePlan& plan, const void* x, void* y) {
    int64_t dims[ReducePlan::kMaxDims];
    int ndims = plan.ndims();
    for (int i = 0; i < ndims; ++i) dims[i] = plan.dim(i);
    int left = 0;
    for (int i = 0; i < ndims; ++i) left += plan.is_reduced(i);
    if (ndims > 0 && plan.is_reduced(ndims - 1)) {
      const int64_t n = dims[ndims - 1];
      void* out = Out(--left, plan.input_size() / n, y);
      Rows(x, plan.input_size() / n, n, out);
      x = out;
      --ndims;
    }
    while (left > 0) {
      const int64_t inner = dims[ndims - 1];
      const int64_t rows = dims[ndims - 2];
      int64_t outer = 1;
      for (int i = 0; i < ndims - 2; ++i) outer *= dims[i];
      void* out = Out(--left, outer * inner, y);
      Columns(x, outer, rows, inner, out);
      x = out;
      ndims -= 2;
      if (ndims > 0) dims[ndims - 1] *= inner;
    }
  }

 private:
  void* Out(int left, int64_t n, void* y) {
    if (left == 0) return y;
    ping_ = !ping_;
    return Scratch(ping_ ? ScratchUse::kReducePing : ScratchUse::kReducePong, n * TypeSize(type_));
  }

  // Changes the op to the one that combines partial results.
  void Started() {
    if (op_ == ReduceOp::kSumSquares) op_ = ReduceOp::kSum;
  }

  KernelTable::RowReduce RowKernel() const {
    return Kernels().row_reduce[static_cast<int>(op_)][static_cast<int>(type_)];
  }
  KernelTable::ColumnReduce ColumnKernel() const {
    return Kernels().column_reduce[static_cast<int>(op_)][static_cast<int>(type_)];
  }

  void Rows(const void* x, int64_t rows, int64_t n, void* y) {
    const KernelTable::RowReduce kernel = RowKernel();
    Started();
    if (n < 2 * kPieceElements || rows > 64) {
      ParallelFor(rows, kGrainElements / n + 1, [&](int64_t begin, int64_t end) {
        kernel(Advance(type_, x, begin * n), end - begin, n, Advance(type_, y, begin));
      });
      return;
    }
    const int64_t pieces = (n + kPieceElements - 1) / kPieceElements;
    void* partial = Scratch(ScratchUse::kPartial, rows * pieces * TypeSize(type_));
    ParallelFor(rows * pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t at = i % pieces * kPieceElements;
        kernel(Advance(type_, x, i / pieces * n + at), 1, std::min(kPieceElements, n - at),
               Advance(type_, partial, i));
      }
    });
    RowKernel()(partial, rows, pieces, y);
  }

  void Columns(const void* x, int64_t outer, int64_t rows, int64_t inner, void* y) {
    const KernelTable::ColumnReduce kernel = ColumnKernel();
    Started();
    const int64_t tiles = (inner + kTileColumns - 1) / kTileColumns;
    if (outer * tiles >= 16 || rows * inner < 2 * kPieceElements) {
      const int64_t tile_work = rows * std::min(inner, kTileColumns);
      ParallelFor(outer * tiles, kGrainElements / tile_work + 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t o = i / tiles;
          const int64_t j = i % tiles * kTileColumns;
          kernel(Advance(type_, x, o * rows * inner + j), rows, std::min(kTileColumns, inner - j),
                 inner, Advance(type_, y, o * inner + j));
        }
      });
      return;
    }
    const int64_t step = std::max<int64_t>(kPieceElements / inner / 64 * 64, 64);
    const int64_t pieces = (rows + step - 1) / step;
    void* partial = Scratch(ScratchUse::kPartial, outer * pieces * inner * TypeSize(type_));
    ParallelFor(outer * pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i % pieces * step;
        kernel(Advance(type_, x, (i / pieces * rows + first) * inner), std::min(step, rows - first),
               inner, inner, Advance(type_, partial, i * inner));
      }
    });
    for (int64_t o = 0; o < outer; ++o) {
      ColumnKernel()(Advance(type_, partial, o * pieces * inner), pieces, inner, inner,
                     Advance(type_, y, o * inner));
    }
  }

  ReduceOp op_;
  Type type_;
  bool ping_ = false;
};

void ReduceSame(ReduceOp op, Type type, const ReducePlan& plan, const void* x, void* y) {
  if (plan.output_size() == 0) return;
  const bool reduces = plan.ndims() > 1 || (plan.ndims() == 1 && plan.is_reduced(0));
  if (plan.reduced_size() == 0) {
    Kernels().row_reduce[static_cast<int>(op)][static_cast<int>(type)](x, plan.output_size(), 0, y);
  } else if (reduces) {
    Reduction(op, type).Run(plan, x, y);
  } else if (op == ReduceOp::kSumSquares) {
    Unary(UnaryOp::kSquare, type, x, y, plan.output_size());
  } else {
    std::memcpy(y, x, plan.output_size() * TypeSize(type));
  }
}

bool IsInteger(Type type) {
  switch (type) {
    case Type::kInt8:
    case Type::kInt16:
    case Type::kInt32:
    case Type::kInt64:
    case Type::kUint8:
    case Type::kUint16:
    case Type::kUint32:
    case Type::kUint64: return true;
    default: return false;
  }
}

template <class T>
void DivideBy(T count, void* yv, int64_t n) {
  T* y = static_cast<T*>(yv);
  for (int64_t i = 0; i < n; ++i) y[i] /= count;
}

void DivideByCount(Type type, int64_t count, void* y, int64_t n) {
  switch (type) {
    case Type::kFloat: return DivideBy(static_cast<float>(count), y, n);
    case Type::kDouble: return DivideBy(static_cast<double>(count), y, n);
    case Type::kInt64: return DivideBy(std::max<int64_t>(count, 1), y, n);
    case Type::kUint64: return DivideBy(static_cast<uint64_t>(std::max<int64_t>(count, 1)), y, n);
    // Divides a complex number by a real one.
    case Type::kComplex64: return DivideBy(static_cast<float>(count), y, 2 * n);
    default: return DivideBy(static_cast<double>(count), y, 2 * n);
  }
}

// Returns the type in which a reduction is computed.
Type Accumulator(ReduceOp op, Type type) {
  if (op != ReduceOp::kMean || !IsInteger(type)) return Widened(type);
  return static_cast<int>(type) >= static_cast<int>(Type::kUint32) || type == Type::kUint8 ||
                 type == Type::kUint16
             ? Type::kUint64
             : Type::kInt64;
}

}  // namespace

void ReducePlan::Append(int64_t dim, bool reduced) {
  (reduced ? reduced_ : kept_) *= dim;
  if (dim == 1) return;
  if (ndims_ > 0 && is_reduced(ndims_ - 1) == reduced) {
    dims_[ndims_ - 1] *= dim;
    return;
  }
  if (ndims_ == 0) first_reduced_ = reduced;
  dims_[ndims_++] = dim;
}

ReducePlan ReducePlan::Make(std::span<const int64_t> shape, std::span<const bool> reduced) {
  ReducePlan plan;
  bool empty = false;
  for (const int64_t dim : shape) empty = empty || dim == 0;
  if (!empty) {
    for (size_t i = 0; i < shape.size(); ++i) plan.Append(shape[i], reduced[i]);
    return plan;
  }
  for (size_t i = 0; i < shape.size(); ++i) (reduced[i] ? plan.reduced_ : plan.kept_) *= shape[i];
  return plan;
}

ReducePlan ReducePlan::Rows(int64_t rows, int64_t columns) {
  const int64_t shape[] = {rows, columns};
  const bool reduced[] = {false, true};
  return Make(shape, reduced);
}

ReducePlan ReducePlan::Columns(int64_t rows, int64_t columns) {
  const int64_t shape[] = {rows, columns};
  const bool reduced[] = {true, false};
  return Make(shape, reduced);
}

ReducePlan ReducePlan::Full(int64_t n) { return Rows(1, n); }

bool HasReduce(ReduceOp op, Type type) {
  if (TypeSize(type) == 0) return false;
  if (op == ReduceOp::kMean) op = ReduceOp::kSum;
  return Kernels().row_reduce[static_cast<int>(op)][static_cast<int>(Widened(type))] != nullptr;
}

void Reduce(ReduceOp op, Type type, const ReducePlan& plan, const void* x, void* y) {
  const Type wide = Accumulator(op, type);
  const ReduceOp base = op == ReduceOp::kMean ? ReduceOp::kSum : op;
  void* out = y;
  if (wide != type) {
    void* widened = Scratch(ScratchUse::kWidened, plan.input_size() * TypeSize(wide));
    Cast(type, x, wide, widened, plan.input_size());
    x = widened;
    out = Scratch(ScratchUse::kWidenedResult, plan.output_size() * TypeSize(wide));
  }
  ReduceSame(base, wide, plan, x, out);
  if (op == ReduceOp::kMean) DivideByCount(wide, plan.reduced_size(), out, plan.output_size());
  if (wide != type) Cast(wide, out, type, y, plan.output_size());
}

}  // namespace ramet::linalg
