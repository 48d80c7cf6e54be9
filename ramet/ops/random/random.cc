#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/random/random_state.h"

namespace ramet {
namespace {

template <Draw draw>
class FloatKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(DType dtype, node.attrs->Get<DType>("dtype"));
    return std::make_unique<FloatKernel>(*node.attrs, dtype);
  }
  FloatKernel(const AttrMap& attrs, DType dtype) : dtype_(dtype), random_(attrs) {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(Shape shape, ShapeArg(c.input(0), "shape"));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, dtype_, shape));
    const int64_t n = y->num_elements();
    return n > 0 ? Fill(draw, random_.Reserve(n), *y) : OkStatus();
  }

 private:
  const DType dtype_;
  RandomState random_;
};

class UniformIntKernel final : public Kernel {
 public:
  static std::unique_ptr<UniformIntKernel> Make(const KernelNode& node) {
    return std::make_unique<UniformIntKernel>(*node.attrs);
  }
  explicit UniformIntKernel(const AttrMap& attrs) : random_(attrs) {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(Shape shape, ShapeArg(c.input(0), "shape"));
    for (int i : {1, 2}) {
      if (c.input(i).rank() == 0) continue;
      return InvalidArgument(i == 1 ? "minval" : "maxval", " must be 0-D, got shape ",
                             c.input(i).shape());
    }
    const int64_t low = IntegerAt(c.input(1), 0), high = IntegerAt(c.input(2), 0);
    const DType dtype = c.input(1).dtype();
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, dtype, shape));
    const int64_t n = y->num_elements();
    if (n == 0) return OkStatus();
    if (low >= high) return InvalidArgument("Need minval < maxval, got ", low, " >= ", high);
    return FillUniformInt(random_.Reserve(n), low, high, *y);
  }

 private:
  RandomState random_;
};

Status UniformIntShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  RAMET_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  return ShapeFromInput<0>(c);
}

class ShuffleKernel final : public Kernel {
 public:
  static std::unique_ptr<ShuffleKernel> Make(const KernelNode& node) {
    return std::make_unique<ShuffleKernel>(*node.attrs);
  }
  explicit ShuffleKernel(const AttrMap& attrs) : random_(attrs) {}

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    if (x.rank() == 0 || x.dim(0) <= 1 || x.num_elements() == 0) {
      c.SetOutput(0, x);
      return OkStatus();
    }
    const int64_t rows = x.dim(0);
    RAMET_ASSIGN_OR_RETURN(Tensor order, Tensor::Allocate(DType::kInt64, Shape{rows}));
    random_.Move([&](linalg::Philox& generator) {
      linalg::FillShuffle(linalg::Type::kInt64, &generator, order.raw_data(), rows);
    });
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape()));
    const int64_t size = x.num_elements() / rows;
    if (const DeviceMath* math = DeviceMath::Of(x)) {
      RAMET_ASSIGN_OR_RETURN(const Tensor picks, math->FromHost(order));
      return math->GatherRows({1, 1, rows, size, rows}, x, picks, *y);
    }
    for (int64_t i = 0; i < rows; ++i) {
      CopyElements(x, order.data<int64_t>()[i] * size, *y, i * size, size);
    }
    return OkStatus();
  }

 private:
  RandomState random_;
};

}  // namespace

#define RAMET_RANDOM_FLOATS(name, doc)                                                            \
  RAMET_OP(name)                                                                                  \
      .Input("shape: T")                                                                          \
      .Output("output: dtype")                                                                    \
      .Attr("seed: int = 0")                                                                      \
      .Attr("seed2: int = 0")                                                                     \
      .AttrRange("seed", INT64_MIN, INT64_MAX)                                                    \
      .AttrRange("seed2", INT64_MIN, INT64_MAX)                                                   \
      .Attr("dtype: {half, bfloat16, float, double}")                                             \
      .Attr("T: {int32, int64}")                                                                  \
      .Doc(doc                                                                                    \
           " in the shape `shape`, a vector. With the same seeds, the numbers are the same as "   \
           "TensorFlow's; if both seeds are 0, they are different in every session. Each run "    \
           "continues the sequence of the previous one. Error: `shape` is not a vector or has a " \
           "negative element.")                                                                   \
      .Stateful()                                                                                 \
      .HostMemory({"shape"})                                                                      \
      .Shape(ShapeFromInput<0>)                                                                   \
      .NotDifferentiable()

RAMET_RANDOM_FLOATS("RandomUniform", "Returns random numbers, uniform in [0, 1),")
    .CpuKernelClass<FloatKernel<Draw::kUniform>>();
RAMET_RANDOM_FLOATS(
    "RandomStandardNormal",
    "Returns random numbers from the normal distribution with mean 0 and standard deviation 1,")
    .CpuKernelClass<FloatKernel<Draw::kNormal>>();
RAMET_RANDOM_FLOATS("TruncatedNormal",
                    "Returns random numbers from the normal distribution with mean 0 and standard "
                    "deviation 1, where numbers of magnitude 2 or more are drawn again,")
    .CpuKernelClass<FloatKernel<Draw::kTruncatedNormal>>();

RAMET_OP("RandomUniformInt")
    .Input("shape: T")
    .Input("minval: Tout")
    .Input("maxval: Tout")
    .Output("output: Tout")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .AttrRange("seed", INT64_MIN, INT64_MAX)
    .AttrRange("seed2", INT64_MIN, INT64_MAX)
    .Attr("Tout: {int32, int64}")
    .Attr("T: {int32, int64}")
    .Doc(
        "Returns random integers in [minval, maxval), both scalars, in the shape `shape`, a "
        "vector. Seeds and successive runs behave as in RandomUniform. Error: minval >= maxval, or "
        "one of them is not a scalar; `shape` is not a vector or has a negative element.")
    .Stateful()
    .HostMemory({"shape", "minval", "maxval"})
    .Shape(UniformIntShape)
    .CpuKernelClass<UniformIntKernel>();

RAMET_OP("RandomShuffle")
    .Input("value: T")
    .Output("output: T")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .AttrRange("seed", INT64_MIN, INT64_MAX)
    .AttrRange("seed2", INT64_MIN, INT64_MAX)
    .Attr("T: type")
    .Doc(
        "Returns the rows (slices along dimension 0) of `value` in random order. Seeds and "
        "successive runs behave as in RandomUniform.")
    .Stateful()
    .Shape(UnchangedShape)
    .NotDifferentiable()
    .CpuKernelClass<ShuffleKernel>();

}  // namespace ramet
