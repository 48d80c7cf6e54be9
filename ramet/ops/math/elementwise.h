#pragma once

#include "ramet/linalg/elementwise.h"
#include "ramet/op/op.h"

namespace ramet {

// y = op(x): output 0 has the shape of input 0, and its buffer when nobody else needs it.
Status ComputeUnary(linalg::UnaryOp op, KernelContext& c);

// z = op(x, y) with inputs 0 and 1 broadcast.
// \error kInvalidArgument "Incompatible shapes: [2] vs. [3]"; "Integer division by zero";
//   "Integers to negative integer powers are not allowed".
Status ComputeBinary(linalg::BinaryOp op, KernelContext& c);

// z = op(x, y) for inputs of as many elements; z has the shape of input 0.
// \error kInvalidArgument "The two arguments to a cwise op must have same number of elements, got
//   2 and 3".
Status ComputePairs(linalg::BinaryOp op, KernelContext& c);

// The same for inputs of one shape.
// \error kInvalidArgument "Inputs must have the same size and shape.  Input 0: [2] != input 1:
// [3]".
Status ComputeSameShape(linalg::BinaryOp op, KernelContext& c);

// For OpBuilder::CpuKernels: one of the functions above for each type.
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
