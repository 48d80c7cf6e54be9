#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace ramet {

// A ScratchDir is an empty folder under `parent` (by default TMPDIR or /tmp) that is deleted with
// its content by the destructor. For tests and benchmarks. Throws std::runtime_error if the folder
// cannot be created.
class ScratchDir {
 public:
  explicit ScratchDir(const std::filesystem::path& parent = std::filesystem::temp_directory_path())
      : path_((parent / "ramet-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp failed: " + path_);
  }
  ~ScratchDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;

  const std::string& path() const { return path_; }
  // Returns the path of `name` in the folder.
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace ramet
