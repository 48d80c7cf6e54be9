#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/tensor/buffer.h"
#include "ramet/tensor/dtype.h"
#include "ramet/tensor/shape.h"

namespace ramet {

// A Tensor is a dense, row-major array: a dtype, a fully defined shape and a shared buffer. Copying
// a Tensor shares the buffer. Elements are std::string for strings and Variant for variants and
// resource handles (tensor/variant.h). A default-constructed Tensor holds nothing (dtype kInvalid).
//
// Threads: reading shared tensors is safe; writing through mutable_data() is safe only while
// nothing else holds the buffer.
class RAMET_EXPORT Tensor {
 public:
  Tensor() = default;
  // Allocates a tensor in host memory with unspecified elements (strings are empty). Throws
  // std::bad_alloc if the memory cannot be allocated; for sizes from outside, use Allocate.
  Tensor(DType dtype, Shape shape);
  // Makes a tensor over a buffer with at least the bytes that dtype and shape need. Throws
  // BadStatusAccess with kInvalidArgument if the shape is invalid (Shape::Validate), and with
  // kInternal if the buffer is too small, so that no Tensor claims elements without memory behind
  // them.
  Tensor(DType dtype, Shape shape, BufferPtr buffer);
  // Scalars, vectors and matrices of a C++ arithmetic type or string.
  template <class T>
  requires(std::is_arithmetic_v<T>) Tensor(T value)
      : Tensor(DTypeOf<T>::value, Shape()) {  // NOLINT: implicit on purpose
    *mutable_data<T>() = value;
  }
  Tensor(const char* value);         // NOLINT
  Tensor(const std::string& value);  // NOLINT

  // Allocates a tensor with unspecified elements; strings and variants are empty.
  // \error kInvalidArgument: the shape is not fully defined, its byte size overflows, or the dtype
  //   is not valid.
  // \error kResourceExhausted: the memory cannot be allocated.
  static StatusOr<Tensor> Allocate(DType dtype, const Shape& shape,
                                   Allocator* allocator = HostAllocator());
  // Makes a tensor of `values` in row-major order: one per element, or a single value for all.
  template <class T>
  static Tensor Of(const Shape& shape, std::initializer_list<T> values) {
    return Of(shape, std::span<const T>(values.begin(), values.size()));
  }
  template <class T>
  static Tensor Of(const Shape& shape, std::span<const T> values);
  template <class T>
  static Tensor Vector(std::initializer_list<T> values) {
    return Of(Shape{static_cast<int64_t>(values.size())}, values);
  }
  template <class T>
  static Tensor Vector(const std::vector<T>& values) {
    Tensor t(DTypeOf<T>::value, Shape{static_cast<int64_t>(values.size())});
    for (size_t i = 0; i < values.size(); ++i) t.mutable_data<T>()[i] = values[i];
    return t;
  }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int i) const { return shape_.dim(i); }
  int64_t num_elements() const { return shape_.num_elements(); }
  // Returns the size in bytes; 0 for strings and variants.
  size_t bytes() const { return static_cast<size_t>(num_elements()) * DTypeSize(dtype_); }
  bool empty() const { return dtype_ == DType::kInvalid; }
  bool host_accessible() const { return !buffer_ || buffer_->host_accessible(); }
  // The device memory that holds the elements, or null for host memory.
  const DeviceMemory* memory() const { return buffer_ ? buffer_->memory() : nullptr; }
  bool borrowed() const { return buffer_ && buffer_->borrowed(); }
  // Reports whether no other Tensor shares the buffer.
  bool unique() const { return buffer_ && buffer_->unique(); }
  const BufferPtr& buffer() const { return buffer_; }

  // Returns the elements. T must be the C++ type of the dtype; a mismatch throws std::logic_error.
  template <class T>
  const T* data() const {
    CheckType(DTypeOf<T>::value);
    return static_cast<const T*>(raw_data());
  }
  template <class T>
  T* mutable_data() {
    CheckType(DTypeOf<T>::value);
    return static_cast<T*>(raw_data());
  }
  template <class T>
  std::span<const T> flat() const {
    return {data<T>(), static_cast<size_t>(num_elements())};
  }
  template <class T>
  std::span<T> mutable_flat() {
    return {mutable_data<T>(), static_cast<size_t>(num_elements())};
  }
  // Returns the element of a tensor with one element.
  template <class T>
  const T& scalar() const {
    return *data<T>();
  }
  void* raw_data() const { return buffer_ ? buffer_->data() : nullptr; }

  // Returns a tensor that shares the buffer and has another shape with as many elements.
  Tensor Reshaped(Shape shape) const { return Tensor(dtype_, std::move(shape), buffer_); }
  // Returns a copy with its own buffer.
  // \error as Allocate.
  StatusOr<Tensor> DeepCopy() const;
  // Returns a tensor that may be kept beyond a run: this one, or a copy if its memory is borrowed
  // (Buffer::borrowed).
  // \error as Allocate.
  StatusOr<Tensor> Owned() const;
  // Compares dtype, shape and bits (bytes for strings). Both tensors must be in host memory.
  bool BitwiseEquals(const Tensor& other) const;
  // Returns dtype, shape and the first `max_values` elements: "float[2,3] 1 2 3 ...".
  std::string ToString(int max_values = 10) const;

 private:
  void CheckType(DType expected) const {
    if (expected != dtype_) ThrowTypeMismatch(expected);
  }
  [[noreturn]] void ThrowTypeMismatch(DType expected) const;
  [[noreturn]] void ThrowBadShape() const;
  [[noreturn]] void ThrowSmallBuffer() const;

  DType dtype_ = DType::kInvalid;
  Shape shape_;
  BufferPtr buffer_;
};

template <class T>
Tensor Tensor::Of(const Shape& shape, std::span<const T> values) {
  Tensor t(DTypeOf<T>::value, shape);
  std::span<T> out = t.mutable_flat<T>();
  for (size_t i = 0; i < out.size(); ++i) out[i] = values[values.size() == 1 ? 0 : i];
  return t;
}

// Returns the size in bytes of a tensor with a flat dtype and a fully defined shape.
// \error kInvalidArgument: the shape is partial, the dtype is not flat, or the product overflows.
RAMET_EXPORT StatusOr<size_t> TensorBytes(DType dtype, const Shape& shape);

}  // namespace ramet
