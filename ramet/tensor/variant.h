#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ramet/base/export.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// What a Variant can hold. A value is not changed once others may see it.
class RAMET_EXPORT VariantValue {
 public:
  virtual ~VariantValue() = default;
  virtual std::string_view type_name() const = 0;
};

// A Variant is one element of a tensor of dtype variant or resource: a value of any type, shared
// with the copies of the Variant, or nothing. Threads: as std::shared_ptr.
class RAMET_EXPORT Variant {
 public:
  Variant() = default;
  explicit Variant(std::shared_ptr<VariantValue> value) : value_(std::move(value)) {}

  bool empty() const { return value_ == nullptr; }
  bool operator==(const Variant& other) const { return value_ == other.value_; }
  // The value if it is a T, else nullptr.
  template <class T>
  const T* get() const {
    return dynamic_cast<const T*>(value_.get());
  }
  // The value to be changed, if it is a T and this Variant alone holds it; else nullptr.
  template <class T>
  T* unshared() {
    return value_.use_count() == 1 ? dynamic_cast<T*>(value_.get()) : nullptr;
  }
  // "Variant<type: TensorList>", "Variant<empty>".
  std::string ToString() const;

 private:
  std::shared_ptr<VariantValue> value_;
};

// Whether the elements of a tensor of dtype `t` are Variants.
constexpr bool IsVariant(DType t) { return t == DType::kVariant || t == DType::kResource; }

template <>
struct DTypeOf<Variant> {
  static constexpr DType value = DType::kVariant;
};

// A scalar of dtype variant.
RAMET_EXPORT Tensor VariantScalar(std::shared_ptr<VariantValue> value);

}  // namespace ramet
