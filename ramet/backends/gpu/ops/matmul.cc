#include <memory>
#include <string>

#include "ramet/backends/gpu/launch.h"
#include "ramet/backends/gpu/ops/families.h"
#include "ramet/backends/gpu/ops/program_variants.h"
#include "ramet/backends/gpu/ops/type_sets.h"
#include "ramet/op/epilogue.h"
#include "ramet/op/op.h"

// MatMul: the product of two matrices, with a bias if the library of products adds it.

namespace ramet::gpu {
namespace {

constexpr int64_t kMatMulTile = 64;   // rows and columns of the result per work group
constexpr uint32_t kMatMulSide = 16;  // work items per side; each computes 4 x 4 elements

// A work group computes a tile of 64 x 64 elements. It loads blocks of both operands into local
// memory, and each of its 16 x 16 work items keeps 4 x 4 sums in registers. Sums are in the order
// of k. Definitions: T, the tag of the dtype; A_INDEX(row, k) and B_INDEX(k, column), positions in
// the operands; ACCUMULATE(a, b, sum).
constexpr Program kMatMul = {"matmul", R"(
#define TILE 64
#define DEPTH 16
#define SIDE 16
#define PER_ITEM 4
KERNEL(matmul)(GLOBAL const STORED(T)* RESTRICT a, GLOBAL const STORED(T)* RESTRICT b,
               GLOBAL STORED(T)* RESTRICT y, index_t m, index_t n, index_t depth) {
  LOCAL VALUE(T) a_block[DEPTH][TILE + 1];
  LOCAL VALUE(T) b_block[DEPTH][TILE + 1];
  const int column = LOCAL_ID(0);
  const int row = LOCAL_ID(1);
  const int item = row * SIDE + column;
  const index_t tiles = (n + TILE - 1) / TILE;
  const index_t first_row = (index_t)GROUP_ID(0) / tiles * TILE;
  const index_t first_column = (index_t)GROUP_ID(0) % tiles * TILE;
  VALUE(T) sums[PER_ITEM][PER_ITEM];
  for (int i = 0; i < PER_ITEM; ++i) {
    for (int j = 0; j < PER_ITEM; ++j) sums[i][j] = 0;
  }
  for (index_t block = 0; block < depth; block += DEPTH) {
    for (int at = item; at < TILE * DEPTH; at += SIDE * SIDE) {
#if TRANSPOSE_A
      const int a_row = at % TILE, a_k = at / TILE;
#else
      const int a_row = at / DEPTH, a_k = at % DEPTH;
#endif
      const index_t r = first_row + a_row;
      const index_t ka = block + a_k;
      a_block[a_k][a_row] = r < m && ka < depth ? LOAD(T, a, A_INDEX(r, ka)) : 0;
#if TRANSPOSE_B
      const int b_column = at / DEPTH, b_k = at % DEPTH;
#else
      const int b_column = at % TILE, b_k = at / TILE;
#endif
      const index_t c = first_column + b_column;
      const index_t kb = block + b_k;
      b_block[b_k][b_column] = c < n && kb < depth ? LOAD(T, b, B_INDEX(kb, c)) : 0;
    }
    BARRIER();
    for (int k = 0; k < DEPTH; ++k) {
      VALUE(T) from_a[PER_ITEM];
      for (int i = 0; i < PER_ITEM; ++i) from_a[i] = a_block[k][row + i * SIDE];
      for (int j = 0; j < PER_ITEM; ++j) {
        const VALUE(T) from_b = b_block[k][column + j * SIDE];
        for (int i = 0; i < PER_ITEM; ++i) {
          sums[i][j] = ACCUMULATE(from_a[i], from_b, sums[i][j]);
        }
      }
    }
    BARRIER();
  }
  for (int i = 0; i < PER_ITEM; ++i) {
    for (int j = 0; j < PER_ITEM; ++j) {
      const index_t r = first_row + row + i * SIDE;
      const index_t c = first_column + column + j * SIDE;
      if (r < m && c < n) STORE(T, y, r * n + c, sums[i][j]);
    }
  }
}
)"};

std::string Accumulate(DType dtype) {
  if (IsFloating(dtype)) return "FMA(a, b, sum)";
  const char* wide = DTypeSize(dtype) == 8 ? "u64" : "u32";  // integers wrap around
  return StrCat("((VALUE(T))((", wide, ")(a) * (", wide, ")(b) + (", wide, ")(sum)))");
}

Definitions MatMulDefinitions(DType dtype, bool transpose_a, bool transpose_b) {
  return {{"T", std::string(DialectTag(dtype))},
          {"TRANSPOSE_A", transpose_a ? "1" : "0"},
          {"TRANSPOSE_B", transpose_b ? "1" : "0"},
          {"A_INDEX(r, k)", transpose_a ? "((k) * m + (r))" : "((r) * depth + (k))"},
          {"B_INDEX(k, c)", transpose_b ? "((c) * depth + (k))" : "((k) * n + (c))"},
          {"ACCUMULATE(a, b, sum)", Accumulate(dtype)}};
}

bool HasMatMul(DType dtype) { return dtype != kInt8 && dtype != kInt16; }

// Reports whether a tensor has one element for each of the columns, so that adding it to a matrix
// adds it to each row.
bool IsRow(const Shape& shape, int64_t columns) {
  if (shape.unknown_rank() || shape.rank() < 1 || shape.rank() > 2 || columns < 0) return false;
  return shape.dim(shape.rank() - 1) == columns && (shape.rank() == 1 || shape.dim(0) == 1);
}

class MatMulKernel final : public Kernel, public EpilogueKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<MatMulKernel>(node));
  }
  explicit MatMulKernel(const KernelNode& node)
      : transpose_a_(node.attrs->GetOr("transpose_a", false)),
        transpose_b_(node.attrs->GetOr("transpose_b", false)),
        kernel_{kMatMul, "matmul",
                MatMulDefinitions(BaseType(node.input_types[0]), transpose_a_, transpose_b_)} {}

  Status Compute(KernelContext& c) override {
    for (int i = 0; i < 2; ++i) {
      if (c.input(i).rank() != 2) {
        return InvalidArgument("In[", i, "] is not a matrix. Instead it has shape ",
                               c.input(i).shape());
      }
    }
    if (!AreCompatible(c)) {
      return InvalidArgument("Matrix size-incompatible: In[0]: ", c.input(0).shape(),
                             ", In[1]: ", c.input(1).shape());
    }
    const StackedProduct product = ProductOf(c);
    const int64_t m = product.m, n = product.n, k = product.k;
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, product.dtype, Shape{m, n}));
    if (m == 0 || n == 0) return OkStatus();
    RAMET_ASSIGN_OR_RETURN(const bool is_started,
                           DeviceOf(c).libraries().Multiply(product, c.input(0), c.input(1), *y));
    if (is_started) return OkStatus();
    LaunchSize size;
    // One dimension, because CUDA limits the groups of the others to 65535.
    size.groups[0] = static_cast<uint32_t>(CeilDivide(n, kMatMulTile) * CeilDivide(m, kMatMulTile));
    size.group_size = {kMatMulSide, kMatMulSide, 1};
    return Launch(c, kernel_, size, {c.input(0), c.input(1), *y, Index{m}, Index{n}, Index{k}});
  }

  // Relu stays a step of its own, because cuBLASLt does not say what it makes of NaN and -0.
  bool CanApply(Epilogue epilogue, const KernelEnv& env, const Shape& output,
                const Shape& addend) const override {
    return epilogue == Epilogue::kAdd && output.rank() == 2 && IsRow(addend, output.dim(1)) &&
           GpuDevice::Of(*env.memory).libraries().AddsBias();
  }

  bool ComputeWith(Epilogue epilogue, KernelContext& c) override {
    if (epilogue != Epilogue::kAdd || !HasMatricesAndRow(c)) return false;
    StackedProduct product = ProductOf(c);
    product.has_bias = true;
    DeviceLibraries& libraries = DeviceOf(c).libraries();
    if (!libraries.Supports(product)) return false;
    const auto y = c.Allocate(0, product.dtype, Shape{product.m, product.n});
    if (!y.ok()) return false;
    const auto started = libraries.Multiply(product, c.input(0), c.input(1), **y, &c.input(2));
    if (started.ok() && *started) return true;
    c.SetOutput(0, Tensor());  // so that the separate steps can use its memory
    return false;
  }
  bool ComputeWithSteps(std::span<const ChannelStep> /*steps*/, KernelContext& /*c*/) override {
    return false;
  }

 private:
  // Reports whether the inner dimensions of two matrices are equal.
  bool AreCompatible(const KernelContext& c) const {
    return c.input(0).dim(transpose_a_ ? 0 : 1) == c.input(1).dim(transpose_b_ ? 1 : 0);
  }
  StackedProduct ProductOf(const KernelContext& c) const {
    const Tensor &a = c.input(0), &b = c.input(1);
    return {a.dtype(),
            a.dim(transpose_a_ ? 1 : 0),
            b.dim(transpose_b_ ? 0 : 1),
            a.dim(transpose_a_ ? 0 : 1),
            transpose_a_,
            transpose_b_};
  }
  // Reports whether the inputs are compatible matrices and a row to add, all of float.
  bool HasMatricesAndRow(const KernelContext& c) const {
    for (int i = 0; i < 3; ++i) {
      const Tensor& input = c.input(i);
      if (input.dtype() != kFloat || input.memory() != c.env().memory) return false;
    }
    if (c.input(0).rank() != 2 || c.input(1).rank() != 2 || !AreCompatible(c)) return false;
    return IsRow(c.input(2).shape(), c.input(1).dim(transpose_b_ ? 0 : 1));
  }

  const bool transpose_a_;
  const bool transpose_b_;
  const KernelSpec kernel_;
};

[[maybe_unused]] const bool matmul_registered = [] {
  for (DType dtype : kRealTypes) {
    if (!HasMatMul(dtype)) continue;
    KernelRegistrar("MatMul", {"GPU", "T", dtype, &MatMulKernel::Make, nullptr});
  }
  return true;
}();

}  // namespace

std::vector<ProgramVariant> MatMulVariants() {
  std::vector<ProgramVariant> all;
  for (DType dtype : kRealTypes) {
    for (int transposed : {0, 1, 2, 3}) {
      if (!HasMatMul(dtype)) break;
      all.push_back({&kMatMul, MatMulDefinitions(dtype, transposed & 1, transposed & 2)});
    }
  }
  return all;
}

}  // namespace ramet::gpu
