#pragma once

// A few ops for tests of layers below ramet/ops: definitions and shapes, with kernels where tests
// run them. Include this in only one file of a test program.

#include "ramet/op/op.h"

namespace ramet::testing {

inline Status ShapeFromAttr(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.attr<Shape>("shape"));
  c.set_output(0, shape);
  return OkStatus();
}

inline Status ShapeOfConst(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Tensor value, c.attr<Tensor>("value"));
  c.set_output(0, value.shape());
  return OkStatus();
}

inline Status AddFloats(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(Tensor * out, c.Allocate(0, kFloat, c.input(0).shape()));
  for (int64_t i = 0; i < out->num_elements(); ++i) {
    out->mutable_data<float>()[i] = c.input(0).data<float>()[i] + c.input(1).data<float>()[i];
  }
  return OkStatus();
}

inline Status PassOn(KernelContext& c) {
  c.SetOutput(0, c.input(0));
  return OkStatus();
}

RAMET_OP("Const")
    .Output("output: dtype")
    .Attr("value: tensor")
    .Attr("dtype: type")
    .Shape(ShapeOfConst);
RAMET_OP("NoOp");
RAMET_OP("Placeholder")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape = unknown")
    .Shape(ShapeFromAttr);
RAMET_OP("Identity")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Shape(UnchangedShape)
    .CpuKernel(PassOn);
RAMET_OP("AddV2")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {float, double, int32, int64}")
    .Shape(BroadcastBinaryShape)
    .CpuKernel("T", kFloat, AddFloats);
RAMET_OP("VariableV2")
    .Output("ref: Ref(dtype)")
    .Attr("shape: shape")
    .Attr("dtype: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(ShapeFromAttr);
RAMET_OP("Assign")
    .Input("ref: Ref(T)")
    .Input("value: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: type")
    .Attr("validate_shape: bool = true")
    .Attr("use_locking: bool = true")
    .AllowsUninitializedInput()
    .Shape(UnchangedShape);

}  // namespace ramet::testing
