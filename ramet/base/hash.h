#pragma once

#include <array>
#include <cstdint>
#include <string_view>

// Hashes with fixed values that files and graphs rely on. All are pure.
namespace ramet {

// Returns FarmHash's Fingerprint64.
uint64_t Fingerprint64(std::string_view bytes);
// Returns MurmurHash64A with TensorFlow's seed.
uint64_t Hash64(std::string_view bytes);
// Returns SipHash-2-4.
uint64_t SipHash(const std::array<uint64_t, 2>& key, std::string_view bytes);

}  // namespace ramet
