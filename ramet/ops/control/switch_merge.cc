#include "ramet/gradients/control_flow_gradients.h"
#include "ramet/op/op.h"
#include "ramet/tensor/outside_values.h"

namespace ramet {
namespace {

Status PassOn(KernelContext& c, int input, int output) {
  if (VariableState* variable = c.variable(input)) {
    c.SetRefOutput(output, variable);
  } else {
    c.SetOutput(output, c.input(input));
  }
  return OkStatus();
}

Status RunPassOn(KernelContext& c) { return PassOn(c, 0, 0); }

Status RunSwitch(KernelContext& c) {
  const Tensor& pred = c.input(1);
  if (pred.num_elements() != 1) {
    return InvalidArgument("pred must be a scalar, but it has shape ", pred.shape());
  }
  return PassOn(c, 0, IsTrue(pred) ? 1 : 0);
}

Status RunMerge(KernelContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (c.input(i).empty() && c.variable(i) == nullptr) continue;
    c.SetOutput(1, Tensor(static_cast<int32_t>(i)));
    return PassOn(c, i, 0);
  }
  return Internal("Merge op has no live input");
}

Status SwitchShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  c.set_output(0, c.input(0));
  c.set_output(1, c.input(0));
  return OkStatus();
}

// Keeps the dimensions that all input shapes have in common. The back edge of a loop that has not
// been added yet has an unknown shape.
Status MergeShape(ShapeContext& c) {
  Shape merged = c.input(0);
  for (int i = 1; i < c.num_inputs() && !merged.unknown_rank(); ++i) {
    const Shape& other = c.input(i);
    if (other.unknown_rank() || other.rank() != merged.rank()) {
      merged = Shape::Unknown();
      break;
    }
    std::vector<int64_t> dims;
    for (int d = 0; d < merged.rank(); ++d) {
      dims.push_back(merged.dim(d) == other.dim(d) ? merged.dim(d) : Shape::kUnknownDim);
    }
    merged = Shape(dims);
  }
  c.set_output(0, merged);
  c.set_output(1, Shape(std::vector<int64_t>{}));
  return OkStatus();
}

Status EnterShape(ShapeContext& c) {
  if (c.attrs().GetOr<bool>("is_constant", false)) c.set_output(0, c.input(0));
  return OkStatus();
}

Status PredShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.WithRank(0, 0));
  c.set_output(0, shape);
  return OkStatus();
}

}  // namespace

RAMET_OP("Switch")
    .Input("data: T")
    .Input("pred: bool")
    .Output("output_false: T")
    .Output("output_true: T")
    .Attr("T: type")
    .Doc(
        "Forwards `data` to output_true if the scalar `pred` is true, otherwise to output_false; "
        "the output that is not chosen is dead. Error: `pred` is not a scalar.")
    .Shape(SwitchShape)
    .HostMemory({"pred"})
    .Gradient(SwitchGradient)
    .CpuKernel(RunSwitch);

RAMET_OP("RefSwitch")
    .Input("data: Ref(T)")
    .Input("pred: bool")
    .Output("output_false: Ref(T)")
    .Output("output_true: Ref(T)")
    .Attr("T: type")
    .AllowsUninitializedInput()
    .Doc("Like Switch, for a reference to a variable.")
    .Shape(SwitchShape)
    .HostMemory({"pred"})
    .Gradient(SwitchGradient)
    .CpuKernel(RunSwitch);

RAMET_OP("Merge")
    .Input("inputs: N * T")
    .Output("output: T")
    .Output("value_index: int32")
    .Attr("T: type")
    .Attr("N: int >= 1")
    .Doc("Forwards the input that is not dead, and its position.")
    .Shape(MergeShape)
    .HostMemory({"value_index"})
    .Gradient(MergeGradient)
    .CpuKernel(RunMerge);

RAMET_OP("RefMerge")
    .Input("inputs: N * Ref(T)")
    .Output("output: Ref(T)")
    .Output("value_index: int32")
    .Attr("T: type")
    .Attr("N: int >= 1")
    .Doc("Like Merge, for references to variables.")
    .Shape(MergeShape)
    .HostMemory({"value_index"})
    .Gradient(MergeGradient)
    .CpuKernel(RunMerge);

#define RAMET_ENTER(name, in, out, doc)      \
  RAMET_OP(name)                             \
      .Input(in)                             \
      .Output(out)                           \
      .Attr("T: type")                       \
      .Attr("frame_name: string")            \
      .Attr("is_constant: bool = false")     \
      .Attr("parallel_iterations: int = 10") \
      .Doc(doc)                              \
      .Shape(EnterShape)                     \
      .Gradient(EnterGradient)               \
      .CpuKernel(RunPassOn)

RAMET_ENTER("Enter", "data: T", "output: T",
            "Passes a value into a loop frame: to the first iteration, or to all iterations if "
            "is_constant is true.");
RAMET_ENTER("RefEnter", "data: Ref(T)", "output: Ref(T)",
            "Like Enter, for a reference to a variable.");

#define RAMET_PASS_ON(name, in, out, gradient, doc) \
  RAMET_OP(name)                                    \
      .Input(in)                                    \
      .Output(out)                                  \
      .Attr("T: type")                              \
      .Doc(doc)                                     \
      .Shape(UnchangedShape)                        \
      .Gradient(gradient)                           \
      .CpuKernel(RunPassOn)

RAMET_PASS_ON("Exit", "data: T", "output: T", ExitGradient, "Passes a value out of a loop frame.");
RAMET_PASS_ON("RefExit", "data: Ref(T)", "output: Ref(T)", ExitGradient,
              "Like Exit, for a reference to a variable.");
RAMET_PASS_ON("NextIteration", "data: T", "output: T", NextIterationGradient,
              "Passes a value to the next iteration of a loop.");
RAMET_PASS_ON("RefNextIteration", "data: Ref(T)", "output: Ref(T)", NextIterationGradient,
              "Like NextIteration, for a reference to a variable.");

RAMET_OP("LoopCond")
    .Input("input: bool")
    .Output("output: bool")
    .Doc("Forwards the condition that decides whether a loop continues.")
    .Shape(PredShape)
    .HostMemory({"input", "output"})
    .NotDifferentiable()
    .CpuKernel(RunPassOn);

}  // namespace ramet
