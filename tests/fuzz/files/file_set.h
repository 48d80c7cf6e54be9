#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"

namespace ramet::fuzz {

// One file of a case. Its path is relative to the case's folder.
struct DrawnFile {
  enum class Kind { kRegular, kFolder, kPipe, kLink };
  std::string path;
  std::string bytes;  // of a link: where it leads
  Kind kind = Kind::kRegular;
};

// A FileSet holds the files of one case: the name of their format, what a user would open, and the
// files.
struct FileSet {
  std::string format;
  std::string target;
  std::vector<DrawnFile> files;

  void Add(std::string path, std::string bytes) {
    files.push_back({std::move(path), std::move(bytes), DrawnFile::Kind::kRegular});
  }
  size_t bytes() const;
};

// Writes the files into an empty folder. \error of the files.
Status WriteFileSet(const FileSet& set, const std::string& folder);
// Returns what differs between the folder and the files that were written there; "" if nothing.
std::string ChangeSince(const FileSet& set, const std::string& folder);

// The set as text, which holds every byte of it, and back. \error kDataLoss if it is not such text.
std::string TextOf(const FileSet& set);
StatusOr<FileSet> FileSetFromText(std::string_view text);

}  // namespace ramet::fuzz
