#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ramet::crc32c {

// CRC-32C (Castagnoli; reflected polynomial 0x82F63B78, initial and final xor 0xFFFFFFFF). Uses
// SSE4.2 if the processor has it and tables otherwise, with equal results. All functions are pure
// and thread-safe.

// Returns the CRC of A followed by data[0, n), where `crc` is the CRC of A.
uint32_t Extend(uint32_t crc, const void* data, size_t n);

// Returns the CRC of data[0, n). Value("123456789") is 0xE3069283, Value("") is 0.
inline uint32_t Value(const void* data, size_t n) { return Extend(0, data, n); }
inline uint32_t Value(std::string_view data) { return Extend(0, data.data(), data.size()); }

// Returns the CRC of A followed by B from their CRCs and the length of B, so that several threads
// can each compute the CRC of one piece.
uint32_t Concat(uint32_t crc_a, uint32_t crc_b, uint64_t bytes_b);

// Converts a CRC to and from the form stored in TensorFlow's and leveldb's files. Masking keeps the
// CRC strong over bytes that contain CRCs (docs/formats/checkpoint-v2.md).
constexpr uint32_t kMaskDelta = 0xA282EAD8;
constexpr uint32_t Mask(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + kMaskDelta; }
constexpr uint32_t Unmask(uint32_t masked) {
  uint32_t rotated = masked - kMaskDelta;
  return (rotated >> 17) | (rotated << 15);
}

namespace internal {
// The two implementations of Extend, for tests. ExtendHardware needs HasHardware().
bool HasHardware();
uint32_t ExtendHardware(uint32_t crc, const void* data, size_t n);
uint32_t ExtendPortable(uint32_t crc, const void* data, size_t n);
}  // namespace internal

}  // namespace ramet::crc32c
