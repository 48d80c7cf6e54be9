#include "ramet/replica/conversions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> Floats(const Tensor& t) {
  return {t.flat<float>().begin(), t.flat<float>().end()};
}

// Returns the value that a follower has after a conversion.
Tensor ThereAndBack(const Tensor& value, Conversion conversion) {
  VariableSpec spec{"w", ConvertedDType(value.dtype(), conversion), value.shape()};
  spec.source_dtype = value.dtype();
  if (conversion != Conversion::kInt8) {
    const Tensor sent = ConvertFloating(value, spec.dtype, HostAllocator()).value();
    EXPECT_EQ(sent.dtype(), spec.dtype);
    return Decode(spec, sent, Tensor()).value();
  }
  spec.scales = "w:scales";
  const Quantized sent = Quantize(value, HostAllocator()).value();
  EXPECT_EQ(sent.scales.shape(), ScalesShape(value.shape()));
  return Decode(spec, sent.values, sent.scales).value();
}

TEST(Conversions, OnlyFloatingValuesAreConverted) {
  EXPECT_EQ(ConvertedDType(kInt64, Conversion::kInt8), kInt64);
  EXPECT_EQ(ConvertedDType(kBool, Conversion::kHalf), kBool);
  EXPECT_EQ(ConvertedDType(kDouble, Conversion::kHalf), kHalf);
  EXPECT_EQ(ConvertedDType(kFloat, Conversion::kNone), kFloat);
}

TEST(Conversions, NonFiniteValuesSurviveBFloat16AndHalf) {
  const Tensor value = Tensor::Vector<float>({kInfinity, -kInfinity, 1e6f, NAN});
  for (const Conversion conversion : {Conversion::kBFloat16, Conversion::kHalf}) {
    const std::vector<float> back = Floats(ThereAndBack(value, conversion));
    EXPECT_EQ(back[0], kInfinity);
    EXPECT_EQ(back[1], -kInfinity);
    EXPECT_TRUE(std::isnan(back[3]));
  }
  EXPECT_EQ(Floats(ThereAndBack(value, Conversion::kHalf))[2], kInfinity);
}

TEST(Conversions, DoublesComeBackAsDoubles) {
  const Tensor value = Tensor::Of<double>({2, 2}, {1.0, 100.0, -0.5, 1e-3});
  const Tensor half = ThereAndBack(value, Conversion::kHalf);
  EXPECT_EQ(half.dtype(), kDouble);
  EXPECT_EQ(half.data<double>()[1], 100.0);
  const Tensor int8 = ThereAndBack(value, Conversion::kInt8);
  EXPECT_DOUBLE_EQ(int8.data<double>()[0], 1.0);
  EXPECT_DOUBLE_EQ(int8.data<double>()[1], 100.0);
}

// The error of an element is at most half a level of its channel.
TEST(Conversions, Int8ErrorIsAtMostHalfALevel) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  Tensor value(kFloat, {7, 3, 5});
  for (float& v : value.mutable_flat<float>()) v = normal(random) * 10;
  std::vector<float> largest(5, 0.0f);
  for (size_t i = 0; i < value.flat<float>().size(); ++i) {
    largest[i % 5] = std::max(largest[i % 5], std::abs(value.data<float>()[i]));
  }
  const Tensor back = ThereAndBack(value, Conversion::kInt8);
  for (size_t i = 0; i < value.flat<float>().size(); ++i) {
    const float level = largest[i % 5] / 127;
    EXPECT_LE(std::abs(back.data<float>()[i] - value.data<float>()[i]), level * 0.5001f);
  }
}

TEST(Conversions, Int8OfScalarsZerosAndEmptyTensors) {
  EXPECT_FLOAT_EQ(ThereAndBack(Tensor(-3.0f), Conversion::kInt8).scalar<float>(), -3.0f);
  EXPECT_THAT(Floats(ThereAndBack(Tensor::Vector<float>({0, -0.0f}), Conversion::kInt8)),
              ElementsAre(0, 0));
  EXPECT_EQ(ThereAndBack(Tensor(kFloat, {0, 4}), Conversion::kInt8).num_elements(), 0);
  EXPECT_EQ(ThereAndBack(Tensor(kFloat, {4, 0}), Conversion::kInt8).num_elements(), 0);
}

TEST(Conversions, NonFiniteValuesCannotBecomeInt8) {
  for (const float bad : {NAN, kInfinity, -kInfinity}) {
    const Status status = Quantize(Tensor::Vector<float>({1, bad}), HostAllocator()).status();
    EXPECT_TRUE(IsInvalidArgument(status));
    EXPECT_THAT(status.message(), HasSubstr("not finite"));
  }
}

}  // namespace
}  // namespace ramet
