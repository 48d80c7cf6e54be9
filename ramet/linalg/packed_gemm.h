#pragma once

#include <cstdint>

// Matrix products of float whose right operand is packed: copied once into the order in which the
// processor's kernel reads it. oneDNN and Eigen copy it in each product, which takes as long as the
// product itself if the left operand has few rows. Uses the calling thread's intra-op threads. The
// bits of an element depend on the depth of the product only, not on threads, on the number of rows
// or on whether the operand was packed before.

namespace ramet::linalg {

// The stored right operand op(b)[k, n]: [k, n], or [n, k] with `transposed`. Dense.
struct RightOperand {
  bool transposed = false;
  int64_t n = 0;
  int64_t k = 0;
  const float* data = nullptr;
};

// Reports whether products of `m` rows with `b` are faster on a packed operand than with Gemm.
bool PackingPays(int64_t m, const RightOperand& b);

// Returns the elements of the packed form of `b`: those of `b`, and zeros that fill up the last
// columns. It belongs to this process, because it depends on the processor.
int64_t PackedSize(const RightOperand& b);
void Pack(const RightOperand& b, float* packed);

struct PackedGemmOptions {
  // Computes c += instead of c =.
  bool accumulate = false;
  // Adds bias[n] to each row, if it is not null, and then applies Relu. Same bits as AddBias.
  const float* bias = nullptr;
  bool relu = false;
  // If not null, columns [i * piece_columns, (i + 1) * piece_columns) of the result are the matrix
  // pieces[i] instead of a part of c. piece_columns must be whole panels.
  float* const* pieces = nullptr;
  int64_t piece_columns = 0;
};

// Reports whether a result can be stored in pieces of that many columns.
bool IsWholePanels(int64_t columns);

// c[m, n] = a[m, k] * op(b)[k, n] for dense matrices. `packed` is the packed form of `b`. If it is
// null, the operand is packed block by block in the caches. c must not overlap the operands.
void PackedGemm(int64_t m, const float* a, const RightOperand& b, const float* packed, float* c,
                const PackedGemmOptions& options = {});

}  // namespace ramet::linalg
