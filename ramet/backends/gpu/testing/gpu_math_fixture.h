#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "ramet/backends/gpu/gpu_device.h"
#include "ramet/backends/gpu/testing/test_device.h"
#include "ramet/linalg/cast.h"

namespace ramet::gpu {

// A GpuMathFixture compares computations on a GPU with those on the host.
class GpuMathFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    RAMET_NEEDS_TEST_DEVICE();
    static GpuDevice* const device = GpuDevice::Make(0, *TestDriverDevice(), 1.0).value().release();
    device_ = device;
  }

  static Tensor Cast(const Tensor& x, DType dtype) {
    Tensor y(dtype, x.shape());
    linalg::Cast(static_cast<linalg::Type>(x.dtype()), x.raw_data(),
                 static_cast<linalg::Type>(dtype), y.raw_data(), x.num_elements());
    return y;
  }
  Tensor Numbers(DType dtype, const Shape& shape, double low = -2, double high = 2) {
    Tensor t(kDouble, shape);
    std::uniform_real_distribution<double> draw(low, high);
    for (double& v : t.mutable_flat<double>()) v = draw(generator_);
    return Cast(t, dtype);
  }
  Tensor On(const Tensor& host) { return device_->CopyFromHost(host).value(); }
  Tensor Back(const Tensor& t) { return device_->CopyToHost(t).value(); }
  Tensor New(DType dtype, const Shape& shape) {
    return Tensor::Allocate(dtype, shape, device_->allocator()).value();
  }

  // Runs `compute(operands, result)` on the host and on the device and compares the results.
  template <class Compute>
  void Compare(const std::vector<Tensor>& operands, DType dtype, const Shape& shape,
               double tolerance, Compute&& compute) {
    std::vector<Tensor> on_device;
    for (const Tensor& t : operands) on_device.push_back(On(t));
    Tensor expected(dtype, shape), found = New(dtype, shape);
    ASSERT_TRUE(compute(operands, expected).ok());
    const Status status = compute(on_device, found);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ExpectNear(expected, Back(found), tolerance);
  }
  static void ExpectNear(const Tensor& expected, const Tensor& found, double tolerance) {
    const Tensor a = Cast(expected, kDouble), b = Cast(found, kDouble);
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      const double x = a.flat<double>()[i], y = b.flat<double>()[i];
      if (std::isnan(x) && std::isnan(y)) continue;
      ASSERT_LE(std::abs(x - y), tolerance * std::max(1.0, std::abs(x)))
          << DTypeName(expected.dtype()) << " element " << i << ": " << x << " vs. " << y;
    }
  }
  static double Tolerance(DType dtype) {
    return dtype == kDouble ? 1e-12 : dtype == kFloat ? 2e-6 : dtype == kHalf ? 2e-3 : 1.6e-2;
  }

  GpuDevice* device_ = nullptr;
  std::mt19937 generator_{1};
};

}  // namespace ramet::gpu
