#include "ramet/backends/gpu/ops/gpu_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "ramet/backends/gpu/ops/families.h"
#include "ramet/backends/gpu/testing/gpu_math_fixture.h"
#include "ramet/op/tensor_math.h"

// Compares the functions of op/tensor_math.h on a GPU with those on the host.

namespace ramet::gpu {
namespace {

constexpr DType kFloats[] = {kFloat, kHalf, kBFloat16, kDouble};

class GpuMathTest : public GpuMathFixture {};

TEST_F(GpuMathTest, CombinesRows) {
  for (DType dtype : {kFloat, kInt64, kUInt8}) {
    Tensor y = Numbers(dtype, {4, 3}, 1, 5), updates = Numbers(dtype, {5, 3}, 1, 5);
    const Tensor indices = On(Tensor::Vector<int32_t>({2, 0, 9, 2, -1}));
    for (RowUpdate update : {RowUpdate::kMul, RowUpdate::kMax, RowUpdate::kMin, RowUpdate::kDiv}) {
      if (update == RowUpdate::kDiv && !IsFloating(dtype)) continue;
      Tensor expected = Cast(y, kDouble), found = On(y);
      const Tensor values = Cast(updates, kDouble);
      double* const e = expected.mutable_data<double>();
      for (const auto& [row, from] : {std::pair{2, 0}, {0, 1}, {2, 3}}) {
        for (int j = 0; j < 3; ++j) {
          const double v = values.data<double>()[from * 3 + j];
          double& at = e[row * 3 + j];
          switch (update) {
            case RowUpdate::kMul: at *= v; break;
            case RowUpdate::kDiv: at /= v; break;
            case RowUpdate::kMax: at = std::max(at, v); break;
            default: at = std::min(at, v);
          }
        }
      }
      const Status status =
          DeviceMath::Of(found)->UpdateRows(update, 4, 3, indices, On(updates), found);
      ASSERT_TRUE(status.ok()) << status.ToString();
      ExpectNear(expected, Back(found), Tolerance(dtype));
    }
  }
}

TEST_F(GpuMathTest, FindsTheFirstExtreme) {
  Tensor x = Numbers(kFloat, Shape{2, 9, 5});
  x.mutable_flat<float>()[7] = std::nanf("");
  for (float& v : x.mutable_flat<float>().subspan(45)) v = 1;
  for (bool max : {true, false}) {
    Compare({x}, kInt64, Shape{2, 5}, 0,
            [&](const auto& in, Tensor& y) { return ArgReduce(max, 2, 9, 5, in[0], y); });
  }
}

TEST_F(GpuMathTest, ComputesSoftmaxOfRows) {
  for (DType dtype : kFloats) {
    for (int64_t columns : {1, 3, 10, 64, 257, 700, 2500}) {
      const Tensor x = Numbers(dtype, Shape{17, columns}, -5, 5);
      for (Rows function : {Rows::kSoftmax, Rows::kLogSoftmax}) {
        Compare({x}, dtype, x.shape(), 4 * Tolerance(dtype),
                [&](const auto& in, Tensor& y) { return MapRows(function, columns, in[0], y); });
      }
    }
  }
}

TEST_F(GpuMathTest, ComputesCrossEntropyAndItsGradient) {
  for (int64_t columns : {1, 10, 67, 2500}) {
    const Tensor logits = Numbers(kFloat, Shape{33, columns});
    const Tensor dense = Numbers(kFloat, logits.shape(), 0, 1);
    const Tensor sparse = Numbers(kInt32, Shape{33}, 0, static_cast<double>(columns));
    Tensor hot(kFloat, logits.shape());
    std::ranges::fill(hot.mutable_flat<float>(), 0.0f);
    for (int i = 0; i < 33; ++i) {
      hot.mutable_flat<float>()[i * columns + sparse.flat<int32_t>()[i]] = 1;
    }
    for (const Tensor& labels : {dense, sparse}) {
      Tensor loss(kFloat, Shape{33}), backprop(kFloat, logits.shape());
      ASSERT_TRUE(SoftmaxXent(logits, labels.rank() == 1 ? hot : labels, loss, backprop).ok());
      Tensor device_loss = New(kFloat, Shape{33}), device_backprop = New(kFloat, logits.shape());
      ASSERT_TRUE(SoftmaxXent(On(logits), On(labels), device_loss, device_backprop).ok());
      ExpectNear(loss, Back(device_loss), 2e-6);
      ExpectNear(backprop, Back(device_backprop), 1e-6);
    }
  }
}

linalg::ConvGeometry Geometry(int64_t groups, bool channels_first, int64_t dilation) {
  linalg::ConvGeometry g;
  g.batch = 2;
  g.in_channels = 6;
  g.out_channels = 12;
  g.groups = groups;
  g.in[1] = 9;
  g.in[2] = 8;
  g.filter[1] = 3;
  g.filter[2] = 2;
  g.stride[1] = 2;
  g.stride[2] = 1;
  g.dilation[1] = dilation;
  g.pad[1] = 1;
  g.out[1] = (9 + 2 - (2 * dilation + 1)) / 2 + 1;
  g.out[2] = 7;
  g.channels_first = channels_first;
  return g;
}

TEST_F(GpuMathTest, ConvolvesAndComputesBothGradients) {
  for (int64_t groups : {1, 3, 6}) {
    for (bool channels_first : {false, true}) {
      const linalg::ConvGeometry g = Geometry(groups, channels_first, groups == 3 ? 2 : 1);
      const Tensor x = Numbers(kFloat, Shape{g.in_elements()});
      const Tensor filter = Numbers(kFloat, Shape{g.filter_elements()});
      const Tensor dy = Numbers(kFloat, Shape{g.out_elements()});
      const auto run = [&](ConvPart part, const Tensor& a, const Tensor& b, const Shape& shape) {
        Compare({a, b}, kFloat, shape, 2e-5,
                [&](const auto& in, Tensor& y) { return Convolve(part, g, in[0], in[1], y); });
      };
      run(ConvPart::kForward, x, filter, dy.shape());
      run(ConvPart::kBackpropInput, filter, dy, x.shape());
      run(ConvPart::kBackpropFilter, x, dy, filter.shape());
    }
  }
}

// Returns small convolutions like those of networks: padding SAME of odd and of even sizes, steps
// of two, dilations, groups, depthwise, pixels, rows, volumes.
std::vector<linalg::ConvGeometry> LayersOfNetworks() {
  std::vector<linalg::ConvGeometry> layers;
  const auto add = [&](int64_t channels, int64_t size, int64_t filter, int64_t stride,
                       int64_t dilation = 1, int64_t groups = 1, int first_dimension = 1) {
    linalg::ConvGeometry g;
    g.batch = 2;
    g.in_channels = channels;
    g.out_channels = groups == channels ? channels : 16;
    g.groups = groups;
    for (int d = first_dimension; d < 3; ++d) {
      g.in[d] = size + d;
      g.out[d] = (g.in[d] + stride - 1) / stride;
      g.filter[d] = filter;
      g.stride[d] = stride;
      g.dilation[d] = dilation;
      const int64_t window = dilation * (filter - 1) + 1;
      g.pad[d] = std::max<int64_t>(0, (g.out[d] - 1) * stride + window - g.in[d]) / 2;
    }
    layers.push_back(g);
  };
  add(16, 7, 3, 1);
  add(16, 7, 3, 2);
  add(3, 15, 7, 2);
  add(1, 13, 5, 1);
  add(16, 7, 1, 1);
  add(16, 7, 1, 2);
  add(16, 9, 3, 1, 2);
  add(16, 7, 3, 1, 1, 4);
  add(16, 7, 3, 2, 1, 16);
  add(8, 11, 3, 1, 1, 1, 2);
  add(8, 5, 3, 2, 1, 1, 0);
  return layers;
}

TEST_F(GpuMathTest, ConvolvesLayersOfNetworks) {
  for (linalg::ConvGeometry g : LayersOfNetworks()) {
    for (bool channels_first : {false, true}) {
      g.channels_first = channels_first;
      for (DType dtype : kFloats) {
        const Tensor x = Numbers(dtype, Shape{g.in_elements()}, -1, 1);
        const Tensor filter = Numbers(dtype, Shape{g.filter_elements()}, -1, 1);
        const Tensor dy = Numbers(dtype, Shape{g.out_elements()}, -1, 1);
        const auto run = [&](ConvPart part, const Tensor& a, const Tensor& b, const Shape& shape) {
          Compare({a, b}, dtype, shape, 10 * Tolerance(dtype),
                  [&](const auto& in, Tensor& y) { return Convolve(part, g, in[0], in[1], y); });
        };
        run(ConvPart::kForward, x, filter, dy.shape());
        run(ConvPart::kBackpropInput, filter, dy, x.shape());
        run(ConvPart::kBackpropFilter, x, dy, filter.shape());
      }
    }
  }
}

// The test above then compares the library with the host.
TEST_F(GpuMathTest, TheLibraryOfConvolutionsSupportsLayersOfNetworks) {
  const auto pixels =
      DescribeConvolution(ConvPart::kForward, kFloat, linalg::ConvGeometry(), false);
  if (!device_->libraries().WorkspaceFor(pixels, size_t{1} << 30)) {
    GTEST_SKIP() << "skipped: no library of convolutions (cuDNN)";
  }
  for (linalg::ConvGeometry g : LayersOfNetworks()) {
    for (bool channels_first : {false, true}) {
      g.channels_first = channels_first;
      for (DType dtype : {kFloat, kHalf, kBFloat16}) {
        const Tensor x = New(dtype, Shape{g.in_elements()});
        const Tensor filter = New(dtype, Shape{g.filter_elements()});
        Tensor y = New(dtype, Shape{g.out_elements()});
        const auto started = ConvolveWithLibrary(*device_, ConvPart::kForward, g, x, filter, y);
        ASSERT_TRUE(started.ok()) << started.status().ToString();
        EXPECT_TRUE(*started) << DTypeName(dtype) << " " << g.in_channels << " channels, filter "
                              << g.filter[2] << ", stride " << g.stride[2];
      }
    }
  }
}

TEST_F(GpuMathTest, SumsTheGradientOfAFilterInChunks) {
  linalg::ConvGeometry g;
  g.batch = 3;
  g.in_channels = 1;
  g.out_channels = 4;
  g.in[2] = g.out[2] = 5000;
  for (DType dtype : {kFloat, kHalf}) {
    const Tensor x = Numbers(dtype, Shape{g.in_elements()}, 0, 1);
    const Tensor dy = Numbers(dtype, Shape{g.out_elements()}, -1, 1);
    Compare({x, dy}, dtype, Shape{4}, 200 * Tolerance(dtype), [&](const auto& in, Tensor& y) {
      return Convolve(ConvPart::kBackpropFilter, g, in[0], in[1], y);
    });
  }
}

TEST_F(GpuMathTest, Pools) {
  for (bool channels_first : {false, true}) {
    linalg::PoolGeometry g;
    g.batch = 2;
    g.channels = 5;
    g.in[1] = 7;
    g.in[2] = 6;
    g.window[1] = g.window[2] = 3;
    g.stride[1] = 2;
    g.pad[1] = g.pad[2] = 1;
    g.out[1] = 4;
    g.out[2] = 6;
    g.channels_first = channels_first;
    const Shape in{2 * 5 * 42}, out{2 * 5 * 24};
    // Few values, so that windows have several largest elements.
    const Tensor x = Cast(Numbers(kInt32, in, 0, 4), kFloat);
    const Tensor dy = Numbers(kFloat, out), ddx = Numbers(kFloat, in);
    const auto run = [&](Pooling part, const Tensor& grad, const Shape& shape) {
      Compare({x, grad}, kFloat, shape, 2e-6,
              [&](const auto& t, Tensor& y) { return Pool(part, g, &t[0], &t[1], y); });
    };
    run(Pooling::kMax, dy, out);
    run(Pooling::kAvg, dy, out);
    run(Pooling::kMaxGrad, dy, in);
    run(Pooling::kMaxGradGrad, ddx, out);
    run(Pooling::kAvgGrad, dy, in);
  }
}

TEST_F(GpuMathTest, NormalizesBatchesAndComputesTheGradients) {
  for (const linalg::NormGeometry g :
       {linalg::NormGeometry{300, 6, 1}, {4, 3, 50}, {5000, 35, 1}, {3, 2, 9000}}) {
    for (DType dtype : {kFloat, kHalf}) {
      const Tensor x = Numbers(dtype, Shape{g.elements()}, 0, 3);
      const Tensor dy = Numbers(dtype, x.shape());
      const Tensor scale = Numbers(kFloat, Shape{g.channels}, 0.5, 2);
      Tensor mean(kFloat, scale.shape()), variance(kFloat, scale.shape());
      ASSERT_TRUE(BatchMoments(g, x, mean, variance).ok());
      Compare({x, scale}, kFloat, scale.shape(), 1e-5, [&](const auto& in, Tensor& y) {
        Tensor m = DeviceMath::Of(y) ? New(kFloat, y.shape()) : Tensor(kFloat, y.shape());
        return BatchMoments(g, in[0], m, y);
      });
      Compare({x, scale}, kFloat, scale.shape(), 1e-5, [&](const auto& in, Tensor& y) {
        Tensor v = DeviceMath::Of(y) ? New(kFloat, y.shape()) : Tensor(kFloat, y.shape());
        return BatchMoments(g, in[0], y, v);
      });
      Compare({x, scale, mean, variance}, dtype, x.shape(), 4 * Tolerance(dtype),
              [&](const auto& in, Tensor& y) {
                return BatchNormalize(g, {in[1], in[2], in[3], 1e-3f}, in[0], in[1], y);
              });
      for (bool training : {true, false}) {
        Compare({x, scale, mean, variance, dy}, dtype, x.shape(), 4 * Tolerance(dtype),
                [&](const auto& in, Tensor& y) {
                  Tensor s = DeviceMath::Of(y) ? New(kFloat, in[1].shape())
                                               : Tensor(kFloat, in[1].shape());
                  Tensor o = DeviceMath::Of(y) ? New(kFloat, in[1].shape())
                                               : Tensor(kFloat, in[1].shape());
                  return BatchNormGrad(g, {in[1], in[2], in[3], 1e-3f}, training, in[0], in[4], y,
                                       s, o);
                });
      }
    }
  }
}

TEST_F(GpuMathTest, DrawsTheBitsOfTheHost) {
  const linalg::Philox generator(0x123456789abcdefull, 42);
  for (DType dtype : kFloats) {
    for (Draw draw : {Draw::kUniform, Draw::kNormal, Draw::kTruncatedNormal}) {
      const Shape shape{10007};
      Tensor expected(dtype, shape), found = New(dtype, shape);
      ASSERT_TRUE(Fill(draw, generator, expected).ok());
      ASSERT_TRUE(Fill(draw, generator, found).ok());
      if (dtype == kDouble && draw != Draw::kUniform) {
        ExpectNear(expected, Back(found), 1e-13);  // the C library's functions on doubles
      } else {
        EXPECT_TRUE(expected.BitwiseEquals(Back(found)))
            << DTypeName(dtype) << static_cast<int>(draw);
      }
    }
  }
  for (DType dtype : {kInt32, kInt64}) {
    Tensor expected(dtype, Shape{1001}), found = New(dtype, Shape{1001});
    for (int64_t high : {-5, 1000}) {
      ASSERT_TRUE(FillUniformInt(generator, -5, high, expected).ok());
      ASSERT_TRUE(FillUniformInt(generator, -5, high, found).ok());
      EXPECT_TRUE(expected.BitwiseEquals(Back(found)));
    }
  }
}

TEST_F(GpuMathTest, CopiesBetweenStridedLayoutsOfAnyWidth) {
  for (DType dtype : {kUInt8, kHalf, kFloat, kDouble, kComplex128}) {
    Tensor x(dtype, Shape{3, 4, 5});
    auto* const bytes = static_cast<uint8_t*>(x.raw_data());
    for (size_t i = 0; i < x.bytes(); ++i) bytes[i] = static_cast<uint8_t>(i * 7);
    Tensor y = New(dtype, Shape{5, 3, 4});
    // y[k, i, j] = x[i, j, 4 - k]
    const int64_t dims[] = {5, 3, 4}, from[] = {-1, 20, 5}, to[] = {12, 4, 1};
    ASSERT_TRUE(DeviceMath::Of(y)->Copy(On(x), 4, from, y, 0, to, dims).ok());
    const Tensor found = Back(y);
    const size_t width = DTypeSize(dtype);
    const auto* const out = static_cast<const uint8_t*>(found.raw_data());
    for (size_t k = 0, at = 0; k < 5; ++k) {
      for (size_t ij = 0; ij < 12; ++ij, ++at) {
        ASSERT_EQ(std::memcmp(out + at * width, bytes + (ij * 5 + 4 - k) * width, width), 0)
            << DTypeName(dtype) << " " << at;
      }
    }
  }
}

// The dimensions of y are those of x in the opposite order.
TEST_F(GpuMathTest, CopiesBetweenLayoutsOfAnyRank) {
  for (int rank = 0; rank <= 10; ++rank) {
    std::vector<int64_t> dims(rank), from(rank), to(rank);
    int64_t count = 1;
    for (int d = 0; d < rank; ++d) {
      dims[d] = 2 + d % 2;
      from[d] = count;
      count *= dims[d];
    }
    for (int64_t d = rank - 1, step = 1; d >= 0; --d) {
      to[d] = step;
      step *= dims[d];
    }
    const Tensor x = Numbers(kFloat, Shape{count});
    Tensor y = New(kFloat, x.shape());
    ASSERT_TRUE(DeviceMath::Of(y)->Copy(On(x), 0, from, y, 0, to, dims).ok());
    const Tensor found = Back(y);
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = 0;
      for (int d = 0; d < rank; ++d) at += i / to[d] % dims[d] * from[d];
      ASSERT_EQ(found.flat<float>()[i], x.flat<float>()[at]) << i << " of rank " << rank;
    }
  }
}

TEST_F(GpuMathTest, GathersRowsAndZerosForBadIndices) {
  const Tensor x = Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  Tensor y = New(kFloat, Shape{4, 2});
  const Tensor at = On(Tensor::Vector<int32_t>({2, 0, -1, 3}));
  ASSERT_TRUE(DeviceMath::Of(y)->GatherRows({1, 1, 3, 2, 4}, On(x), at, y).ok());
  EXPECT_EQ(Back(y).ToString(), Tensor::Of<float>({4, 2}, {5, 6, 1, 2, 0, 0, 0, 0}).ToString());
}

TEST_F(GpuMathTest, UpdatesRowsInOrder) {
  const Tensor at = On(Tensor::Vector<int64_t>({2, 0, 2, 7}));
  for (DType dtype : {kFloat, kHalf, kDouble, kInt32, kInt64, kUInt8}) {
    const Tensor updates = On(Cast(Tensor::Of<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), dtype));
    const auto run = [&](RowUpdate update) {
      Tensor y = On(Cast(Tensor::Of<float>({3, 2}, {10}), dtype));
      EXPECT_TRUE(DeviceMath::Of(y)->UpdateRows(update, 3, 2, at, updates, y).ok());
      return Cast(Back(y), kFloat).ToString();
    };
    const auto expected = [](std::initializer_list<float> values) {
      return Tensor::Of<float>({3, 2}, values).ToString();
    };
    Tensor y = On(Cast(Tensor::Of<float>({3, 2}, {10}), dtype));
    const Tensor two = On(Cast(Tensor(2.0f), dtype));
    EXPECT_TRUE(DeviceMath::Of(y)->UpdateRows(RowUpdate::kAdd, 3, 2, at, two, y).ok());
    EXPECT_EQ(Cast(Back(y), kFloat).ToString(), expected({12, 12, 10, 10, 14, 14}));
    EXPECT_EQ(run(RowUpdate::kAssign), expected({3, 4, 10, 10, 5, 6}));
    EXPECT_EQ(run(RowUpdate::kAdd), expected({13, 14, 10, 10, 16, 18}));
    EXPECT_EQ(run(RowUpdate::kSub), expected({7, 6, 10, 10, 4, 2}));
  }
}

}  // namespace
}  // namespace ramet::gpu
