#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ramet/base/export.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// The base class of values in a Variant. A value does not change once others can see it.
class RAMET_EXPORT VariantValue {
 public:
  virtual ~VariantValue() = default;
  virtual std::string_view type_name() const = 0;
};

// A Variant is one element of a tensor of dtype variant or resource. It holds nothing, or a value
// of any type that copies of the Variant share. Has the thread-safety of std::shared_ptr.
class RAMET_EXPORT Variant {
 public:
  Variant() = default;
  explicit Variant(std::shared_ptr<VariantValue> value) : value_(std::move(value)) {}

  bool empty() const { return value_ == nullptr; }
  bool operator==(const Variant& other) const { return value_ == other.value_; }
  // Returns the value if it is a T, else nullptr.
  template <class T>
  const T* get() const {
    return dynamic_cast<const T*>(value_.get());
  }
  // Returns the value for writing if it is a T that only this Variant holds, else nullptr.
  template <class T>
  T* unshared() {
    return value_.use_count() == 1 ? dynamic_cast<T*>(value_.get()) : nullptr;
  }
  // Returns "Variant<type: TensorList>" or "Variant<empty>".
  std::string ToString() const;

 private:
  std::shared_ptr<VariantValue> value_;
};

// Reports whether the elements of a tensor of dtype `t` are Variants.
constexpr bool IsVariant(DType t) { return t == DType::kVariant || t == DType::kResource; }

template <>
struct DTypeOf<Variant> {
  static constexpr DType value = DType::kVariant;
};

// Returns a scalar of dtype variant.
RAMET_EXPORT Tensor VariantScalar(std::shared_ptr<VariantValue> value);

}  // namespace ramet
