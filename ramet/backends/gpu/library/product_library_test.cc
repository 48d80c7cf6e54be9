#include "ramet/backends/gpu/library/product_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "ramet/backends/gpu/library/cublas_lt_api.h"
#include "ramet/backends/gpu/testing/fake_cuda_device.h"
#include "ramet/backends/gpu/testing/test_device.h"

namespace ramet::gpu {
namespace {

// Returns small integers, whose products are exact.
template <class T>
std::vector<T> Numbers(int64_t count, int seed) {
  std::vector<T> numbers(static_cast<size_t>(count));
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<T>(static_cast<int>((i * 7 + static_cast<size_t>(seed)) % 11) - 5);
  }
  return numbers;
}

template <class T>
std::vector<T> Expected(const StackedProduct& p, const std::vector<T>& x, const std::vector<T>& y,
                        const std::vector<T>& bias) {
  std::vector<T> z;
  for (int64_t s = 0; s < p.stacks; ++s) {
    const T* const a = x.data() + (p.repeats_x ? 0 : s * p.m * p.k);
    const T* const b = y.data() + (p.repeats_y ? 0 : s * p.k * p.n);
    for (int64_t i = 0; i < p.m; ++i) {
      for (int64_t j = 0; j < p.n; ++j) {
        T sum = p.has_bias ? bias[static_cast<size_t>(j)] : 0;
        for (int64_t k = 0; k < p.k; ++k) {
          sum += a[p.transpose_x ? k * p.m + i : i * p.k + k] *
                 b[p.transpose_y ? j * p.k + k : k * p.n + j];
        }
        z.push_back(sum);
      }
    }
  }
  return z;
}

struct Library {
  DriverDevice& device;
  std::unique_ptr<DriverQueue> queue;
  std::unique_ptr<ProductLibrary> products;
};

// Multiplies on the device. Returns nothing if the library does not support the product.
template <class T>
std::vector<T> Multiply(Library& library, const StackedProduct& p, const std::vector<T>& x,
                        const std::vector<T>& y, const std::vector<T>& bias = {}) {
  auto on_device = [&](const std::vector<T>& values) {
    auto memory = library.device.Allocate(values.size() * sizeof(T)).value();
    EXPECT_TRUE(
        library.queue->CopyFromHost(*memory, std::as_bytes(std::span(values)), nullptr).ok());
    return memory;
  };
  std::vector<T> z(static_cast<size_t>(p.stacks * p.m * p.n), T{99});
  const auto a = on_device(x), b = on_device(y), c = on_device(z);
  const auto row = p.has_bias ? on_device(bias) : nullptr;
  const std::optional<size_t> bytes = library.products->WorkspaceFor(p).value();
  if (!bytes) return {};
  const auto workspace = library.device.Allocate(std::max<size_t>(*bytes, 1)).value();
  std::vector<DriverMemory*> blocks = {a.get(), b.get(), c.get()};
  if (p.has_bias) blocks.insert(blocks.begin() + 2, row.get());
  if (*bytes > 0) blocks.push_back(workspace.get());
  const auto parameters = ProductLibrary::ParametersOf(p);
  EXPECT_EQ(library.products->NumOnlyRead(parameters), p.has_bias ? 3u : 2u);
  EXPECT_TRUE(library.products->Enqueue(*library.queue, parameters, blocks).ok());
  EXPECT_TRUE(library.queue->CopyToHost(std::as_writable_bytes(std::span(z)), *c).ok());
  return z;
}

template <class T>
void ExpectProduct(Library& library, const StackedProduct& p) {
  const auto x = Numbers<T>(p.m * p.k * (p.repeats_x ? 1 : p.stacks), 1);
  const auto y = Numbers<T>(p.k * p.n * (p.repeats_y ? 1 : p.stacks), 2);
  const auto bias = Numbers<T>(p.n, 3);
  EXPECT_EQ(Multiply<T>(library, p, x, y, bias), Expected(p, x, y, bias))
      << DTypeName(p.dtype) << " " << p.m << "x" << p.n << "x" << p.k << (p.transpose_x ? "t" : "")
      << (p.transpose_y ? "t" : "") << " " << p.stacks;
}

void ExpectAllTranspositions(Library& library) {
  for (bool transpose_x : {false, true}) {
    for (bool transpose_y : {false, true}) {
      for (int64_t stacks : {1, 3}) {
        ExpectProduct<float>(library, {kFloat, 5, 7, 3, transpose_x, transpose_y, stacks});
        ExpectProduct<double>(library, {kDouble, 2, 9, 4, transpose_x, transpose_y, stacks});
      }
    }
  }
}

class CublasLtTest : public ::testing::Test {
 protected:
  static Library Open() {
    DriverDevice& device = *testing::FakeCudaDevice();
    auto queue = device.MakeQueue().value();
    auto products = OpenCublasLt(device, *queue, {"libNoCublasLt.so.1", RAMET_FAKE_CUDA});
    return {device, std::move(queue), std::move(products)};
  }
};

TEST_F(CublasLtTest, DescribesRowMajorMatrices) {
  Library library = Open();
  ExpectAllTranspositions(library);
  ExpectProduct<float>(library, {kFloat, 4, 3, 2, false, true, 5, true, false});
  ExpectProduct<float>(library, {kFloat, 4, 3, 2, true, false, 5, false, true});
}

TEST_F(CublasLtTest, ChoosesAnAlgorithmOncePerProduct) {
  Library library = Open();
  const StackedProduct p = {kFloat, 5, 7, 3};
  const int before = testing::TheFakeCuda().cublas_choices;
  for (int i = 0; i < 3; ++i) ExpectProduct<float>(library, p);
  EXPECT_EQ(testing::TheFakeCuda().cublas_choices, before + 1);
  ExpectProduct<float>(library, {kFloat, 5, 7, 3, false, true});
  EXPECT_EQ(testing::TheFakeCuda().cublas_choices, before + 2);
}

TEST_F(CublasLtTest, AddsABias) {
  Library library = Open();
  EXPECT_TRUE(library.products->adds_bias());
  StackedProduct p = {.dtype = kFloat, .m = 5, .n = 7, .k = 3, .has_bias = true};
  for (size_t bytes : {0, 1000}) {
    testing::TheFakeCuda().cublas_workspace_bytes = bytes;
    for (bool transpose_x : {false, true}) {
      for (bool transpose_y : {false, true}) {
        p.transpose_x = transpose_x;
        p.transpose_y = transpose_y;
        p.m = bytes == 0 ? 5 : 6;
        ExpectProduct<float>(library, p);
      }
    }
  }
  testing::TheFakeCuda().cublas_workspace_bytes = 0;
  // The bias is a part of the description: its address is that of the call.
  ExpectProduct<float>(library, {kFloat, 5, 7, 3});
  ExpectProduct<float>(library, {.dtype = kFloat, .m = 5, .n = 7, .k = 3, .has_bias = true});
  // The library adds no bias to doubles.
  p.dtype = kDouble;
  EXPECT_EQ(library.products->WorkspaceFor(p).value(), std::nullopt);
}

TEST_F(CublasLtTest, FloatsUseTf32OnlyIfItIsAllowed) {
  Library exact = Open();
  ExpectProduct<float>(exact, {kFloat, 1, 2, 3});
  EXPECT_EQ(testing::TheFakeCuda().cublas_compute, cublas_lt::api::k_CUBLAS_COMPUTE_32F);
  setenv("RAMET_TF32", "1", 1);
  Library fast = Open();
  unsetenv("RAMET_TF32");
  ExpectProduct<float>(fast, {kFloat, 1, 2, 3});
  EXPECT_EQ(testing::TheFakeCuda().cublas_compute, cublas_lt::api::k_CUBLAS_COMPUTE_32F_FAST_TF32);
  ExpectProduct<double>(fast, {kDouble, 1, 2, 3});
  EXPECT_EQ(testing::TheFakeCuda().cublas_compute, cublas_lt::api::k_CUBLAS_COMPUTE_64F);
}

TEST_F(CublasLtTest, LeavesUnsupportedProductsToTheCaller) {
  Library library = Open();
  EXPECT_TRUE(Multiply<int>(library, {kInt32, 1, 1, 1}, {2}, {3}).empty());
  EXPECT_TRUE(Multiply<float>(library, {kHalf, 1, 1, 1}, {2}, {3}).empty());  // no algorithm
}

TEST_F(CublasLtTest, IsNotUsedIfItIsMissingOrCannotStart) {
  DriverDevice& device = *testing::FakeCudaDevice();
  auto queue = device.MakeQueue().value();
  EXPECT_EQ(OpenCublasLt(device, *queue, {"libNoCublasLt.so.1", "libm.so.6"}), nullptr);
  testing::TheFakeCuda().cublas_status = 1;
  EXPECT_EQ(OpenCublasLt(device, *queue, {RAMET_FAKE_CUDA}), nullptr);
  testing::TheFakeCuda().cublas_status = 0;
}

TEST(ClblastTest, Multiplies) {
  RAMET_NEEDS_OPENCL_CPU();
  if (std::getenv("RAMET_CLBLAST_TEST") == nullptr) {
    GTEST_SKIP() << "skipped: PoCL takes minutes to compile CLBlast's kernels; set "
                    "RAMET_CLBLAST_TEST";
  }
  DriverDevice& device = *TestDriverDevice();
  auto queue = device.MakeQueue().value();
  auto products = OpenClblast(device);
  if (products == nullptr) GTEST_SKIP() << "skipped: CLBlast is not installed (libclblast1)";
  Library library = {device, std::move(queue), std::move(products)};
  ExpectAllTranspositions(library);
  EXPECT_TRUE(Multiply<float>(library, {kHalf, 1, 1, 1}, {2}, {3}).empty());
  EXPECT_FALSE(library.products->adds_bias());
  const StackedProduct with_bias = {.dtype = kFloat, .m = 5, .n = 7, .k = 3, .has_bias = true};
  EXPECT_EQ(library.products->WorkspaceFor(with_bias).value(), std::nullopt);
}

TEST(ClblastTest, ProcessorsUseThisBackendsKernels) {
  RAMET_NEEDS_OPENCL_CPU();
  auto queue = TestDriverDevice()->MakeQueue().value();
  EXPECT_EQ(OpenProductLibrary(*TestDriverDevice(), *queue), nullptr);
}

}  // namespace
}  // namespace ramet::gpu
