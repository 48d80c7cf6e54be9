#pragma once

#include <cstdint>

#include "ramet/linalg/kernel_table.h"

// Internal to linalg: Unary and Binary on the calling thread alone.

namespace ramet::linalg {

// y[i] = op(x[i]), as Unary.
bool UnarySpan(UnaryOp op, Type type, const void* x, void* y, int64_t n);
// y = op(a, b) for rows of elements, as Binary.
bool BinarySpan(BinaryOp op, Type type, const RowsArgs& args);

// Return the number of elements that justify a thread.
int64_t Grain(UnaryOp op);
int64_t Grain(BinaryOp op);

}  // namespace ramet::linalg
