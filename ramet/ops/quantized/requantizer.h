#pragma once

#include "ramet/ops/array/quantize_util.h"
#include "ramet/ops/quantized/range.h"

namespace ramet {

// A Dequantizer turns integers of one range into floats, in floats throughout.
template <class Rep>
class RangeDequantizer {
 public:
  explicit RangeDequantizer(QuantizedRange range) {
    using Steps = QuantizedSteps<Rep>;
    scale_ =
        static_cast<float>((range.high - range.low) / (static_cast<double>(Steps::kCount) - 1.0));
    const float low = range.high == range.low ? range.low : std::round(range.low / scale_) * scale_;
    start_ = low - static_cast<float>(Steps::kLowest) * scale_;
  }
  float operator()(Rep step) const { return start_ + static_cast<float>(step) * scale_; }

 private:
  float scale_, start_;
};

// A RangeQuantizer turns floats into integers of one range, in floats throughout.
template <class Rep>
class RangeQuantizer {
 public:
  explicit RangeQuantizer(QuantizedRange range) {
    using Steps = QuantizedSteps<Rep>;
    const double count = static_cast<double>(Steps::kCount);
    scale_ = range.high == range.low ? 0.0F
                                     : static_cast<float>((count - 1.0) / (range.high - range.low));
    offset_ = std::round(range.low * scale_) - static_cast<float>(Steps::kLowest);
  }
  Rep operator()(float x) const {
    const auto lowest = static_cast<float>(QuantizedSteps<Rep>::kLowest);
    const auto highest = std::min(static_cast<float>(QuantizedSteps<Rep>::kHighest), 2147483520.0F);
    const float step = std::round(x * scale_) - offset_;
    // NaN stays, and turns into the smallest int32.
    return static_cast<Rep>(ToInt32(step < lowest ? lowest : step > highest ? highest : step));
  }

 private:
  float scale_, offset_;
};

// A Requantizer turns integers of one range into integers of another one.
template <class From, class To>
class Requantizer {
 public:
  Requantizer(QuantizedRange from, QuantizedRange to) : dequantize_(from), quantize_(to) {}
  To operator()(From step) const { return quantize_(dequantize_(step)); }

 private:
  RangeDequantizer<From> dequantize_;
  RangeQuantizer<To> quantize_;
};

// Bytes become sums in 32 bits by multiplication with a whole number of steps, as in TensorFlow.
class WideningRequantizer {
 public:
  WideningRequantizer(QuantizedRange from, QuantizedRange to)
      : start_(UnclampedStepOf<int32_t>(FloatOf<uint8_t>(0, from), to)),
        step_(static_cast<int32_t>(
            WrappingSub(UnclampedStepOf<int32_t>(FloatOf<uint8_t>(1, from), to), start_))) {}
  int32_t operator()(uint8_t step) const {
    using Steps = QuantizedSteps<int32_t>;
    const int64_t wide = WrappingAdd(start_, int64_t{step} * step_);
    return static_cast<int32_t>(std::min(std::max(wide, Steps::kLowest), Steps::kHighest));
  }

 private:
  const int64_t start_;
  const int32_t step_;
};

// Sums in 32 bits become bytes in fixed-point numbers with 16 fractional bits, as in TensorFlow.
template <>
class Requantizer<int32_t, uint8_t> {
 public:
  Requantizer(QuantizedRange from, QuantizedRange to) {
    constexpr double kOne = 1 << 16;
    const float from_width = from.high - from.low, to_width = to.high - to.low;
    const bool empty = to_width == 0;
    const float inverse = empty ? 0 : static_cast<float>(255.0 / to_width);
    const auto middle = static_cast<float>((from.low + from.high) / 2.0);
    scale_ = empty ? 0 : ToInt64(255.0 * kOne * from_width / to_width);
    const int64_t from_offset = ToInt64(middle * inverse * static_cast<float>(kOne));
    const int64_t to_offset = empty ? 0 : ToInt64(std::round(kOne * (to.low * 255.0) / to_width));
    offset_ = WrappingAdd(WrappingSub(from_offset, to_offset), int64_t{1 << 15});
  }
  uint8_t operator()(int32_t step) const {
    const int64_t exact = ToInt64(static_cast<float>(step));
    const int64_t fixed = WrappingAdd(WrappingMul(exact, scale_) >> 32, offset_) >> 16;
    return static_cast<uint8_t>(std::min<int64_t>(std::max<int64_t>(fixed, 0), 255));
  }

 private:
  int64_t scale_, offset_;
};

}  // namespace ramet
