#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "ramet/op/kernel.h"
#include "ramet/ops/math/wrapping.h"
#include "ramet/tensor/quantized.h"

// Numbers of quantized tensors in the mode MIN_FIRST, in which a step of the integers is the same
// fraction of the range and 0 is an integer exactly.

namespace ramet {

// A QuantizedRange holds the floats that the lowest and the highest integer stand for.
struct QuantizedRange {
  float low = 0, high = 0;
};

// The integers of a type.
template <class Rep>
struct QuantizedSteps {
  static constexpr int64_t kLowest = std::numeric_limits<Rep>::min();
  static constexpr int64_t kHighest = std::numeric_limits<Rep>::max();
  static constexpr int64_t kCount = kHighest - kLowest + 1;
};

// Converts as x86 does: NaN and numbers that do not fit become the smallest integer.
inline int64_t ToInt64(double x) {
  constexpr double kEnd = 9223372036854775808.0;
  return x >= -kEnd && x < kEnd ? static_cast<int64_t>(x) : std::numeric_limits<int64_t>::min();
}
// Returns how many integers are between the lowest one and the one for x.
template <class Rep>
int64_t StepsAboveLowest(float x, QuantizedRange range) {
  if (range.low == range.high) return 0;
  const double count = static_cast<double>(QuantizedSteps<Rep>::kCount);
  const double width = (range.high - range.low) * (count / (count - 1.0));
  const double scale = count / width;
  return ToInt64(std::round(x * scale) - std::round(range.low * scale));
}

// Returns the integer for x, which may be outside of the type's. NaN may wrap around to the largest
// integers, as in TensorFlow.
template <class Rep>
int64_t UnclampedStepOf(float x, QuantizedRange range) {
  return WrappingAdd(StepsAboveLowest<Rep>(x, range), QuantizedSteps<Rep>::kLowest);
}

// Returns the integer for x, or the nearest one. NaN becomes the lowest integer.
template <class Rep>
Rep StepOf(float x, QuantizedRange range) {
  using Steps = QuantizedSteps<Rep>;
  const int64_t steps = StepsAboveLowest<Rep>(x, range);
  return static_cast<Rep>(Steps::kLowest +
                          std::min(std::max<int64_t>(steps, 0), Steps::kCount - 1));
}

// Returns the float that an integer stands for.
template <class Rep>
float FloatOf(Rep step, QuantizedRange range) {
  using Steps = QuantizedSteps<Rep>;
  if (range.low == range.high) return range.low;
  const double count = static_cast<double>(Steps::kCount);
  const double scale = (range.high - range.low) * (count / (count - 1.0)) / count;
  const auto rounded_scale = static_cast<float>(scale);
  const double start = std::round(range.low / rounded_scale) * rounded_scale;
  // TensorFlow converts the integer to a float first.
  const double exact = static_cast<float>(step);
  return static_cast<float>(start + (exact - Steps::kLowest) * scale);
}

// Returns the integer of type To for the number that an integer of type From stands for.
template <class From, class To>
To RequantizedStep(From step, QuantizedRange from, QuantizedRange to) {
  return StepOf<To>(FloatOf(step, from), to);
}

// Returns the range of products of numbers in the ranges a and b, as integers of type C.
template <class A, class B, class C>
QuantizedRange ProductRange(QuantizedRange a, QuantizedRange b) {
  const auto unit = []<class Rep>(QuantizedRange range, Rep) {
    return (range.high - range.low) /
           static_cast<float>(QuantizedSteps<Rep>::kHighest - QuantizedSteps<Rep>::kLowest);
  };
  const float product = unit(a, A{}) * unit(b, B{});
  return {product * static_cast<float>(QuantizedSteps<C>::kLowest),
          product * static_cast<float>(QuantizedSteps<C>::kHighest)};
}

// Returns the range in which TensorFlow adds numbers of the ranges a and b: 2^bits as wide as the
// wider one.
inline QuantizedRange SumRange(QuantizedRange a, QuantizedRange b, int bits) {
  const float widest = std::max(a.high, std::max(-a.low, std::max(b.high, -b.low)));
  const float high = widest * static_cast<float>(1 << bits);
  return {-high, high};
}

// The words in which TensorFlow's ops refuse a bound that is not a scalar.
enum class BoundError : uint8_t {
  kRank,          // NAME must be rank 0 but is rank 1
  kQuotedRank,    // `NAME` must be rank 0 but is rank 1
  kShapeRank,     // NAME shape must be rank 0 but is rank 1, received shape: [1]
  kScalar,        // NAME must be a scalar
  kScalarShape,   // NAME must be a scalar, but got shape[2]
  kScalarVector,  // NAME must be a scalar or a vector of 1 element
  kElement,       // NAME must have 1 element
  kNotEmpty,      // NAME must not be empty.
};

// Returns the range that the inputs i and i + 1 hold.
// \error kInvalidArgument: one of them is not a scalar. kScalarVector accepts vectors of one element;
//        kScalarShape and kElement accept one element of any rank; kNotEmpty takes the first
//        element.
StatusOr<QuantizedRange> ReadRange(const KernelContext& c, int i, const char* low, const char* high,
                                   BoundError error);

// Sets the outputs i and i + 1.
Status WriteRange(KernelContext& c, int i, QuantizedRange range);

// A TypedKernel calls a function, for nodes whose first inputs and outputs have given types.
class TypedKernel final : public Kernel {
 public:
  explicit TypedKernel(KernelFunction function) : function_(function) {}
  Status Compute(KernelContext& c) override { return function_(c); }

  // \error kUnimplemented: the node has other types.
  static StatusOr<std::unique_ptr<Kernel>> For(const KernelNode& node,
                                               std::span<const DType> inputs, DType output,
                                               KernelFunction function);

 private:
  const KernelFunction function_;
};

}  // namespace ramet
