#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/file.h"
#include "ramet/base/status.h"
#include "ramet/replica/redis/redis_url.h"
#include "ramet/replica/redis/signal.h"
#include "ramet/replica/redis/tls.h"

struct addrinfo;
struct redisReader;

namespace ramet::redis {

using Clock = std::chrono::steady_clock;

// The maximum number of commands that are sent before their replies are read.
inline constexpr size_t kMaxPendingReplies = 64;

// A reply of a server.
struct Reply {
  enum class Type : uint8_t { kNil, kString, kStatus, kError, kInteger, kArray };
  Type type = Type::kNil;
  std::string text;  // of strings, statuses and errors
  int64_t integer = 0;
  std::vector<Reply> items;
  bool nil() const { return type == Type::kNil; }
  // Returns the text of a string reply, or an empty string for any other reply.
  std::string_view view() const { return type == Type::kString ? text : std::string_view(); }
};

// Returns OK unless the reply is an error.
// \error kPermissionDenied: this user is not allowed to do that.
// \error kResourceExhausted: the server is out of memory.
// \error kUnavailable: the server cannot serve at the moment, or does not serve this key.
// \error kFailedPrecondition: the server returned any other error.
Status ErrorOf(const Reply& reply);

// A connection to a server over TCP or TLS. The server is not trusted: a reply cannot take more
// memory or time than the caller allows. After an error other than an error reply, the connection
// is unusable. Not thread-safe.
class Connection {
 public:
  static constexpr size_t kSmallReply = 64 << 10;

  // Connects and logs in to the server or, in a cluster, to the node that has `key`. Once `stop` is
  // set, every call soon returns kCancelled. So it does if the client interrupts the calling
  // thread.
  // \error kUnavailable: the server cannot be reached.
  // \error kPermissionDenied: the server rejects the login.
  // \error kInvalidArgument: a file named in the address cannot be used.
  static StatusOr<std::unique_ptr<Connection>> Open(const RedisUrl& url, const std::string& key,
                                                    const Signal& stop);
  ~Connection();

  // Sends a command. Receive returns its reply.
  Status Send(std::initializer_list<std::string_view> arguments);
  Status Send(std::span<const std::string_view> arguments);
  // Returns the next reply, which may have at most `max_bytes`.
  // \error kUnavailable: the connection is cut, or no reply comes in time.
  // \error kDataLoss: the bytes received are not a reply.
  // \error kResourceExhausted: the reply is too long.
  StatusOr<Reply> Receive(size_t max_bytes = kSmallReply);
  // Sends a command and returns its reply.
  // \error as for Send, Receive and ErrorOf.
  StatusOr<Reply> Call(std::initializer_list<std::string_view> arguments,
                       size_t max_bytes = kSmallReply);
  // Waits until there is something to receive, `signal` is set, or the deadline has passed. Returns
  // true if there is something to receive.
  // \error kUnavailable: the connection is cut.
  StatusOr<bool> WaitForInput(const Signal* signal, Clock::time_point deadline);
  bool usable() const { return usable_; }

 private:
  Connection(const RedisUrl& url, const Signal& stop);
  Status Connect();
  Status TryAddress(const addrinfo& address, Clock::time_point deadline);
  Status AgreeOnTls();
  Status LogIn();
  Status SendBytes(std::string_view bytes);
  Status SendRaw(std::string_view bytes, Clock::time_point deadline);
  // Waits for the socket and reads what has arrived.
  Status ReadSome(Clock::time_point deadline);
  Status Take(std::string_view bytes);
  Status Parse(bool* complete, Reply* reply);
  // \error kCancelled: the stop signal is set, or the client interrupts the calling thread.
  // \error kUnavailable: the deadline has passed.
  Status WaitFor(short events, Clock::time_point deadline);
  Status Broken(Status status);

  const RedisUrl url_;
  const Signal& stop_;
  FileDescriptor fd_;
  std::unique_ptr<Tls> tls_;
  redisReader* reader_ = nullptr;
  std::vector<char> buffer_;
  uint64_t taken_ = 0;  // bytes received of the incomplete reply
  bool usable_ = true;
};

}  // namespace ramet::redis
