#include "ramet/tensor/tensor.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>

#include "ramet/tensor/available_memory.h"
#include "ramet/tensor/copyable_buffer.h"
#include "ramet/tensor/variant.h"

namespace ramet {
namespace {

size_t ElementBytes(DType dtype) {
  if (dtype == DType::kString) return sizeof(std::string);
  return IsVariant(dtype) ? sizeof(Variant) : DTypeSize(dtype);
}

Status CheckTensorShape(const Shape& shape) {
  if (!shape.IsFullyDefined()) {
    return InvalidArgument("a tensor's shape must be fully defined, but it is ", shape);
  }
  return shape.Validate();
}

// Holds the elements of tensors of C++ objects: strings and variants.
template <class T>
class ObjectBuffer final : public Buffer {
 public:
  static StatusOr<Tensor> MakeTensor(DType dtype, const Shape& shape) {
    RAMET_RETURN_IF_ERROR(CheckTensorShape(shape));
    int64_t bytes;
    if (!MultiplyNonNegative(shape.num_elements(), int64_t{sizeof(T)}, &bytes)) {
      return InvalidArgument("the byte size of a ", DTypeName(dtype), " tensor of shape ", shape,
                             " overflows");
    }
    RAMET_RETURN_IF_ERROR(CheckAvailable(static_cast<size_t>(bytes)));
    try {
      auto objects = std::make_unique<T[]>(static_cast<size_t>(shape.num_elements()));
      T* data = objects.get();
      return Tensor(dtype, shape,
                    BufferPtr::Adopt(new ObjectBuffer(std::move(objects), data,
                                                      static_cast<size_t>(shape.num_elements()))));
    } catch (const std::bad_alloc&) {
      return ResourceExhausted("out of memory for a ", DTypeName(dtype), " tensor of shape ",
                               shape);
    }
  }

 private:
  ObjectBuffer(std::unique_ptr<T[]> objects, T* data, size_t n)
      : Buffer(data, n * sizeof(T), nullptr), objects_(std::move(objects)) {}
  void Dispose() override { delete this; }
  std::unique_ptr<T[]> objects_;
};

const Variant* Variants(const Tensor& t) { return static_cast<const Variant*>(t.raw_data()); }

template <class T>
void PrintElements(const Tensor& t, int64_t n, std::string& out) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      out += StrCat(" ", static_cast<float>(t.data<T>()[i]));
    } else if constexpr (std::is_same_v<T, std::string>) {
      out += StrCat(" \"", t.data<T>()[i], "\"");
    } else if constexpr (requires(T v) { v.imag(); }) {
      out += StrCat(" ", t.data<T>()[i].real(), "+", t.data<T>()[i].imag(), "j");
    } else {
      out += StrCat(" ", t.data<T>()[i]);
    }
  }
}

void PrintElementsOfAnyType(const Tensor& t, int64_t n, std::string& out) {
  switch (t.dtype()) {
    case DType::kFloat: return PrintElements<float>(t, n, out);
    case DType::kDouble: return PrintElements<double>(t, n, out);
    case DType::kInt8: return PrintElements<int8_t>(t, n, out);
    case DType::kInt16: return PrintElements<int16_t>(t, n, out);
    case DType::kInt32: return PrintElements<int32_t>(t, n, out);
    case DType::kInt64: return PrintElements<int64_t>(t, n, out);
    case DType::kUInt8: return PrintElements<uint8_t>(t, n, out);
    case DType::kUInt16: return PrintElements<uint16_t>(t, n, out);
    case DType::kUInt32: return PrintElements<uint32_t>(t, n, out);
    case DType::kUInt64: return PrintElements<uint64_t>(t, n, out);
    case DType::kBool: return PrintElements<bool>(t, n, out);
    case DType::kHalf: return PrintElements<Half>(t, n, out);
    case DType::kBFloat16: return PrintElements<BFloat16>(t, n, out);
    case DType::kComplex64: return PrintElements<std::complex<float>>(t, n, out);
    case DType::kComplex128: return PrintElements<std::complex<double>>(t, n, out);
    case DType::kString: return PrintElements<std::string>(t, n, out);
    case DType::kResource:
    case DType::kVariant:
      for (int64_t i = 0; i < n; ++i) out += StrCat(" ", Variants(t)[i].ToString());
      return;
    default: out += " ...";
  }
}

}  // namespace

StatusOr<size_t> TensorBytes(DType dtype, const Shape& shape) {
  RAMET_RETURN_IF_ERROR(CheckTensorShape(shape));
  size_t size = DTypeSize(dtype);
  if (size == 0) return InvalidArgument("dtype ", DTypeName(dtype), " has no fixed element size");
  int64_t bytes = shape.num_elements();
  if (!MultiplyNonNegative(bytes, static_cast<int64_t>(size), &bytes)) {
    return InvalidArgument("the byte size of a ", DTypeName(dtype), " tensor of shape ", shape,
                           " overflows");
  }
  return static_cast<size_t>(bytes);
}

StatusOr<Tensor> Tensor::Allocate(DType dtype, const Shape& shape, Allocator* allocator) {
  if (dtype == DType::kString) return ObjectBuffer<std::string>::MakeTensor(dtype, shape);
  if (IsVariant(dtype)) return ObjectBuffer<Variant>::MakeTensor(dtype, shape);
  RAMET_ASSIGN_OR_RETURN(size_t bytes, TensorBytes(dtype, shape));
  RAMET_ASSIGN_OR_RETURN(BufferPtr buffer, allocator->Allocate(bytes));
  return Tensor(dtype, shape, std::move(buffer));
}

Tensor::Tensor(DType dtype, Shape shape) {
  auto made = Allocate(dtype, shape);
  if (!made.ok()) {
    if (IsResourceExhausted(made.status())) throw std::bad_alloc();
    throw BadStatusAccess(made.status());
  }
  *this = *std::move(made);
}

Tensor::Tensor(DType dtype, Shape shape, BufferPtr buffer)
    : dtype_(dtype), shape_(std::move(shape)), buffer_(std::move(buffer)) {
  const int64_t n = shape_.num_elements();
  if (n < 0 || n == std::numeric_limits<int64_t>::max()) ThrowBadShape();
  int64_t bytes = 0;
  const int64_t size = static_cast<int64_t>(ElementBytes(dtype_));
  const bool fits = MultiplyNonNegative(n, size, &bytes) &&
                    static_cast<size_t>(bytes) <= (buffer_ ? buffer_->size() : 0);
  if (!fits) ThrowSmallBuffer();
}

void Tensor::ThrowBadShape() const {
  Status status = shape_.Validate();
  if (status.ok()) {
    status = InvalidArgument("a tensor's shape must be fully defined, but it is ", shape_);
  }
  throw BadStatusAccess(status);
}

void Tensor::ThrowSmallBuffer() const {
  throw BadStatusAccess(Internal("a ", DTypeName(dtype_), " tensor of shape ", shape_,
                                 " does not fit in a buffer of ",
                                 buffer_ ? buffer_->size() : size_t{0}, " bytes"));
}

Tensor::Tensor(const char* value) : Tensor(std::string(value)) {}

Tensor::Tensor(const std::string& value) : Tensor(DType::kString, Shape()) {
  *mutable_data<std::string>() = value;
}

StatusOr<Tensor> Tensor::DeepCopy() const {
  if (empty()) return Tensor();
  RAMET_ASSIGN_OR_RETURN(Tensor copy, Allocate(dtype_, shape_));
  if (dtype_ == DType::kString) {
    std::ranges::copy(flat<std::string>(), copy.mutable_data<std::string>());
  } else if (IsVariant(dtype_)) {
    std::copy_n(Variants(*this), num_elements(), static_cast<Variant*>(copy.raw_data()));
  } else if (bytes() > 0) {
    std::memcpy(copy.raw_data(), raw_data(), bytes());
  }
  return copy;
}

StatusOr<Tensor> Tensor::Owned() const {
  if (!borrowed()) return *this;
  if (host_accessible()) return DeepCopy();
  auto* const copyable = dynamic_cast<CopyableBuffer*>(buffer_.get());
  if (copyable == nullptr) return Internal("a borrowed value in device memory cannot be copied");
  RAMET_ASSIGN_OR_RETURN(BufferPtr copy, copyable->CopyInMemory());
  return Tensor(dtype_, shape_, std::move(copy));
}

bool Tensor::BitwiseEquals(const Tensor& other) const {
  if (dtype_ != other.dtype_ || !(shape_ == other.shape_)) return false;
  if (dtype_ == DType::kString) {
    return std::ranges::equal(flat<std::string>(), other.flat<std::string>());
  }
  if (IsVariant(dtype_)) {
    return std::equal(Variants(*this), Variants(*this) + num_elements(), Variants(other));
  }
  return bytes() == 0 || std::memcmp(raw_data(), other.raw_data(), bytes()) == 0;
}

std::string Tensor::ToString(int max_values) const {
  if (empty()) return "no tensor";
  std::string text = StrCat(DTypeName(dtype_), shape_);
  if (!host_accessible()) return text + " (in device memory)";
  int64_t n = std::min<int64_t>(num_elements(), max_values);
  PrintElementsOfAnyType(*this, n, text);
  if (n < num_elements()) text += " ...";
  return text;
}

void Tensor::ThrowTypeMismatch(DType expected) const {
  throw std::logic_error(StrCat("cannot access the elements of a ", DTypeName(dtype_),
                                " tensor as ", DTypeName(expected)));
}

}  // namespace ramet
