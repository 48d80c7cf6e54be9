#include "ramet/replica/redis/connection.h"

#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "ramet/base/detached_call.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/base/strings.h"
#include "ramet/replica/deadline.h"
#include "ramet/replica/interruptible_wait.h"

namespace ramet::redis {
namespace {

constexpr size_t kBufferBytes = 256 << 10;
constexpr int kMaxItems = 4096;
constexpr int kMaxRedirects = 5;
constexpr size_t kMaxErrorBytes = 200;
// A transfer that takes longer than the timeout must have at least this speed.
constexpr uint64_t kMinBytesPerMilli = 100;

Clock::duration TimeFor(uint64_t bytes) {
  return std::chrono::milliseconds(bytes / kMinBytesPerMilli);
}

// Puts a reply into its slot in the parent, or returns a new one if it has no parent.
Reply* Attach(const redisReadTask* task, Reply reply) {
  if (task->parent == nullptr) return new Reply(std::move(reply));
  Reply& slot = static_cast<Reply*>(task->parent->obj)->items[static_cast<size_t>(task->idx)];
  slot = std::move(reply);
  return &slot;
}

void* MakeString(const redisReadTask* task, char* text, size_t size) {
  Reply reply;
  reply.type = task->type == REDIS_REPLY_ERROR    ? Reply::Type::kError
               : task->type == REDIS_REPLY_STATUS ? Reply::Type::kStatus
                                                  : Reply::Type::kString;
  reply.text.assign(text, size);
  return Attach(task, std::move(reply));
}

void* MakeArray(const redisReadTask* task, int items) {
  if (items < 0 || items > kMaxItems) return nullptr;
  Reply reply;
  reply.type = Reply::Type::kArray;
  reply.items.resize(static_cast<size_t>(items));
  return Attach(task, std::move(reply));
}

void* MakeInteger(const redisReadTask* task, long long value) {
  Reply reply;
  reply.type = Reply::Type::kInteger;
  reply.integer = value;
  return Attach(task, std::move(reply));
}

void* MakeNil(const redisReadTask* task) { return Attach(task, Reply()); }

void Free(void* reply) { delete static_cast<Reply*>(reply); }

redisReplyObjectFunctions reply_functions = {MakeString, MakeArray, MakeInteger, MakeNil, Free};

// The addresses of a host. A lookup of a client's call may continue after the call has ended.
class NameLookup {
 public:
  NameLookup(std::string host, std::string service)
      : host_(std::move(host)), service_(std::move(service)) {}
  ~NameLookup() {
    if (found_ != nullptr) freeaddrinfo(found_);
  }
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;

  // Returns false if the caller must stop before the lookup is done.
  static bool Run(const std::shared_ptr<NameLookup>& lookup) {
    if (RunInterrupt::Current() != nullptr) return CallDetached([lookup] { lookup->Ask(); });
    lookup->Ask();
    return true;
  }
  int error() const { return error_; }
  const addrinfo* found() const { return found_; }

 private:
  void Ask() {
    addrinfo hints = {};
    hints.ai_socktype = SOCK_STREAM;
    error_ = getaddrinfo(host_.c_str(), service_.c_str(), &hints, &found_);
  }

  const std::string host_, service_;
  addrinfo* found_ = nullptr;
  int error_ = 0;
};

std::string Printable(std::string_view text) {
  std::string out(text.substr(0, kMaxErrorBytes));
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; }, '?');
  return out;
}

// Parses a redirection, such as "MOVED 3999 127.0.0.1:6381".
bool ParseMoved(std::string_view text, std::string* host, uint16_t* port) {
  if (text.substr(0, 6) != "MOVED ") return false;
  const auto parts = StrSplit(text, ' ');
  if (parts.size() != 3) return false;
  const size_t colon = parts[2].rfind(':');
  int64_t number = 0;
  if (colon == parts[2].npos || !ParseInt64(parts[2].substr(colon + 1), &number)) return false;
  if (number < 1 || number > 65535) return false;
  if (colon > 0) *host = parts[2].substr(0, colon);
  *port = static_cast<uint16_t>(number);
  return true;
}

}  // namespace

Status ErrorOf(const Reply& reply) {
  if (reply.type != Reply::Type::kError) return OkStatus();
  const std::string text = StrCat("error from the server: ", Printable(reply.text));
  const std::string_view word = std::string_view(reply.text).substr(0, reply.text.find(' '));
  auto is = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
  };
  if (is({"NOAUTH", "WRONGPASS", "NOPERM", "DENIED"})) return PermissionDenied(text);
  if (is({"OOM"})) return ResourceExhausted(text);
  if (is({"LOADING", "BUSY", "MASTERDOWN", "CLUSTERDOWN", "READONLY", "MOVED", "ASK", "TRYAGAIN",
          "MISCONF", "NOREPLICAS"})) {
    return Unavailable(text);
  }
  return FailedPrecondition(text);
}

Connection::Connection(const RedisUrl& url, const Signal& stop)
    : url_(url),
      stop_(stop),
      reader_(redisReaderCreateWithFunctions(&reply_functions)),
      buffer_(kBufferBytes) {}

Connection::~Connection() {
  if (reader_ != nullptr) redisReaderFree(reader_);
}

StatusOr<std::unique_ptr<Connection>> Connection::Open(const RedisUrl& url, const std::string& key,
                                                       const Signal& stop) {
  RedisUrl node = url;
  for (int moves = 0; moves < kMaxRedirects; ++moves) {
    std::unique_ptr<Connection> connection(new Connection(node, stop));
    if (connection->reader_ == nullptr) return ResourceExhausted("out of memory for a connection");
    RAMET_RETURN_IF_ERROR(connection->Connect());
    RAMET_RETURN_IF_ERROR(connection->LogIn());
    RAMET_RETURN_IF_ERROR(connection->Send({"GET", key}));
    RAMET_ASSIGN_OR_RETURN(const Reply reply, connection->Receive());
    if (reply.type == Reply::Type::kError && ParseMoved(reply.text, &node.host, &node.port)) {
      continue;
    }
    RAMET_RETURN_IF_ERROR(ErrorOf(reply));
    return connection;
  }
  return Unavailable("the nodes of the cluster redirect to each other for these keys");
}

Status Connection::Broken(Status status) {
  usable_ = false;
  return status;
}

Status Connection::Connect() {
  const auto deadline = Clock::now() + url_.times.timeout;
  const auto lookup = std::make_shared<NameLookup>(url_.host, StrCat(uint32_t{url_.port}));
  if (!NameLookup::Run(lookup)) return Broken(InterruptedStatus());
  if (lookup->error() != 0) {
    return Broken(
        Unavailable("host '", Printable(url_.host), "': ", gai_strerror(lookup->error())));
  }
  Status status = Unavailable("host '", Printable(url_.host), "' has no address");
  for (const addrinfo* address = lookup->found(); address != nullptr; address = address->ai_next) {
    status = TryAddress(*address, deadline);
    if (status.ok() || IsCancelled(status)) break;
  }
  if (!status.ok()) {
    return Broken(Status(status.code(), StrCat("cannot connect to ", Printable(url_.host), " port ",
                                               uint32_t{url_.port}, ": ", status.message())));
  }
  return url_.tls.enabled ? AgreeOnTls() : OkStatus();
}

Status Connection::TryAddress(const addrinfo& address, Clock::time_point deadline) {
  usable_ = true;
  fd_ = FileDescriptor(socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (fd_.get() < 0) return Unavailable(std::strerror(errno));
  const int on = 1;
  setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setsockopt(fd_.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  if (connect(fd_.get(), address.ai_addr, address.ai_addrlen) == 0) return OkStatus();
  if (errno != EINPROGRESS) return Unavailable(std::strerror(errno));
  RAMET_RETURN_IF_ERROR(WaitFor(POLLOUT, deadline));
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0 ? OkStatus() : Unavailable(std::strerror(error));
}

Status Connection::AgreeOnTls() {
  auto tls = Tls::Create(url_);
  if (!tls.ok()) return Broken(tls.status());
  tls_ = *std::move(tls);
  const auto deadline = Clock::now() + url_.times.timeout;
  bool done = false;
  while (true) {
    const Status status = tls_->Handshake(&done);
    const std::string out = tls_->TakeOutput();
    const Status sent = SendRaw(out, deadline);
    if (!status.ok()) return Broken(status);
    RAMET_RETURN_IF_ERROR(sent);
    if (done) return OkStatus();
    RAMET_RETURN_IF_ERROR(WaitFor(POLLIN, deadline));
    const ssize_t count = recv(fd_.get(), buffer_.data(), buffer_.size(), 0);
    if (count == 0) {
      return Broken(
          Unavailable("the server closed the connection during the TLS handshake; does it ",
                      "speak TLS on this port?"));
    }
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count < 0) return Broken(Unavailable(std::strerror(errno)));
    RAMET_RETURN_IF_ERROR(tls_->Feed({buffer_.data(), static_cast<size_t>(count)}));
  }
}

Status Connection::LogIn() {
  if (const Login& login = url_.login; !login.password.empty()) {
    const auto reply = login.user.empty() ? Call({"AUTH", login.password})
                                          : Call({"AUTH", login.user, login.password});
    if (IsFailedPrecondition(reply.status())) return PermissionDenied(reply.status().message());
    RAMET_RETURN_IF_ERROR(reply.status());
  }
  return url_.db == 0 ? OkStatus() : Call({"SELECT", StrCat(url_.db)}).status();
}

Status Connection::WaitFor(short events, Clock::time_point deadline) {
  pollfd waits[] = {{fd_.get(), events, 0}, {stop_.fd(), POLLIN, 0}};
  if (PollUnlessStopped(waits, deadline) < 0) return Broken(Unavailable(std::strerror(errno)));
  if (waits[1].revents != 0) return Broken(Cancelled("the connection was closed"));
  if (waits[0].revents != 0) return OkStatus();
  if (StopDue()) return Broken(InterruptedStatus());
  return Broken(Unavailable("the server does not answer in time (option timeout)"));
}

Status Connection::SendRaw(std::string_view bytes, Clock::time_point deadline) {
  while (!bytes.empty()) {
    const ssize_t count = send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
      deadline += TimeFor(static_cast<uint64_t>(count));
    } else if (errno == EAGAIN) {
      RAMET_RETURN_IF_ERROR(WaitFor(POLLOUT, deadline));
    } else if (errno != EINTR) {
      return Broken(Unavailable("the connection is cut: ", std::strerror(errno)));
    }
  }
  return OkStatus();
}

Status Connection::SendBytes(std::string_view bytes) {
  if (!usable_) return Unavailable("the connection is cut");
  const auto deadline = Clock::now() + url_.times.timeout;
  if (!tls_) return SendRaw(bytes, deadline);
  if (const Status status = tls_->Write(bytes); !status.ok()) return Broken(status);
  return SendRaw(tls_->TakeOutput(), deadline);
}

Status Connection::Send(std::initializer_list<std::string_view> arguments) {
  return Send(std::span<const std::string_view>(arguments.begin(), arguments.size()));
}

Status Connection::Send(std::span<const std::string_view> arguments) {
  std::vector<const char*> texts;
  std::vector<size_t> sizes;
  for (std::string_view argument : arguments) {
    texts.push_back(argument.data() ? argument.data() : "");
    sizes.push_back(argument.size());
  }
  char* command = nullptr;
  const auto count = static_cast<int>(arguments.size());
  const auto size = redisFormatCommandArgv(&command, count, texts.data(), sizes.data());
  if (size < 0) return ResourceExhausted("out of memory for a command");
  const Status status = SendBytes({command, static_cast<size_t>(size)});
  redisFreeCommand(command);
  return status;
}

Status Connection::Take(std::string_view bytes) {
  taken_ += bytes.size();
  if (redisReaderFeed(reader_, bytes.data(), bytes.size()) == REDIS_OK) return OkStatus();
  return Broken(DataLoss("the server sent an invalid reply: ", Printable(reader_->errstr)));
}

Status Connection::ReadSome(Clock::time_point deadline) {
  RAMET_RETURN_IF_ERROR(WaitFor(POLLIN, deadline));
  const ssize_t count = recv(fd_.get(), buffer_.data(), buffer_.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return OkStatus();
  if (count < 0) return Broken(Unavailable("the connection is cut: ", std::strerror(errno)));
  if (count == 0) return Broken(Unavailable("the server closed the connection"));
  const std::string_view came(buffer_.data(), static_cast<size_t>(count));
  if (!tls_) return Take(came);
  if (const Status status = tls_->Feed(came); !status.ok()) return Broken(status);
  bool closed = false;
  while (true) {
    const auto size = tls_->Read(buffer_.data(), buffer_.size(), &closed);
    if (!size.ok()) return Broken(size.status());
    if (*size == 0) break;
    RAMET_RETURN_IF_ERROR(Take({buffer_.data(), *size}));
  }
  return closed ? Broken(Unavailable("the server closed the connection")) : OkStatus();
}

Status Connection::Parse(bool* complete, Reply* reply) {
  void* parsed = nullptr;
  if (redisReaderGetReply(reader_, &parsed) != REDIS_OK) {
    return Broken(DataLoss("the server sent an invalid reply: ", Printable(reader_->errstr)));
  }
  *complete = parsed != nullptr;
  if (parsed == nullptr) return OkStatus();
  std::unique_ptr<Reply> owned(static_cast<Reply*>(parsed));
  *reply = std::move(*owned);
  taken_ = reader_->len - reader_->pos;
  return OkStatus();
}

StatusOr<Reply> Connection::Receive(size_t max_bytes) {
  if (!usable_) return Unavailable("the connection is cut");
  const auto deadline = Clock::now() + url_.times.timeout;
  Reply reply;
  while (true) {
    bool complete = false;
    RAMET_RETURN_IF_ERROR(Parse(&complete, &reply));
    if (complete) return reply;
    if (taken_ > max_bytes) {
      return Broken(ResourceExhausted("the server's reply is longer than the expected ", max_bytes,
                                      " bytes"));
    }
    RAMET_RETURN_IF_ERROR(ReadSome(deadline + TimeFor(taken_)));
  }
}

StatusOr<Reply> Connection::Call(std::initializer_list<std::string_view> arguments,
                                 size_t max_bytes) {
  RAMET_RETURN_IF_ERROR(Send(arguments));
  RAMET_ASSIGN_OR_RETURN(Reply reply, Receive(max_bytes));
  RAMET_RETURN_IF_ERROR(ErrorOf(reply));
  return reply;
}

StatusOr<bool> Connection::WaitForInput(const Signal* signal, Clock::time_point deadline) {
  if (!usable_) return Unavailable("the connection is cut");
  if (taken_ > 0) return true;
  pollfd waits[] = {
      {fd_.get(), POLLIN, 0}, {stop_.fd(), POLLIN, 0}, {signal ? signal->fd() : -1, POLLIN, 0}};
  if (poll(waits, 3, MillisUntil(deadline)) < 0 && errno != EINTR) {
    return Broken(Unavailable(std::strerror(errno)));
  }
  return waits[0].revents != 0;
}

}  // namespace ramet::redis
