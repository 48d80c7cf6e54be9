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
  std::string bytes;  // the content, or the target of a link
  Kind kind = Kind::kRegular;
};

// A FileSet holds the files of one case, the name of their format, and the path that a user would
// open.
struct FileSet {
  std::string format;
  std::string target;
  std::vector<DrawnFile> files;

  void Add(std::string path, std::string bytes) {
    files.push_back({std::move(path), std::move(bytes), DrawnFile::Kind::kRegular});
  }
  size_t bytes() const;
};

// Writes the files into an empty folder.
// \error as for the file operations.
Status WriteFileSet(const FileSet& set, const std::string& folder);
// Describes how the folder differs from the files that were written there; "" if it does not.
std::string ChangeSince(const FileSet& set, const std::string& folder);

// Convert a set to text, without loss, and back.
// \error kDataLoss: the text is not such a set.
std::string TextOf(const FileSet& set);
StatusOr<FileSet> FileSetFromText(std::string_view text);

}  // namespace ramet::fuzz
