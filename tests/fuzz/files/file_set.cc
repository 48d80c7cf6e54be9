#include "file_set.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "ramet/base/file.h"
#include "ramet/base/strings.h"

namespace ramet::fuzz {
namespace {

namespace fs = std::filesystem;
using Kind = DrawnFile::Kind;

constexpr size_t kBytesPerLine = 64;
// The modification time of the files, in seconds since 1970. Readers would wait if it were recent.
constexpr time_t kWrittenAt = 1'600'000'000;
constexpr const char* kKindNames[] = {"file", "folder", "pipe", "link"};

Status WriteOne(const DrawnFile& file, const std::string& path) {
  switch (file.kind) {
    case Kind::kFolder: return CreateDirs(path);
    case Kind::kPipe: return mkfifo(path.c_str(), 0600) == 0 ? OkStatus() : Unknown("mkfifo");
    case Kind::kLink: fs::create_symlink(file.bytes, path); return OkStatus();
    default: break;
  }
  std::ofstream stream(path, std::ios::binary);
  stream.write(file.bytes.data(), static_cast<std::streamsize>(file.bytes.size()));
  return stream ? OkStatus() : Unknown("cannot write ", path);
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void AppendHex(std::string_view bytes, std::string* text) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (const char c : bytes) {
    *text += kDigits[static_cast<uint8_t>(c) >> 4];
    *text += kDigits[c & 15];
  }
}

Status FromHex(std::string_view hex, std::string* bytes) {
  if (hex.size() % 2 != 0) return DataLoss("an odd number of digits");
  for (size_t i = 0; i < hex.size(); i += 2) {
    const int high = HexValue(hex[i]), low = HexValue(hex[i + 1]);
    if (high < 0 || low < 0) return DataLoss("not a hexadecimal digit in '", hex, "'");
    *bytes += static_cast<char>(high << 4 | low);
  }
  return OkStatus();
}

}  // namespace

size_t FileSet::bytes() const {
  size_t total = 0;
  for (const DrawnFile& file : files) total += file.bytes.size();
  return total;
}

Status WriteFileSet(const FileSet& set, const std::string& folder) {
  for (const DrawnFile& file : set.files) {
    const std::string path = JoinPath(folder, file.path);
    RAMET_RETURN_IF_ERROR(CreateDirs(std::string(Dirname(path))));
    RAMET_RETURN_IF_ERROR(WriteOne(file, path));
    const timespec times[2] = {{kWrittenAt, 0}, {kWrittenAt, 0}};
    utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW);
  }
  return OkStatus();
}

std::string ChangeSince(const FileSet& set, const std::string& folder) {
  std::set<std::string> expected;
  for (const DrawnFile& file : set.files) {
    const std::string path = JoinPath(folder, file.path);
    expected.insert(path);
    if (file.kind != Kind::kRegular) continue;
    const auto bytes = ReadRegularFile(path);
    if (!bytes.ok()) return StrCat(file.path, " cannot be read: ", bytes.status().ToString());
    if (*bytes != file.bytes) return StrCat(file.path, " has other bytes");
  }
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.symlink_status().type() != fs::file_type::directory &&
        !expected.contains(entry.path().string())) {
      return StrCat(entry.path().filename().string(), " is new");
    }
  }
  return "";
}

// "FORMAT TARGET", then for each file "KIND PATH" and lines of hexadecimal digits. Names are in
// hexadecimal digits too, because they may hold anything.
std::string TextOf(const FileSet& set) {
  std::string text = set.format + " ";
  AppendHex(set.target, &text);
  for (const DrawnFile& file : set.files) {
    text += StrCat("\n", kKindNames[static_cast<int>(file.kind)], " ");
    AppendHex(file.path, &text);
    for (size_t at = 0; at < file.bytes.size(); at += kBytesPerLine) {
      text += "\n  ";
      AppendHex(std::string_view(file.bytes).substr(at, kBytesPerLine), &text);
    }
  }
  return text + "\n";
}

StatusOr<FileSet> FileSetFromText(std::string_view text) {
  std::istringstream words{std::string(text)};
  FileSet set;
  std::string word, path;
  if (!(words >> set.format >> word)) return DataLoss("there is no format");
  RAMET_RETURN_IF_ERROR(FromHex(word, &set.target));
  while (words >> word) {
    const auto* kind = std::find(std::begin(kKindNames), std::end(kKindNames), word);
    if (kind == std::end(kKindNames)) {
      if (set.files.empty()) return DataLoss("there is no file before '", word, "'");
      RAMET_RETURN_IF_ERROR(FromHex(word, &set.files.back().bytes));
    } else if (words >> path) {
      set.files.emplace_back().kind = static_cast<Kind>(kind - kKindNames);
      RAMET_RETURN_IF_ERROR(FromHex(path, &set.files.back().path));
    }
  }
  return set;
}

}  // namespace ramet::fuzz
