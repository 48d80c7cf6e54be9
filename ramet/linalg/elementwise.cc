#include "ramet/linalg/elementwise.h"

#include <algorithm>
#include <atomic>

#include "ramet/linalg/element_spans.h"
#include "ramet/linalg/half_spans.h"
#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/parallel.h"

namespace ramet::linalg {
namespace {

// Elements that justify a thread: they take about as long as waking the team (ramet_linalg_bench
// unary/relu/* and unary/exp/*).
constexpr int64_t kCheapGrainElements = 16384;
constexpr int64_t kCostlyGrainElements = 2048;

KernelTable::Unary Find(UnaryOp op, Type type) {
  return Kernels().unary[static_cast<int>(op)][static_cast<int>(Widened(type))];
}
KernelTable::Binary Find(BinaryOp op, Type type) {
  return Kernels().binary[static_cast<int>(op)][static_cast<int>(Widened(type))];
}

// Returns the logarithm that an op of a half type rounds before it multiplies, or null.
KernelTable::Unary HalfLog(BinaryOp op, Type type) {
  if (!IsHalf(type)) return nullptr;
  if (op == BinaryOp::kXlogy) return Find(UnaryOp::kLog, type);
  return op == BinaryOp::kXlog1py ? Find(UnaryOp::kLog1p, type) : nullptr;
}

bool IsComplexPart(UnaryOp op) { return op >= UnaryOp::kReal && op <= UnaryOp::kComplexAbs; }

// Converts elements [i, i + count) of a row to float; a scalar operand is one element.
void WidenOperand(Type type, const void* row, bool scalar, int64_t i, int64_t count, float* out) {
  WidenHalf(type, scalar ? row : Advance(type, row, i), out, scalar ? 1 : count);
}

// Replaces n elements by their logarithms, rounded to the half type.
void RoundedLog(KernelTable::Unary log, Type type, float* x, int64_t n) {
  uint16_t rounded[kHalfChunk];
  log(x, x, n);
  NarrowHalf(type, x, rounded, n);
  WidenHalf(type, rounded, x, n);
}

// Computes rows of a half type in float. If `log` is not null, the result is a * log(b) in two
// rounded steps, as TensorFlow computes it, and 0 where a is 0.
bool HalfRows(KernelTable::Binary kernel, KernelTable::Unary log, Type type, Type result,
              const RowsArgs& args) {
  float a[kHalfChunk];
  float b[kHalfChunk];
  for (int64_t r = 0; r < args.rows; ++r) {
    const void* a_row = Advance(type, args.a, r * args.a_row);
    const void* b_row = Advance(type, args.b, r * args.b_row);
    for (int64_t i = 0; i < args.n; i += kHalfChunk) {
      const int64_t count = std::min(kHalfChunk, args.n - i);
      WidenOperand(type, a_row, args.a_scalar, i, count, a);
      WidenOperand(type, b_row, args.b_scalar, i, count, b);
      void* y = Advance(result, args.y, r * args.n + i);
      const bool to_bool = result == Type::kBool;
      float widened[kHalfChunk];
      if (log != nullptr) {
        RoundedLog(log, type, b, args.b_scalar ? 1 : count);
        kernel({b, a, widened, 1, count, 0, 0, args.b_scalar, args.a_scalar});
      } else {
        kernel({a, b, to_bool ? y : widened, 1, count, 0, 0, args.a_scalar, args.b_scalar});
      }
      if (!to_bool) NarrowHalf(type, widened, y, count);
    }
  }
  return true;
}

struct BinaryCall {
  KernelTable::Binary kernel;
  KernelTable::Unary half_log;  // of the second operand, for half types only; may be null
  Type type;
  Type result;
  const BroadcastPlan& plan;
  const void* a;
  const void* b;
  void* y;

  bool Rows(const RowsArgs& args) const {
    return IsHalf(type) ? HalfRows(kernel, half_log, type, result, args) : kernel(args);
  }

  // Computes elements [begin, end) of a plan with one dimension.
  bool Flat(int64_t begin, int64_t end) const {
    const bool a_scalar = plan.stride(0, 0) == 0;
    const bool b_scalar = plan.stride(1, 0) == 0;
    return Rows({Advance(type, a, a_scalar ? 0 : begin), Advance(type, b, b_scalar ? 0 : begin),
                 Advance(result, y, begin), 1, end - begin, 0, 0, a_scalar, b_scalar});
  }

  // Returns where operand `o` starts in block `block` of the dimensions other than the last two.
  int64_t BlockOffset(int o, int64_t block) const {
    int64_t offset = 0;
    for (int i = plan.ndims() - 3; i >= 0; --i) {
      offset += block % plan.dim(i) * plan.stride(o, i);
      block /= plan.dim(i);
    }
    return offset;
  }

  // Computes rows [begin, end) of all rows of the result.
  bool RowRange(int64_t begin, int64_t end) const {
    const int last = plan.ndims() - 1;
    const int64_t rows = plan.dim(last - 1);
    const int64_t n = plan.dim(last);
    const int64_t a_row = plan.stride(0, last - 1);
    const int64_t b_row = plan.stride(1, last - 1);
    bool ok = true;
    for (int64_t r = begin; r < end;) {
      const int64_t first = r % rows;
      const int64_t count = std::min(rows - first, end - r);
      const int64_t a_at = BlockOffset(0, r / rows) + first * a_row;
      const int64_t b_at = BlockOffset(1, r / rows) + first * b_row;
      ok &= Rows({Advance(type, a, a_at), Advance(type, b, b_at), Advance(result, y, r * n), count,
                  n, a_row, b_row, plan.stride(0, last) == 0, plan.stride(1, last) == 0});
      r += count;
    }
    return ok;
  }
};

}  // namespace

int64_t Grain(UnaryOp op) {
  const bool costly = (op >= UnaryOp::kSqrt && op <= UnaryOp::kLgamma) ||
                      (op >= UnaryOp::kElu && op <= UnaryOp::kSoftplus);
  return costly ? kCostlyGrainElements : kCheapGrainElements;
}

int64_t Grain(BinaryOp op) {
  const bool costly = (op >= BinaryOp::kFloorDiv && op <= BinaryOp::kPow) ||
                      op == BinaryOp::kAtan2 || op == BinaryOp::kXlogy || op == BinaryOp::kXlog1py;
  return costly ? kCostlyGrainElements : kCheapGrainElements;
}

bool HasUnary(UnaryOp op, Type type) { return TypeSize(type) != 0 && Find(op, type) != nullptr; }

bool HasBinary(BinaryOp op, Type type) { return TypeSize(type) != 0 && Find(op, type) != nullptr; }

Type UnaryResultType(UnaryOp op, Type type) {
  if (op >= UnaryOp::kIsNan && op <= UnaryOp::kIsFinite) return Type::kBool;
  if (IsComplexPart(op)) return type == Type::kComplex64 ? Type::kFloat : Type::kDouble;
  return type;
}

Type BinaryResultType(BinaryOp op, Type type) {
  return op >= BinaryOp::kEqual && op <= BinaryOp::kGreaterEqual ? Type::kBool : type;
}

bool UnarySpan(UnaryOp op, Type type, const void* x, void* y, int64_t n) {
  const KernelTable::Unary kernel = Find(op, type);
  if (!IsHalf(type)) return kernel(x, y, n);
  const Type result = UnaryResultType(op, type);
  float buffer[kHalfChunk];
  for (int64_t i = 0; i < n; i += kHalfChunk) {
    const int64_t count = std::min(kHalfChunk, n - i);
    WidenHalf(type, Advance(type, x, i), buffer, count);
    if (result == Type::kBool) {
      kernel(buffer, static_cast<bool*>(y) + i, count);
    } else {
      kernel(buffer, buffer, count);
      NarrowHalf(type, buffer, Advance(type, y, i), count);
    }
  }
  return true;
}

bool BinarySpan(BinaryOp op, Type type, const RowsArgs& args) {
  const KernelTable::Unary log = HalfLog(op, type);
  const KernelTable::Binary kernel = Find(log != nullptr ? BinaryOp::kMulNoNan : op, type);
  if (!IsHalf(type)) return kernel(args);
  return HalfRows(kernel, log, type, BinaryResultType(op, type), args);
}

bool Unary(UnaryOp op, Type type, const void* x, void* y, int64_t n) {
  const Type result = UnaryResultType(op, type);
  std::atomic<bool> ok = true;
  ParallelFor(n, Grain(op), [&](int64_t begin, int64_t end) {
    if (!UnarySpan(op, type, Advance(type, x, begin), Advance(result, y, begin), end - begin)) {
      ok.store(false, std::memory_order_relaxed);
    }
  });
  return ok.load(std::memory_order_relaxed);
}

bool Binary(BinaryOp op, Type type, const BroadcastPlan& plan, const void* a, const void* b,
            void* y) {
  if (plan.size() == 0) return true;
  const KernelTable::Unary log = HalfLog(op, type);
  const BinaryCall call{Find(log != nullptr ? BinaryOp::kMulNoNan : op, type),
                        log,
                        type,
                        BinaryResultType(op, type),
                        plan,
                        a,
                        b,
                        y};
  std::atomic<bool> ok = true;
  if (plan.ndims() == 1) {
    ParallelFor(plan.size(), Grain(op), [&](int64_t begin, int64_t end) {
      if (!call.Flat(begin, end)) ok.store(false, std::memory_order_relaxed);
    });
  } else {
    const int64_t n = plan.dim(plan.ndims() - 1);
    ParallelFor(plan.size() / n, (Grain(op) + n - 1) / n, [&](int64_t begin, int64_t end) {
      if (!call.RowRange(begin, end)) ok.store(false, std::memory_order_relaxed);
    });
  }
  return ok.load(std::memory_order_relaxed);
}

bool Binary(BinaryOp op, Type type, const void* a, const void* b, void* y, int64_t n) {
  return Binary(op, type, BroadcastPlan::Flat(n), a, b, y);
}

void LeakyRelu(Type type, double alpha, const void* x, void* y, int64_t n) {
  const KernelTable::Alpha1 kernel = Kernels().leaky_relu[static_cast<int>(Widened(type))];
  ParallelFor(n, kCheapGrainElements, [&](int64_t begin, int64_t end) {
    if (!IsHalf(type)) {
      return kernel(alpha, Advance(type, x, begin), Advance(type, y, begin), end - begin);
    }
    float buffer[kHalfChunk];
    for (int64_t i = begin; i < end; i += kHalfChunk) {
      const int64_t count = std::min(kHalfChunk, end - i);
      WidenHalf(type, Advance(type, x, i), buffer, count);
      kernel(alpha, buffer, buffer, count);
      NarrowHalf(type, buffer, Advance(type, y, i), count);
    }
  });
}

void LeakyReluGrad(Type type, double alpha, const void* gradient, const void* feature, void* y,
                   int64_t n) {
  const KernelTable::Alpha2 kernel = Kernels().leaky_relu_grad[static_cast<int>(Widened(type))];
  ParallelFor(n, kCheapGrainElements, [&](int64_t begin, int64_t end) {
    if (!IsHalf(type)) {
      return kernel(alpha, Advance(type, gradient, begin), Advance(type, feature, begin),
                    Advance(type, y, begin), end - begin);
    }
    float g[kHalfChunk];
    float x[kHalfChunk];
    for (int64_t i = begin; i < end; i += kHalfChunk) {
      const int64_t count = std::min(kHalfChunk, end - i);
      WidenHalf(type, Advance(type, gradient, i), g, count);
      WidenHalf(type, Advance(type, feature, i), x, count);
      kernel(alpha, g, x, g, count);
      NarrowHalf(type, g, Advance(type, y, i), count);
    }
  });
}

void AddTo(Type type, const void* x, void* y, int64_t n) {
  Binary(BinaryOp::kAdd, type, y, x, y, n);
}

}  // namespace ramet::linalg
