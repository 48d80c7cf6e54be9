#include <algorithm>

#include "ramet/gradients/branch_gradients.h"
#include "ramet/gradients/functional_while.h"
#include "ramet/gradients/symbolic_gradient.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/move.h"

namespace ramet {
namespace {

// Executors run these ops (op/function_call.h); kernels do not have access to the function library.
Status NeedsExecutor(KernelContext&) {
  return Internal(
      "an op that calls library functions can only be run by an executor, not as a kernel");
}

// Uses the attr output_shapes, or, without it, what else the graph knows about the functions.
Status StatedShapes(ShapeContext& c) {
  const auto shapes = c.attrs().GetOr<std::vector<Shape>>("output_shapes", {});
  if (shapes.empty()) return UnknownShape(c);
  if (std::ssize(shapes) != c.num_outputs()) {
    return InvalidArgument("`output_shapes` must be the same length as num outputs (",
                           shapes.size(), " vs. ", c.num_outputs(), ")");
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shapes[i]);
  return OkStatus();
}

// A gradient has the shape of its argument.
Status GradientShapes(ShapeContext& c) {
  for (int i = 0; i < std::min(c.num_inputs(), c.num_outputs()); ++i) c.set_output(i, c.input(i));
  return OkStatus();
}

// Assumes that a loop does not change the shapes of its variables.
Status WhileShapes(ShapeContext& c) {
  if (!c.attrs().GetOr<std::vector<Shape>>("output_shapes", {}).empty()) return StatedShapes(c);
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(i));
  return OkStatus();
}

Status FakeParamShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.attr<Shape>("shape"));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// A value that is never read: zeros, with size 0 in unknown dimensions.
class FakeParam final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(Shape shape, node.attrs->Get<Shape>("shape"));
    RAMET_ASSIGN_OR_RETURN(DType dtype, node.attrs->Get<DType>("dtype"));
    std::vector<int64_t> dims;
    for (int i = 0; i < shape.rank(); ++i) dims.push_back(std::max<int64_t>(shape.dim(i), 0));
    return std::unique_ptr<Kernel>(new FakeParam(dtype, Shape(dims)));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(Tensor * value, c.Allocate(0, dtype_, shape_));
    if (!IsVariant(dtype_)) RAMET_RETURN_IF_ERROR(FillZeros(*value));
    return OkStatus();
  }

 private:
  FakeParam(DType dtype, Shape shape) : dtype_(dtype), shape_(std::move(shape)) {}

  const DType dtype_;
  const Shape shape_;
};

}  // namespace

#define RAMET_CALL_OP(name)               \
  RAMET_OP(name)                          \
      .Input("args: Tin")                 \
      .Output("output: Tout")             \
      .Attr("Tin: list(type) >= 0")       \
      .Attr("Tout: list(type) >= 0")      \
      .Attr("f: func")                    \
      .Attr("config: string = ''")        \
      .Attr("config_proto: string = ''")  \
      .Attr("executor_type: string = ''") \
      .CallsProgram()                     \
      .Shape(UnknownShape)                \
      .Gradient(BranchGradient)           \
      .CpuKernel(NeedsExecutor)

RAMET_CALL_OP("PartitionedCall")
    .Doc("Calls the library function f. config, config_proto and executor_type are ignored.");

RAMET_CALL_OP("StatefulPartitionedCall").Stateful().Doc("Like PartitionedCall.");

RAMET_OP("SymbolicGradient")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("Tin: list(type) >= 1")
    .Attr("Tout: list(type) >= 1")
    .Attr("f: func")
    .Doc(
        "Computes the gradients of the function f. The inputs are the arguments of f and the "
        "gradients of its results; the outputs are the gradients of its arguments.")
    .CallsProgram()
    .Shape(GradientShapes)
    .Gradient(SymbolicGradientGradient)
    .CpuKernel(NeedsExecutor);

#define RAMET_IF_OP(name)                      \
  RAMET_OP(name)                               \
      .Input("cond: Tcond")                    \
      .Input("input: Tin")                     \
      .Output("output: Tout")                  \
      .Attr("Tcond: type")                     \
      .Attr("Tin: list(type) >= 0")            \
      .Attr("Tout: list(type) >= 0")           \
      .Attr("then_branch: func")               \
      .Attr("else_branch: func")               \
      .Attr("output_shapes: list(shape) = []") \
      .CallsProgram()                          \
      .Shape(StatedShapes)                     \
      .Gradient(BranchGradient)                \
      .CpuKernel(NeedsExecutor)

RAMET_IF_OP("If").Stateful().Doc(
    "Calls then_branch with the inputs if cond is true, otherwise else_branch. If cond is not a "
    "bool, a scalar is true unless it is zero or the empty string, and a tensor of higher rank is "
    "true if it has elements.");

RAMET_IF_OP("StatelessIf").Doc("Like If.");

#define RAMET_CASE_OP(name)                    \
  RAMET_OP(name)                               \
      .Input("branch_index: int32")            \
      .Input("input: Tin")                     \
      .Output("output: Tout")                  \
      .Attr("Tin: list(type) >= 0")            \
      .Attr("Tout: list(type) >= 0")           \
      .Attr("branches: list(func) >= 1")       \
      .Attr("output_shapes: list(shape) = []") \
      .CallsProgram()                          \
      .Shape(StatedShapes)                     \
      .Gradient(BranchGradient)                \
      .CpuKernel(NeedsExecutor)

RAMET_CASE_OP("Case").Stateful().Doc(
    "Calls the function branches[branch_index] with the inputs, or the last function if "
    "branch_index is out of range.");

RAMET_CASE_OP("StatelessCase").Doc("Like Case.");

#define RAMET_WHILE_OP(name)                   \
  RAMET_OP(name)                               \
      .Input("input: T")                       \
      .Output("output: T")                     \
      .Attr("T: list(type) >= 0")              \
      .Attr("cond: func")                      \
      .Attr("body: func")                      \
      .Attr("output_shapes: list(shape) = []") \
      .Attr("parallel_iterations: int = 10")   \
      .CallsProgram()                          \
      .Shape(WhileShapes)                      \
      .Gradient(FunctionalWhileGradient)       \
      .CpuKernel(NeedsExecutor)

RAMET_WHILE_OP("While").Stateful().Doc(
    "Calls body with the inputs, then with the results of the previous call, and so on. Before "
    "each call, cond is called with the same values; the loop ends when its result is not true, in "
    "the sense of If. Iterations run one after another.");

RAMET_WHILE_OP("StatelessWhile").Doc("Like While.");

RAMET_OP("FakeParam")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Doc(
        "Returns zeros in place of a value that only a different branch computes. Nothing may "
        "depend on them.")
    .Shape(FakeParamShape)
    .NotDifferentiable()
    .CpuKernelClass<FakeParam>();

}  // namespace ramet
