#include "ramet/ops/array/move.h"

#include <cstring>

#include "ramet/op/tensor_math.h"

namespace ramet {

Status MoveStrided(const Tensor& x, int64_t x_offset, std::span<const int64_t> x_strides, Tensor& y,
                   int64_t y_offset, std::span<const int64_t> y_strides,
                   std::span<const int64_t> dims) {
  if (std::ranges::count(dims, 0) > 0) return OkStatus();
  if (const DeviceMath* math = DeviceMath::Of(y)) {
    return math->Copy(x, x_offset, x_strides, y, y_offset, y_strides, dims);
  }
  return MoveElements(x, y, [&](int64_t width, const char* from, char* to) {
    linalg::StridedCopy(width, dims, from + x_offset * width, x_strides, to + y_offset * width,
                        y_strides);
  });
}

namespace {

template <class T>
T* Objects(const Tensor& t) {
  return static_cast<T*>(t.raw_data());
}

}  // namespace

Status FillWith(const Tensor& value, Tensor& y) {
  if (const DeviceMath* math = DeviceMath::Of(y)) return math->SetAll(value, y);
  if (IsVariant(y.dtype())) {
    std::fill_n(Objects<Variant>(y), y.num_elements(), *Objects<Variant>(value));
  } else if (y.dtype() == DType::kString) {
    std::ranges::fill(y.mutable_flat<std::string>(), value.scalar<std::string>());
  } else if (y.num_elements() > 0) {
    linalg::Fill(static_cast<int64_t>(DTypeSize(y.dtype())), value.raw_data(), y.raw_data(),
                 y.num_elements());
  }
  return OkStatus();
}

Status FillZeros(Tensor& y) {
  if (const DeviceMath* math = DeviceMath::Of(y)) return math->SetZeros(y);
  if (y.dtype() == DType::kString) {
    std::ranges::fill(y.mutable_flat<std::string>(), std::string());
  } else if (IsVariant(y.dtype())) {
    std::fill_n(Objects<Variant>(y), y.num_elements(), Variant());
  } else if (y.bytes() > 0) {
    std::memset(y.raw_data(), 0, y.bytes());
  }
  return OkStatus();
}

Status CopyAll(const Tensor& x, Tensor& y) {
  if (DeviceMath::Of(y) == nullptr) {
    CopyElements(x, 0, y, 0, x.num_elements());
    return OkStatus();
  }
  const int64_t dims[] = {x.num_elements()}, step[] = {1};
  return MoveStrided(x, 0, step, y, 0, step, dims);
}

void CopyElements(const Tensor& x, int64_t from, Tensor& y, int64_t to, int64_t n) {
  if (n == 0) return;
  if (x.dtype() == DType::kString) {
    std::copy_n(x.data<std::string>() + from, n, y.mutable_data<std::string>() + to);
    return;
  }
  if (IsVariant(x.dtype())) {
    std::copy_n(Objects<const Variant>(x) + from, n, Objects<Variant>(y) + to);
    return;
  }
  const int64_t width = static_cast<int64_t>(DTypeSize(x.dtype()));
  std::memcpy(static_cast<char*>(y.raw_data()) + to * width,
              static_cast<const char*>(x.raw_data()) + from * width, n * width);
}

}  // namespace ramet
