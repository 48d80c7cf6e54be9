#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "ramet/tensor/variant.h"

namespace ramet {

// An EncodedVariant is a value that files can hold: the name of a type, and bytes in its format.
class EncodedVariant final : public VariantValue {
 public:
  EncodedVariant(std::string type, std::string bytes)
      : type_(std::move(type)), bytes_(std::move(bytes)) {}
  std::string_view type_name() const override { return type_; }
  const std::string& bytes() const { return bytes_; }

 private:
  const std::string type_, bytes_;
};

}  // namespace ramet
