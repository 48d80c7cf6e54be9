#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/coding.h"
#include "ramet/base/crc32c.h"

// Builds arbitrary sorted tables from parts, for tests of hostile files.
namespace ramet::table_testing {

// Returns a block with its trailer.
inline std::string Framed(std::string block, char type = 0) {
  block.push_back(type);
  const uint32_t crc = crc32c::Mask(crc32c::Value(block));
  AppendFixed32(&block, crc);
  return block;
}

inline std::string Entry(uint64_t shared, std::string_view rest, std::string_view value) {
  std::string entry;
  AppendVarint64(&entry, shared);
  AppendVarint64(&entry, rest.size());
  AppendVarint64(&entry, value.size());
  return entry.append(rest).append(value);
}

inline std::string BlockOf(std::string entries, std::vector<uint32_t> restarts = {0}) {
  for (uint32_t r : restarts) AppendFixed32(&entries, r);
  AppendFixed32(&entries, static_cast<uint32_t>(restarts.size()));
  return entries;
}

inline std::string Handle(uint64_t offset, uint64_t size) {
  std::string handle;
  AppendVarint64(&handle, offset);
  AppendVarint64(&handle, size);
  return handle;
}

inline std::string FooterOf(const std::string& index_handle) {
  std::string footer = Handle(0, 0) + index_handle;
  footer.resize(40, '\0');
  AppendFixed32(&footer, 0x8B80FB57u);
  AppendFixed32(&footer, 0xDB477524u);
  return footer;
}

// Returns a file of one data block and its index.
inline std::string TableOf(const std::string& block, char type = 0,
                           std::string index_entries = "") {
  const std::string data = Framed(block, type);
  if (index_entries.empty()) index_entries = Entry(0, "zz", Handle(0, block.size()));
  const std::string index = BlockOf(index_entries);
  return data + Framed(index) + FooterOf(Handle(data.size(), index.size()));
}

}  // namespace ramet::table_testing
