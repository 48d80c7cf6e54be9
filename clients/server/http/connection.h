#pragma once

// The connections of http_server.cc. Only that file includes this one, because Beast takes long to
// compile.

#include <ramet/ramet.h>
#include <sys/socket.h>

#include <atomic>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "http/http_server.h"
#include "threads/helper_threads.h"

namespace server {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

using ErrorCode = boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Socket =
    asio::basic_stream_socket<asio::generic::stream_protocol, asio::io_context::executor_type>;
using TlsStream = asio::ssl::stream<Socket>;

// The phase of a connection, which decides how it ends when it is late.
enum class Phase : uint8_t { kIdle, kReading, kComputing, kWriting };

// A LiveConnection is a connection that other threads may end. The socket stays open as long as the
// connection is in the set of the server.
class LiveConnection {
 public:
  explicit LiveConnection(int fd) : fd_(fd) {}
  virtual ~LiveConnection() = default;

  // Ends the current phase if its time is over. A client whose request is late can still be
  // answered.
  void EndIfLate(Clock::time_point now);
  // Cancels the request that is being computed if the client has closed the connection.
  void CancelIfGone() RAMET_EXCLUDES(mutex_);
  // Ends the connection if no request has begun.
  void EndIfIdle();
  void End() { ::shutdown(fd_, SHUT_RDWR); }

 protected:
  void Enter(Phase phase, Clock::time_point deadline) {
    deadline_.store(deadline.time_since_epoch().count(), std::memory_order_relaxed);
    phase_.store(phase, std::memory_order_relaxed);
  }
  void Postpone(Clock::time_point deadline) {
    deadline_.store(deadline.time_since_epoch().count(), std::memory_order_relaxed);
  }
  // `token` cancels the request that is being computed from now on. Null: there is none any more.
  void SetComputed(std::shared_ptr<ramet::CancellationToken> token) RAMET_EXCLUDES(mutex_) {
    ramet::MutexLock lock(mutex_);
    computed_.swap(token);
  }
  bool late() const { return late_.load(std::memory_order_relaxed); }

 private:
  // Lets no more bytes arrive. The kernel still delivers those that it has received.
  void EndReading();

  const int fd_;
  std::atomic<bool> reading_ended_ = false;
  ramet::Mutex mutex_;
  std::shared_ptr<ramet::CancellationToken> computed_ RAMET_GUARDED_BY(mutex_);
  std::atomic<Phase> phase_ = Phase::kIdle;
  std::atomic<Clock::rep> deadline_ = Clock::time_point::max().time_since_epoch().count();
  std::atomic<bool> late_ = false;
};

// The state that the connections of a server share.
class ConnectionContext {
 public:
  ConnectionContext(const HttpServerOptions& options, HttpHandler handler)
      : limits(options.limits), admission(options.admission), handler(std::move(handler)) {}

  const HttpLimits limits;
  const HttpAdmission admission;
  const HttpHandler handler;
  std::atomic<bool> draining = false;
  HandlerCounts handlers = {};

  // Reserves bytes for a body. Returns false if the server holds too many.
  bool Charge(uint64_t bytes) {
    const uint64_t before = buffered_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + bytes <= limits.max_buffered_bytes) return true;
    Release(bytes);
    return false;
  }
  // Reserves bytes for an answer, which exists already.
  void ChargeAnswer(uint64_t bytes) { buffered_.fetch_add(bytes, std::memory_order_relaxed); }
  void Release(uint64_t bytes) { buffered_.fetch_sub(bytes, std::memory_order_relaxed); }

  void Add(LiveConnection* connection) RAMET_EXCLUDES(mutex_);
  void Remove(LiveConnection* connection) RAMET_EXCLUDES(mutex_);
  size_t count() const { return count_.load(std::memory_order_relaxed); }
  template <class F>
  void ForEach(F f) RAMET_EXCLUDES(mutex_) {
    ramet::MutexLock lock(mutex_);
    for (LiveConnection* connection : connections_) f(*connection);
  }
  // Returns false if there still are connections at `deadline`.
  bool WaitUntilEmpty(Clock::time_point deadline) RAMET_EXCLUDES(mutex_);

 private:
  std::atomic<uint64_t> buffered_ = 0;
  std::atomic<size_t> count_ = 0;
  ramet::Mutex mutex_;
  ramet::CondVar empty_;
  std::unordered_set<LiveConnection*> connections_ RAMET_GUARDED_BY(mutex_);
};

// Receives the parts of a body. Returns an error that ends the request.
class BodySink {
 public:
  virtual ~BodySink() = default;
  virtual ErrorCode OnBody(const char* data, size_t size) = 0;
};

// A Beast body that passes all bytes to a BodySink.
struct SinkBody {
  using value_type = BodySink*;
  class reader {
   public:
    template <bool kIsRequest, class Fields>
    reader(http::header<kIsRequest, Fields>&, value_type& sink) : sink_(sink) {}
    void init(const boost::optional<uint64_t>&, ErrorCode& error) { error = {}; }
    template <class Buffers>
    size_t put(const Buffers& buffers, ErrorCode& error) {
      size_t total = 0;
      for (const auto buffer : beast::buffers_range_ref(buffers)) {
        error = sink_->OnBody(static_cast<const char*>(buffer.data()), buffer.size());
        if (error) return total;
        total += buffer.size();
      }
      return total;
    }
    void finish(ErrorCode& error) { error = {}; }

   private:
    value_type& sink_;  // set after the reader is made
  };
};

// A Connection reads the requests of one client, one after another, and writes their answers. There
// is at most one operation on the socket at a time, so it needs no lock: each continues where the
// previous one has ended, in any thread. A connection is idle without a buffer.
template <class Stream>
class Connection : public LiveConnection,
                   public AnsweredConnection,
                   public BodySink,
                   public std::enable_shared_from_this<Connection<Stream>> {
 public:
  // `arguments` follow the socket in the constructor of the stream. They must outlive this.
  template <class... Arguments>
  Connection(std::shared_ptr<ConnectionContext> context, Socket socket, Arguments&... arguments)
      : LiveConnection(socket.native_handle()),
        context_(std::move(context)),
        stream_(std::move(socket), arguments...) {
    context_->Add(this);
  }
  ~Connection() override;

  void Start();
  void Answer(HttpResponse response) override;
  ErrorCode OnBody(const char* data, size_t size) override;

 private:
  using Parser = http::request_parser<SinkBody>;
  static constexpr bool kIsTls = !std::is_same_v<Stream, Socket>;
  // Facts about the current request.
  struct Facts {
    Clock::time_point body_began = {};
    bool keep_alive = false;
    bool is_head = false;  // its method is HEAD
  };
  // Each continuation holds the connection.
  template <class... Arguments>
  auto Then(void (Connection::*next)(Arguments...)) {
    return [self = this->shared_from_this(), next](Arguments... arguments) {
      (self.get()->*next)(arguments...);
    };
  }
  void AwaitRequest();
  void OnReadable(ErrorCode error);
  void OnFirstBytes(ErrorCode error, size_t size);
  void ReadHeader();
  void OnHeader(ErrorCode error, size_t);
  void MoveHeader();
  void OnContinued(ErrorCode error, size_t);
  void OnRead(ErrorCode error, size_t);
  // Answers a request that cannot be read to its end. The connection ends.
  void Refuse(int status, std::string_view text);
  void OnReadError(ErrorCode error);
  void WriteHeader(const HttpResponse& response);
  void OnWritten(ErrorCode error, size_t);
  // Reads what the client still sends, so that the kernel does not discard the answer.
  void Linger();
  void OnLingered(ErrorCode error, size_t size);

  const std::shared_ptr<ConnectionContext> context_;
  Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  HttpRequest request_;
  http::response<http::string_body> response_;
  Facts facts_ = {};
  uint64_t charged_ = 0;  // bytes of the bodies
  size_t lingered_ = 0;
};

}  // namespace server
