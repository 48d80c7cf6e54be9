#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// OrderedCode encodes values as bytes that sort in the order of the values. Used for keys of slices
// in checkpoints (docs/formats/checkpoint-v2.md). All functions are pure.
namespace ramet::ordered_code {

// Encodes 00 as 00 FF, FF as FF 00, other bytes as they are, and ends with 00 01.
void AppendString(std::string* out, std::string_view value);
// Encodes the length n in 0..8 as a byte, then the n big-endian bytes without leading zeros.
void AppendUnsigned(std::string* out, uint64_t value);
// Encodes a value in [-2^(7n-1), 2^(7n-1)) as n bytes, with the smallest n in 1..10: its big-endian
// two's complement, xored with a header of n one-bits.
void AppendSigned(std::string* out, int64_t value);

}  // namespace ramet::ordered_code
