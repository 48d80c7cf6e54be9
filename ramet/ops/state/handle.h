#pragma once

#include "ramet/op/kernel.h"
#include "ramet/op/shape_context.h"

namespace ramet {

// Helpers for kernels that read or update the variable that an input names: a Ref input, or a
// resource input (the handle of a VarHandleOp).

// Returns the error for a resource variable without a value, in the words of TensorFlow.
// \error kNotFound: "Resource localhost/NAME/... does not exist."
Status MissingResource(const VariableState& variable);
// Checks that a variable of dtype `found` is used as one of dtype `expected`.
// \error kInvalidArgument: the dtypes differ.
Status CheckVariableType(std::string_view doing, DType expected, DType found);

// Returns the value of the variable that resource input i names, for the kernel to read.
// \error kInvalidArgument: the variable has a different dtype, or a plain value was fed.
// \error kNotFound: the variable has no value.
StatusOr<Tensor> ReadHandle(KernelContext& c, int i, DType dtype);

// Prepares an update of input 0: a Ref becomes output 0; a handle must have a value.
// \error kInvalidArgument: a plain value was fed instead.
// \error kNotFound: the resource variable has no value.
Status TakeTarget(KernelContext& c);

// Copies `old` to `out` unless they share memory. Updates of some elements
// (KernelContext::ModifyRef) start with the old ones.
Status CopyUnlessInPlace(const Tensor& old, Tensor& out);

// Returns the known shape of the variable that input i names: that of the Ref, or that of the
// VarHandleOp of a handle. An op without outputs takes handles.
Shape TargetShape(ShapeContext& c, int i = 0);
// Sets the shape of output 0 if there is an output.
void SetTargetOutput(ShapeContext& c, Shape shape);

}  // namespace ramet
