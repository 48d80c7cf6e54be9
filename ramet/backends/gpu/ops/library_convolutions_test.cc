#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "ramet/backends/gpu/ops/families.h"
#include "ramet/backends/gpu/testing/fake_cuda_device.h"
#include "ramet/linalg/cast.h"
#include "ramet/linalg/parallel.h"

// Compares convolutions by the double of cuDNN with those on the host.

namespace ramet::gpu {
namespace {

using linalg::ConvGeometry;

constexpr ConvPart kParts[] = {ConvPart::kForward, ConvPart::kBackpropInput,
                               ConvPart::kBackpropFilter};
constexpr DType kDTypes[] = {kFloat, kDouble, kHalf, kBFloat16};

// Sizes of one spatial dimension.
struct Sizes {
  int64_t in, filter, stride = 1, dilation = 1, pad = 0, pad_after = 0;
};

ConvGeometry Geometry(std::vector<Sizes> sizes, int64_t in_channels = 3, int64_t out_channels = 4,
                      int64_t groups = 1) {
  ConvGeometry g;
  g.batch = 2;
  g.in_channels = in_channels;
  g.out_channels = out_channels;
  g.groups = groups;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const size_t d = 3 - sizes.size() + i;
    const Sizes& s = sizes[i];
    g.in[d] = s.in;
    g.filter[d] = s.filter;
    g.stride[d] = s.stride;
    g.dilation[d] = s.dilation;
    g.pad[d] = s.pad;
    g.out[d] = (s.in + s.pad + s.pad_after - s.dilation * (s.filter - 1) - 1) / s.stride + 1;
  }
  return g;
}

// Small integers, whose products and sums are exact in all dtypes.
Tensor Integers(DType dtype, int64_t count, int seed) {
  Tensor t(kFloat, Shape{count});
  for (int64_t i = 0; i < count; ++i) {
    t.mutable_flat<float>()[i] = static_cast<float>((i * 7 + seed) % 5 - 2);
  }
  Tensor y(dtype, t.shape());
  linalg::Cast(linalg::Type::kFloat, t.raw_data(), static_cast<linalg::Type>(dtype), y.raw_data(),
               count);
  return y;
}

// Runs the kernel that copies between strided layouts on the double of CUDA's driver.
std::function<void()> CopyOnHost(size_t width, void** arguments) {
  const auto* const from = *static_cast<const char**>(arguments[0]);
  auto* const to = *static_cast<char**>(arguments[1]);
  const CopyDims d = *static_cast<CopyDims*>(arguments[2]);
  const auto rank = static_cast<int>(std::ranges::find(d.sizes, 0) - d.sizes);
  return [=] {
    int64_t count = 1;
    for (int k = 0; k < rank; ++k) count *= d.sizes[k];
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = i, at_from = d.from_offset, at_to = d.to_offset;
      for (int k = rank - 1; k >= 0; --k) {
        at_from += rest % d.sizes[k] * d.from[k];
        at_to += rest % d.sizes[k] * d.to[k];
        rest /= d.sizes[k];
      }
      std::memcpy(to + static_cast<size_t>(at_to) * width,
                  from + static_cast<size_t>(at_from) * width, width);
    }
  };
}

class LibraryConvolutionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("RAMET_CUDA_LIBRARY", RAMET_FAKE_CUDA, 1);
    device_ = GpuDevice::Make(0, *testing::FakeCudaDevice(), 1.0).value();
    fake_.launch = [this](const std::string& kernel, void** arguments) {
      EXPECT_EQ(kernel, "copy");
      return CopyOnHost(DTypeSize(dtype_), arguments);
    };
    fake_.cudnn_runs.clear();
  }
  void TearDown() override {
    unsetenv("RAMET_CUDA_LIBRARY");
    fake_.launch = nullptr;
    fake_.cudnn_engines = {{}};
    EXPECT_FALSE(fake_.has_bad_access);
  }

  static int64_t Count(const ConvGeometry& g, ConvPart part, int operand) {
    const int64_t counts[3][3] = {{g.in_elements(), g.filter_elements(), g.out_elements()},
                                  {g.filter_elements(), g.out_elements(), g.in_elements()},
                                  {g.in_elements(), g.out_elements(), g.filter_elements()}};
    return counts[static_cast<int>(part)][operand];
  }
  // Reports whether the library computed the convolution, and compares the result with the host's.
  bool Convolves(DType dtype, ConvPart part, const ConvGeometry& g) {
    dtype_ = dtype;
    const Tensor a = Integers(dtype, Count(g, part, 0), 1),
                 b = Integers(dtype, Count(g, part, 1), 2);
    Tensor expected(dtype, Shape{Count(g, part, 2)});
    EXPECT_TRUE(ramet::Convolve(part, g, a, b, expected).ok());
    const Tensor on_a = device_->CopyFromHost(a).value(), on_b = device_->CopyFromHost(b).value();
    Tensor result = Integers(dtype, expected.num_elements(), 3);
    result = device_->CopyFromHost(result).value();
    const auto started = ConvolveWithLibrary(*device_, part, g, on_a, on_b, result);
    EXPECT_TRUE(started.ok()) << started.status().ToString();
    if (!started.ok() || !*started) return false;
    const Tensor found = device_->CopyToHost(result).value();
    EXPECT_TRUE(found.BitwiseEquals(expected))
        << DTypeName(dtype) << " part " << static_cast<int>(part) << " channels first "
        << g.channels_first << "\n"
        << found.ToString() << "\n"
        << expected.ToString();
    return true;
  }
  void ExpectConvolves(ConvGeometry g) {
    for (DType dtype : kDTypes) {
      for (ConvPart part : kParts) {
        for (bool channels_first : {false, true}) {
          g.channels_first = channels_first;
          EXPECT_TRUE(Convolves(dtype, part, g));
        }
      }
    }
  }

  testing::FakeCuda& fake_ = testing::TheFakeCuda();
  std::unique_ptr<GpuDevice> device_;
  DType dtype_ = kFloat;
};

TEST_F(LibraryConvolutionTest, ComputesRowsImagesAndVolumes) {
  ExpectConvolves(Geometry({{7, 3}}));
  ExpectConvolves(Geometry({{6, 3, 1, 1, 1, 1}, {5, 2}}));
  ExpectConvolves(Geometry({{3, 2}, {4, 3, 1, 1, 1, 1}, {5, 2, 2}}));
  ExpectConvolves(Geometry({{3, 1, 2}, {4, 1, 2}}));  // as in ResNets
}

TEST_F(LibraryConvolutionTest, TakesStepsAndDilates) {
  ExpectConvolves(Geometry({{9, 3, 2, 1, 1, 1}, {8, 3, 3, 1, 0, 0}}));
  ExpectConvolves(Geometry({{9, 3, 1, 2, 2, 2}, {8, 2, 2, 3}}));
}

TEST_F(LibraryConvolutionTest, ComputesGroupsOfChannels) {
  ExpectConvolves(Geometry({{5, 3, 1, 1, 1, 1}, {4, 3, 1, 1, 1, 1}}, 4, 6, 2));
  ExpectConvolves(Geometry({{5, 3, 2}, {4, 2}}, 3, 6, 3));  // depthwise
}

// TensorFlow's padding SAME of even sizes in steps of two.
TEST_F(LibraryConvolutionTest, PadsUnevenly) {
  const ConvGeometry rows = Geometry({{8, 3, 2, 1, 0, 1}}),
                     images = Geometry({{8, 3, 2, 1, 0, 1}, {6, 7, 2, 1, 2, 3}}),
                     volumes =
                         Geometry({{4, 2, 1, 1, 0, 1}, {3, 2, 1, 1, 1, 0}, {4, 3, 2, 1, 0, 1}});
  for (const ConvGeometry& g : {rows, images, volumes}) ExpectConvolves(g);
}

TEST_F(LibraryConvolutionTest, ConvolutionsOfPixelsAreProducts) {
  const int products = fake_.cublas_choices;
  for (DType dtype : {kFloat, kDouble}) {
    for (ConvPart part : kParts) EXPECT_TRUE(Convolves(dtype, part, Geometry({{5, 1}, {4, 1}})));
  }
  EXPECT_EQ(fake_.cublas_choices, products + 6);
  EXPECT_TRUE(fake_.cudnn_runs.empty());
}

TEST_F(LibraryConvolutionTest, PutsChannelsFirstWhereThatIsFaster) {
  const ConvGeometry g = Geometry({{6, 3, 1, 1, 1, 1}, {5, 2}});
  for (bool is_faster : {false, true}) {
    fake_.cudnn_engines = {
        {.milliseconds = is_faster ? 20 : 0, .channels_first_milliseconds = is_faster ? 0 : 20}};
    device_ = GpuDevice::Make(0, *testing::FakeCudaDevice(), 1.0).value();
    for (ConvPart part : kParts) {
      EXPECT_TRUE(Convolves(kFloat, part, g));  // measures
      const int before = fake_.cudnn_channels_first;
      EXPECT_TRUE(Convolves(kFloat, part, g));
      EXPECT_EQ(fake_.cudnn_channels_first - before, is_faster ? 1 : 0);
      EXPECT_TRUE(Convolves(kHalf, part, g));
    }
    linalg::SetDeterministic(true);  // the choice would depend on times
    const int before = fake_.cudnn_channels_first;
    EXPECT_TRUE(Convolves(kFloat, ConvPart::kForward, g));
    EXPECT_EQ(fake_.cudnn_channels_first, before);
    linalg::SetDeterministic(false);
  }
}

TEST_F(LibraryConvolutionTest, KeepsTheOrderOfImagesIfTheirCopiesDoNotFit) {
  fake_.cudnn_engines = {{.milliseconds = 20}};
  constexpr double kLimit = 150'000;  // the images have 48,000 and 63,936 bytes
  device_ = GpuDevice::Make(0, *testing::FakeCudaDevice(),
                            kLimit / static_cast<double>(fake_.memory_bytes))
                .value();
  const int before = fake_.cudnn_channels_first;
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(Convolves(kFloat, ConvPart::kForward, Geometry({{2000, 3}})));
  }
  EXPECT_EQ(fake_.cudnn_channels_first, before);
}

TEST_F(LibraryConvolutionTest, CountsALaunch) {
  fake_.cudnn_engines = {{.channels_first_milliseconds = 20}};
  const ConvGeometry g = Geometry({{7, 3}});
  EXPECT_TRUE(Convolves(kFloat, ConvPart::kForward, g));
  const int64_t before = device_->work().launches;
  EXPECT_TRUE(Convolves(kFloat, ConvPart::kForward, g));
  EXPECT_EQ(device_->work().launches, before + 2);  // of the filter's copy and of the library
}

TEST_F(LibraryConvolutionTest, UsesLessWorkspaceWhenTheMemoryIsFull) {
  constexpr size_t kLarge = size_t{20} << 20, kSmall = size_t{1} << 20;
  fake_.cudnn_engines = {{.workspace_bytes = kLarge}, {.workspace_bytes = kSmall}};
  const ConvGeometry g = Geometry({{7, 3}});
  const auto size =
      static_cast<int64_t>(fake_.memory_bytes - fake_.bytes_in_use - (size_t{29} << 20));
  const Tensor full = Temporary(*device_, kUInt8, Shape{size}).value();
  linalg::SetDeterministic(true);  // the first engine is not compared with others
  EXPECT_TRUE(Convolves(kFloat, ConvPart::kForward, g));
  linalg::SetDeterministic(false);
  EXPECT_EQ(fake_.cudnn_runs.back(), 1);
}

TEST_F(LibraryConvolutionTest, LeavesOthersToRametsKernels) {
  const ConvGeometry g = Geometry({{7, 3}});
  EXPECT_FALSE(Convolves(kInt32, ConvPart::kForward, g));
  fake_.cudnn_engines = {};
  for (ConvPart part : kParts) EXPECT_FALSE(Convolves(kFloat, part, g));
  fake_.cudnn_engines = {{.status = 3000}};
  device_ = GpuDevice::Make(0, *testing::FakeCudaDevice(), 1.0).value();
  for (ConvPart part : kParts) EXPECT_FALSE(Convolves(kFloat, part, g));
}

}  // namespace
}  // namespace ramet::gpu
