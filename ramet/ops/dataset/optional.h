#pragma once

#include "ramet/ops/dataset/dataset.h"

namespace ramet {

// An OptionalElement is the value of a variant: an element, or nothing.
struct OptionalElement final : VariantValue {
  OptionalElement() : has_value(false) {}
  explicit OptionalElement(Element value) : has_value(true), element(std::move(value)) {}
  std::string_view type_name() const override { return "tensorflow::data::Optional"; }

  const bool has_value;
  const Element element;
};

}  // namespace ramet
