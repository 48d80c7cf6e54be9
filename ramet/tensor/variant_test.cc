#include "ramet/tensor/variant.h"

#include <gtest/gtest.h>

namespace ramet {
namespace {

struct Number final : VariantValue {
  explicit Number(int n) : number(n) {}
  std::string_view type_name() const override { return "Number"; }
  int number;
};

struct Other final : VariantValue {
  std::string_view type_name() const override { return "Other"; }
};

TEST(Variant, HoldsAValueOfItsType) {
  const Variant v(std::make_shared<Number>(7));
  ASSERT_NE(v.get<Number>(), nullptr);
  EXPECT_EQ(v.get<Number>()->number, 7);
  EXPECT_EQ(v.get<Other>(), nullptr);
  EXPECT_TRUE(Variant().empty());
  EXPECT_EQ(Variant().get<Number>(), nullptr);
}

TEST(Variant, IsChangedOnlyByTheOneThatHoldsIt) {
  Variant v(std::make_shared<Number>(7));
  ASSERT_NE(v.unshared<Number>(), nullptr);
  v.unshared<Number>()->number = 8;
  Variant copy = v;
  EXPECT_EQ(copy.get<Number>()->number, 8);
  EXPECT_EQ(v.unshared<Number>(), nullptr);
  copy = Variant();
  EXPECT_NE(v.unshared<Number>(), nullptr);
}

TEST(Variant, TensorsOfVariantsFreeTheirValues) {
  auto value = std::make_shared<Number>(1);
  {
    Tensor t(DType::kVariant, Shape{3});
    t.mutable_data<Variant>()[1] = Variant(value);
    EXPECT_TRUE(t.data<Variant>()[0].empty());
    const Tensor copy = t.DeepCopy().value();
    EXPECT_EQ(value.use_count(), 3);
    EXPECT_TRUE(copy.BitwiseEquals(t));
    t.mutable_data<Variant>()[0] = Variant(value);
    EXPECT_FALSE(copy.BitwiseEquals(t));
    EXPECT_EQ(copy.ToString(), "variant[3] Variant<empty> Variant<type: Number> Variant<empty>");
  }
  EXPECT_EQ(value.use_count(), 1);
}

TEST(Variant, ScalarsHoldOneValue) {
  const Tensor t = VariantScalar(std::make_shared<Number>(4));
  EXPECT_EQ(t.rank(), 0);
  EXPECT_EQ(t.scalar<Variant>().get<Number>()->number, 4);
}

TEST(Variant, TensorsNeedAFullShape) {
  EXPECT_TRUE(IsInvalidArgument(Tensor::Allocate(DType::kVariant, Shape{-1}).status()));
}

}  // namespace
}  // namespace ramet
