#include "ramet/op/op.h"
#include "ramet/ops/queue/accumulator.h"
#include "ramet/ops/queue/session_resource.h"

namespace ramet {
namespace {

// Returns the accumulator that input 0 names, of any form.
StatusOr<std::shared_ptr<Resource>> AnyAccumulator(KernelContext& c) {
  return SessionResource(c, 0, DenseAccumulator::kKind);
}

template <class G>
Status CheckGradientType(const ConditionalAccumulator<G>& accumulator, DType found) {
  const DType expected = accumulator.spec().dtype;
  if (expected == found) return OkStatus();
  return InvalidArgument("Expected a gradient of dtype ", DTypeName(expected),
                         ", that of the accumulator '", accumulator.spec().name, "', but got ",
                         DTypeName(found));
}

Status CheckScalar(const Tensor& t, std::string_view name) {
  if (t.rank() == 0) return OkStatus();
  return InvalidArgument("Argument ", name, " must be scalar, but had bad shape ", t.shape());
}

Status ApplyDense(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto accumulator, SessionResourceAs<DenseAccumulator>(c));
  RAMET_RETURN_IF_ERROR(CheckGradientType(*accumulator, c.input(2).dtype()));
  RAMET_RETURN_IF_ERROR(CheckScalar(c.input(1), "local_step"));
  return accumulator->Apply(c.input(1).scalar<int64_t>(), c.input(2));
}

class ApplySparseKernel final : public Kernel {
 public:
  explicit ApplySparseKernel(const KernelNode& node)
      : has_known_shape_(node.attrs->GetOr("has_known_shape", false)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<ApplySparseKernel>(node));
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(auto accumulator, SessionResourceAs<SparseAccumulator>(c));
    RAMET_RETURN_IF_ERROR(CheckGradientType(*accumulator, c.input(3).dtype()));
    RAMET_RETURN_IF_ERROR(CheckScalar(c.input(1), "local_step"));
    SparseGradient gradient = {c.input(2), c.input(3), has_known_shape_ ? c.input(4) : Tensor()};
    return accumulator->Apply(c.input(1).scalar<int64_t>(), std::move(gradient));
  }

 private:
  const bool has_known_shape_;
};

Status NumAccumulated(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto resource, AnyAccumulator(c));
  int64_t n = 0;
  if (auto dense = std::dynamic_pointer_cast<DenseAccumulator>(resource)) {
    n = dense->num_accumulated();
  } else {
    RAMET_ASSIGN_OR_RETURN(auto sparse, SessionResourceAs<SparseAccumulator>(c));
    n = sparse->num_accumulated();
  }
  c.SetOutput(0, Tensor(static_cast<int32_t>(n)));
  return OkStatus();
}

Status SetGlobalStep(KernelContext& c) {
  RAMET_RETURN_IF_ERROR(CheckScalar(c.input(1), "new_global_step"));
  const int64_t step = c.input(1).scalar<int64_t>();
  RAMET_ASSIGN_OR_RETURN(auto resource, AnyAccumulator(c));
  if (auto dense = std::dynamic_pointer_cast<DenseAccumulator>(resource)) {
    dense->SetGlobalStep(step);
  } else {
    RAMET_ASSIGN_OR_RETURN(auto sparse, SessionResourceAs<SparseAccumulator>(c));
    sparse->SetGlobalStep(step);
  }
  return OkStatus();
}

// Takes a gradient from an accumulator of form A, and calls output(gradient).
template <class A, class Output>
Status TakeGradient(KernelContext& c, DType dtype, Output&& output) {
  RAMET_ASSIGN_OR_RETURN(auto accumulator, SessionResourceAs<A>(c));
  RAMET_RETURN_IF_ERROR(CheckGradientType(*accumulator, dtype));
  RAMET_RETURN_IF_ERROR(CheckScalar(c.input(1), "num_required"));
  RAMET_ASSIGN_OR_RETURN(auto gradient,
                         accumulator->Take(c.cancellation(), c.input(1).scalar<int32_t>()));
  output(std::move(gradient));
  return OkStatus();
}

template <bool sparse>
class TakeKernel final : public Kernel {
 public:
  explicit TakeKernel(const KernelNode& node) : dtype_(node.output_types[sparse ? 1 : 0]) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<TakeKernel>(node));
  }
  Status Compute(KernelContext& c) override {
    if constexpr (sparse) {
      return TakeGradient<SparseAccumulator>(c, dtype_, [&](SparseGradient g) {
        c.SetOutput(0, std::move(g.indices));
        c.SetOutput(1, std::move(g.values));
        c.SetOutput(2, std::move(g.shape));
      });
    } else {
      return TakeGradient<DenseAccumulator>(c, dtype_,
                                            [&](Tensor g) { c.SetOutput(0, std::move(g)); });
    }
  }

 private:
  const DType dtype_;
};

Status AccumulatorHandleShape(ShapeContext& c) {
  c.set_output(0, Shape{2});
  return OkStatus();
}

constexpr char kDenseDoc[] =
    "Creates an accumulator that adds up gradients of one shape and returns their mean, or their "
    "sum, when enough have come. Gradients of earlier steps than its own are dropped. Kernels: "
    "half, float, double.";
constexpr char kSparseDoc[] =
    "Creates an accumulator of sparse gradients, rows with indices. Rows of the same index are "
    "averaged, or summed.";
constexpr char kApplyDoc[] =
    "Adds a gradient to an accumulator, unless local_step is less than the step of the "
    "accumulator. Error: the shape does not fit.";
constexpr char kApplySparseDoc[] =
    "Adds rows of a gradient to an accumulator, unless local_step is less than the step of the "
    "accumulator. Error: the shapes do not fit.";
constexpr char kTakeDoc[] =
    "Returns the mean, or the sum, of the gradients when there are at least num_required, and "
    "removes them; waits for them. Error: num_required is not positive.";
constexpr char kNumAccumulatedDoc[] = "Returns the number of gradients in an accumulator.";
constexpr char kSetStepDoc[] =
    "Sets the step of an accumulator; gradients of earlier steps are dropped from then on.";

#define RAMET_GRADIENT_TYPES                                                                    \
  "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, " \
  "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}"

#define RAMET_ACCUMULATOR(name, form, shape, resource, make, doc) \
  RAMET_OP(name)                                                  \
      .Output("handle: " form)                                    \
      .Attr(RAMET_GRADIENT_TYPES)                                 \
      .Attr("shape: shape")                                       \
      .Attr("container: string = ''")                             \
      .Attr("shared_name: string = ''")                           \
      .Attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'")           \
      .Stateful()                                                 \
      .Doc(doc)                                                   \
      .Shape(shape)                                               \
      .CpuKernelClass<ResourceKernel<resource, make>>()

RAMET_ACCUMULATOR("ConditionalAccumulator", "Ref(string)", AccumulatorHandleShape, DenseAccumulator,
                  MakeDenseAccumulator, kDenseDoc);
RAMET_ACCUMULATOR("ResourceConditionalAccumulator", "resource", AccumulatorHandleShape,
                  DenseAccumulator, MakeDenseAccumulator, kDenseDoc);
RAMET_ACCUMULATOR("SparseConditionalAccumulator", "Ref(string)", AccumulatorHandleShape,
                  SparseAccumulator, MakeSparseAccumulator, kSparseDoc);

#define RAMET_ACCUMULATOR_USES(prefix, form, state)                   \
  RAMET_OP(prefix "AccumulatorApplyGradient")                         \
      .Input("handle: " form)                                         \
      .Input("local_step: int64")                                     \
      .Input("gradient: dtype")                                       \
      .Attr(RAMET_GRADIENT_TYPES) state.Doc(kApplyDoc)                \
      .Shape(NoOutputs)                                               \
      .CpuKernel(ApplyDense);                                         \
  RAMET_OP(prefix "AccumulatorNumAccumulated")                        \
      .Input("handle: " form)                                         \
      .Output("num_accumulated: int32") state.Doc(kNumAccumulatedDoc) \
      .Shape(ScalarShape)                                             \
      .CpuKernel(NumAccumulated);                                     \
  RAMET_OP(prefix "AccumulatorSetGlobalStep")                         \
      .Input("handle: " form)                                         \
      .Input("new_global_step: int64") state.Doc(kSetStepDoc)         \
      .Shape(NoOutputs)                                               \
      .CpuKernel(SetGlobalStep);                                      \
  RAMET_OP(prefix "AccumulatorTakeGradient")                          \
      .Input("handle: " form)                                         \
      .Input("num_required: int32")                                   \
      .Output("average: dtype")                                       \
      .Attr(RAMET_GRADIENT_TYPES) state.Doc(kTakeDoc)                 \
      .Shape(UnknownShape)                                            \
      .CpuKernelClass<TakeKernel<false>>()

#define RAMET_NO_STATE
RAMET_ACCUMULATOR_USES("", "Ref(string)", RAMET_NO_STATE);
RAMET_ACCUMULATOR_USES("Resource", "resource", .Stateful());

RAMET_OP("SparseAccumulatorApplyGradient")
    .Input("handle: Ref(string)")
    .Input("local_step: int64")
    .Input("gradient_indices: int64")
    .Input("gradient_values: dtype")
    .Input("gradient_shape: int64")
    .Attr(RAMET_GRADIENT_TYPES)
    .Attr("has_known_shape: bool")
    .Doc(kApplySparseDoc)
    .Shape(NoOutputs)
    .CpuKernelClass<ApplySparseKernel>();

RAMET_OP("SparseAccumulatorTakeGradient")
    .Input("handle: Ref(string)")
    .Input("num_required: int32")
    .Output("indices: int64")
    .Output("values: dtype")
    .Output("shape: int64")
    .Attr(RAMET_GRADIENT_TYPES)
    .Doc(kTakeDoc)
    .Shape(UnknownShape)
    .CpuKernelClass<TakeKernel<true>>();

}  // namespace
}  // namespace ramet
