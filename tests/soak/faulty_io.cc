// A library for LD_PRELOAD that makes some calls fail that change files under FAULTY_IO_DIR.
//
//   FAULTY_IO_KIND   ENOSPC, EIO: writes, syncs, new files and renames fail with this error
//                    short: writes write only a part of the data
//   FAULTY_IO_ONE_IN one call in this many is affected
//   FAULTY_IO_SEED   seed of the random choice

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

const char* Setting(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

struct Faults {
  const std::string dir = Setting("FAULTY_IO_DIR");
  const std::string kind = Setting("FAULTY_IO_KIND");
  const uint64_t one_in = std::strtoull(Setting("FAULTY_IO_ONE_IN"), nullptr, 10);
  std::atomic<uint64_t> state{std::strtoull(Setting("FAULTY_IO_SEED"), nullptr, 10) * 2 + 1};

  bool Now() {
    if (one_in == 0) return false;
    uint64_t x = state.fetch_add(0x9E3779B97F4A7C15u);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return (x ^ (x >> 31)) % one_in == 0;
  }
  bool Covers(const char* path) const {
    return !dir.empty() && std::strncmp(path, dir.c_str(), dir.size()) == 0;
  }
  bool Covers(int fd) const {
    char link[64], path[4096];
    std::snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, path, sizeof(path) - 1);
    if (n <= 0) return false;
    path[n] = '\0';
    return Covers(path);
  }
  template <class Where>
  bool Fail(Where where) {
    if (kind == "short" || !Covers(where) || !Now()) return false;
    errno = kind == "EIO" ? EIO : ENOSPC;
    return true;
  }
  size_t Shortened(int fd, size_t n) {
    return kind == "short" && n > 1 && Covers(fd) && Now() ? 1 + n / 3 : n;
  }
};

Faults& TheFaults() {
  static Faults faults;
  return faults;
}

template <class F>
F* Next(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

mode_t ModeOf(int flags, va_list args) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(args, mode_t) : 0;
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* data, size_t n) {
  static auto* next = Next<ssize_t(int, const void*, size_t)>("write");
  if (TheFaults().Fail(fd)) return -1;
  return next(fd, data, TheFaults().Shortened(fd, n));
}

ssize_t pwrite(int fd, const void* data, size_t n, off_t offset) {
  static auto* next = Next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  if (TheFaults().Fail(fd)) return -1;
  return next(fd, data, TheFaults().Shortened(fd, n), offset);
}

ssize_t pwrite64(int fd, const void* data, size_t n, off64_t offset) {
  return pwrite(fd, data, n, offset);
}

ssize_t writev(int fd, const iovec* parts, int count) {
  static auto* next = Next<ssize_t(int, const iovec*, int)>("writev");
  if (TheFaults().Fail(fd)) return -1;
  if (count > 0 && TheFaults().Shortened(fd, parts[0].iov_len) < parts[0].iov_len) {
    return write(fd, parts[0].iov_base, parts[0].iov_len);
  }
  return next(fd, parts, count);
}

int fsync(int fd) {
  static auto* next = Next<int(int)>("fsync");
  return TheFaults().Fail(fd) ? -1 : next(fd);
}

int fdatasync(int fd) {
  static auto* next = Next<int(int)>("fdatasync");
  return TheFaults().Fail(fd) ? -1 : next(fd);
}

int ftruncate(int fd, off_t size) {
  static auto* next = Next<int(int, off_t)>("ftruncate");
  return TheFaults().Fail(fd) ? -1 : next(fd, size);
}

int posix_fallocate(int fd, off_t offset, off_t size) {
  static auto* next = Next<int(int, off_t, off_t)>("posix_fallocate");
  return TheFaults().Fail(fd) ? errno : next(fd, offset, size);
}

int fallocate(int fd, int mode, off_t offset, off_t size) {
  static auto* next = Next<int(int, int, off_t, off_t)>("fallocate");
  return TheFaults().Fail(fd) ? -1 : next(fd, mode, offset, size);
}

int rename(const char* from, const char* to) {
  static auto* next = Next<int(const char*, const char*)>("rename");
  return TheFaults().Fail(to) ? -1 : next(from, to);
}

int open(const char* path, int flags, ...) {
  static auto* next = Next<int(const char*, int, ...)>("open");
  va_list args;
  va_start(args, flags);
  const mode_t mode = ModeOf(flags, args);
  va_end(args);
  if ((flags & O_CREAT) != 0 && TheFaults().Fail(path)) return -1;
  return next(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list args;
  va_start(args, flags);
  const mode_t mode = ModeOf(flags, args);
  va_end(args);
  return open(path, flags, mode);
}

}  // extern "C"
