#include "ramet/builders/initializers.h"

#include <algorithm>
#include <cmath>

#include "ramet/builders/random.h"
#include "ramet/builders/tensors.h"
#include "ramet/gradients/shape_ops.h"
#include "ramet/graph/make_variable.h"

namespace ramet {
namespace {

// The standard deviation of a normal distribution truncated at +-2.
constexpr double kTruncatedStddev = .87962566103423978;

struct Fans {
  double in, out;
};

Fans FansOf(const Shape& shape) {
  const int rank = shape.rank();
  if (rank < 1) return {1, 1};
  if (rank == 1) return {static_cast<double>(shape.dim(0)), static_cast<double>(shape.dim(0))};
  double field = 1;
  for (int i = 0; i < rank - 2; ++i) field *= static_cast<double>(shape.dim(i));
  return {static_cast<double>(shape.dim(rank - 2)) * field,
          static_cast<double>(shape.dim(rank - 1)) * field};
}

Input Dims(const Shape& shape) { return DimsTensor(shape); }

bool FloatingOnly(Graph& graph, DType dtype) {
  if (IsFloating(dtype)) return true;
  graph.RecordError(InvalidArgument("this initializer supports floating-point dtypes, not ",
                                    DTypeName(dtype), "; use a different initializer"));
  return false;
}

Initializer Filled(double value, const char* name) {
  return [value, name](Graph& graph, const Shape& shape, DType dtype) {
    return FilledTensor(graph, shape, dtype, value, name);
  };
}

// Returns `value` in the given shape, with the last element repeated.
StatusOr<Tensor> Stretch(const Tensor& value, const Shape& shape) {
  RAMET_ASSIGN_OR_RETURN(Tensor all, Tensor::Allocate(value.dtype(), shape));
  const int64_t have = value.num_elements(), want = all.num_elements();
  if (have > want || (have == 0 && want > 0)) {
    return InvalidArgument("a constant of ", have,
                           " elements cannot initialize a variable of shape ", shape);
  }
  if (value.dtype() == kString) {
    for (int64_t i = 0; i < want; ++i) {
      all.mutable_data<std::string>()[i] = value.data<std::string>()[std::min(i, have - 1)];
    }
    return all;
  }
  const size_t size = DTypeSize(value.dtype());
  const auto* from = static_cast<const char*>(value.raw_data());
  auto* to = static_cast<char*>(all.raw_data());
  for (int64_t i = 0; i < want; ++i) {
    to = std::copy_n(from + static_cast<size_t>(std::min(i, have - 1)) * size, size, to);
  }
  return all;
}

StatusOr<Tensor> ConstantFor(const Input& value, const Shape& shape, DType dtype) {
  if (!value.is_constant()) {
    return InvalidArgument("ConstantInit takes a number or a Tensor, not an output of the graph");
  }
  const Tensor& given = value.constant();
  if (given.dtype() == dtype) return Stretch(given, shape);
  if (given.dtype() == kString || given.num_elements() == 0 || dtype == kString) {
    return InvalidArgument("a ", DTypeName(given.dtype()), " constant cannot initialize a ",
                           DTypeName(dtype), " variable");
  }
  RAMET_ASSIGN_OR_RETURN(Tensor converted, Tensor::Allocate(dtype, given.shape()));
  const size_t size = DTypeSize(dtype);
  for (int64_t i = 0; i < given.num_elements(); ++i) {
    RAMET_ASSIGN_OR_RETURN(double number, NumberAt(given, i));
    RAMET_ASSIGN_OR_RETURN(Tensor element, NumberTensor(dtype, number));
    std::copy_n(static_cast<const char*>(element.raw_data()), size,
                static_cast<char*>(converted.raw_data()) + static_cast<size_t>(i) * size);
  }
  return Stretch(converted, shape);
}

}  // namespace

Initializer Zeros() { return Filled(0, "zeros"); }
Initializer Ones() { return Filled(1, "ones"); }

Initializer ConstantInit(const Input& value) {
  return [value](Graph& graph, const Shape& shape, DType dtype) {
    auto constant = ConstantFor(value, shape, dtype);
    if (constant.ok()) return Constant(graph, *constant, "Const");
    graph.RecordError(constant.status());
    return Output();
  };
}

Initializer RandomUniform(const Input& minval, const Input& maxval, std::optional<int64_t> seed) {
  return [=](Graph& graph, const Shape& shape, DType dtype) {
    return RandomUniform(graph, Dims(shape),
                         {.minval = minval, .maxval = maxval, .dtype = dtype, .seed = seed});
  };
}

Initializer RandomNormal(const Input& mean, const Input& stddev, std::optional<int64_t> seed) {
  return [=](Graph& graph, const Shape& shape, DType dtype) {
    if (!FloatingOnly(graph, dtype)) return Output();
    return RandomNormal(graph, Dims(shape),
                        {.mean = mean, .stddev = stddev, .dtype = dtype, .seed = seed, .name = ""});
  };
}

Initializer TruncatedNormal(const Input& mean, const Input& stddev, std::optional<int64_t> seed) {
  return [=](Graph& graph, const Shape& shape, DType dtype) {
    if (!FloatingOnly(graph, dtype)) return Output();
    return TruncatedNormal(
        graph, Dims(shape),
        {.mean = mean, .stddev = stddev, .dtype = dtype, .seed = seed, .name = ""});
  };
}

Initializer VarianceScaling(double scale, FanMode mode, Distribution distribution,
                            std::optional<int64_t> seed) {
  return [=](Graph& graph, const Shape& shape, DType dtype) {
    if (!(scale > 0)) {
      graph.RecordError(
          InvalidArgument("Argument `scale` must be a positive float. Received: ", scale));
      return Output();
    }
    if (!FloatingOnly(graph, dtype)) return Output();
    const Fans fans = FansOf(shape);
    const double n = mode == FanMode::kFanIn    ? fans.in
                     : mode == FanMode::kFanOut ? fans.out
                                                : (fans.in + fans.out) / 2;
    const double variance = scale / std::max(1.0, n);
    if (distribution == Distribution::kUniform) {
      const double limit = std::sqrt(3.0 * variance);
      return RandomUniform(-limit, limit, seed)(graph, shape, dtype);
    }
    if (distribution == Distribution::kUntruncatedNormal) {
      return RandomNormal(0.0, std::sqrt(variance), seed)(graph, shape, dtype);
    }
    return TruncatedNormal(0.0, std::sqrt(variance) / kTruncatedStddev, seed)(graph, shape, dtype);
  };
}

Initializer GlorotUniform(std::optional<int64_t> seed) {
  return VarianceScaling(1.0, FanMode::kFanAvg, Distribution::kUniform, seed);
}

Initializer GlorotNormal(std::optional<int64_t> seed) {
  return VarianceScaling(1.0, FanMode::kFanAvg, Distribution::kTruncatedNormal, seed);
}

Initializer HeUniform(std::optional<int64_t> seed) {
  return VarianceScaling(2.0, FanMode::kFanIn, Distribution::kUniform, seed);
}

Initializer HeNormal(std::optional<int64_t> seed) {
  return VarianceScaling(2.0, FanMode::kFanIn, Distribution::kTruncatedNormal, seed);
}

Initializer LecunUniform(std::optional<int64_t> seed) {
  return VarianceScaling(1.0, FanMode::kFanIn, Distribution::kUniform, seed);
}

Initializer LecunNormal(std::optional<int64_t> seed) {
  return VarianceScaling(1.0, FanMode::kFanIn, Distribution::kTruncatedNormal, seed);
}

Initializer UniformUnitScaling(double factor, std::optional<int64_t> seed) {
  return [=](Graph& graph, const Shape& shape, DType dtype) {
    if (!FloatingOnly(graph, dtype)) return Output();
    double inputs = 1;
    for (int i = 0; i < shape.rank() - 1; ++i) inputs *= static_cast<double>(shape.dim(i));
    const double limit = std::sqrt(3 / std::max(inputs, 1.0)) * factor;
    return RandomUniform(-limit, limit, seed)(graph, shape, dtype);
  };
}

namespace {
[[maybe_unused]] const bool kDefaultSet = (SetDefaultFloatInitializer(GlorotUniform()), true);
}  // namespace

}  // namespace ramet
