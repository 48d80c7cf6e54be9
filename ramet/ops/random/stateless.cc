#include "ramet/linalg/random.h"
#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/random/stateless_seed.h"

namespace ramet {
namespace {

constexpr int32_t kPhilox = 1, kThreeFry = 2, kAutoSelect = 3;

uint64_t Joined(uint32_t low, uint32_t high) { return (static_cast<uint64_t>(high) << 32) | low; }
uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

Status CheckCounter(const Tensor& t) {
  if (t.rank() != 1) return InvalidArgument("counter must have rank 1, got shape ", t.shape());
  if (t.dim(0) >= 2) return OkStatus();
  return InvalidArgument("counter must have at least 2 elements, got shape ", t.shape());
}

Status CheckSeedShapeAt(ShapeContext& c, int input) {
  RAMET_ASSIGN_OR_RETURN(Shape seed, c.WithRank(input, 1));
  if (seed.dim(0) == 2 || seed.dim(0) == Shape::kUnknownDim) return OkStatus();
  return InvalidArgument("seed must have shape [2], not ", seed);
}

// The source of the generator, and the position of the arguments after it.
struct Seeded {
  static constexpr int kArgs = 2;
  static StatusOr<linalg::Philox> Generator(const KernelContext& c) {
    return GeneratorFromSeed(c.input(1));
  }
  static Status CheckShapes(ShapeContext& c) { return CheckSeedShape(c); }
};
struct Keyed {
  static constexpr int kArgs = 4;
  static StatusOr<linalg::Philox> Generator(const KernelContext& c) { return GeneratorFromKey(c); }
  static Status CheckShapes(ShapeContext& c) { return CheckKeyShapes(c); }
};

template <class Source>
Status StatelessShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(Source::CheckShapes(c));
  return ShapeFromInput<0>(c);
}

template <class Source>
Status StatelessIntShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(Source::kArgs, 0).status());
  RAMET_RETURN_IF_ERROR(c.WithRank(Source::kArgs + 1, 0).status());
  return StatelessShape<Source>(c);
}

class ShapedKernel : public Kernel {
 public:
  explicit ShapedKernel(DType dtype) : dtype_(dtype) {}

 protected:
  const DType dtype_;
};

template <class K>
StatusOr<std::unique_ptr<Kernel>> MakeShaped(const KernelNode& node) {
  RAMET_ASSIGN_OR_RETURN(DType dtype, node.attrs->Get<DType>("dtype"));
  return std::unique_ptr<Kernel>(new K(dtype));
}

template <class Source, Draw draw>
class StatelessFloats final : public ShapedKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return MakeShaped<StatelessFloats>(node);
  }
  using ShapedKernel::ShapedKernel;

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(Shape shape, ShapeArg(c.input(0), "shape"));
    RAMET_ASSIGN_OR_RETURN(linalg::Philox generator, Source::Generator(c));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, dtype_, shape));
    return Fill(draw, generator, *y);
  }
};

// Integers in [minval, maxval), or, if not `bounded`, from all values of the dtype.
template <class Source, bool bounded>
class StatelessInts final : public ShapedKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return MakeShaped<StatelessInts>(node);
  }
  using ShapedKernel::ShapedKernel;

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(Shape shape, ShapeArg(c.input(0), "shape"));
    RAMET_ASSIGN_OR_RETURN(linalg::Philox generator, Source::Generator(c));
    int64_t low = 0, high = 0;
    if (bounded) RAMET_RETURN_IF_ERROR(ReadBounds(c, &low, &high));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, dtype_, shape));
    return FillUniformInt(generator, low, high, *y);
  }

 private:
  Status ReadBounds(const KernelContext& c, int64_t* low, int64_t* high) const {
    const Tensor& minval = c.input(Source::kArgs);
    const Tensor& maxval = c.input(Source::kArgs + 1);
    if (minval.rank() != 0) {
      return InvalidArgument("minval must be 0-D, got shape ", minval.shape());
    }
    if (maxval.rank() != 0) {
      return InvalidArgument("maxval must be 0-D, got shape ", maxval.shape());
    }
    *low = IntegerAt(minval, 0);
    *high = IntegerAt(maxval, 0);
    if (*low < *high) return OkStatus();
    return InvalidArgument("Need minval < maxval, got ", *low, " >= ", *high);
  }
};

// The form for CpuKernelClasses; TensorFlow has this op for two dtypes only.
template <class T>
using KeyedInts = StatelessInts<Keyed, true>;

Status KeyCounter(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(linalg::Philox generator, GeneratorFromSeed(c.input(0)));
  RAMET_ASSIGN_OR_RETURN(Tensor * key, c.Allocate(0, DType::kUInt64, Shape{1}));
  RAMET_ASSIGN_OR_RETURN(Tensor * counter, c.Allocate(1, DType::kUInt64, Shape{2}));
  const PhiloxState state = StateOfPhilox(generator);
  key->mutable_data<uint64_t>()[0] = state[2];
  counter->mutable_data<uint64_t>()[0] = state[0];
  counter->mutable_data<uint64_t>()[1] = state[1];
  return OkStatus();
}

Status Algorithm(KernelContext& c, int output) {
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(output, DType::kInt32, Shape{}));
  y->mutable_data<int32_t>()[0] = kPhilox;
  return OkStatus();
}

Status AlgorithmAlone(KernelContext& c) { return Algorithm(c, 0); }

Status KeyCounterAlgorithm(KernelContext& c) {
  RAMET_RETURN_IF_ERROR(KeyCounter(c));
  return Algorithm(c, 2);
}

Status KeyCounterShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(CheckSeedShapeAt(c, 0));
  c.set_output(0, Shape{1});
  c.set_output(1, Shape{2});
  if (c.num_outputs() > 2) c.set_output(2, Shape{});
  return OkStatus();
}

Status AlgorithmShape(ShapeContext& c) {
  c.set_output(0, Shape{});
  return OkStatus();
}

}  // namespace

linalg::Philox PhiloxFromState(const PhiloxState& state) {
  return linalg::Philox({Low(state[0]), High(state[0]), Low(state[1]), High(state[1])},
                        {Low(state[2]), High(state[2])});
}

PhiloxState StateOfPhilox(const linalg::Philox& generator) {
  const auto& words = generator.counter();
  return {Joined(words[0], words[1]), Joined(words[2], words[3]),
          Joined(generator.key()[0], generator.key()[1])};
}

StatusOr<linalg::Philox> GeneratorFromSeed(const Tensor& seed) {
  if (seed.shape() != Shape{2}) {
    return InvalidArgument("seed must have shape [2], not ", seed.shape());
  }
  const auto first = static_cast<uint64_t>(IntegerAt(seed, 0));
  const auto second = static_cast<uint64_t>(IntegerAt(seed, 1));
  const linalg::Philox::Words mixed = linalg::Philox(
      {Low(first), High(first), Low(second), High(second)}, {0x3ec8f720, 0x02461e29})();
  return linalg::Philox({0, 0, mixed[2], mixed[3]}, {mixed[0], mixed[1]});
}

StatusOr<linalg::Philox> GeneratorFromKey(const KernelContext& c) {
  if (c.input(3).rank() != 0) {
    return InvalidArgument("algorithm must be of shape [], not ", c.input(3).shape());
  }
  const int32_t algorithm = c.input(3).scalar<int32_t>();
  if (algorithm == kThreeFry) {
    return Unimplemented(
        "the algorithm ThreeFry (2) is not supported; use 1 (Philox) or 3 (auto-select)");
  }
  if (algorithm != kPhilox && algorithm != kAutoSelect) {
    return InvalidArgument("Unsupported algorithm id: ", algorithm);
  }
  if (c.input(1).rank() != 1 || c.input(1).dim(0) != 1) {
    return InvalidArgument("key must have shape [1], not ", c.input(1).shape(), ".");
  }
  RAMET_RETURN_IF_ERROR(CheckCounter(c.input(2)));
  const uint64_t key = c.input(1).data<uint64_t>()[0];
  const uint64_t* counter = c.input(2).data<uint64_t>();
  return PhiloxFromState({counter[0], counter[1], key});
}

Status CheckSeedShape(ShapeContext& c) { return CheckSeedShapeAt(c, 1); }

Status CheckKeyShapes(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  RAMET_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  return c.WithRank(3, 0).status();
}

#define RAMET_SEED_DOC \
  " The numbers depend only on `seed` (two integers) and are the same as TensorFlow's."
#define RAMET_KEY_DOC                                                                              \
  " The numbers depend only on `key` ([1]), `counter` ([2]) and `alg` (1 is Philox; 3 selects it " \
  "automatically) and are the same as TensorFlow's."
#define RAMET_SHAPE_ERROR " Error: `shape` is not a vector or has a negative element"
#define RAMET_SEED_ERROR "; `seed` does not have two elements"
#define RAMET_KEY_ERROR                                                                           \
  "; `key` or `counter` is too short; `alg` is not a scalar or is unknown; `alg` is 2, ThreeFry " \
  "(kUnimplemented)"

#define RAMET_STATELESS_FLOATS(name, doc, fill)                       \
  RAMET_OP(name)                                                      \
      .Input("shape: T")                                              \
      .Input("seed: Tseed")                                           \
      .Output("output: dtype")                                        \
      .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")      \
      .Attr("T: {int32, int64} = DT_INT32")                           \
      .Attr("Tseed: {int32, int64} = DT_INT64")                       \
      .Doc(doc RAMET_SEED_DOC RAMET_SHAPE_ERROR RAMET_SEED_ERROR ".") \
      .HostMemory({"shape", "seed"})                                  \
      .Shape(StatelessShape<Seeded>)                                  \
      .NotDifferentiable()                                            \
      .CpuKernelClass<StatelessFloats<Seeded, fill>>();               \
  RAMET_OP(name "V2")                                                 \
      .Input("shape: Tshape")                                         \
      .Input("key: uint64")                                           \
      .Input("counter: uint64")                                       \
      .Input("alg: int32")                                            \
      .Output("output: dtype")                                        \
      .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")      \
      .Attr("Tshape: {int32, int64} = DT_INT32")                      \
      .Doc(doc RAMET_KEY_DOC RAMET_SHAPE_ERROR RAMET_KEY_ERROR ".")   \
      .HostMemory({"shape", "key", "counter", "alg"})                 \
      .Shape(StatelessShape<Keyed>)                                   \
      .NotDifferentiable()                                            \
      .CpuKernelClass<StatelessFloats<Keyed, fill>>()

RAMET_STATELESS_FLOATS("StatelessRandomUniform",
                       "Returns random numbers, uniform in [0, 1), in the shape `shape`, a vector.",
                       Draw::kUniform);
RAMET_STATELESS_FLOATS("StatelessRandomNormal",
                       "Returns random numbers from the normal distribution with mean 0 and "
                       "standard deviation 1, in the shape `shape`, a vector.",
                       Draw::kNormal);
RAMET_STATELESS_FLOATS(
    "StatelessTruncatedNormal",
    "Returns random numbers from the normal distribution with mean 0 and standard deviation 1, "
    "where numbers of magnitude 2 or more are drawn again, in the shape `shape`, a vector.",
    Draw::kTruncatedNormal);

RAMET_OP("StatelessRandomUniformInt")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Input("minval: dtype")
    .Input("maxval: dtype")
    .Output("output: dtype")
    .Attr("dtype: {int32, int64}")
    .Attr("T: {int32, int64}")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Doc(
        "Returns random integers in [minval, maxval), both scalars, in the shape `shape`, a "
        "vector." RAMET_SEED_DOC RAMET_SHAPE_ERROR RAMET_SEED_ERROR
        "; minval >= maxval, or one of them is not a scalar.")
    .HostMemory({"shape", "seed", "minval", "maxval"})
    .Shape(StatelessIntShape<Seeded>)
    .NotDifferentiable()
    .CpuKernelClass<StatelessInts<Seeded, true>>();

RAMET_OP("StatelessRandomUniformIntV2")
    .Input("shape: Tshape")
    .Input("key: uint64")
    .Input("counter: uint64")
    .Input("alg: int32")
    .Input("minval: dtype")
    .Input("maxval: dtype")
    .Output("output: dtype")
    .Attr("dtype: {int32, int64, uint32, uint64}")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Doc(
        "Returns random integers in [minval, maxval), both scalars, in the shape `shape`, a "
        "vector." RAMET_KEY_DOC RAMET_SHAPE_ERROR RAMET_KEY_ERROR
        "; minval >= maxval, or one of them is not a scalar.")
    .HostMemory({"shape", "key", "counter", "alg", "minval", "maxval"})
    .Shape(StatelessIntShape<Keyed>)
    .NotDifferentiable()
    .CpuKernelClasses<KeyedInts, int32_t, int64_t>("dtype");

RAMET_OP("StatelessRandomUniformFullInt")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Output("output: dtype")
    .Attr("dtype: {int32, int64, uint32, uint64} = DT_UINT64")
    .Attr("T: {int32, int64} = DT_INT32")
    .Attr("Tseed: {int32, int64, uint32, uint64} = DT_INT64")
    .Doc(
        "Returns random integers from the whole range of dtype, in the shape `shape`, a "
        "vector." RAMET_SEED_DOC RAMET_SHAPE_ERROR RAMET_SEED_ERROR ".")
    .HostMemory({"shape", "seed"})
    .Shape(StatelessShape<Seeded>)
    .NotDifferentiable()
    .CpuKernelClass<StatelessInts<Seeded, false>>();

RAMET_OP("StatelessRandomUniformFullIntV2")
    .Input("shape: Tshape")
    .Input("key: uint64")
    .Input("counter: uint64")
    .Input("alg: int32")
    .Output("output: dtype")
    .Attr("dtype: {int32, int64, uint32, uint64} = DT_UINT64")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Doc(
        "Returns random integers from the whole range of dtype, in the shape `shape`, a "
        "vector." RAMET_KEY_DOC RAMET_SHAPE_ERROR RAMET_KEY_ERROR ".")
    .HostMemory({"shape", "key", "counter", "alg"})
    .Shape(StatelessShape<Keyed>)
    .NotDifferentiable()
    .CpuKernelClass<StatelessInts<Keyed, false>>();

RAMET_OP("StatelessRandomGetKeyCounter")
    .Input("seed: Tseed")
    .Output("key: uint64")
    .Output("counter: uint64")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Doc(
        "Returns the key, [1], and the counter, [2], that correspond to `seed` (two integers) in "
        "the random ops whose names end in V2. Error: `seed` does not have two elements.")
    .HostMemory({"seed", "key", "counter"})
    .Shape(KeyCounterShape)
    .CpuKernel(KeyCounter);

RAMET_OP("StatelessRandomGetAlg")
    .Output("alg: int32")
    .Doc("Returns the random number algorithm of the device, a scalar: 1, which is Philox.")
    .Stateful()
    .HostMemory({"alg"})
    .Shape(AlgorithmShape)
    .CpuKernel(AlgorithmAlone);

RAMET_OP("StatelessRandomGetKeyCounterAlg")
    .Input("seed: Tseed")
    .Output("key: uint64")
    .Output("counter: uint64")
    .Output("alg: int32")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Doc(
        "Returns the results of StatelessRandomGetKeyCounter and StatelessRandomGetAlg. Error: "
        "`seed` does not have two elements.")
    .HostMemory({"seed", "key", "counter", "alg"})
    .Shape(KeyCounterShape)
    .CpuKernel(KeyCounterAlgorithm);

}  // namespace ramet
