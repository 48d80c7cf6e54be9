#include "ramet/format/ordered_code.h"

#include <algorithm>
#include <array>

namespace ramet::ordered_code {
namespace {

constexpr int kMaxSigned = 10;
// Codes of length 1..10 start with as many one-bits, which take up to two bytes.
constexpr std::array<std::array<uint8_t, 2>, kMaxSigned + 1> kHeader = {{{0, 0},
                                                                         {0x80, 0},
                                                                         {0xC0, 0},
                                                                         {0xE0, 0},
                                                                         {0xF0, 0},
                                                                         {0xF8, 0},
                                                                         {0xFC, 0},
                                                                         {0xFE, 0},
                                                                         {0xFF, 0},
                                                                         {0xFF, 0x80},
                                                                         {0xFF, 0xC0}}};

bool FitsSigned(int64_t value, int n) {
  if (n >= kMaxSigned) return true;
  const int64_t limit = int64_t{1} << (7 * n - 1);
  return value >= -limit && value < limit;
}

}  // namespace

void AppendString(std::string* out, std::string_view value) {
  for (char c : value) {
    out->push_back(c);
    if (c == '\0') out->push_back('\xFF');
    if (c == '\xFF') out->push_back('\0');
  }
  out->append("\0\1", 2);
}

void AppendUnsigned(std::string* out, uint64_t value) {
  int n = 0;
  while (n < 8 && value >> (8 * n) != 0) ++n;
  out->push_back(static_cast<char>(n));
  while (n-- > 0) out->push_back(static_cast<char>(value >> (8 * n)));
}

void AppendSigned(std::string* out, int64_t value) {
  int n = 1;
  while (!FitsSigned(value, n)) ++n;
  for (int i = 0; i < n; ++i) {
    const int shift = std::min(8 * (n - 1 - i), 63);
    uint8_t byte = static_cast<uint8_t>(value >> shift);
    if (i < 2) byte ^= kHeader[n][i];
    out->push_back(static_cast<char>(byte));
  }
}

}  // namespace ramet::ordered_code
