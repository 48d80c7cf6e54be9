#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string>

namespace ramet::peers {

// The source of all choices of one case, repeatable by its seed.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  uint64_t Bits() { return engine_(); }
  // Returns a number from 0 to `end` - 1.
  uint64_t Below(uint64_t end) { return end == 0 ? 0 : engine_() % end; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }
  template <class T>
  T Among(std::initializer_list<T> values) {
    return *std::next(values.begin(), static_cast<std::ptrdiff_t>(Below(values.size())));
  }
  // Returns a number near an edge of some type, or at or near `honest`.
  uint64_t Number(uint64_t honest) {
    switch (Below(6)) {
      case 0: return honest;
      case 1: return honest + 1;
      case 2: return honest - 1;
      case 3: return uint64_t{1} << Below(64);
      case 4: return (uint64_t{1} << Below(64)) - 1;
      default: return Bits() >> Below(64);
    }
  }
  // Changes some bytes of `text`, and sometimes its length.
  std::string Damaged(std::string text) {
    for (uint64_t n = 1 + Below(4); n > 0 && !text.empty(); --n) {
      char& c = text[Below(text.size())];
      c = OneIn(2) ? static_cast<char>(Bits()) : static_cast<char>(c ^ 1 << Below(8));
    }
    if (OneIn(4)) text.resize(Below(text.size() + 1));
    if (OneIn(8)) text.insert(Below(text.size() + 1), Below(64), '[');
    return text;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace ramet::peers
