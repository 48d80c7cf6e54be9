#include "ramet/base/pinned_folder.h"

#include <fcntl.h>

#include <cctype>

#include "ramet/base/retry.h"

namespace ramet {

PinnedFolder::PinnedFolder(std::string_view path)
    : head_(path.substr(0, path.size() - Basename(path).size())), folder_(Dirname(path)) {
  if (!CheckPath(folder_).ok()) return;
  const std::string folder = folder_.empty() ? "." : folder_;
  fd_ = FileDescriptor(
      RetryInterrupted([&] { return ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC); }));
  if (fd_.get() < 0) return;
  std::string through = StrCat("/proc/self/fd/", fd_.get());
  if (IsDirectory(through)) through_ = std::move(through);
}

std::string PinnedFolder::Pin(const std::string& path) const {
  if (through_.empty() || Dirname(path) != folder_) return path;
  return StrCat(through_, "/", Basename(path));
}

std::string PinnedFolder::Original(std::string_view text) const {
  std::string original;
  for (size_t at = 0; at < text.size();) {
    const size_t found = through_.empty() ? text.npos : text.find(through_, at);
    original += text.substr(at, found == text.npos ? found : found - at);
    if (found == text.npos) break;
    at = found + through_.size();
    const char next = at < text.size() ? text[at] : '\0';
    if (std::isdigit(static_cast<unsigned char>(next)) != 0) {
      original += through_;  // a different descriptor
    } else if (next == '/') {
      original += head_;
      ++at;
    } else {
      original += folder_.empty() ? "." : folder_;
    }
  }
  return original;
}

Status PinnedFolder::Original(const Status& status) const {
  if (status.ok() || through_.empty()) return status;
  return Status(status.code(), Original(status.message()));
}

}  // namespace ramet
