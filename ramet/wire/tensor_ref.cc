#include "ramet/wire/tensor_ref.h"

#include <algorithm>
#include <limits>

#include "ramet/base/strings.h"

namespace ramet {

TensorRef TensorRef::Parse(std::string_view text) {
  if (text.starts_with('^')) return {text.substr(1), kControl};
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return {text, 0};
  int64_t index = 0;
  for (char c : text.substr(colon + 1)) {
    if (c < '0' || c > '9') return {text, 0};
    index = std::min<int64_t>(index * 10 + (c - '0'), std::numeric_limits<int32_t>::max());
  }
  return {text.substr(0, colon), static_cast<int32_t>(index)};
}

std::string TensorRef::ToString() const {
  return is_control() ? StrCat("^", node) : StrCat(node, ":", index);
}

}  // namespace ramet
