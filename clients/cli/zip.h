#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

// The records of a zip file (PKWARE's APPNOTE.TXT) that .npz files use.
namespace cli::zip {

inline constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50,
                          kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
inline constexpr size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56,
                        kLocatorBytes = 20, kMaxComment = 65535;
inline constexpr uint16_t kStored = 0, kDeflated = 8, kExtra64 = 1;
inline constexpr uint16_t kVersion = 20, kVersion64 = 45, kUtf8Flag = 0x800, kEncryptedFlag = 1;
inline constexpr uint32_t kIn64 = 0xFFFFFFFF;  // the number is in the zip64 record
inline constexpr uint16_t kCountIn64 = 0xFFFF;
inline constexpr uint32_t kEpoch = 0x00210000;  // 1980-01-01 00:00, date and time

// Reads the little-endian number at offset `at`, which must be within `bytes`.
template <class T>
T Get(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

template <class T>
void Put(T value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// An entry of the central directory.
struct Member {
  std::string name;
  uint16_t flags = 0;
  uint16_t method = kStored;
  uint32_t crc = 0;
  uint64_t compressed = 0;
  uint64_t size = 0;
  uint64_t offset = 0;  // of the local header
};

}  // namespace cli::zip
