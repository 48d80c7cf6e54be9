#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/file.h"
#include "ramet/base/status.h"

namespace ramet::shm {

// Who is at the other end of a socket, as the kernel knows it.
struct Peer {
  uint32_t uid = 0;
  uint32_t gid = 0;
  int32_t pid = 0;  // 0: a process of another PID namespace
};

// One packet: text, and descriptors that go with it.
struct Packet {
  std::string text;
  std::vector<FileDescriptor> fds;
};

inline constexpr size_t kMaxPacketBytes = 4096;
inline constexpr size_t kMaxPacketFds = 8;

// One end of a connection between a publisher and a follower (a Unix socket of packets). One thread
// sends and one receives at a time.
class Channel {
 public:
  // Connects to the publisher at `socket` (SocketAddress). \error kNotFound if nobody listens
  // there; kUnavailable if who listens takes nobody for a second; kPermissionDenied.
  static StatusOr<Channel> Connect(const std::string& socket);
  explicit Channel(FileDescriptor fd) : fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  StatusOr<Peer> peer() const;
  // Reports whether the other side has received everything that was sent.
  bool AllReceived() const;
  // Never waits. \error kUnavailable if the other side is gone; kResourceExhausted if it does not
  // read.
  Status Send(std::string_view text, std::span<const int> fds = {}) const;
  // Waits so long at most (negative: no limit). \error kDeadlineExceeded; kUnavailable once the
  // other side is gone; kInvalidArgument for a packet that is too long.
  StatusOr<Packet> Receive(int64_t timeout_millis) const;

 private:
  FileDescriptor fd_;
};

// Where publishers are met: a name stands for a socket of the user's own that leaves no file
// behind (Linux's abstract names: of one network namespace), a path (with a '/') for a socket file,
// by which containers meet that share its folder.
// \error kInvalidArgument if it is empty or too long.
StatusOr<std::string> SocketAddress(std::string_view name_or_path, uint32_t uid);

// Who may connect.
struct Permissions {
  uint32_t mode = 0600;           // as of a file: who has no bit is refused
  std::optional<uint32_t> group;  // whose the group's bits are; default: the process's
  // The bits of `mode` that count for `peer`: 4 reading, 2 writing.
  uint32_t BitsOf(const Peer& peer) const;
};

// A socket that followers connect to. The file of a path is removed with it.
class Listener {
 public:
  // \error kAlreadyExists if a publisher listens there already; kPermissionDenied, kNotFound as of
  // the folder.
  static StatusOr<Listener> Listen(const std::string& socket, const Permissions& permissions);
  Listener(Listener&& other) noexcept = default;
  Listener& operator=(Listener&& other) noexcept = delete;
  ~Listener();

  int fd() const { return fd_.get(); }
  // \error kNotFound if nobody waits to be accepted; kPermissionDenied if who waits may not follow;
  // kResourceExhausted if the process has no descriptor left: he waits on.
  StatusOr<Channel> Accept() const;

 private:
  Listener(FileDescriptor fd, const Permissions& permissions)
      : fd_(std::move(fd)), permissions_(permissions) {}
  Status ListenAtFile(const std::string& path);
  Status ListenAtName(const std::string& socket);
  FileDescriptor fd_;
  Permissions permissions_;
  std::string path_;                 // of the file that was made; empty for an abstract name
  uint64_t device_ = 0, inode_ = 0;  // of that file
};

}  // namespace ramet::shm
