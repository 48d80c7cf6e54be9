#include "load.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <memory>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kSpin = std::chrono::microseconds(50);

struct PendingCall {
  grpc::ClientContext context;
  grpc::ByteBuffer response;
  grpc::Status status;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader;
  Clock::time_point due;
};

// Sends calls, and receives their answers in a thread of its own.
class Generator {
 public:
  explicit Generator(const Load& load)
      : load_(load),
        stub_(grpc::CreateCustomChannel(load.target, grpc::InsecureChannelCredentials(),
                                        Arguments())),
        slice_(load.request),
        request_(&slice_, 1),
        receiver_([this] { Receive(); }) {}

  LoadResult Run() {
    load_.rate > 0 ? SendAtTimes() : SendInTurn();
    while (in_flight_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    queue_.Shutdown();
    receiver_.join();
    result_.seconds = load_.time.count();
    return std::move(result_);
  }

 private:
  static grpc::ChannelArguments Arguments() {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    return arguments;
  }

  Clock::time_point end() const {
    return begin_ + kLoadWarmup + std::chrono::duration_cast<Clock::duration>(load_.time);
  }

  void Send(Clock::time_point due) {
    auto* call = new PendingCall;
    call->due = due;
    ++in_flight_;
    call->reader = stub_.PrepareUnaryCall(&call->context, load_.method, request_, &queue_);
    call->reader->StartCall();
    call->reader->Finish(&call->response, &call->status, call);
  }

  void SendAtTimes() {
    const auto interval = std::chrono::duration<double>(1 / load_.rate);
    for (int64_t i = 0;; ++i) {
      const auto due = begin_ + std::chrono::duration_cast<Clock::duration>(i * interval);
      if (due > end()) return;
      std::this_thread::sleep_until(due - kSpin);
      while (Clock::now() < due) std::this_thread::yield();
      Send(due);
    }
  }

  void SendInTurn() {
    for (int i = 0; i < load_.outstanding; ++i) Send(Clock::now());
    std::this_thread::sleep_until(end());
  }

  void Receive() {
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
      const std::unique_ptr<PendingCall> call(static_cast<PendingCall*>(tag));
      const auto now = Clock::now();
      if (load_.rate == 0 && now < end()) Send(now);
      --in_flight_;
      if (call->due < begin_ + kLoadWarmup) continue;
      if (!call->status.ok()) {
        ++result_.failed;
        continue;
      }
      result_.micros.push_back(std::chrono::duration<double, std::micro>(now - call->due).count());
    }
  }

  const Load load_;
  grpc::GenericStub stub_;
  grpc::Slice slice_;
  const grpc::ByteBuffer request_;
  grpc::CompletionQueue queue_;
  std::atomic<int> in_flight_ = 0;
  const Clock::time_point begin_ = Clock::now();
  LoadResult result_;
  std::thread receiver_;
};

}  // namespace

LoadResult RunLoad(const Load& load) { return Generator(load).Run(); }
