#include "ramet/base/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

namespace ramet::crc32c {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78;
using Tables = std::array<std::array<uint32_t, 256>, 8>;

// tables[k][b] is the register after byte b and k zero bytes.
Tables MakeTables() {
  Tables tables;
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? kPolynomial : 0);
    tables[0][b] = crc;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t b = 0; b < 256; ++b) {
      uint32_t crc = tables[k - 1][b];
      tables[k][b] = (crc >> 8) ^ tables[0][crc & 0xFF];
    }
  }
  return tables;
}

uint64_t LoadLittleEndian(const uint8_t* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof(word));
  return std::endian::native == std::endian::little ? word : __builtin_bswap64(word);
}

#if defined(__x86_64__)
#define RAMET_CRC32C_SSE42 __attribute__((target("sse4.2")))

// A Shift advances a CRC register over a fixed number of zero bytes. The register is linear, so
// this takes four lookups and three xors.
struct Shift {
  std::array<std::array<uint32_t, 256>, 4> tables;
  uint32_t operator()(uint32_t crc) const {
    return tables[0][crc & 0xFF] ^ tables[1][(crc >> 8) & 0xFF] ^ tables[2][(crc >> 16) & 0xFF] ^
           tables[3][crc >> 24];
  }
};

RAMET_CRC32C_SSE42 Shift MakeShift(size_t zero_bytes) {
  Shift shift;
  for (size_t i = 0; i < 4; ++i) {
    auto& table = shift.tables[i];
    table[0] = 0;
    for (size_t bit = 0; bit < 8; ++bit) {
      uint64_t crc = uint64_t{1} << (8 * i + bit);
      for (size_t n = 0; n < zero_bytes; n += 8) crc = __builtin_ia32_crc32di(crc, 0);
      size_t high = size_t{1} << bit;
      for (size_t low = 0; low < high; ++low)
        table[high + low] = static_cast<uint32_t>(crc) ^ table[low];
    }
  }
  return shift;
}

// The crc32 instruction has a latency of three cycles and a throughput of one. Three stretches of
// kStretch bytes are therefore processed in parallel and then joined.
template <size_t kStretch>
RAMET_CRC32C_SSE42 uint64_t ThreeStretches(uint64_t crc, const uint8_t*& p, size_t& n) {
  static const Shift* const shift = new Shift(MakeShift(kStretch));
  while (n >= 3 * kStretch) {
    uint64_t second = 0, third = 0;
    for (const uint8_t* end = p + kStretch; p != end; p += 8) {
      crc = __builtin_ia32_crc32di(crc, LoadLittleEndian(p));
      second = __builtin_ia32_crc32di(second, LoadLittleEndian(p + kStretch));
      third = __builtin_ia32_crc32di(third, LoadLittleEndian(p + 2 * kStretch));
    }
    crc = (*shift)(static_cast<uint32_t>(crc)) ^ second;
    crc = (*shift)(static_cast<uint32_t>(crc)) ^ third;
    p += 2 * kStretch;
    n -= 3 * kStretch;
  }
  return crc;
}
#endif

}  // namespace

namespace internal {

uint32_t ExtendPortable(uint32_t crc, const void* data, size_t n) {
  static const Tables* const tables = new Tables(MakeTables());
  const Tables& t = *tables;
  const uint8_t* p = static_cast<const uint8_t*>(data);
  crc = ~crc;
  for (; n >= 8; n -= 8, p += 8) {
    uint64_t x = LoadLittleEndian(p) ^ crc;
    crc = t[7][x & 0xFF] ^ t[6][(x >> 8) & 0xFF] ^ t[5][(x >> 16) & 0xFF] ^ t[4][(x >> 24) & 0xFF] ^
          t[3][(x >> 32) & 0xFF] ^ t[2][(x >> 40) & 0xFF] ^ t[1][(x >> 48) & 0xFF] ^ t[0][x >> 56];
  }
  for (; n > 0; --n, ++p) crc = (crc >> 8) ^ t[0][(crc ^ *p) & 0xFF];
  return ~crc;
}

#if defined(__x86_64__)
bool HasHardware() { return __builtin_cpu_supports("sse4.2"); }

RAMET_CRC32C_SSE42 uint32_t ExtendHardware(uint32_t crc, const void* data, size_t n) {
  const uint8_t* p = static_cast<const uint8_t*>(data);
  uint64_t state = static_cast<uint32_t>(~crc);
  state = ThreeStretches<4096>(state, p, n);
  state = ThreeStretches<256>(state, p, n);
  for (; n >= 8; n -= 8, p += 8) state = __builtin_ia32_crc32di(state, LoadLittleEndian(p));
  uint32_t rest = static_cast<uint32_t>(state);
  for (; n > 0; --n, ++p) rest = __builtin_ia32_crc32qi(rest, *p);
  return ~rest;
}
#else
bool HasHardware() { return false; }
uint32_t ExtendHardware(uint32_t crc, const void* data, size_t n) {
  return ExtendPortable(crc, data, n);
}
#endif

}  // namespace internal

namespace {

// Returns the product of two polynomials over GF(2) modulo the CRC's. Bit 31 is the coefficient of
// x^0.
uint32_t Multiply(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (uint32_t bit = 0x80000000; bit != 0; bit >>= 1) {
    if (a & bit) product ^= b;
    b = (b >> 1) ^ (b & 1 ? kPolynomial : 0);
  }
  return product;
}

// Returns x^(8 * bytes). Multiplying by it advances a CRC over that many zero bytes.
uint32_t PowerOfBytes(uint64_t bytes) {
  uint32_t result = 0x80000000;
  uint32_t square = 0x80000000 >> 8;
  for (; bytes > 0; bytes >>= 1) {
    if (bytes & 1) result = Multiply(result, square);
    square = Multiply(square, square);
  }
  return result;
}

}  // namespace

uint32_t Concat(uint32_t crc_a, uint32_t crc_b, uint64_t bytes_b) {
  return Multiply(PowerOfBytes(bytes_b), crc_a) ^ crc_b;
}

uint32_t Extend(uint32_t crc, const void* data, size_t n) {
  static const bool hardware = internal::HasHardware();
  return hardware ? internal::ExtendHardware(crc, data, n) : internal::ExtendPortable(crc, data, n);
}

}  // namespace ramet::crc32c
