#pragma once

#include <cstdint>

#include "ramet/linalg/conv_args.h"
#include "ramet/linalg/direct_conv_args.h"
#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/filter_gradient_args.h"
#include "ramet/linalg/norm_args.h"
#include "ramet/linalg/pool_args.h"
#include "ramet/linalg/reduce.h"
#include "ramet/linalg/strip_code.h"
#include "ramet/linalg/types.h"

// Internal to linalg: single-threaded span functions by operation and type. levels/ fills one table
// per instruction set level, in addition to the functions in portable/ that all levels share.

namespace ramet::linalg {

// y[r, i] = op(a[r, i], b[r, i]) for `rows` rows of n elements. Row r of an operand starts at r *
// (its row stride); a scalar operand has one element per row. y is dense. Strides are in elements.
struct RowsArgs {
  const void* a;
  const void* b;
  void* y;
  int64_t rows;
  int64_t n;
  int64_t a_row;
  int64_t b_row;
  bool a_scalar;
  bool b_scalar;
};

struct OptimizerArgs {
  static constexpr int kMaxStates = 4;
  const void* old_value[kMaxStates];
  void* new_value[kMaxStates];
  const void* grad;
  // Hyperparameters in the order of the function in training.h.
  double param[6];
  bool flag;
};

enum class Optimizer : uint8_t {
  kGradientDescent,
  kMomentum,
  kAdam,
  kAdagrad,
  kAdagradV2,
  kRmsProp,
  kCenteredRmsProp
};
inline constexpr int kNumOptimizers = static_cast<int>(Optimizer::kCenteredRmsProp) + 1;

struct GemvArgs {
  const void* x;
  const void* matrix;
  void* y;
  int64_t k;
  int64_t ld;
  bool accumulate;
};

struct ProductArgs {
  bool transpose_a;
  bool transpose_b;
  int64_t m;
  int64_t n;
  int64_t k;
  const void* a;
  const void* b;
  void* c;
  int64_t lda;
  int64_t ldb;
  int64_t ldc;
  bool accumulate;
};

// A convolution with one filter per channel, channels last: x [batch, in, in, channels], y [batch,
// out, out, channels], filter [taps, channels].
struct DepthwiseArgs {
  const ConvGeometry& g;
  const ConvOperands& o;
};

// A panel of a right operand (packed_gemm.h), and the stored matrix that it is packed from: rows of
// `ld` elements, or columns if it is stored transposed.
struct PanelArgs {
  const float* b;
  int64_t ld;
  int64_t depth;
  int64_t columns;  // those of the matrix; the others of the panel are zeros
  float* panel;
};

// c[rows, columns] = a[rows, depth] * panel, then + c, + bias and Relu.
struct PanelMultiplyArgs {
  const float* a;
  int64_t lda;
  int64_t rows;
  const float* panel;
  int64_t panel_row;  // elements from one row of the panel to the next
  int64_t depth;
  float* c;
  int64_t ldc;
  int64_t columns;
  bool accumulate;
  const float* bias;  // one per column, or null
  bool relu;
};

// Kernels of products that exist for float only.
struct FloatProducts {
  // With transpose_b only.
  void (*dots)(const ProductArgs& args) = nullptr;
  int64_t panel_columns = 0;
  void (*pack)(const PanelArgs& args) = nullptr;
  void (*pack_transposed)(const PanelArgs& args) = nullptr;
  void (*multiply_panel)(const PanelMultiplyArgs& args) = nullptr;
};

// The loops of convolutions.
struct ConvTable {
  // Computes rows [begin, end): of the output (forward, batch * out rows), of the input (batch * in
  // rows), or taps of the filter.
  using Depthwise = void (*)(const DepthwiseArgs& args, int64_t begin, int64_t end);
  // Applies an epilogue to rows of n channels.
  using Epilogue = void (*)(const ChannelEpilogue& epilogue, int64_t rows, int64_t n, float* y);

  Depthwise depthwise[kNumConvKinds][kNumTypes] = {};
  // For float, with a filter packed in blocks of two vectors of `lanes` floats.
  void (*direct)(const DirectConvArea& area) = nullptr;
  int64_t lanes = 0;
  Epilogue epilogue = nullptr;
  // For float, with up to filter_gradient_rows input channels.
  void (*filter_gradient)(const FilterGradientArea& area) = nullptr;
  int64_t filter_gradient_rows = 0;
};

struct KernelTable {
  using Unary = bool (*)(const void* x, void* y, int64_t n);
  using Binary = bool (*)(const RowsArgs& args);
  using Alpha1 = void (*)(double alpha, const void* x, void* y, int64_t n);
  using Alpha2 = void (*)(double alpha, const void* a, const void* b, void* y, int64_t n);
  using Convert = void (*)(const void* x, void* y, int64_t n);
  // y[r] = op over x[r * n .. r * n + n).
  using RowReduce = void (*)(const void* x, int64_t rows, int64_t n, void* y);
  // y[j] = op over i in [0, rows) of x[i * ld + j], j in [0, n).
  using ColumnReduce = void (*)(const void* x, int64_t rows, int64_t n, int64_t ld, void* y);
  using Rows1 = void (*)(int64_t rows, int64_t n, const void* x, void* y);
  using Rows2 = void (*)(int64_t rows, int64_t n, const void* a, const void* b, void* y);
  using Rows3 = void (*)(int64_t rows, int64_t n, const void* logits, const void* labels,
                         void* loss, void* backprop);
  // labels are int64 here.
  using SparseRows = void (*)(int64_t rows, int64_t n, const void* logits, const int64_t* labels,
                              void* loss, void* backprop);
  using Update = void (*)(const OptimizerArgs& args, int64_t begin, int64_t end);
  // Computes columns [begin, end) of y = x * matrix, where matrix is [k, ld].
  using GemvColumns = void (*)(const GemvArgs& args, int64_t begin, int64_t end);
  using Product = void (*)(const ProductArgs& args);

  // Computes output pixels of all images, or images for gradients of the input, in [begin, end).
  using Pool = void (*)(const PoolArgs& args, int64_t begin, int64_t end);
  // Computes one or two sums per channel.
  using NormSums = void (*)(const NormArgs& args, float* sums, float* more_sums);
  // y[i] = condition[i] ? a[i] : b[i]. A scalar operand has one element.
  using SelectRow = void (*)(const bool* condition, const void* a, bool a_scalar, const void* b,
                             bool b_scalar, int64_t n, void* y);
  using NormMap = void (*)(const NormArgs& args);

  Unary unary[kNumUnaryOps][kNumTypes] = {};
  Binary binary[kNumBinaryOps][kNumTypes] = {};
  Alpha1 leaky_relu[kNumTypes] = {};
  Alpha2 leaky_relu_grad[kNumTypes] = {};
  RowReduce row_reduce[kNumReduceOps][kNumTypes] = {};
  ColumnReduce column_reduce[kNumReduceOps][kNumTypes] = {};
  Convert half_to_float = nullptr;
  Convert float_to_half = nullptr;
  Convert bfloat16_to_float = nullptr;
  Convert float_to_bfloat16 = nullptr;
  Rows1 softmax[kNumTypes] = {};
  Rows1 log_softmax[kNumTypes] = {};
  Rows2 softmax_grad[kNumTypes] = {};
  Rows3 softmax_xent[kNumTypes] = {};
  SparseRows sparse_softmax_xent[kNumTypes] = {};
  Update optimizer[kNumOptimizers][kNumTypes] = {};
  // y = x * matrix, and elements [begin, end) of y = matrix * x, where matrix is [., ld].
  GemvColumns gemv[kNumTypes] = {};
  GemvColumns gemv_transposed[kNumTypes] = {};
  Product product[kNumTypes] = {};
  FloatProducts float_products;
  ConvTable conv;
  Pool pool[kNumPoolKinds][kNumTypes] = {};
  // Indexed by log2 of an element's width, 1 to 8 bytes.
  SelectRow select[4] = {};
  StripTable strips;
  NormSums norm_sum = nullptr;
  NormSums norm_sum_squares = nullptr;
  NormSums norm_sum_grads = nullptr;
  NormMap normalize = nullptr;
  NormMap norm_grad = nullptr;

  void Set(UnaryOp op, Type type, Unary f) {
    unary[static_cast<int>(op)][static_cast<int>(type)] = f;
  }
  void Set(BinaryOp op, Type type, Binary f) {
    binary[static_cast<int>(op)][static_cast<int>(type)] = f;
  }
  void Set(ReduceOp op, Type type, RowReduce rows, ColumnReduce columns) {
    row_reduce[static_cast<int>(op)][static_cast<int>(type)] = rows;
    column_reduce[static_cast<int>(op)][static_cast<int>(type)] = columns;
  }
  void Set(Optimizer optimizer_kind, Type type, Update f) {
    optimizer[static_cast<int>(optimizer_kind)][static_cast<int>(type)] = f;
  }
};

// Returns the table for CpuLevel().
const KernelTable& Kernels();

}  // namespace ramet::linalg
