#include "ramet/replica/shm/channel.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "ramet/base/retry.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/base/strings.h"
#include "ramet/replica/interruptible_wait.h"
#include "ramet/replica/transport_factory.h"

namespace ramet::shm {
namespace {

constexpr int kBacklog = 128;
constexpr auto kRetryInterval = std::chrono::milliseconds(5);
constexpr int kConnectTries = 200;  // one second
constexpr int kLockTries = 2000;    // ten seconds

// A socket's address in the kernel's format. A leading '@' stands for the 0 of an abstract name.
struct Address {
  explicit Address(const std::string& socket) {
    std::memset(&un, 0, sizeof(un));
    un.sun_family = AF_UNIX;
    std::memcpy(un.sun_path, socket.data(), socket.size());
    if (un.sun_path[0] == '@') un.sun_path[0] = 0;
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket.size());
    if (un.sun_path[0] != 0) ++size;
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&un); }
  sockaddr_un un;
  socklen_t size;
};

StatusOr<FileDescriptor> NewSocket() {
  FileDescriptor fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (fd.get() < 0) return ErrnoStatus(errno, "a Unix socket");
  return fd;
}

Status GoneStatus() { return Unavailable("the other side has closed the connection"); }

// Acquires the right to create a socket file in the folder of `path`. One publisher at a time has
// it.
StatusOr<FileDescriptor> TakeTurn(const std::string& path) {
  const std::string folder = path.rfind('/') == 0 ? "/" : std::string(Dirname(path));
  FileDescriptor turn(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (turn.get() < 0 && errno == ENOENT) {
    return NotFound("cannot make the socket: the folder '", folder, "' does not exist");
  }
  if (turn.get() < 0) return ErrnoStatus(errno, folder);
  for (int i = 0; i < kLockTries; ++i) {
    if (flock(turn.get(), LOCK_EX | LOCK_NB) == 0) return turn;
    if (errno != EWOULDBLOCK && errno != EINTR) return ErrnoStatus(errno, folder);
    if (!SleepUnlessStopped(kRetryInterval)) return InterruptedStatus();
  }
  return Unavailable(folder, " has been locked (flock) by another process for 10 seconds");
}

// Creates and binds the socket file. Replaces a file without a listener.
Status BindFile(int fd, const std::string& path) {
  struct stat there;
  if (lstat(path.c_str(), &there) == 0) {
    if (!S_ISSOCK(there.st_mode)) {
      return AlreadyExists(path,
                           " exists and is not a socket; remove it or choose another "
                           "name");
    }
    const Status other = Channel::Connect(path).status();
    if (IsCancelled(other)) return other;
    if (other.ok() || IsUnavailable(other)) {
      return AlreadyExists("another publisher listens at ", path, "; end it, ", kTakeOver,
                           ", or choose another path");
    }
    if (unlink(path.c_str()) != 0) return ErrnoStatus(errno, path);
  }
  const Address address(path);
  if (bind(fd, address.get(), address.size) != 0) return ErrnoStatus(errno, path);
  return OkStatus();
}

Status BindName(int fd, const std::string& socket) {
  const Address address(socket);
  if (bind(fd, address.get(), address.size) == 0) return OkStatus();
  if (errno == EADDRINUSE) {
    return AlreadyExists("another publisher has this name; end it, ", kTakeOver,
                         ", or choose another name");
  }
  return ErrnoStatus(errno, socket);
}

Status WaitForInput(int fd, int64_t timeout_millis) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = timeout_millis < 0
                            ? Clock::time_point::max()
                            : Clock::now() + std::chrono::milliseconds(timeout_millis);
  pollfd wait{fd, POLLIN, 0};
  const int ready = PollUnlessStopped({&wait, 1}, deadline);
  if (ready < 0) return ErrnoStatus(errno, "waiting for the other side");
  if (ready > 0) return OkStatus();
  return StopDue() ? InterruptedStatus() : DeadlineExceeded("nothing came from the other side");
}

void TakeDescriptors(const msghdr& message, std::vector<FileDescriptor>* fds) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr;
       c = CMSG_NXTHDR(const_cast<msghdr*>(&message), c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
      fds->emplace_back(fd);
    }
  }
}

}  // namespace

StatusOr<std::string> SocketAddress(std::string_view name_or_path, uint32_t uid) {
  const bool is_path = name_or_path.find('/') != name_or_path.npos;
  std::string socket =
      is_path ? std::string(name_or_path) : StrCat("@ramet/", uid, "/", name_or_path);
  const size_t max_bytes = sizeof(sockaddr_un::sun_path) - 1;
  if (name_or_path.empty() || name_or_path.front() == '@' ||
      name_or_path.find('\0') != name_or_path.npos) {
    return InvalidArgument("'", name_or_path,
                           "' does not name a publisher; write a name or the "
                           "path of a socket file");
  }
  if (socket.size() > max_bytes) {
    return InvalidArgument("'", name_or_path, "' is too long for a socket address: it has ",
                           socket.size(), " bytes, the limit is ", max_bytes);
  }
  return socket;
}

StatusOr<Channel> Channel::Connect(const std::string& socket) {
  RAMET_ASSIGN_OR_RETURN(FileDescriptor fd, NewSocket());
  const Address address(socket);
  int error = EAGAIN;
  for (int i = 0; i < kConnectTries && (error == EAGAIN || error == EINTR); ++i) {
    if (i > 0 && !SleepUnlessStopped(kRetryInterval)) return InterruptedStatus();
    error = connect(fd.get(), address.get(), address.size) == 0 ? 0 : errno;
  }
  if (error == 0) return Channel(std::move(fd));
  if (error == EAGAIN)
    return Unavailable("the process listening there does not accept connections");
  if (error == ECONNREFUSED || error == ENOENT) return NotFound("no publisher listens there");
  if (error == EACCES) {
    return PermissionDenied(
        "the socket does not let this user connect (the publisher's mode and group "
        "control access)");
  }
  return ErrnoStatus(error, socket);
}

StatusOr<Peer> Channel::peer() const {
  ucred credentials;
  socklen_t size = sizeof(credentials);
  if (getsockopt(fd_.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return ErrnoStatus(errno, "asking for the process at the other end of a socket");
  }
  return Peer{credentials.uid, credentials.gid, credentials.pid};
}

bool Channel::AllReceived() const {
  int bytes = 0;
  return ioctl(fd_.get(), SIOCOUTQ, &bytes) == 0 && bytes == 0;
}

Status Channel::Send(std::string_view text, std::span<const int> fds) const {
  if (text.size() > kMaxPacketBytes || fds.size() > kMaxPacketFds) {
    return Internal("a packet of ", text.size(), " bytes and ", fds.size(), " descriptors");
  }
  iovec piece{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxPacketFds)] = {};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(fds.size_bytes());
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
  }
  while (sendmsg(fd_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
    if (errno == EINTR) continue;
    if (errno == EPIPE || errno == ECONNRESET) return GoneStatus();
    if (errno == EAGAIN) return ResourceExhausted("the other side does not read its packets");
    return ErrnoStatus(errno, "sending to the other side");
  }
  return OkStatus();
}

StatusOr<Packet> Channel::Receive(int64_t timeout_millis) const {
  RAMET_RETURN_IF_ERROR(WaitForInput(fd_.get(), timeout_millis));
  Packet packet;
  packet.text.resize(kMaxPacketBytes);
  iovec piece{packet.text.data(), packet.text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxPacketFds)];
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t n = RetryInterrupted(
      [&] { return recvmsg(fd_.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT); });
  if (n < 0 && errno == EAGAIN) return DeadlineExceeded("nothing came from the other side");
  if (n < 0 && errno != ECONNRESET) return ErrnoStatus(errno, "receiving from the other side");
  if (n >= 0) TakeDescriptors(message, &packet.fds);
  if (n <= 0) return GoneStatus();
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
    return InvalidArgument("received a packet that is longer than ", kMaxPacketBytes,
                           " bytes or has ", "more than ", kMaxPacketFds, " descriptors");
  }
  packet.text.resize(static_cast<size_t>(n));
  return packet;
}

namespace {

// Connecting to a socket file requires write permission.
uint32_t FileMode(uint32_t mode) { return (mode | (mode & 0444) >> 1) & 0777; }

}  // namespace

StatusOr<Listener> Listener::Listen(const std::string& socket, const Permissions& permissions) {
  RAMET_ASSIGN_OR_RETURN(FileDescriptor fd, NewSocket());
  Listener listener(std::move(fd), permissions);
  RAMET_RETURN_IF_ERROR(socket.front() == '@' ? listener.ListenAtName(socket)
                                              : listener.ListenAtFile(socket));
  return listener;
}

Status Listener::ListenAtName(const std::string& socket) {
  RAMET_RETURN_IF_ERROR(BindName(fd(), socket));
  return listen(fd(), kBacklog) == 0 ? OkStatus() : ErrnoStatus(errno, socket);
}

// While this publisher has the turn, other publishers cannot see the file without a listener.
Status Listener::ListenAtFile(const std::string& path) {
  fchmod(fd(), FileMode(permissions_.mode));
  RAMET_ASSIGN_OR_RETURN(const FileDescriptor turn, TakeTurn(path));
  RAMET_RETURN_IF_ERROR(BindFile(fd(), path));
  path_ = path;
  struct stat made;
  if (lstat(path.c_str(), &made) != 0) return ErrnoStatus(errno, path);
  device_ = made.st_dev;
  inode_ = made.st_ino;
  if (permissions_.group && chown(path.c_str(), -1, *permissions_.group) != 0) {
    return ErrnoStatus(errno, StrCat("giving ", path, " to group ", *permissions_.group));
  }
  if (chmod(path.c_str(), FileMode(permissions_.mode)) != 0) return ErrnoStatus(errno, path);
  return listen(fd(), kBacklog) == 0 ? OkStatus() : ErrnoStatus(errno, path);
}

Listener::~Listener() {
  struct stat there;
  if (fd_.get() < 0 || path_.empty() || lstat(path_.c_str(), &there) != 0) return;
  if (there.st_dev == device_ && there.st_ino == inode_) unlink(path_.c_str());
}

uint32_t Permissions::BitsOf(const Peer& peer) const {
  if (peer.uid == 0 || peer.uid == geteuid()) return mode >> 6 & 7;
  return (peer.gid == group.value_or(getegid()) ? mode >> 3 : mode) & 7;
}

StatusOr<Channel> Listener::Accept() const {
  FileDescriptor fd(accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (fd.get() < 0) {
    const bool is_full = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    return is_full ? ResourceExhausted("no descriptor is left for another follower")
                   : NotFound("no connection is waiting");
  }
  Channel channel(std::move(fd));
  RAMET_ASSIGN_OR_RETURN(const Peer peer, channel.peer());
  if (permissions_.BitsOf(peer) != 0) return channel;
  (void)channel.Send("refused");
  return PermissionDenied("user ", peer.uid, " may not follow");
}

}  // namespace ramet::shm
