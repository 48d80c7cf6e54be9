#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ramet/backends/gpu/library/cudnn_api.h"

// Convolutions on host memory, as the descriptors of cuDNN's backend API describe them. For the
// double of cuDNN.
namespace ramet::gpu::testing {

// An image or a filter with any strides: [outer, channels, three spatial dimensions].
struct FakeImage {
  FakeImage(int type, std::vector<int64_t> sizes, std::vector<int64_t> steps)
      : type(type), dims(std::move(sizes)), strides(std::move(steps)) {
    for (auto* values : {&dims, &strides}) {
      values->insert(values->begin() + 2, 5 - values->size(), 1);
    }
  }

  int64_t At(int64_t outer, int64_t channel, const int64_t* pixel) const {
    return outer * strides[0] + channel * strides[1] + pixel[0] * strides[2] +
           pixel[1] * strides[3] + pixel[2] * strides[4];
  }

  double Load(int64_t at) const {
    switch (type) {
      case cudnn::api::k_CUDNN_DATA_FLOAT: return static_cast<const float*>(data)[at];
      case cudnn::api::k_CUDNN_DATA_DOUBLE: return static_cast<const double*>(data)[at];
      case cudnn::api::k_CUDNN_DATA_BFLOAT16:
        return std::bit_cast<float>(uint32_t{static_cast<const uint16_t*>(data)[at]} << 16);
      default: return LoadHalf(static_cast<const uint16_t*>(data)[at]);
    }
  }

  // Cuts off halves and bfloat16; tests use numbers that are exact.
  void Store(int64_t at, double value) const {
    const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(value));
    switch (type) {
      case cudnn::api::k_CUDNN_DATA_FLOAT:
        static_cast<float*>(data)[at] = static_cast<float>(value);
        return;
      case cudnn::api::k_CUDNN_DATA_DOUBLE: static_cast<double*>(data)[at] = value; return;
      case cudnn::api::k_CUDNN_DATA_BFLOAT16:
        static_cast<uint16_t*>(data)[at] = static_cast<uint16_t>(bits >> 16);
        return;
      default: static_cast<uint16_t*>(data)[at] = StoreHalf(bits);
    }
  }

  static double LoadHalf(uint16_t bits) {
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    const double value =
        exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
    return bits >> 15 ? -value : value;
  }
  static uint16_t StoreHalf(uint32_t float_bits) {
    const int exponent = static_cast<int>(float_bits >> 23 & 255) - 127 + 15;
    const uint32_t sign = float_bits >> 16 & 0x8000;
    if (exponent <= 0) return static_cast<uint16_t>(sign);
    return static_cast<uint16_t>(sign | static_cast<uint32_t>(exponent) << 10 |
                                 (float_bits >> 13 & 1023));
  }

  template <class Visit>
  void ForPixels(Visit&& visit) const {
    int64_t p[3];
    for (p[0] = 0; p[0] < dims[2]; ++p[0]) {
      for (p[1] = 0; p[1] < dims[3]; ++p[1]) {
        for (p[2] = 0; p[2] < dims[4]; ++p[2]) visit(p);
      }
    }
  }

  int type;
  std::vector<int64_t> dims, strides;
  void* data = nullptr;
};

struct FakeConvolution {
  int operation;  // k_CUDNN_BACKEND_OPERATION_CONVOLUTION_...
  FakeImage x, w, y;
  std::vector<int64_t> pad, pad_after, stride, dilation;

  // Reports whether the sizes fit, as cuDNN checks them.
  bool Fits() const {
    bool fits = x.dims[0] == y.dims[0] && w.dims[0] == y.dims[1] && x.dims[1] % w.dims[1] == 0 &&
                w.dims[0] % (x.dims[1] / w.dims[1]) == 0 && x.type == w.type && w.type == y.type;
    for (size_t d = 0; d < 3; ++d) {
      const int64_t window = dilation[d] * (w.dims[d + 2] - 1) + 1;
      const int64_t size = x.dims[d + 2] + pad[d] + pad_after[d];
      fits &= size >= window && (size - window) / stride[d] + 1 == y.dims[d + 2];
    }
    return fits;
  }

  void Run() const {
    using namespace cudnn::api;  // NOLINT: names of cuDNN
    const bool is_forward = operation == k_CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
    const bool is_input =
        operation == k_CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR;
    const FakeImage& result = is_forward ? y : is_input ? x : w;
    std::map<int64_t, double> sums;
    for (int64_t n = 0; n < result.dims[0]; ++n) {
      for (int64_t c = 0; c < result.dims[1]; ++c) {
        result.ForPixels([&](const int64_t* p) { sums[result.At(n, c, p)] = 0; });
      }
    }
    ForTerms([&](int64_t at_x, int64_t at_w, int64_t at_y) {
      if (is_forward) {
        sums[at_y] += x.Load(at_x) * w.Load(at_w);
      } else if (is_input) {
        sums[at_x] += y.Load(at_y) * w.Load(at_w);
      } else {
        sums[at_w] += x.Load(at_x) * y.Load(at_y);
      }
    });
    for (const auto& [at, sum] : sums) result.Store(at, sum);
  }

  // Visits the products that the output is a sum of.
  template <class Visit>
  void ForTerms(Visit&& visit) const {
    const int64_t group_out = w.dims[0] / (x.dims[1] / w.dims[1]);
    y.ForPixels([&](const int64_t* out) {
      w.ForPixels([&](const int64_t* tap) {
        int64_t in[3];
        for (size_t d = 0; d < 3; ++d) {
          in[d] = out[d] * stride[d] - pad[d] + tap[d] * dilation[d];
          if (in[d] < 0 || in[d] >= x.dims[d + 2]) return;
        }
        for (int64_t n = 0; n < x.dims[0]; ++n) {
          for (int64_t k = 0; k < w.dims[0]; ++k) {
            for (int64_t c = 0; c < w.dims[1]; ++c) {
              visit(x.At(n, k / group_out * w.dims[1] + c, in), w.At(k, c, tap), y.At(n, k, out));
            }
          }
        }
      });
    });
  }
};

}  // namespace ramet::gpu::testing
