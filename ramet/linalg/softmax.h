#pragma once

#include <cstdint>

#include "ramet/linalg/types.h"

// Row-wise functions of a dense [rows, columns] matrix of half, bfloat16, float or double (half and
// bfloat16 are computed in float). The largest element of a row is subtracted first. Same bits for
// any number of intra-op threads. Allocates nothing.

namespace ramet::linalg {

// y may be x.
void Softmax(Type type, int64_t rows, int64_t columns, const void* x, void* y);
void LogSoftmax(Type type, int64_t rows, int64_t columns, const void* x, void* y);

// dx = (dy - sum(dy * y, row)) * y for y = softmax(x). dx may be y or dy.
void SoftmaxGrad(Type type, int64_t rows, int64_t columns, const void* y, const void* dy, void* dx);

// loss[r] = -sum(labels[r] * log_softmax(logits[r])), [rows]; backprop = softmax(logits) - labels,
// [rows, columns]. backprop may be logits or labels.
void SoftmaxXent(Type type, int64_t rows, int64_t columns, const void* logits, const void* labels,
                 void* loss, void* backprop);

// SoftmaxXent with class indices as labels [rows], int32 or int64. A label outside [0, columns)
// makes its row's loss and backprop NaN. Returns the first such row, or -1.
int64_t SparseSoftmaxXent(Type type, Type label_type, int64_t rows, int64_t columns,
                          const void* logits, const void* labels, void* loss, void* backprop);

}  // namespace ramet::linalg
