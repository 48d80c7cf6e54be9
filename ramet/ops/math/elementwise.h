#pragma once

#include "ramet/linalg/elementwise.h"
#include "ramet/op/op.h"

namespace ramet {

// Computes y = op(x). Output 0 has the shape of input 0, and its buffer if nothing else needs it.
Status ComputeUnary(linalg::UnaryOp op, KernelContext& c);

// Computes z = op(x, y) with inputs 0 and 1 broadcast.
// \error kInvalidArgument: "Incompatible shapes: [2] vs. [3]"; "Integer division by zero";
//   "Integers to negative integer powers are not allowed".
Status ComputeBinary(linalg::BinaryOp op, KernelContext& c);

// Computes z = op(x, y) for inputs with the same number of elements; z has the shape of input 0.
// \error kInvalidArgument: "The two arguments to a cwise op must have same number of elements, got
//   2 and 3".
Status ComputePairs(linalg::BinaryOp op, KernelContext& c);

// Computes z = op(x, y) for inputs of the same shape.
// \error kInvalidArgument: "Inputs must have the same size and shape.  Input 0: [2] != input 1:
//   [3]".
Status ComputeSameShape(linalg::BinaryOp op, KernelContext& c);

// Adapters for OpBuilder::CpuKernels: call one of the functions above for each type.
template <linalg::UnaryOp kOp>
struct UnaryKernel {
  template <class T>
  Status operator()(KernelContext& c) const {
    return ComputeUnary(kOp, c);
  }
};
template <linalg::BinaryOp kOp, auto kCompute = ComputeBinary>
struct BinaryKernel {
  template <class T>
  Status operator()(KernelContext& c) const {
    return kCompute(kOp, c);
  }
};

}  // namespace ramet
