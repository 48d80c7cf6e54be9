#include "ramet/tensor/outside_values.h"

#include <gtest/gtest.h>

#include <cstring>

namespace ramet {
namespace {

TEST(OutsideValuesTest, EveryByteBecomesABool) {
  Tensor bools(DType::kBool, Shape{256});
  auto* bytes = static_cast<unsigned char*>(bools.raw_data());
  for (int i = 0; i < 256; ++i) bytes[i] = static_cast<unsigned char>(i);
  NormalizeBools(&bools);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(bytes[i], i == 0 ? 0 : 1);
}

TEST(OutsideValuesTest, BytesThatAreNotBoolsAreFound) {
  Tensor bools(DType::kBool, Shape{100});
  auto* bytes = static_cast<unsigned char*>(bools.raw_data());
  std::memset(bytes, 1, 100);
  EXPECT_TRUE(HasOnlyBools(bools));
  bytes[99] = 2;
  EXPECT_FALSE(HasOnlyBools(bools));
  EXPECT_TRUE(HasOnlyBools(Tensor::Vector<uint8_t>({2})));
}

TEST(OutsideValuesTest, OtherTypesStayAsTheyAre) {
  Tensor bytes = Tensor::Vector<uint8_t>({0, 7, 255});
  NormalizeBools(&bytes);
  EXPECT_TRUE(bytes.BitwiseEquals(Tensor::Vector<uint8_t>({0, 7, 255})));
}

TEST(OutsideValuesTest, AnyNonzeroByteIsTrue) {
  for (int byte : {0, 1, 2, 7, 128, 255}) {
    Tensor scalar(DType::kBool, Shape());
    std::memset(scalar.raw_data(), byte, 1);
    EXPECT_EQ(IsTrue(scalar), byte != 0);
  }
}

TEST(OutsideValuesTest, OnlyElementsThatAreNotIndicesStayShared) {
  for (DType t :
       {kFloat, kDouble, DType::kHalf, DType::kBFloat16, DType::kComplex64, DType::kComplex128}) {
    EXPECT_TRUE(MayStayShared(t)) << DTypeName(t);
  }
  for (DType t : {kBool, kInt32, kInt64, DType::kUInt8, DType::kInt8, DType::kUInt64, DType::kQInt8,
                  DType::kQInt32, DType::kString, DType::kResource, DType::kVariant}) {
    EXPECT_FALSE(MayStayShared(t)) << DTypeName(t);
  }
}

}  // namespace
}  // namespace ramet
