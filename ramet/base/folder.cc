#include "ramet/base/folder.h"

#include <dirent.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "ramet/base/file.h"
#include "ramet/base/retry.h"

namespace ramet {
namespace {

Status Call(const std::string& path, int (*function)(const char*)) {
  RAMET_RETURN_IF_ERROR(CheckPath(path));
  return function(path.c_str()) == 0 ? OkStatus() : ErrnoStatus(errno, path);
}

}  // namespace

bool FileExists(const std::string& path) {
  return Call(path, [](const char* p) { return ::access(p, F_OK); }).ok();
}

bool IsDirectory(const std::string& path) {
  return Call(path,
              [](const char* p) {
                struct stat s;
                return ::stat(p, &s) == 0 && S_ISDIR(s.st_mode) ? 0 : -1;
              })
      .ok();
}

Status RemoveFile(const std::string& path) { return Call(path, ::unlink); }
Status RemoveDir(const std::string& path) { return Call(path, ::rmdir); }

Status CreateDir(const std::string& path) {
  return Call(path, [](const char* p) { return ::mkdir(p, 0777); });
}

Status CreateDirs(const std::string& path) {
  for (size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    std::string folder = path.substr(0, end);
    if (folder.empty() || IsDirectory(folder)) continue;
    Status status = CreateDir(folder);
    if (!status.ok() && !(IsAlreadyExists(status) && IsDirectory(folder))) return status;
  }
  return OkStatus();
}

Status RenameFile(const std::string& from, const std::string& to) {
  RAMET_RETURN_IF_ERROR(CheckPath(from));
  RAMET_RETURN_IF_ERROR(CheckPath(to));
  if (::rename(from.c_str(), to.c_str()) == 0) return OkStatus();
  return ErrnoStatus(errno, StrCat(from, " -> ", to));
}

StatusOr<std::vector<std::string>> ListDir(const std::string& path) {
  RAMET_RETURN_IF_ERROR(CheckPath(path));
  DIR* const opened =
      RetryInterrupted([&] { return ::opendir(path.empty() ? "." : path.c_str()); });
  std::unique_ptr<DIR, int (*)(DIR*)> folder(opened, ::closedir);
  if (!folder) return ErrnoStatus(errno, path);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(folder.get())) {
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
    errno = 0;
  }
  if (errno != 0) return ErrnoStatus(errno, path);
  std::sort(names.begin(), names.end());
  return names;
}

StatusOr<std::vector<std::string>> Glob(const std::string& pattern) {
  RAMET_RETURN_IF_ERROR(CheckPath(pattern));
  glob_t found = {};
  int result = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (result == GLOB_NOSPACE) return ErrnoStatus(ENOMEM, pattern);
  if (result == GLOB_ABORTED) return ErrnoStatus(EACCES, pattern);
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace ramet
