#include "http/http_server.h"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <thread>
#include <utility>

#include "http/connection_impl.h"
#include "http/listen_address.h"
#include "http/tls.h"
#include "threads/processors.h"

namespace server {
namespace {

using Tcp = asio::ip::tcp;
using Endpoint = asio::generic::stream_protocol::endpoint;
using Strand = asio::strand<asio::io_context::executor_type>;
using Acceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol, Strand>;

constexpr auto kSweepTime = std::chrono::milliseconds(250);
constexpr auto kAcceptPause = std::chrono::milliseconds(50);  // when files have run out
constexpr int kBacklog = 4096;

ramet::Status CannotListen(const std::string& address, const ErrorCode& error) {
  return ramet::Unavailable("cannot listen on '", address, "': ", error.message());
}

// Returns the address of every interface: that of IPv6, which takes IPv4 too, or that of IPv4.
ErrorCode OpenAnyHost(Acceptor* acceptor, int port, Endpoint* endpoint) {
  ErrorCode error;
  const auto number = static_cast<uint16_t>(port);
  *endpoint = Tcp::endpoint(Tcp::v6(), number);
  acceptor->open(endpoint->protocol(), error);
  if (!error) acceptor->set_option(asio::ip::v6_only(false), error);
  if (!error) return error;
  acceptor->close(error);
  *endpoint = Tcp::endpoint(Tcp::v4(), number);
  acceptor->open(endpoint->protocol(), error);
  return error;
}

// Opens an acceptor for an address that is not bound yet.
ErrorCode Open(Acceptor* acceptor, const ListenAddress& address, Endpoint* endpoint) {
  ErrorCode error;
  if (address.any_host) return OpenAnyHost(acceptor, address.port, endpoint);
  if (!address.unix_path.empty()) {
    RemoveStaleSocket(address.unix_path);
    *endpoint = asio::local::stream_protocol::endpoint(address.unix_path);
  } else {
    const auto host = asio::ip::make_address(address.host, error);
    if (error) return error;
    *endpoint = Tcp::endpoint(host, static_cast<uint16_t>(address.port));
  }
  acceptor->open(endpoint->protocol(), error);
  return error;
}

int PortOf(const Endpoint& endpoint) {
  const sockaddr* address = endpoint.data();
  if (address->sa_family == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in*>(address)->sin_port);
  }
  if (address->sa_family == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6*>(address)->sin6_port);
  }
  return 0;
}

}  // namespace

// Everything that a server consists of. Connections may keep it alive.
class HttpServerState : public std::enable_shared_from_this<HttpServerState> {
 public:
  HttpServerState(const HttpServerOptions& options, HttpHandler handler)
      : max_threads_(options.threads > 0 ? options.threads : DefaultThreads()),
        io_(max_threads_),
        sweep_timer_(io_),
        context_(options, std::move(handler)) {}

  ramet::Status Listen(const HttpServerOptions& options, std::vector<int>* ports);
  void Run();
  void Drain(std::chrono::milliseconds time);
  size_t connections() const { return context_.count(); }

 private:
  struct Listener {
    explicit Listener(asio::io_context& io)
        : acceptor(asio::make_strand(io)), pause(acceptor.get_executor()) {}
    Acceptor acceptor;
    asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Strand> pause;
    std::string unix_path = {};
  };

  ramet::Status ListenAt(const std::string& text, std::vector<int>* ports);
  void Accept(Listener* listener);
  void AcceptAfterPause(Listener* listener);
  void Serve(Socket socket);
  // Takes the connections that the kernel has accepted, then closes the listener.
  void Close(Listener* listener);
  void CloseListeners();
  void Sweep();

  const int max_threads_;
  asio::io_context io_;
  asio::steady_timer sweep_timer_;
  std::unique_ptr<asio::ssl::context> tls_;
  ConnectionContext context_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<std::thread> threads_;
  std::optional<HelperThreads> helpers_;
  std::atomic<int> open_listeners_ = 0;
};

ramet::Status HttpServerState::Listen(const HttpServerOptions& options, std::vector<int>* ports) {
  if (options.tls) {
    RAMET_ASSIGN_OR_RETURN(tls_, MakeTlsContext(*options.tls));
  }
  for (const std::string& address : options.addresses) {
    RAMET_RETURN_IF_ERROR(ListenAt(address, ports));
  }
  return ramet::OkStatus();
}

ramet::Status HttpServerState::ListenAt(const std::string& text, std::vector<int>* ports) {
  RAMET_ASSIGN_OR_RETURN(const ListenAddress address, ParseListenAddress(text));
  auto listener = std::make_unique<Listener>(io_);
  Acceptor& acceptor = listener->acceptor;
  Endpoint endpoint;
  ErrorCode error = Open(&acceptor, address, &endpoint);
  if (error == asio::error::invalid_argument) {
    return ramet::InvalidArgument("address '", text, "': '", address.host,
                                  "' is not an IP address; names are not looked up");
  }
  if (!error) acceptor.set_option(Acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(kBacklog, error);
  if (!error) acceptor.non_blocking(true, error);
  if (error) return CannotListen(text, error);
  listener->unix_path = address.unix_path;
  ports->push_back(PortOf(acceptor.local_endpoint(error)));
  listeners_.push_back(std::move(listener));
  return ramet::OkStatus();
}

void HttpServerState::Run() {
  open_listeners_ = static_cast<int>(listeners_.size());
  for (const auto& listener : listeners_) Accept(listener.get());
  Sweep();
  const int own = std::min(max_threads_, std::max(2, Processors()));
  for (int i = 0; i < own; ++i) {
    threads_.emplace_back([this] { io_.run(); });
  }
  const HelpedQueue queue{.handlers = &context_.handlers,
                          .threads = own,
                          .serve = [this](std::chrono::milliseconds time) { io_.run_for(time); }};
  helpers_.emplace(std::vector<HelpedQueue>{queue}, max_threads_ - own);
}

void HttpServerState::Accept(Listener* listener) {
  if (context_.draining.load()) return Close(listener);
  listener->acceptor.async_accept(io_, [this, listener](ErrorCode error, Socket socket) {
    if (!error) Serve(std::move(socket));
    const bool exhausted = error && error != asio::error::operation_aborted &&
                           error != asio::error::connection_aborted;
    if (exhausted) return AcceptAfterPause(listener);
    Accept(listener);
  });
}

void HttpServerState::AcceptAfterPause(Listener* listener) {
  listener->pause.expires_after(kAcceptPause);
  listener->pause.async_wait([this, listener](ErrorCode) { Accept(listener); });
}

void HttpServerState::Serve(Socket socket) {
  ErrorCode ignored;
  if (context_.count() >= context_.limits.max_connections) {
    constexpr std::string_view kFull =
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n"
        "Connection: close\r\n\r\n";
    socket.non_blocking(true, ignored);
    if (tls_ == nullptr) socket.send(asio::buffer(kFull), 0, ignored);
    return;
  }
  const int fd = socket.native_handle();
  const int on = 1;
  // A request that is answered late needs the whole state, whose io_context has the socket.
  const std::shared_ptr<ConnectionContext> context(shared_from_this(), &context_);
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // fails for a Unix socket
  if (tls_ == nullptr) {
    std::make_shared<Connection<Socket>>(context, std::move(socket))->Start();
  } else {
    std::make_shared<Connection<TlsStream>>(context, std::move(socket), *tls_)->Start();
  }
}

void HttpServerState::Close(Listener* listener) {
  if (!listener->acceptor.is_open()) return;
  ErrorCode error;
  while (!error) {
    Socket socket(io_);
    listener->acceptor.accept(socket, error);
    if (!error) Serve(std::move(socket));
  }
  listener->acceptor.close(error);
  if (!listener->unix_path.empty()) ::unlink(listener->unix_path.c_str());
  --open_listeners_;
}

void HttpServerState::CloseListeners() {
  for (const auto& listener : listeners_) {
    asio::post(listener->acceptor.get_executor(), [l = listener.get()] {
      ErrorCode ignored;
      l->acceptor.cancel(ignored);
      l->pause.cancel();
    });
  }
  while (open_listeners_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void HttpServerState::Sweep() {
  const auto now = Clock::now();
  context_.ForEach([now](LiveConnection& connection) {
    connection.EndIfLate(now);
    connection.CancelIfGone();
  });
  sweep_timer_.expires_after(kSweepTime);
  sweep_timer_.async_wait([this](ErrorCode error) {
    if (!error) Sweep();
  });
}

void HttpServerState::Drain(std::chrono::milliseconds time) {
  if (threads_.empty()) return;
  const auto deadline = Clock::now() + time;
  context_.draining = true;
  CloseListeners();
  context_.ForEach([](LiveConnection& connection) { connection.EndIfIdle(); });
  if (!context_.WaitUntilEmpty(deadline)) {
    context_.ForEach([](LiveConnection& connection) { connection.End(); });
    // A request whose handler has not answered keeps its connection; the process ends without it.
    context_.WaitUntilEmpty(Clock::now() + std::chrono::milliseconds(200));
  }
  io_.stop();
  helpers_->Stop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

ramet::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpServerOptions& options,
                                                               HttpHandler handler) {
  auto state = std::make_shared<HttpServerState>(options, std::move(handler));
  std::vector<int> ports;
  RAMET_RETURN_IF_ERROR(state->Listen(options, &ports));
  state->Run();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state), std::move(ports)));
}

HttpServer::~HttpServer() { Drain(std::chrono::milliseconds(0)); }
size_t HttpServer::connections() const { return state_->connections(); }
void HttpServer::Drain(std::chrono::milliseconds time) { state_->Drain(time); }

}  // namespace server
