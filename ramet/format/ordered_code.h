#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// OrderedCode: bytes that compare as the values do. It makes the keys of slices in checkpoints
// (docs/formats/checkpoint-v2.md). All functions are pure.
namespace ramet::ordered_code {

// 00 as 00 FF, FF as FF 00, the rest as it is, then 00 01.
void AppendString(std::string* out, std::string_view value);
// One byte n in 0..8, then the n bytes of the value, big-endian, without leading zeros.
void AppendUnsigned(std::string* out, uint64_t value);
// n bytes for [-2^(7n-1), 2^(7n-1)), the smallest n in 1..10: the big-endian two's complement with
// a header of n one-bits xored into it.
void AppendSigned(std::string* out, int64_t value);

}  // namespace ramet::ordered_code
