#include "grpc/grpc_server.h"

#include <absl/synchronization/mutex.h>
#include <grpc/support/log.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <thread>

#include "grpc/call_table.h"
#include "grpc/grpc_call.h"
#include "threads/processors.h"

namespace server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kDefaultMaxCalls = 1024;
// gRPC puts all calls of a connection in one queue, so a queue needs several threads.
constexpr int kThreadsPerQueue = 4;
// Enough that a burst of calls is accepted without waiting for a thread to post more.
constexpr int kCallsPostedAhead = 128;
constexpr auto kWatchInterval = std::chrono::milliseconds(100);
constexpr int kHandshakeMillis = 10'000;

bool IsUnixSocket(const std::string& address) { return address.starts_with("unix:"); }

// Passes gRPC's own log lines on to the log of the library.
void LogFromGrpc(gpr_log_func_args* line) {
  if (line->severity == GPR_LOG_SEVERITY_ERROR) ramet::LogWarning("gRPC: ", line->message);
}

int64_t MaxMessageBytes(const GrpcOptions& options) {
  const int64_t wanted =
      options.max_message_bytes > 0 ? options.max_message_bytes : ramet::AvailableMemory() / 4;
  return std::clamp<int64_t>(wanted, 1, INT_MAX);
}

std::shared_ptr<grpc::ServerCredentials> CredentialsFor(const GrpcOptions& options,
                                                        const std::string& address) {
  if (!options.tls || IsUnixSocket(address)) return grpc::InsecureServerCredentials();
  const TlsConfig& tls = *options.tls;
  grpc::SslServerCredentialsOptions ssl(
      tls.client_verify ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                        : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  ssl.pem_root_certs = tls.client_ca;
  ssl.pem_key_cert_pairs.push_back({tls.key, tls.certificate});
  return grpc::SslServerCredentials(ssl);
}

void AddArguments(const GrpcOptions& options, int max_calls, grpc::ServerBuilder* builder) {
  builder->AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder->AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeMillis);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, max_calls);
  for (const auto& [name, value] : options.channel_arguments) {
    int number = 0;
    const char* const end = value.data() + value.size();
    const auto parsed = std::from_chars(value.data(), end, number);
    if (parsed.ec == std::errc() && parsed.ptr == end) {
      builder->AddChannelArgument(name, number);
    } else {
      builder->AddChannelArgument(name, value);
    }
  }
}

// Ends the thread that watches.
struct StopSignal {
  ramet::Mutex mutex = {};
  ramet::CondVar changed = {};
  bool stop RAMET_GUARDED_BY(mutex) = false;

  // Waits for `time`. Returns true once the thread is to end.
  bool Wait(std::chrono::milliseconds time) {
    ramet::MutexLock lock(mutex);
    if (!stop) changed.WaitFor(mutex, time);
    return stop;
  }
  void Set() {
    ramet::MutexLock lock(mutex);
    stop = true;
    changed.NotifyAll();
  }
};

// A running server: queues, each with a few threads. Further threads help a queue whose threads are
// all busy with long runs.
class GrpcServerImpl final : public GrpcServer {
 public:
  GrpcServerImpl(const GrpcOptions& options, const Services& services)
      : options_(options), services_(services), table_(services_) {
    host_.table = &table_;
    host_.tokens = options.tokens;
    host_.max_calls = options.max_calls > 0 ? options.max_calls : kDefaultMaxCalls;
  }
  ~GrpcServerImpl() override { Drain(std::chrono::hours(1)); }

  ramet::Status Listen();
  std::vector<int> ports() const override { return ports_; }
  void Drain(std::chrono::milliseconds time_limit) override;

 private:
  ramet::Status CheckPorts();
  int max_threads() const {
    return options_.max_threads > 0 ? options_.max_threads : DefaultThreads();
  }
  void StartThreads();
  void Watch();

  const GrpcOptions options_;
  const Services services_;
  const CallTable table_;
  CallHost host_;
  std::vector<std::unique_ptr<CallQueue>> queues_;
  std::unique_ptr<grpc::Server> server_;
  std::vector<int> ports_;
  std::vector<std::thread> threads_;
  std::optional<HelperThreads> helpers_;
  StopSignal stop_;
};

ramet::Status GrpcServerImpl::Listen() {
  gpr_set_log_function(LogFromGrpc);
  // Debian builds abseil with a search for deadlocks at each of gRPC's locks.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  grpc::EnableDefaultHealthCheckService(options_.health_service);
  grpc::ServerBuilder builder;
  AddArguments(options_, host_.max_calls, &builder);
  builder.SetMaxReceiveMessageSize(static_cast<int>(MaxMessageBytes(options_)));
  builder.SetMaxSendMessageSize(INT_MAX);
  builder.RegisterAsyncGenericService(&host_.service);
  ports_.resize(options_.addresses.size());
  for (size_t i = 0; i < ports_.size(); ++i) {
    const std::string& address = options_.addresses[i];
    builder.AddListeningPort(address, CredentialsFor(options_, address), &ports_[i]);
  }
  const int own = std::min(Processors(), max_threads());
  for (int left = own; left > 0; left -= queues_.back()->threads) {
    queues_.push_back(std::make_unique<CallQueue>());
    queues_.back()->host = &host_;
    queues_.back()->threads = std::min(left, kThreadsPerQueue);
    queues_.back()->queue = builder.AddCompletionQueue();
  }
  server_ = builder.BuildAndStart();
  RAMET_RETURN_IF_ERROR(CheckPorts());
  StartThreads();
  return ramet::OkStatus();
}

// gRPC logs the reason of a failure (LogFromGrpc), but does not return it.
ramet::Status GrpcServerImpl::CheckPorts() {
  for (size_t i = 0; i < ports_.size(); ++i) {
    if (server_ && ports_[i] != 0) {
      if (IsUnixSocket(options_.addresses[i])) ports_[i] = 0;  // gRPC says 1
      continue;
    }
    return ramet::Unavailable("cannot listen on ", options_.addresses[i],
                              " for gRPC; check that no other program does",
                              options_.tls ? ", and that the key fits the certificate" : "");
  }
  return ramet::OkStatus();
}

void GrpcServerImpl::StartThreads() {
  std::vector<HelpedQueue> helped;
  for (const auto& queue : queues_) {
    for (int i = 0; i < kCallsPostedAhead; ++i) GrpcCall::Post(queue.get());
    const auto serve = [at = queue.get()](std::chrono::milliseconds time) {
      at->Serve(std::chrono::system_clock::now() + time);
    };
    helped.push_back({.handlers = &queue->handlers, .threads = queue->threads, .serve = serve});
    for (int i = 0; i < queue->threads; ++i) {
      threads_.emplace_back(
          [at = queue.get()] { at->Serve(std::chrono::system_clock::time_point::max()); });
    }
  }
  helpers_.emplace(std::move(helped), max_threads() - static_cast<int>(threads_.size()));
  threads_.emplace_back([this] { Watch(); });
}

// Ends calls whose messages do not arrive, and tells the clients of the health service.
void GrpcServerImpl::Watch() {
  while (!stop_.Wait(kWatchInterval)) {
    for (const auto& queue : queues_) {
      queue->CancelReceiving(Clock::now() - options_.max_receive_time);
    }
    if (grpc::HealthCheckServiceInterface* health = server_->GetHealthCheckService()) {
      const bool ready = services_.manager->Ready();
      for (const char* name : {"", "ModelService", "PredictionService"}) {
        health->SetServingStatus(name, ready);
      }
    }
  }
}

void GrpcServerImpl::Drain(std::chrono::milliseconds time_limit) {
  if (host_.draining.exchange(true)) return;
  if (server_) {
    if (auto* health = server_->GetHealthCheckService()) health->Shutdown();
    server_->Shutdown(std::chrono::system_clock::now() + time_limit);
  }
  while (host_.calls > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  stop_.Set();
  for (const auto& queue : queues_) queue->queue->Shutdown();
  if (helpers_) helpers_->Stop();
  for (std::thread& thread : threads_) thread.join();
  for (const auto& queue : queues_) {  // without threads if the server has not started
    void* tag = nullptr;
    bool ok = false;
    while (queue->queue->Next(&tag, &ok)) {
    }
  }
}

}  // namespace

ramet::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(const GrpcOptions& options,
                                                               const Services& services) {
  auto server = std::make_unique<GrpcServerImpl>(options, services);
  RAMET_RETURN_IF_ERROR(server->Listen());
  return std::unique_ptr<GrpcServer>(std::move(server));
}

}  // namespace server
