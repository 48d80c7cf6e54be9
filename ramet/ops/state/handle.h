#pragma once

#include "ramet/op/kernel.h"
#include "ramet/op/shape_context.h"

namespace ramet {

// Kernels of ops that read or update the variable which an input names: a Ref input, or a resource
// input (the handle of a VarHandleOp).

// \error kNotFound "Resource localhost/NAME/... does not exist.", TensorFlow's words for a resource
// variable without a value.
Status MissingResource(const VariableState& variable);
// \error kInvalidArgument if a variable of dtype `found` is used as one of `expected`.
Status CheckVariableType(std::string_view doing, DType expected, DType found);

// The value of the variable that resource input i names, to be read by the kernel.
// \error kInvalidArgument if it has another dtype, or a plain value was fed; kNotFound if it has no
//   value.
StatusOr<Tensor> ReadHandle(KernelContext& c, int i, DType dtype);

// Input 0 is to be updated: a Ref is passed on as output 0; a handle must have a value.
// \error kInvalidArgument if a plain value was fed in its place; kNotFound if the resource variable
//   has no value.
Status TakeTarget(KernelContext& c);

// An update of some elements (KernelContext::ModifyRef) starts with the old ones.
void CopyUnlessInPlace(const Tensor& old, Tensor& out);

// What is known of the shape of the variable that input i names: of a Ref its own, of a handle that
// of the VarHandleOp. An op that passes no variable on takes handles.
Shape TargetShape(ShapeContext& c, int i = 0);
// Output 0, where there is one.
void SetTargetOutput(ShapeContext& c, Shape shape);

}  // namespace ramet
