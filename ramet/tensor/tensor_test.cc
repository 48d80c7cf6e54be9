#include "ramet/tensor/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "ramet/tensor/available_memory.h"

namespace ramet {
namespace {

TEST(DTypeTest, NamesRoundTrip) {
  for (int i = 1; i <= 23; ++i) {
    DType t = static_cast<DType>(i);
    EXPECT_EQ(ParseDType(DTypeName(t)).value(), t);
    EXPECT_EQ(ParseDType(DTypeName(RefType(t))).value(), RefType(t));
  }
  EXPECT_EQ(ParseDType("float32").value(), kFloat);
  EXPECT_EQ(ParseDType("DT_BFLOAT16").value(), kBFloat16);
  EXPECT_EQ(ParseDType("flaot").status().message(), "unknown dtype 'flaot'; did you mean 'float'?");
}

TEST(Float16Test, RoundsToNearestEven) {
  EXPECT_EQ(Half(1.0f).bits, 0x3C00);
  EXPECT_EQ(Half(65504.0f).bits, 0x7BFF);
  EXPECT_EQ(Half(65520.0f).bits, 0x7C00);
  EXPECT_EQ(Half(0x1p-24f).bits, 0x0001);
  EXPECT_EQ(Half(0x1p-25f).bits, 0x0000);
  EXPECT_EQ(Half(1.0f + 0x1p-11f).bits, 0x3C00);
  EXPECT_EQ(Half(1.0f + 3 * 0x1p-11f).bits, 0x3C02);
  EXPECT_EQ(Half(-2.0f).bits, 0xC000);
  EXPECT_EQ(BFloat16(1.0f + 0x1p-8f).bits, 0x3F80);
  EXPECT_TRUE(std::isnan(static_cast<float>(Half(std::nanf("")))));
  for (uint32_t b = 0; b < 0x10000; ++b) {
    Half h = Half::FromBits(static_cast<uint16_t>(b));
    if (std::isnan(static_cast<float>(h))) continue;
    ASSERT_EQ(Half(static_cast<float>(h)).bits, b);
  }
}

TEST(ShapeTest, PrintsAndCounts) {
  EXPECT_EQ(Shape({2, -1, 3}).ToString(), "[2,?,3]");
  EXPECT_EQ(Shape().ToString(), "[]");
  EXPECT_EQ(Shape::Unknown().ToString(), "<unknown>");
  EXPECT_EQ(Shape({2, 3}).num_elements(), 6);
  EXPECT_EQ(Shape({2, -1}).num_elements(), -1);
  EXPECT_EQ(Shape({1, 2, 3, 4, 5, 6, 7, 8}).num_elements(), 40320);
}

TEST(ShapeTest, RefusesOverflow) {
  int64_t big = int64_t{1} << 40;
  EXPECT_TRUE(IsInvalidArgument(Shape::Make(std::vector<int64_t>{big, big}).status()));
  EXPECT_TRUE(IsInvalidArgument(Shape::Make(std::vector<int64_t>{-2}).status()));
  EXPECT_TRUE(IsInvalidArgument(Shape::Make(std::vector<int64_t>{big, big, 0}).status()));
  EXPECT_TRUE(Shape::Make(std::vector<int64_t>{big, 1 << 20, 0}).ok());
  EXPECT_EQ(Shape::Make(std::vector<int64_t>{big, 1 << 20, 0})->num_elements(), 0);
  EXPECT_TRUE(IsInvalidArgument(Shape::Make(std::vector<int64_t>(300, 1)).status()));
}

TEST(ShapeTest, ValidatesEditedShapes) {
  const int64_t big = int64_t{1} << 40;
  EXPECT_TRUE(Shape({big, 1 << 20, -1, 0}).Validate().ok());
  EXPECT_TRUE(Shape::Unknown().Validate().ok());
  EXPECT_EQ(Shape({big, big}).Validate().message(),
            "the number of elements of shape [1099511627776,1099511627776] overflows a 64-bit "
            "integer");
  EXPECT_TRUE(IsInvalidArgument(Shape({big, -1, big}).Validate()));
  EXPECT_TRUE(IsInvalidArgument(Shape({big, 0, big}).Validate()));
  EXPECT_TRUE(IsInvalidArgument(Shape({3, -2}).Validate()));
  EXPECT_TRUE(IsInvalidArgument(Shape(std::vector<int64_t>(255, 1)).Validate()));
  Shape appended{big};
  appended.Append(big);
  EXPECT_TRUE(IsInvalidArgument(appended.Validate()));
  EXPECT_TRUE(IsInvalidArgument(Shape{big}.Concatenate(Shape{big}).Validate()));
}

// A product that wraps around could look like few elements or none.
TEST(ShapeTest, CountsSaturate) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const int64_t half = int64_t{1} << 32;
  EXPECT_EQ(Shape({half, half}).num_elements(), kMax);
  EXPECT_EQ(Shape({half + 1, half}).num_elements(), kMax);
  EXPECT_EQ(Shape({274177, 67280421310721}).num_elements(), kMax);
  EXPECT_EQ(Shape({half, half, 0}).num_elements(), kMax);
  EXPECT_EQ(Shape({half, 0, half / 4}).num_elements(), 0);
  EXPECT_EQ(Shape({half, -1, half}).num_elements(), -1);
}

TEST(ShapeTest, BroadcastsPartialShapes) {
  EXPECT_EQ(BroadcastShapes({2, 1}, {3}).value(), Shape({2, 3}));
  EXPECT_EQ(BroadcastShapes({-1, 4}, {4}).value(), Shape({-1, 4}));
  EXPECT_EQ(BroadcastShapes({-1}, {5}).value(), Shape({5}));
  EXPECT_EQ(BroadcastShapes({-1}, {1}).value(), Shape({-1}));
  EXPECT_EQ(BroadcastShapes({1}, {0}).value(), Shape({0}));
  EXPECT_EQ(BroadcastShapes({2}, {3}).status().message(), "Incompatible shapes: [2] vs. [3]");
}

TEST(TensorTest, PrintsItselfItsDtypeAndItsShape) {
  std::ostringstream out;
  out << Tensor::Vector<float>({1, 2.5}) << ", " << kBFloat16 << ", " << Shape{2, -1};
  EXPECT_EQ(out.str(), "float[2] 1 2.5, bfloat16, [2,?]");
}

TEST(TensorTest, SharesAndCopies) {
  Tensor a = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  Tensor b = a;
  EXPECT_FALSE(a.unique());
  Tensor c = a.DeepCopy().value();
  EXPECT_TRUE(c.unique());
  EXPECT_TRUE(c.BitwiseEquals(a));
  b.mutable_data<float>()[3] = 5;
  EXPECT_EQ(a.data<float>()[3], 5);
  EXPECT_FALSE(c.BitwiseEquals(a));
  EXPECT_EQ(a.ToString(3), "float[2,2] 1 2 3 ...");
  EXPECT_EQ(Tensor("hi").ToString(), "string[] \"hi\"");
}

// A View is the memory of another buffer, as the host sees it.
class View final : public Buffer {
 public:
  explicit View(BufferPtr base)
      : Buffer(base->data(), base->size(), nullptr, false, base.get()),
        owned_base_(std::move(base)) {}

 private:
  void Dispose() override { delete this; }
  BufferPtr owned_base_;
};

TEST(TensorTest, AViewIsUniqueOnlyIfItsMemoryIs) {
  Tensor whole = Tensor::Vector<float>({1, 2});
  const Tensor view(kFloat, Shape{2}, BufferPtr::Adopt(new View(whole.buffer())));
  EXPECT_FALSE(view.unique());
  whole = Tensor();
  EXPECT_TRUE(view.unique());
  const Tensor second = view;
  EXPECT_FALSE(view.unique());
}

TEST(TensorTest, RefusesUnallocatableSizes) {
  EXPECT_TRUE(IsInvalidArgument(Tensor::Allocate(kFloat, Shape({-1})).status()));
  int64_t huge = std::numeric_limits<int64_t>::max() / 2;
  EXPECT_TRUE(IsInvalidArgument(Tensor::Allocate(kFloat, Shape({huge})).status()));
  EXPECT_TRUE(IsResourceExhausted(Tensor::Allocate(kInt8, Shape({huge})).status()));
}

TEST(TensorTest, RefusesBuffersThatAreTooSmall) {
  const BufferPtr buffer = HostAllocator()->Allocate(24).value();
  EXPECT_EQ(Tensor(kFloat, Shape{2, 3}, buffer).num_elements(), 6);
  const auto message = [&](DType dtype, const Shape& shape) -> std::string {
    try {
      Tensor made(dtype, shape, buffer);
    } catch (const BadStatusAccess& e) {
      return e.status().message();
    }
    return "";
  };
  EXPECT_EQ(message(kFloat, Shape{7}),
            "a float tensor of shape [7] does not fit in a buffer of 24 bytes");
  EXPECT_NE(message(kDouble, Shape{2, 3}), "");
  EXPECT_NE(message(kString, Shape{}), "");
  const int64_t half = int64_t{1} << 32;
  EXPECT_EQ(message(kInt8, Shape({half, half})),
            "the number of elements of shape [4294967296,4294967296] overflows a 64-bit integer");
  EXPECT_EQ(message(kInt8, Shape{-1}), "a tensor's shape must be fully defined, but it is [?]");
  EXPECT_NE(message(kDouble, Shape({half, half / 4})), "");
}

TEST(TensorTest, RefusesSizesBeyondTheMemory) {
  const int64_t before = GetHostAllocatorStats().system_allocations;
  for (DType dtype : {kInt8, kDouble, kString, DType::kVariant}) {
    const Status status = Tensor::Allocate(dtype, Shape{int64_t{1} << 45}).status();
    EXPECT_TRUE(IsResourceExhausted(status)) << status.ToString();
  }
  EXPECT_EQ(GetHostAllocatorStats().system_allocations, before);
  EXPECT_TRUE(IsInvalidArgument(Tensor::Allocate(kString, Shape{int64_t{1} << 60}).status()));
  EXPECT_GT(AvailableMemory(), 0);
}

// The system might hand out such a block, but not its pages.
TEST(TensorTest, AsksHowMuchMemoryThereIsBeforeItAllocates) {
  for (DType dtype : {kInt8, kString}) {
    const Status status = Tensor::Allocate(dtype, Shape{int64_t{1} << 45}).status();
    EXPECT_NE(status.message().find("bytes were requested, but only"), std::string::npos)
        << status.ToString();
  }
}

TEST(HostAllocatorTest, ReusesBlocks) {
  { Tensor warm(kFloat, Shape({1000})); }
  int64_t before = GetHostAllocatorStats().system_allocations;
  for (int i = 0; i < 100; ++i) Tensor t(kFloat, Shape({1000 - i}));
  EXPECT_EQ(GetHostAllocatorStats().system_allocations, before);
}

TEST(HostAllocatorTest, BlocksAreAlignedAndLargeEnough) {
  for (size_t bytes : {0, 1, 64, 65, 79, 80, 81, 127, 128, 129, 1000, 4097, 1 << 20}) {
    BufferPtr b = HostAllocator()->Allocate(bytes).value();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(b->data()) % 64, 0u);
    EXPECT_EQ(b->size(), bytes);
    memset(b->data(), 0xAB, bytes);
  }
}

}  // namespace
}  // namespace ramet
