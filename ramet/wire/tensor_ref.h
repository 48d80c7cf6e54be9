#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ramet {

// A reference in a GraphDef: "n" and "n:0" are output 0 of n, "n:k" is output k, "^n" is a control
// dependency (index kControl). Borrows the text.
struct TensorRef {
  static constexpr int32_t kControl = -1;
  std::string_view node;
  int32_t index = 0;
  static TensorRef Parse(std::string_view text);
  bool is_control() const { return index == kControl; }
  std::string ToString() const;  // "n:k", "^n"
  bool operator==(const TensorRef&) const = default;
};

}  // namespace ramet
