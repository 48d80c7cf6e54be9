// Tests that untrusted values and attrs cannot cause accesses outside a buffer: windows larger than
// the image, sums that would overflow, bytes that are not bools, and NaNs in a sort.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "ramet/gradients/gradients.h"
#include "ramet/graph/add_op.h"
#include "ramet/graph/scope.h"
#include "ramet/op/testing/kernel_tester.h"
#include "ramet/ops/array/args.h"

namespace ramet {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using List = std::vector<int64_t>;

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::nanf("");

Tensor Ones(const Shape& shape) { return Tensor::Of<float>(shape, {1}); }

// A pooling op with all strides equal to 1.
class Pooling : public KernelTester {
 public:
  Pooling(const char* op, const List& ksize, const char* padding) : KernelTester(op) {
    Attr("strides", List(ksize.size(), 1)).Attr("padding", padding).Attr("ksize", ksize);
  }
};

// An image shape, a window that does not fit into the image, and the shape of the empty result.
struct NoPixel {
  Shape image;
  List window;
  Shape pooled;
};

TEST(PoolingTest, GradientIsZeroWithoutOutputPixels) {
  const NoPixel cases[] = {{{1, 2, 4, 1}, {1, 3, 2, 1}, {1, 0, 3, 1}},
                           {{1, 4, 2, 3}, {1, 2, 3, 1}, {1, 3, 0, 3}},
                           {{2, 2, 2, 16}, {1, 3, 3, 1}, {2, 0, 0, 16}}};
  for (const NoPixel& c : cases) {
    const auto dx = Pooling("MaxPoolGrad", c.window, "VALID")
                        .Input(Ones(c.image))
                        .Input(Ones(c.pooled))
                        .Input(Ones(c.pooled))
                        .RunOne();
    ASSERT_TRUE(dx.ok()) << dx.status().ToString();
    EXPECT_THAT(dx->flat<float>(), Each(0.0f)) << c.image.ToString();
    const auto ddy = Pooling("MaxPoolGradGrad", c.window, "VALID")
                         .Input(Ones(c.image))
                         .Input(Ones(c.pooled))
                         .Input(Ones(c.image))
                         .RunOne();
    ASSERT_TRUE(ddy.ok()) << ddy.status().ToString();
    EXPECT_EQ(ddy->shape(), c.pooled);
    std::vector<int32_t> sizes;
    for (int64_t d : c.image.dims()) sizes.push_back(static_cast<int32_t>(d));
    const auto average = Pooling("AvgPoolGrad", c.window, "VALID")
                             .Input(Tensor::Vector(sizes))
                             .Input(Ones(c.pooled))
                             .RunOne();
    ASSERT_TRUE(average.ok()) << average.status().ToString();
    EXPECT_THAT(average->flat<float>(), Each(0.0f)) << c.image.ToString();
  }
}

TEST(PoolingTest, TheProductOfAWindowMayOverflow) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  for (const List& window : {List{1, kMax, kMax, 1}, {1, kMax, 2, 1}, {1, 1, kMax, 1}}) {
    for (const char* op : {"MaxPool", "AvgPool"}) {
      const auto y = Pooling(op, window, "SAME").Input(Ones({1, 2, 2, 1})).RunOne();
      ASSERT_TRUE(y.ok()) << y.status().ToString();
      EXPECT_THAT(y->flat<float>(), Each(1.0f)) << op;
    }
    const auto dx = Pooling("MaxPoolGrad", window, "SAME")
                        .Input(Ones({1, 2, 2, 1}))
                        .Input(Ones({1, 2, 2, 1}))
                        .Input(Ones({1, 2, 2, 1}))
                        .RunOne();
    EXPECT_TRUE(dx.ok()) << dx.status().ToString();
  }
  const auto y = Pooling("MaxPool3D", {1, 1 << 22, 1 << 21, 1 << 21, 1}, "SAME")
                     .Input(Ones({1, 2, 2, 2, 1}))
                     .RunOne();
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  EXPECT_THAT(y->flat<float>(), Each(1.0f));
}

TEST(PoolingTest, SizesBeyondInt32AreRejected) {
  const auto y = Pooling("MaxPool", {1, int64_t{1} << 32, int64_t{1} << 32, 1}, "SAME")
                     .Input(Ones({1, 2, 2, 1}))
                     .RunOne();
  EXPECT_TRUE(IsInvalidArgument(y.status()));
  EXPECT_THAT(y.status().message(), HasSubstr("'ksize'"));
}

// A huge dimension needs no memory if another dimension is 0.
TEST(WindowTest, HugeImagesWithoutElementsDoNotOverflow) {
  const Shape image{1, std::numeric_limits<int64_t>::max() - 1, 0, 1};
  EXPECT_FALSE(Pooling("MaxPool", {1, 2, 2, 1}, "SAME").Input(Ones(image)).RunOne().ok());
  const auto patches = KernelTester("ExtractImagePatches")
                           .Attr("ksizes", List{1, 2, 2, 1})
                           .Attr("strides", List{1, 3, 3, 1})
                           .Attr("rates", List{1, 1, 1, 1})
                           .Attr("padding", "SAME")
                           .Input(Ones(image))
                           .RunOne();
  EXPECT_TRUE(!patches.ok() || patches->num_elements() == 0);
}

TEST(GatherGradientTest, BatchDimsBeyondTheLargestRankAreRejected) {
  for (int64_t batch_dims : {int64_t{255}, int64_t{1} << 30, int64_t{-255}}) {
    Graph graph;
    Scope scope(graph);
    const Output params = scope.Placeholder("p", kFloat, Shape::Unknown());
    const Output indices = scope.Placeholder("i", kInt32, Shape::Unknown());
    const Output axis = scope.Placeholder("a", kInt32, Shape::Unknown());
    const Output y =
        AddOp(graph, "GatherV2", {params, indices, axis}, {{"batch_dims", batch_dims}}).output(0);
    const int before = graph.num_operations();
    const auto gradients = Gradients({y}, {params});
    EXPECT_TRUE(IsInvalidArgument(gradients.status())) << batch_dims;
    EXPECT_THAT(gradients.status().message(), HasSubstr("batch_dims"));
    EXPECT_LT(graph.num_operations() - before, 100);
  }
}

TEST(DecompositionGradientTest, AGradientOfTooLowARankIsAnError) {
  for (const Shape& shape : {Shape(), Shape{2}}) {
    Graph graph;
    Scope scope(graph);
    const Output x = scope.Placeholder("x", kFloat, Shape{2, 2});
    const Output y = AddOp(graph, "MatrixSquareRoot", {x}).output(0);
    GradientsOptions options;
    options.grad_ys = {Gradient(scope.Placeholder("dy", kFloat, shape))};
    EXPECT_FALSE(Gradients({y}, {x}, options).ok()) << shape.ToString();
  }
}

// The gradient adds a second Svd, which is refused like every op after the error before it.
TEST(DecompositionGradientTest, SvdAfterAnError) {
  Graph graph;
  Scope scope(graph);
  const Output x = scope.Placeholder("x", kFloat, Shape{2, 2});
  const Output values = AddOp(graph, "Svd", {x}, {{"compute_uv", false}}).output(0);
  const Output y = AddOp(graph, "Square", {values}).output(0);
  GradientsOptions options;
  options.grad_ys = {Gradient(scope.Placeholder("dy", kFloat, Shape{3}))};
  EXPECT_FALSE(Gradients({y}, {x}, options).ok());
}

TEST(HistogramTest, InfiniteRangesStayInBounds) {
  for (const auto& [low, high] : {std::pair{0.0f, kInf}, {-kInf, 0.0f}, {-kInf, kInf}}) {
    const auto counts = KernelTester("HistogramFixedWidth")
                            .Input(Tensor::Vector<float>({-kInf, -1, 0, 1, kInf}))
                            .Input(Tensor::Vector<float>({low, high}))
                            .Input(Tensor(5))
                            .RunOne();
    ASSERT_TRUE(counts.ok()) << counts.status().ToString();
    int32_t sum = 0;
    for (int32_t n : counts->flat<int32_t>()) sum += n;
    EXPECT_EQ(sum, 5);
  }
}

TEST(NthElementTest, NansComeLast) {
  std::vector<float> row(1000, kNan);
  for (size_t i = 0; i < row.size(); i += 3) row[i] = static_cast<float>(row.size() - i);
  for (int n : {0, 10, 333, 334, 999}) {
    const auto y = KernelTester("NthElement").Input(Tensor::Vector(row)).Input(Tensor(n)).RunOne();
    ASSERT_TRUE(y.ok());
    if (n <= 333) {
      EXPECT_EQ(y->scalar<float>(), static_cast<float>(1 + 3 * n));
    } else {
      EXPECT_TRUE(std::isnan(y->scalar<float>()));
    }
  }
}

TEST(BoolTest, DecodeRawConvertsBytesToBools) {
  const auto y = KernelTester("DecodeRaw")
                     .Attr("out_type", kBool)
                     .Input(Tensor(std::string("\0\1\2\377", 4)))
                     .RunOne();
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  EXPECT_EQ(std::memcmp(y->raw_data(), "\0\1\1\1", 4), 0);
}

TEST(BoolTest, SwitchTreatsEveryNonzeroByteAsTrue) {
  Tensor pred(kBool, Shape());
  std::memset(pred.raw_data(), 7, 1);
  const auto y = KernelTester("Switch").Input(Tensor(1.0f)).Input(pred).Run();
  ASSERT_TRUE(y.ok());
  EXPECT_TRUE((*y)[0].empty());
  EXPECT_EQ((*y)[1].scalar<float>(), 1.0f);
}

TEST(CountUpToTest, TheLimitMustFitTheVariable) {
  const auto count = [](Tensor from, int64_t limit) {
    return KernelTester("CountUpTo").Ref(std::move(from)).Attr("limit", limit).RunOne();
  };
  EXPECT_TRUE(IsInvalidArgument(count(Tensor(int32_t{0}), int64_t{1} << 40).status()));
  EXPECT_EQ(count(Tensor(int64_t{5}), int64_t{1} << 40)->scalar<int64_t>(), 5);
}

// The definition of StatefulTruncatedNormal, for example, allows shapes of any dtype.
TEST(IntegerArgsTest, DoNotReadOtherDTypes) {
  EXPECT_THAT(ShapeArg(Tensor::Of<bool>({3}, {true}), "shape").status().message(),
              HasSubstr("shape must be a vector of {int32,int64}. Its dtype is bool"));
  EXPECT_THAT(ScalarArg(Tensor::Of<float>({}, {1}), "axis").status().message(),
              HasSubstr("axis must be a scalar of {int32,int64}. Its dtype is float"));
}

}  // namespace
}  // namespace ramet
