#include "output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

namespace cli {
namespace {

namespace rm = ramet;

constexpr size_t kBufferBytes = size_t{1} << 16;

std::string UnusedName(const std::string& path) {
  std::random_device random;
  return rm::StrCat(path, ".temp", random(), random());
}

}  // namespace

rm::Status WriteWhole(const std::string& path, const std::string& text) {
  std::error_code error;
  const bool special =
      std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
  if (!special) {
    OutputFile file(path);
    file.stream() << text;
    return file.Commit();
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return rm::OkStatus();
  return rm::Unknown("'", path, "' cannot be written: ", std::strerror(errno));
}

OutputFile::Buffer::Buffer(const std::string& path)
    : fd_(CreateNewFile(path)), error_(fd_ < 0 ? errno : 0), bytes_(kBufferBytes) {
  setp(bytes_.data(), bytes_.data() + bytes_.size());
}

OutputFile::Buffer::~Buffer() {
  if (fd_ >= 0) ::close(fd_);
}

bool OutputFile::Buffer::Flush() {
  for (char* at = pbase(); error_ == 0 && at < pptr();) {
    const ssize_t n = ::write(fd_, at, static_cast<size_t>(pptr() - at));
    if (n >= 0) {
      at += n;
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  setp(bytes_.data(), bytes_.data() + bytes_.size());
  return error_ == 0;
}

OutputFile::Buffer::int_type OutputFile::Buffer::overflow(int_type c) {
  if (!Flush()) return traits_type::eof();
  if (c != traits_type::eof()) sputc(traits_type::to_char_type(c));
  return traits_type::not_eof(c);
}

bool OutputFile::Buffer::Close() {
  Flush();
  if (fd_ >= 0 && ::close(fd_) != 0 && error_ == 0 && errno != EINTR) error_ = errno;
  fd_ = -1;
  return error_ == 0;
}

rm::Status MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return rm::OkStatus();
  return rm::Unknown("cannot create the folder '", folder, "': ", error.message());
}

rm::Status CheckFolderOf(const std::string& what, const std::string& file) {
  const std::filesystem::path path(file);
  std::error_code error;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (std::filesystem::is_directory(folder, error)) return rm::OkStatus();
  return rm::NotFound(what, ": the folder '", folder.string(), "' does not exist");
}

int CreateNewFile(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

OutputFile::OutputFile(std::string path)
    : path_(std::move(path)),
      temporary_(UnusedName(path_)),
      buffer_(temporary_),
      stream_(&buffer_) {}

OutputFile::~OutputFile() {
  if (!committed_ && buffer_.error() != EEXIST) std::remove(temporary_.c_str());
}

rm::Status OutputFile::Check() const {
  if (buffer_.error() == 0) return rm::OkStatus();
  return rm::Unknown("'", path_, "' cannot be written: ", std::strerror(buffer_.error()));
}

rm::Status OutputFile::Commit() {
  if (!buffer_.Close()) return Check();
  committed_ = std::rename(temporary_.c_str(), path_.c_str()) == 0;
  if (committed_) return rm::OkStatus();
  return rm::Unknown("'", path_, "' cannot be written: ", std::strerror(errno));
}

}  // namespace cli
