#pragma once

#include <algorithm>
#include <string>

#include "ramet/backends/gpu/codegen/dialect.h"
#include "ramet/backends/gpu/gpu_device.h"
#include "ramet/linalg/reduce.h"
#include "ramet/op/tensor_math.h"
#include "ramet/tensor/dtype.h"

// Programs of the families of ops other than element-wise ones, and the structs that their kernels
// take by value. The sources say what each definition means.
namespace ramet::gpu {

extern const Program kCopyProgram;  // copies between strided layouts
extern const Program kSelectProgram;
extern const Program kAddProgram;   // sums of two tensors
extern const Program kRootProgram;  // square roots
extern const Program kLeakyReluProgram;
extern const Program kClipProgram;
extern const Program kInTopKProgram;
extern const Program kTopKProgram;        // largest elements of rows
extern const Program kScanProgram;        // running sums and products
extern const Program kSegmentProgram;     // combinations of rows that follow each other
extern const Program kLrnProgram;         // local response normalization
extern const Program kWeightsProgram;     // probabilities of classes
extern const Program kReduceProgram;      // sums, products, extremes along axes
extern const Program kArgProgram;         // positions of extremes along an axis
extern const Program kRowsProgram;        // softmax and cross entropy of rows
extern const Program kProductProgram;     // matrix products and convolutions
extern const Program kGroupedProgram;     // convolutions of groups of channels
extern const Program kPoolProgram;        // pooling and its gradients
extern const Program kNormProgram;        // batch normalization
extern const Program kNormSumsProgram;    // its moments, and the sums of its gradient
extern const Program kIndexProgram;       // gathers, assignments of rows, one-hot
extern const Program kRowSumProgram;      // sums of rows with atomic additions
extern const Program kRowCombineProgram;  // products, quotients, extremes of rows
extern const Program kRandomProgram;      // random numbers of Philox generators

// The ranks that programs with a definition RANK are compiled for. Loops over dimensions then have
// a constant length, so that structs of parameters are not copied to memory. Compiling takes
// seconds, so large ranks, which are rare, share a program.
constexpr int kCompiledRanks[] = {1, 2, 3, 4, 8};
// Returns the index in kCompiledRanks of the one for up to `rank` dimensions, at most 8.
inline int RankIndex(int rank) {
  return static_cast<int>(std::ranges::lower_bound(kCompiledRanks, rank) - kCompiledRanks);
}

constexpr int kMaxCopyDims = 8;
// The outermost dimensions come first. Unused ones have size 1.
struct CopyDims {
  int64_t sizes[kMaxCopyDims], from[kMaxCopyDims], to[kMaxCopyDims];
  int64_t from_offset, to_offset;
};

// The kept and the reduced dimensions of a reduction, outermost first. Unused ones have size 1.
constexpr int kMaxReduceDims = 4;
struct ReduceDims {
  int64_t kept[kMaxReduceDims], kept_strides[kMaxReduceDims];
  int64_t reduced[kMaxReduceDims], reduced_strides[kMaxReduceDims];
};
// The numbers of dimensions that a program is compiled for.
struct ReduceRanks {
  int kept, reduced;
};

// The stacks of matrices of a product, and the strides in the matrices.
constexpr int kMaxStackDims = 6;
struct Stacks {
  int64_t sizes[kMaxStackDims], a[kMaxStackDims], b[kMaxStackDims];
  int64_t a_row, a_column, b_row, b_column;
  int32_t rank, unused;
};

// The sizes of linalg::ConvGeometry and linalg::PoolGeometry.
struct Window {
  int32_t batch, in_channels, out_channels, groups;
  int32_t in[3], filter[3], out[3], stride[3], dilation[3], pad[3];
  int32_t channels_first;
};

struct PhiloxState {
  uint32_t counter[4], key[2];
};

constexpr int kMaxTupleDims = 8;
struct TupleDims {
  int64_t sizes[kMaxTupleDims];
  int32_t depth, unused;
};

// Returns the tag of a dtype (DialectTag).
inline std::string TagOf(DType dtype) { return std::string(DialectTag(dtype)); }
// Returns the dtype in which kernels sum values of a dtype.
DType SumType(DType dtype);
// Returns the dtype of sums of rows, for which GPUs have atomic additions.
DType RowSumType(DType dtype);

// Return the definitions of the programs. `width` is the number of bytes of an element: 1, 2, 4 or
// 8. The sources say what the definitions mean.
Definitions CopyDefinitions(size_t width, int rank);
Definitions SelectDefinitions(size_t width);
Definitions AddDefinitions(DType dtype);
Definitions RootDefinitions(DType dtype);
Definitions LeakyReluDefinitions(DType dtype);
Definitions ClipDefinitions(DType dtype);
Definitions InTopKDefinitions(DType target);
Definitions TopKDefinitions(DType dtype, DType index);
Definitions ScanDefinitions(linalg::ReduceOp op, DType dtype);
Definitions SegmentDefinitions(linalg::ReduceOp op, DType dtype);
Definitions LrnDefinitions(DType dtype);
Definitions WeightsDefinitions(DType dtype, DType weight);
Definitions ReduceDefinitions(linalg::ReduceOp op, int map, DType x, DType y, ReduceRanks ranks);
Definitions ArgDefinitions(bool max, DType x, DType y);
Definitions RowsDefinitions(DType dtype, DType label);
Definitions ProductDefinitions(int kind, DType dtype, DType result);
Definitions GroupedDefinitions(DType dtype);
Definitions PoolDefinitions(DType dtype);
Definitions NormDefinitions(DType dtype);
Definitions IndexDefinitions(size_t width, DType index);
Definitions RowSumDefinitions(DType dtype, DType index);
// `update` is none of kAssign, kAdd and kSub.
Definitions RowCombineDefinitions(RowUpdate update, DType dtype, DType index);
Definitions RandomDefinitions(DType dtype);

}  // namespace ramet::gpu
