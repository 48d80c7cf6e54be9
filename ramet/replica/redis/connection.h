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

// What a server answered.
struct Reply {
  enum class Type : uint8_t { kNil, kString, kStatus, kError, kInteger, kArray };
  Type type = Type::kNil;
  std::string text;  // of strings, statuses and errors
  int64_t integer = 0;
  std::vector<Reply> items;
  bool nil() const { return type == Type::kNil; }
  // The text, if it is one; else nothing.
  std::string_view view() const { return type == Type::kString ? text : std::string_view(); }
};

// OK, or the error that the reply is: kPermissionDenied for what this user may not do,
// kResourceExhausted if the server has no memory, kUnavailable if it does not serve now (or is not
// the one of these keys), else kFailedPrecondition.
Status ErrorOf(const Reply& reply);

// One connection to a server, over TCP or TLS. What the server sends is taken for hostile: no reply
// takes more memory than was asked for, and none is waited for longer. After an error that is not
// the server's word it is of no use any more. One thread at a time.
class Connection {
 public:
  static constexpr size_t kSmallReply = 64 << 10;

  // Connects and logs in; to the node of a cluster that has `key`. Every call ends with kCancelled
  // soon after `stop` was set. \error kUnavailable if there is no server; kPermissionDenied if it
  //   does not let us in; kInvalidArgument for what the address names.
  static StatusOr<std::unique_ptr<Connection>> Open(const RedisUrl& url, const std::string& key,
                                                    const Signal& stop);
  ~Connection();

  // Sends a command; its reply is for Receive.
  Status Send(std::initializer_list<std::string_view> arguments);
  Status Send(std::span<const std::string_view> arguments);
  // The next reply, which has at most so many bytes. \error kUnavailable if the connection is cut
  // or nothing comes; kDataLoss for what is no reply; kResourceExhausted for one that is too long.
  StatusOr<Reply> Receive(size_t max_bytes = kSmallReply);
  // Both. \error as these, and what ErrorOf says.
  StatusOr<Reply> Call(std::initializer_list<std::string_view> arguments,
                       size_t max_bytes = kSmallReply);
  // Waits until there is something to Receive (true), or a signal is set, or the time has come.
  // \error kUnavailable if the connection is cut.
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
  // Waits for the socket, and reads what there is.
  Status ReadSome(Clock::time_point deadline);
  Status Take(std::string_view bytes);
  Status Parse(bool* complete, Reply* reply);
  // \error kCancelled; kUnavailable when the time has come.
  Status WaitFor(short events, Clock::time_point deadline);
  Status Broken(Status status);

  const RedisUrl url_;
  const Signal& stop_;
  FileDescriptor fd_;
  std::unique_ptr<Tls> tls_;
  redisReader* reader_ = nullptr;
  std::vector<char> buffer_;
  uint64_t taken_ = 0;  // bytes of the reply that is not complete yet
  bool usable_ = true;
};

}  // namespace ramet::redis
