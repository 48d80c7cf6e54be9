#include <random>

#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/random/generator_variable.h"
#include "ramet/ops/random/stateless_seed.h"

// Random numbers from a generator whose state is a resource variable.

namespace ramet {
namespace {

template <Draw draw>
class StatefulFloats final : public Kernel {
 public:
  explicit StatefulFloats(DType dtype) : dtype_(dtype) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<StatefulFloats>(node.output_types[0]));
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const Shape shape, ShapeArg(c.input(2), "shape"));
    RAMET_ASSIGN_OR_RETURN(const linalg::Philox generator, TakeGenerator(c, shape.num_elements()));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, dtype_, shape));
    return Fill(draw, generator, *y);
  }

 private:
  const DType dtype_;
};

// Integers in [minval, maxval), or, if not `bounded`, from all values of the dtype.
template <bool bounded>
class StatefulInts final : public Kernel {
 public:
  explicit StatefulInts(DType dtype) : dtype_(dtype) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<StatefulInts>(node.output_types[0]));
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const Shape shape, ShapeArg(c.input(2), "shape"));
    int64_t low = 0, high = 0;
    if (bounded) RAMET_RETURN_IF_ERROR(ReadBounds(c, &low, &high));
    RAMET_ASSIGN_OR_RETURN(const linalg::Philox generator, TakeGenerator(c, shape.num_elements()));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, dtype_, shape));
    return FillUniformInt(generator, low, high, *y);
  }

 private:
  static Status ReadBounds(KernelContext& c, int64_t* low, int64_t* high) {
    for (int i : {3, 4}) {
      if (c.input(i).rank() == 0) continue;
      return InvalidArgument(i == 3 ? "minval" : "maxval", " must be 0-D, got shape ",
                             c.input(i).shape());
    }
    *low = IntegerAt(c.input(3), 0);
    *high = IntegerAt(c.input(4), 0);
    if (*low < *high) return OkStatus();
    return InvalidArgument("Need minval < maxval, got ", *low, " >= ", *high);
  }

  const DType dtype_;
};

template <class T>
using BoundedStatefulInts = StatefulInts<true>;
template <class T>
using FullStatefulInts = StatefulInts<false>;
template <class T>
using StatefulUniforms = StatefulFloats<Draw::kUniform>;
template <class T>
using StatefulNormals = StatefulFloats<Draw::kNormal>;
template <class T>
using StatefulTruncatedNormals = StatefulFloats<Draw::kTruncatedNormal>;

StatusOr<int64_t> SkipCount(KernelContext& c) {
  if (c.input(2).rank() == 0) return IntegerAt(c.input(2), 0);
  return InvalidArgument("input 2 (0-based) must have shape [], not ", c.input(2).shape());
}

Status SkipNumbers(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const int64_t count, SkipCount(c));
  return TakeGenerator(c, count).status();
}

Status ReadAndSkipNumbers(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const int64_t count, SkipCount(c));
  RAMET_ASSIGN_OR_RETURN(const linalg::Philox taken, TakeGenerator(c, count));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, kInt64, Shape{kPhiloxStateSize}));
  const auto state = StateOfPhilox(taken);
  for (size_t i = 0; i < state.size(); ++i) {
    y->mutable_data<int64_t>()[i] = static_cast<int64_t>(state[i]);
  }
  return OkStatus();
}

template <class T>
class NonDeterministicInts final : public Kernel {
 public:
  static std::unique_ptr<Kernel> Make(const KernelNode&) {
    return std::make_unique<NonDeterministicInts>();
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const Shape shape, ShapeArg(c.input(0), "shape"));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DTypeOf<T>::value, shape));
    std::random_device device;
    for (T& value : y->mutable_flat<T>()) {
      value = static_cast<T>(uint64_t{device()} << 32 | device());
    }
    return OkStatus();
  }
};

Status StatefulShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  for (int i : {1, 3, 4}) {
    if (i < c.num_inputs()) RAMET_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  return ShapeFromInput<2>(c);
}

Status SkipShape(ShapeContext& c) {
  for (int i = 0; i < 3; ++i) RAMET_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  if (c.num_outputs() > 0) c.set_output(0, Shape{kPhiloxStateSize});
  return OkStatus();
}

#define RAMET_STATEFUL_DOC                                                                      \
  " in the shape `shape`, a vector, and advances the generator: an int64 variable with the "    \
  "counter and key of Philox. The numbers are the same as TensorFlow's. Error: `algorithm` is " \
  "not 1, Philox; the variable has fewer than 3 elements; `shape` is not a vector or has a "    \
  "negative element"

#define RAMET_STATEFUL_FLOATS(name, doc, kernel) \
  RAMET_OP(name)                                 \
      .Input("resource: resource")               \
      .Input("algorithm: int64")                 \
      .Input("shape: shape_dtype")               \
      .Output("output: dtype")                   \
      .Attr("dtype: type = DT_FLOAT")            \
      .Attr("shape_dtype: type = DT_INT64")      \
      .Doc(doc RAMET_STATEFUL_DOC ".")           \
      .Stateful()                                \
      .HostMemory({"algorithm", "shape"})        \
      .Shape(StatefulShape)                      \
      .NotDifferentiable()                       \
      .CpuKernelClasses<kernel, Half, BFloat16, float, double>("dtype")

RAMET_STATEFUL_FLOATS("StatefulUniform", "Returns random numbers, uniform in [0, 1),",
                      StatefulUniforms);
RAMET_STATEFUL_FLOATS("StatefulStandardNormalV2",
                      "Returns random numbers from the normal distribution with mean 0 and "
                      "standard deviation 1,",
                      StatefulNormals);
RAMET_STATEFUL_FLOATS("StatefulTruncatedNormal",
                      "Returns random numbers from the normal distribution with mean 0 and "
                      "standard deviation 1, where numbers of magnitude 2 or more are drawn again,",
                      StatefulTruncatedNormals);

RAMET_OP("StatefulUniformInt")
    .Input("resource: resource")
    .Input("algorithm: int64")
    .Input("shape: shape_dtype")
    .Input("minval: dtype")
    .Input("maxval: dtype")
    .Output("output: dtype")
    .Attr("dtype: type = DT_INT64")
    .Attr("shape_dtype: type = DT_INT64")
    .Doc("Returns random integers in [minval, maxval), both scalars," RAMET_STATEFUL_DOC
         "; minval >= maxval, or one of them is not a scalar.")
    .Stateful()
    .HostMemory({"algorithm", "shape", "minval", "maxval"})
    .Shape(StatefulShape)
    .NotDifferentiable()
    .CpuKernelClasses<BoundedStatefulInts, int32_t, int64_t>("dtype");

RAMET_OP("StatefulUniformFullInt")
    .Input("resource: resource")
    .Input("algorithm: int64")
    .Input("shape: shape_dtype")
    .Output("output: dtype")
    .Attr("dtype: type = DT_UINT64")
    .Attr("shape_dtype: type = DT_INT64")
    .Doc("Returns random integers from the whole range of dtype," RAMET_STATEFUL_DOC ".")
    .Stateful()
    .HostMemory({"algorithm", "shape"})
    .Shape(StatefulShape)
    .NotDifferentiable()
    .CpuKernelClasses<FullStatefulInts, int32_t, int64_t, uint32_t, uint64_t>("dtype");

RAMET_OP("RngSkip")
    .Input("resource: resource")
    .Input("algorithm: int64")
    .Input("delta: int64")
    .Doc(
        "Advances a generator, an int64 variable with the counter and key of Philox, as drawing "
        "`delta` numbers does. Error: `algorithm` is not 1, Philox; the variable has fewer than 3 "
        "elements.")
    .Stateful()
    .HostMemory({"algorithm", "delta"})
    .Shape(SkipShape)
    .NotDifferentiable()
    .CpuKernel(SkipNumbers);

RAMET_OP("RngReadAndSkip")
    .Input("resource: resource")
    .Input("alg: int32")
    .Input("delta: uint64")
    .Output("value: int64")
    .Doc(
        "Advances a generator, an int64 variable with the counter and key of Philox, as drawing "
        "`delta` numbers does, and returns its state before that, [3]. Error: `alg` is not 1, "
        "Philox; the variable has fewer than 3 elements.")
    .Stateful()
    .HostMemory({"alg", "delta", "value"})
    .Shape(SkipShape)
    .NotDifferentiable()
    .CpuKernel(ReadAndSkipNumbers);

RAMET_OP("NonDeterministicInts")
    .Input("shape: shape_dtype")
    .Output("output: dtype")
    .Attr("dtype: type = DT_INT64")
    .Attr("shape_dtype: type = DT_INT64")
    .Doc(
        "Returns random integers of the system's source of randomness, from the whole range of "
        "dtype, in the shape `shape`, a vector. Error: `shape` is not a vector or has a negative "
        "element.")
    .Stateful()
    .HostMemory({"shape", "output"})
    .Shape(ShapeFromInput<0>)
    .NotDifferentiable()
    .CpuKernelClasses<NonDeterministicInts, int32_t, int64_t, uint32_t, uint64_t>("dtype");

}  // namespace
}  // namespace ramet
