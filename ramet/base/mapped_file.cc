#include "ramet/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <utility>

#include "ramet/base/mutex.h"
#include "ramet/base/retry.h"

namespace ramet {
namespace {

// A map as the signal handler sees it; the handler must not lock or allocate. A slot is free if its
// end is 0.
struct Slot {
  std::atomic<uintptr_t> begin{0}, end{0};
  std::atomic<bool> lost{false};
};
constexpr size_t kMaxMaps = 4096;
std::array<Slot, kMaxMaps> slots;
Mutex slots_mutex;
struct sigaction previous_handler;

uintptr_t PageBytes() {
  static const uintptr_t bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// Maps zeros where the file has no bytes, up to the end of the map. Returns false if the address is
// in none of the maps.
bool Patch(uintptr_t address) {
  for (Slot& slot : slots) {
    const uintptr_t end = slot.end.load();
    if (address >= end || address < slot.begin.load()) continue;
    const uintptr_t page = address / PageBytes() * PageBytes();
    slot.lost.store(true);
    return ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  }
  return false;
}

void OnBusError(int number, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  if (info != nullptr && Patch(reinterpret_cast<uintptr_t>(info->si_addr))) {
    errno = saved_errno;
    return;
  }
  if ((previous_handler.sa_flags & SA_SIGINFO) != 0) {
    previous_handler.sa_sigaction(number, info, context);
  } else if (previous_handler.sa_handler != SIG_DFL && previous_handler.sa_handler != SIG_IGN) {
    previous_handler.sa_handler(number);
  } else {
    // The access is retried and then ends the program as it would have without this handler.
    ::signal(number, SIG_DFL);
  }
}

// Requires slots_mutex.
void InstallHandler() {
  struct sigaction current;
  if (::sigaction(SIGBUS, nullptr, &current) != 0) return;
  if ((current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == OnBusError) return;
  struct sigaction ours = {};
  ours.sa_sigaction = OnBusError;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  previous_handler = current;
  ::sigaction(SIGBUS, &ours, nullptr);
}

Slot* Register(uintptr_t begin, uintptr_t end) {
  MutexLock lock(slots_mutex);
  for (Slot& slot : slots) {
    if (slot.end.load() != 0) continue;
    PageBytes();
    InstallHandler();
    slot.lost.store(false);
    slot.begin.store(begin);
    slot.end.store(end);
    return &slot;
  }
  return nullptr;
}

StatusOr<FileDescriptor> OpenExpected(const std::string& path, const FileIdentity& expected) {
  RAMET_RETURN_IF_ERROR(CheckPath(path));
  FileDescriptor fd(
      RetryInterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (fd.get() < 0) return ErrnoStatus(errno, path);
  RAMET_ASSIGN_OR_RETURN(const FileIdentity now,
                         GetFileIdentity("/proc/self/fd/" + std::to_string(fd.get())));
  if (now == expected) return fd;
  return DataLoss(path, ": replaced or changed since it was opened; open the checkpoint again");
}

}  // namespace

class MappedRange::Impl {
 public:
  Impl(std::string path, FileDescriptor fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (slot_ != nullptr) slot_->end.store(0);
    if (base_ != nullptr) ::munmap(base_, mapped_);
  }

  Status Map(uint64_t offset, uint64_t n) {
    if (n == 0) return OkStatus();
    const uint64_t ahead = offset % PageBytes();
    mapped_ = static_cast<size_t>(ahead + n + PageBytes() - 1) / PageBytes() * PageBytes();
    void* base = ::mmap(nullptr, mapped_, PROT_READ, MAP_PRIVATE, fd_.get(),
                        static_cast<off_t>(offset - ahead));
    if (base == MAP_FAILED) return ErrnoStatus(errno, path_);
    base_ = static_cast<char*>(base);
    bytes_ = {base_ + ahead, static_cast<size_t>(n)};
    end_in_file_ = offset + n;
    const uintptr_t begin = reinterpret_cast<uintptr_t>(base_);
    slot_ = Register(begin, begin + mapped_);
    if (slot_ != nullptr) return OkStatus();
    return ResourceExhausted(path_, ": cannot map more than ", kMaxMaps,
                             " parts of files at a time");
  }

  std::string_view bytes() const { return bytes_; }

  Status CheckIntact() const {
    struct stat info;
    const bool there = slot_ == nullptr || (!slot_->lost.load() && fstat(fd_.get(), &info) == 0 &&
                                            static_cast<uint64_t>(info.st_size) >= end_in_file_);
    if (there) return OkStatus();
    return DataLoss(path_, ": shortened or unreadable while it was mapped");
  }

 private:
  std::string path_;
  FileDescriptor fd_;
  char* base_ = nullptr;
  size_t mapped_ = 0;
  std::string_view bytes_;
  uint64_t end_in_file_ = 0;
  Slot* slot_ = nullptr;
};

MappedRange::MappedRange(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MappedRange::MappedRange(MappedRange&&) noexcept = default;
MappedRange& MappedRange::operator=(MappedRange&&) noexcept = default;
MappedRange::~MappedRange() = default;

StatusOr<MappedRange> MappedRange::Map(const std::string& path, const FileIdentity& expected,
                                       uint64_t offset, uint64_t n) {
  RAMET_ASSIGN_OR_RETURN(FileDescriptor fd, OpenExpected(path, expected));
  if (offset > expected.size || n > expected.size - offset) {
    return OutOfRange(path, ": ", n, " bytes at offset ", offset, " exceed the file's size of ",
                      expected.size);
  }
  auto impl = std::make_unique<Impl>(path, std::move(fd));
  RAMET_RETURN_IF_ERROR(impl->Map(offset, n));
  return MappedRange(std::move(impl));
}

std::string_view MappedRange::bytes() const { return impl_->bytes(); }
Status MappedRange::CheckIntact() const { return impl_->CheckIntact(); }

}  // namespace ramet
