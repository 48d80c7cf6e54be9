#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "ramet/base/scratch_dir.h"
#include "ramet/format/table_testing.h"

// Shared code of the fuzz programs for file formats: files with given bytes, and tables with
// correct checksums, so that the code behind the checks is reached.
namespace ramet::fuzz_testing {

// A folder for the program's lifetime, on a memory file system if there is one.
inline const ScratchDir& Folder() {
  setenv("TMPDIR", "/dev/shm", 0);
  static const ScratchDir folder;
  return folder;
}

inline std::string WriteInput(const std::string& name, std::string_view bytes) {
  const std::string path = Folder() / name;
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

// Removes a piece from the front of *bytes. Its first two bytes are the piece's length.
inline std::string_view TakePiece(std::string_view* bytes) {
  if (bytes->size() < 2) return {};
  const size_t low = static_cast<uint8_t>((*bytes)[0]), high = static_cast<uint8_t>((*bytes)[1]);
  bytes->remove_prefix(2);
  const std::string_view piece = bytes->substr(0, low | high << 8);
  bytes->remove_prefix(piece.size());
  return piece;
}

// Returns a table of one block with these records.
inline std::string TableOfRecords(const std::map<std::string, std::string>& records) {
  std::string entries;
  for (const auto& [key, value] : records) entries += table_testing::Entry(0, key, value);
  const std::string block = table_testing::BlockOf(entries);
  const std::string last = std::string(300, '\xFF');
  return table_testing::TableOf(
      block, 0, table_testing::Entry(0, last, table_testing::Handle(0, block.size())));
}

}  // namespace ramet::fuzz_testing
