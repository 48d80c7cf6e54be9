#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/status.h"
#include "ramet/replica/redis/redis_url.h"

struct ssl_st;
struct ssl_ctx_st;

namespace ramet::redis {

// The TLS between a connection and the network (OpenSSL over buffers in memory): whoever has the
// socket hands over what came in, and sends what is to go out. The server's certificate is
// verified, and that it is for the host.
class Tls {
 public:
  // \error kInvalidArgument naming a file that cannot be used.
  static StatusOr<std::unique_ptr<Tls>> Create(const RedisUrl& url);
  ~Tls();
  Tls(const Tls&) = delete;
  Tls& operator=(const Tls&) = delete;

  // Takes the handshake as far as what came in allows. `*done` when it is over.
  // \error kPermissionDenied if the certificate is not to be trusted; kUnavailable for the rest.
  Status Handshake(bool* done);
  // `bytes` as they came from the network.
  Status Feed(std::string_view bytes);
  // Takes decrypted bytes, at most `size`; 0: more has to come in, or `*closed`.
  StatusOr<size_t> Read(char* out, size_t size, bool* closed);
  Status Write(std::string_view bytes);
  // What is to go to the network.
  std::string TakeOutput();

 private:
  Tls() = default;
  Status Use(const RedisUrl& url);
  Status CheckFor(const std::string& host);

  ssl_ctx_st* context_ = nullptr;
  ssl_st* ssl_ = nullptr;
};

}  // namespace ramet::redis
