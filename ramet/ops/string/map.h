#pragma once

#include <string>

#include "ramet/op/op.h"

namespace ramet {

// out[i] = fn(text[i]) for input 0, strings, where fn(const std::string&, Out*) -> Status; output 0
// has its shape.
template <class Out, class Fn>
Status MapStrings(KernelContext& c, Fn&& fn) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DTypeOf<Out>::value, x.shape()));
  const std::string* in = x.data<std::string>();
  Out* out = y->mutable_data<Out>();
  for (int64_t i = 0; i < x.num_elements(); ++i) RAMET_RETURN_IF_ERROR(fn(in[i], &out[i]));
  return OkStatus();
}

// Whether a byte of UTF-8 begins a character.
inline bool BeginsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

// Where attr `unit` says BYTE or UTF8_CHAR.
inline bool CountsCharacters(const AttrMap& attrs) {
  return attrs.GetOr<std::string>("unit", "BYTE") == "UTF8_CHAR";
}

}  // namespace ramet
