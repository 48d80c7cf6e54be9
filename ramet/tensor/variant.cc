#include "ramet/tensor/variant.h"

#include "ramet/base/strings.h"

namespace ramet {

std::string Variant::ToString() const {
  return empty() ? "Variant<empty>" : StrCat("Variant<type: ", value_->type_name(), ">");
}

Tensor VariantScalar(std::shared_ptr<VariantValue> value) {
  Tensor t(DType::kVariant, Shape());
  *t.mutable_data<Variant>() = Variant(std::move(value));
  return t;
}

}  // namespace ramet
