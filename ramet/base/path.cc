#include "ramet/base/path.h"

#include <sys/random.h>

#include <random>

namespace ramet {
namespace {

// std::random_device queries the processor's features each time. On a virtual machine that takes
// longer than writing a small file.
uint64_t RandomNumber() {
  uint64_t number;
  if (::getrandom(&number, sizeof(number), 0) == sizeof(number)) return number;
  std::random_device random;
  return (uint64_t{random()} << 32) | random();
}

}  // namespace

Status CheckPath(const std::string& path) {
  if (path.find('\0') == std::string::npos) return OkStatus();
  return InvalidArgument("the path '", path.c_str(), "\\0...' contains a NUL byte");
}

std::string_view Basename(std::string_view path) {
  size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view Dirname(std::string_view path) {
  size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return "";
  std::string_view head = path.substr(0, slash + 1);
  size_t last = head.find_last_not_of('/');
  return last == std::string_view::npos ? head : head.substr(0, last + 1);
}

std::string JoinPath(std::string_view a, std::string_view b) {
  if (a.empty() || IsAbsolutePath(b)) return std::string(b);
  return a.ends_with('/') ? StrCat(a, b) : StrCat(a, "/", b);
}

std::string TemporaryPath(std::string_view path) {
  const uint64_t number = RandomNumber();
  return StrCat(path, ".tempstate", number);
}

}  // namespace ramet
