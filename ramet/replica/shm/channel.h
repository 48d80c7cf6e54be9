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

// The process at the other end of a socket, as reported by the kernel.
struct Peer {
  uint32_t uid = 0;
  uint32_t gid = 0;
  int32_t pid = 0;  // 0: a process of a different PID namespace
};

// A packet: text and the descriptors sent with it.
struct Packet {
  std::string text;
  std::vector<FileDescriptor> fds;
};

inline constexpr size_t kMaxPacketBytes = 4096;
inline constexpr size_t kMaxPacketFds = 8;

// One end of a connection between a publisher and a follower (a Unix socket that sends packets).
// One thread may send while another receives.
class Channel {
 public:
  // Connects to the publisher at `socket` (see SocketAddress).
  // \error kNotFound: no process listens there.
  // \error kUnavailable: the listener does not accept a connection within a second.
  // \error kPermissionDenied: the socket does not let this user connect.
  static StatusOr<Channel> Connect(const std::string& socket);
  explicit Channel(FileDescriptor fd) : fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  StatusOr<Peer> peer() const;
  // Reports whether the other side has received everything that was sent.
  bool AllReceived() const;
  // Sends a packet without blocking.
  // \error kUnavailable: the peer is gone.
  // \error kResourceExhausted: the peer does not read its packets.
  Status Send(std::string_view text, std::span<const int> fds = {}) const;
  // Receives a packet, waiting at most `timeout_millis` (negative: forever).
  // \error kDeadlineExceeded: no packet came in time.
  // \error kUnavailable: the peer is gone.
  // \error kInvalidArgument: the packet is too long.
  StatusOr<Packet> Receive(int64_t timeout_millis) const;

 private:
  FileDescriptor fd_;
};

// Returns the socket address of a publisher. A name stands for a socket in the abstract namespace
// of Linux. It belongs to this user and to the network namespace, and leaves no file behind. A path
// (with a '/') stands for a socket file, which containers that share its folder can use.
// \error kInvalidArgument: the name or path is empty or too long.
StatusOr<std::string> SocketAddress(std::string_view name_or_path, uint32_t uid);

// Controls which users may connect.
struct Permissions {
  uint32_t mode = 0600;           // as for a file; a user without any bit is refused
  std::optional<uint32_t> group;  // the group that the group bits apply to; default: the process's
  // Returns the bits of `mode` that apply to `peer`: 4 for reading, 2 for writing.
  uint32_t BitsOf(const Peer& peer) const;
};

// A socket that followers connect to. A socket file is removed by the destructor.
class Listener {
 public:
  // \error kAlreadyExists: another publisher listens there.
  // \error kPermissionDenied, kNotFound: the folder of the socket file cannot be used.
  static StatusOr<Listener> Listen(const std::string& socket, const Permissions& permissions);
  Listener(Listener&& other) noexcept = default;
  Listener& operator=(Listener&& other) noexcept = delete;
  ~Listener();

  int fd() const { return fd_.get(); }
  // Accepts a waiting connection.
  // \error kNotFound: no connection is waiting.
  // \error kPermissionDenied: the connecting user may not follow.
  // \error kResourceExhausted: the process has no descriptors left. The connection keeps waiting.
  StatusOr<Channel> Accept() const;

 private:
  Listener(FileDescriptor fd, const Permissions& permissions)
      : fd_(std::move(fd)), permissions_(permissions) {}
  Status ListenAtFile(const std::string& path);
  Status ListenAtName(const std::string& socket);
  FileDescriptor fd_;
  Permissions permissions_;
  std::string path_;                 // of the socket file; empty for an abstract name
  uint64_t device_ = 0, inode_ = 0;  // of that file
};

}  // namespace ramet::shm
