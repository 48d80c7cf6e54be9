#include "ramet/base/hash.h"

#include <bit>
#include <utility>

#include "ramet/base/coding.h"

namespace ramet {
namespace {

constexpr uint64_t kFarm0 = 0xc3a5c85c97cb3127, kFarm1 = 0xb492b66fbe98f273,
                   kFarm2 = 0x9ae16a3b2f90404f;

uint64_t Mixed(uint64_t v) { return v ^ (v >> 47); }

uint64_t Fold(uint64_t u, uint64_t v, uint64_t factor) {
  const uint64_t a = Mixed((u ^ v) * factor);
  return Mixed((v ^ a) * factor) * factor;
}

uint64_t FarmOfFew(std::string_view bytes) {
  const char* s = bytes.data();
  const size_t n = bytes.size();
  const uint64_t factor = kFarm2 + n * 2;
  if (n >= 8) {
    const uint64_t a = DecodeFixed64(s) + kFarm2, b = DecodeFixed64(s + n - 8);
    return Fold(std::rotr(b, 37) * factor + a, (std::rotr(a, 25) + b) * factor, factor);
  }
  if (n >= 4) {
    return Fold(n + (uint64_t{DecodeFixed32(s)} << 3), DecodeFixed32(s + n - 4), factor);
  }
  if (n == 0) return kFarm2;
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(s[i])); };
  const uint32_t y = byte(0) + (byte(n >> 1) << 8);
  const auto z = static_cast<uint32_t>(n) + (byte(n - 1) << 2);
  return Mixed(y * kFarm2 ^ z * kFarm0) * kFarm2;
}

// Hashes 17 to 64 bytes.
uint64_t FarmOfSome(std::string_view bytes) {
  const char* s = bytes.data();
  const size_t n = bytes.size();
  const uint64_t factor = kFarm2 + n * 2;
  const uint64_t a = DecodeFixed64(s) * (n <= 32 ? kFarm1 : kFarm2), b = DecodeFixed64(s + 8);
  const uint64_t c = DecodeFixed64(s + n - 8) * factor, d = DecodeFixed64(s + n - 16) * kFarm2;
  const uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  const uint64_t z = Fold(y, a + std::rotr(b + kFarm2, 18) + c, factor);
  if (n <= 32) return z;
  const uint64_t e = DecodeFixed64(s + 16) * factor, f = DecodeFixed64(s + 24);
  const uint64_t g = (y + DecodeFixed64(s + n - 32)) * factor;
  const uint64_t h = (z + DecodeFixed64(s + n - 24)) * factor;
  return Fold(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + a, 18) + g, factor);
}

// The state after some blocks of 64 bytes.
struct FarmState {
  using Pair = std::pair<uint64_t, uint64_t>;
  uint64_t x = 81, y = 0, z = 0;
  Pair v{0, 0}, w{0, 0};

  static Pair Weak(const char* s, uint64_t a, uint64_t b) {
    const uint64_t last = DecodeFixed64(s + 24);
    a += DecodeFixed64(s);
    b = std::rotr(b + a + last, 21);
    const uint64_t c = a;
    a += DecodeFixed64(s + 8) + DecodeFixed64(s + 16);
    b += std::rotr(a, 44);
    return {a + last, b + c};
  }

  void Block(const char* s, uint64_t factor, uint64_t weight) {
    x = std::rotr(x + y + v.first + DecodeFixed64(s + 8), 37) * factor;
    y = std::rotr(y + v.second + DecodeFixed64(s + 48), 42) * factor;
    x ^= w.second * weight;
    y += v.first * weight + DecodeFixed64(s + 40);
    z = std::rotr(z + w.first, 33) * factor;
    v = Weak(s, v.second * factor, x + w.first);
    w = Weak(s + 32, z + w.second, y + DecodeFixed64(s + 16));
    std::swap(z, x);
  }
};

uint64_t FarmOfMany(std::string_view bytes) {
  const char* s = bytes.data();
  const size_t before_last = (bytes.size() - 1) / 64 * 64, rest = (bytes.size() - 1) & 63;
  FarmState state;
  state.y = state.x * kFarm1 + 113;
  state.z = Mixed(state.y * kFarm2 + 113) * kFarm2;
  state.x = state.x * kFarm2 + DecodeFixed64(s);
  for (size_t at = 0; at < before_last; at += 64) state.Block(s + at, kFarm1, 1);
  const uint64_t factor = kFarm1 + ((state.z & 0xff) << 1);
  state.w.first += rest;
  state.v.first += state.w.first;
  state.w.first += state.v.first;
  state.Block(s + bytes.size() - 64, factor, 9);
  return Fold(Fold(state.v.first, state.w.first, factor) + Mixed(state.y) * kFarm0 + state.z,
              Fold(state.v.second, state.w.second, factor) + state.x, factor);
}

// Returns the last 0 to 7 bytes as a little-endian number.
uint64_t Tail(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    value |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  }
  return value;
}

struct SipState {
  std::array<uint64_t, 4> v;

  void Round() {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = std::rotl(v[1], 13) ^ v[0];
    v[3] = std::rotl(v[3], 16) ^ v[2];
    v[0] = std::rotl(v[0], 32) + v[3];
    v[2] += v[1];
    v[1] = std::rotl(v[1], 17) ^ v[2];
    v[3] = std::rotl(v[3], 21) ^ v[0];
    v[2] = std::rotl(v[2], 32);
  }
  void Take(uint64_t word) {
    v[3] ^= word;
    Round();
    Round();
    v[0] ^= word;
  }
};

}  // namespace

uint64_t Fingerprint64(std::string_view bytes) {
  if (bytes.size() <= 16) return FarmOfFew(bytes);
  return bytes.size() <= 64 ? FarmOfSome(bytes) : FarmOfMany(bytes);
}

uint64_t Hash64(std::string_view bytes) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995, kSeed = 0xDECAFCAFFE;
  uint64_t hash = kSeed ^ (bytes.size() * kFactor);
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    const uint64_t word = DecodeFixed64(bytes.data()) * kFactor;
    hash = (hash ^ Mixed(word) * kFactor) * kFactor;
  }
  if (!bytes.empty()) hash = (hash ^ Tail(bytes)) * kFactor;
  return Mixed(Mixed(hash) * kFactor);
}

uint64_t SipHash(const std::array<uint64_t, 2>& key, std::string_view bytes) {
  const uint64_t length = uint64_t{bytes.size()} << 56;
  SipState state{{key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
                  key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573}};
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) state.Take(DecodeFixed64(bytes.data()));
  state.Take(length | Tail(bytes));
  state.v[2] ^= 0xff;
  for (int i = 0; i < 4; ++i) state.Round();
  return state.v[0] ^ state.v[1] ^ state.v[2] ^ state.v[3];
}

}  // namespace ramet
