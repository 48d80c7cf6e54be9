#include "ramet/linalg/softmax.h"

#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/wide_operands.h"

namespace ramet::linalg {
namespace {

int64_t Grain(int64_t columns) { return 2048 / (columns + 1) + 1; }

void RunRows(KernelTable::Rows1 kernel, Type type, int64_t rows, int64_t columns, const void* x,
             void* y) {
  const int64_t n = rows * columns;
  if (n == 0) return;
  const Type wide = Widened(type);
  x = Wide(type, ScratchUse::kWidened, x, n);
  void* out = WideResult(type, ScratchUse::kWidened, y, n);
  ParallelFor(rows, Grain(columns), [&](int64_t begin, int64_t end) {
    kernel(end - begin, columns, Advance(wide, x, begin * columns),
           Advance(wide, out, begin * columns));
  });
  Narrow(type, out, y, n);
}

// Returns the labels in int64.
const int64_t* WideLabels(Type label_type, const void* labels, int64_t rows) {
  if (label_type == Type::kInt64) return static_cast<const int64_t*>(labels);
  void* widened = Scratch(ScratchUse::kLabels, rows * 8);
  Cast(label_type, labels, Type::kInt64, widened, rows);
  return static_cast<const int64_t*>(widened);
}

}  // namespace

void Softmax(Type type, int64_t rows, int64_t columns, const void* x, void* y) {
  RunRows(Kernels().softmax[static_cast<int>(Widened(type))], type, rows, columns, x, y);
}

void LogSoftmax(Type type, int64_t rows, int64_t columns, const void* x, void* y) {
  RunRows(Kernels().log_softmax[static_cast<int>(Widened(type))], type, rows, columns, x, y);
}

void SoftmaxGrad(Type type, int64_t rows, int64_t columns, const void* y, const void* dy,
                 void* dx) {
  const int64_t n = rows * columns;
  if (n == 0) return;
  const Type wide = Widened(type);
  const KernelTable::Rows2 kernel = Kernels().softmax_grad[static_cast<int>(wide)];
  y = Wide(type, ScratchUse::kWidened, y, n);
  dy = Wide(type, ScratchUse::kWidenedResult, dy, n);
  void* out = WideResult(type, ScratchUse::kWidenedResult, dx, n);
  ParallelFor(rows, Grain(columns), [&](int64_t begin, int64_t end) {
    const int64_t at = begin * columns;
    kernel(end - begin, columns, Advance(wide, y, at), Advance(wide, dy, at),
           Advance(wide, out, at));
  });
  Narrow(type, out, dx, n);
}

void SoftmaxXent(Type type, int64_t rows, int64_t columns, const void* logits, const void* labels,
                 void* loss, void* backprop) {
  const int64_t n = rows * columns;
  const Type wide = Widened(type);
  const KernelTable::Rows3 kernel = Kernels().softmax_xent[static_cast<int>(wide)];
  logits = Wide(type, ScratchUse::kWidened, logits, n);
  labels = Wide(type, ScratchUse::kWidenedResult, labels, n);
  void* wide_loss = WideResult(type, ScratchUse::kReducePing, loss, rows);
  void* out = WideResult(type, ScratchUse::kWidenedResult, backprop, n);
  ParallelFor(rows, Grain(columns), [&](int64_t begin, int64_t end) {
    const int64_t at = begin * columns;
    kernel(end - begin, columns, Advance(wide, logits, at), Advance(wide, labels, at),
           Advance(wide, wide_loss, begin), Advance(wide, out, at));
  });
  Narrow(type, wide_loss, loss, rows);
  Narrow(type, out, backprop, n);
}

int64_t SparseSoftmaxXent(Type type, Type label_type, int64_t rows, int64_t columns,
                          const void* logits, const void* labels, void* loss, void* backprop) {
  const int64_t n = rows * columns;
  const Type wide = Widened(type);
  const KernelTable::SparseRows kernel = Kernels().sparse_softmax_xent[static_cast<int>(wide)];
  logits = Wide(type, ScratchUse::kWidened, logits, n);
  const int64_t* classes = WideLabels(label_type, labels, rows);
  void* wide_loss = WideResult(type, ScratchUse::kReducePing, loss, rows);
  void* out = WideResult(type, ScratchUse::kWidenedResult, backprop, n);
  ParallelFor(rows, Grain(columns), [&](int64_t begin, int64_t end) {
    const int64_t at = begin * columns;
    kernel(end - begin, columns, Advance(wide, logits, at), classes + begin,
           Advance(wide, wide_loss, begin), Advance(wide, out, at));
  });
  Narrow(type, wide_loss, loss, rows);
  Narrow(type, out, backprop, n);
  for (int64_t r = 0; r < rows; ++r) {
    if (classes[r] < 0 || classes[r] >= columns) return r;
  }
  return -1;
}

}  // namespace ramet::linalg
