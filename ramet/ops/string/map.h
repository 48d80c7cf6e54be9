#pragma once

#include <string>

#include "ramet/op/op.h"

namespace ramet {

// Computes out[i] from text[i] for input 0, a string tensor, with fn(const std::string&, Out*) ->
// Status. Output 0 has the shape of the input.
template <class Out, class Fn>
Status MapStrings(KernelContext& c, Fn&& fn) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DTypeOf<Out>::value, x.shape()));
  const std::string* in = x.data<std::string>();
  Out* out = y->mutable_data<Out>();
  for (int64_t i = 0; i < x.num_elements(); ++i) RAMET_RETURN_IF_ERROR(fn(in[i], &out[i]));
  return OkStatus();
}

// Reports whether a byte of UTF-8 starts a character.
inline bool BeginsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

// Reports whether the attr `unit` is UTF8_CHAR rather than BYTE.
inline bool CountsCharacters(const AttrMap& attrs) {
  return attrs.GetOr<std::string>("unit", "BYTE") == "UTF8_CHAR";
}

}  // namespace ramet
