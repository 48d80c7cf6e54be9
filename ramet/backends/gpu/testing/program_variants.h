#pragma once

#include <vector>

#include "ramet/backends/gpu/kernels/kernels.h"
#include "ramet/backends/gpu/ops/program_variants.h"

namespace ramet::gpu {

// Returns the programs of kernels/ with the definitions for all their dtypes.
inline std::vector<ProgramVariant> KernelsVariants() {
  using linalg::ReduceOp;
  constexpr DType kFloats[] = {kFloat, kHalf, kBFloat16, kDouble};
  constexpr DType kReals[] = {kFloat, kHalf,  kBFloat16, kDouble, kInt8,   kInt16,
                              kInt32, kInt64, kUInt8,    kUInt16, kUInt32, kUInt64};
  constexpr DType kIndices[] = {kInt32, kInt64};
  std::vector<ProgramVariant> all;
  const auto add = [&](const Program& program, Definitions definitions) {
    all.push_back({&program, std::move(definitions)});
  };
  for (size_t width : {1, 2, 4, 8}) {
    for (int rank : kCompiledRanks) add(kCopyProgram, CopyDefinitions(width, rank));
    add(kSelectProgram, SelectDefinitions(width));
    for (DType index : {kInt16, kInt32, kInt64, kUInt8}) {
      add(kIndexProgram, IndexDefinitions(width, index));
    }
  }
  for (DType t : kReals) {
    add(kAddProgram, AddDefinitions(t));
    add(kClipProgram, ClipDefinitions(t));
    add(kWeightsProgram, WeightsDefinitions(t, kDouble));
    for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kProd}) add(kScanProgram, ScanDefinitions(op, t));
    for (ReduceOp op :
         {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMean, ReduceOp::kMax, ReduceOp::kMin}) {
      add(kSegmentProgram, SegmentDefinitions(op, t));
    }
    for (DType index : {kInt16, kInt32, kInt64}) add(kTopKProgram, TopKDefinitions(t, index));
    add(kPoolProgram, PoolDefinitions(t));
    for (DType index : kIndices) {
      add(kRowSumProgram, RowSumDefinitions(t, index));
      for (RowUpdate update : {RowUpdate::kMul, RowUpdate::kDiv, RowUpdate::kMax}) {
        add(kRowCombineProgram, RowCombineDefinitions(update, t, index));
      }
      for (bool max : {false, true}) add(kArgProgram, ArgDefinitions(max, t, index));
    }
    for (ReduceOp op :
         {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMean, ReduceOp::kMax, ReduceOp::kMin}) {
      add(kReduceProgram, ReduceDefinitions(op, 0, t, t, {1, 1}));
      add(kReduceProgram, ReduceDefinitions(op, 0, t, SumType(t), {1, 1}));
    }
  }
  for (DType t : {kFloat, kHalf, kBFloat16, kDouble, kInt32}) {
    for (int kind : {0, 1, 2, 3}) add(kProductProgram, ProductDefinitions(kind, t, t));
    add(kProductProgram, ProductDefinitions(3, t, SumType(t)));
  }
  for (DType t : kFloats) {
    add(kReduceProgram, ReduceDefinitions(ReduceOp::kSumSquares, 1, t, t, {1, 1}));
    for (ReduceRanks ranks : {ReduceRanks{1, 2}, {2, 1}, {2, 2}, {4, 4}}) {
      add(kReduceProgram, ReduceDefinitions(ReduceOp::kSum, 0, t, t, ranks));
    }
    add(kLeakyReluProgram, LeakyReluDefinitions(t));
    add(kRootProgram, RootDefinitions(t));
    add(kGroupedProgram, GroupedDefinitions(t));
    add(kRandomProgram, RandomDefinitions(t));
    for (DType label : kIndices) add(kRowsProgram, RowsDefinitions(t, label));
    if (t == kDouble) continue;
    add(kNormProgram, NormDefinitions(t));
    add(kNormSumsProgram, NormDefinitions(t));
    add(kLrnProgram, LrnDefinitions(t));
  }
  for (DType t : kIndices) add(kInTopKProgram, InTopKDefinitions(t));
  for (DType t : kIndices) add(kRandomProgram, RandomDefinitions(t));
  for (ReduceOp op : {ReduceOp::kAll, ReduceOp::kAny}) {
    add(kReduceProgram, ReduceDefinitions(op, 0, kBool, kBool, {1, 1}));
  }
  return all;
}

// Returns all programs with the definitions for all their dtypes.
inline std::vector<ProgramVariant> AllVariants() {
  std::vector<ProgramVariant> all = KernelsVariants();
  for (const auto& variants : {AssignVariants(), CastVariants(), ElementwiseVariants(),
                               MatMulVariants(), OptimizerVariants(), ReduceTreeVariants()}) {
    all.insert(all.end(), variants.begin(), variants.end());
  }
  return all;
}

}  // namespace ramet::gpu
