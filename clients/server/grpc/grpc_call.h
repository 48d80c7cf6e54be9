#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server_builder.h>
#include <ramet/ramet.h>

#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <optional>

#include "config/bearer_tokens.h"
#include "grpc/call.h"
#include "grpc/call_table.h"
#include "threads/helper_threads.h"

namespace server {

// The state that all calls of a server share.
struct CallHost {
  const CallTable* table = nullptr;
  std::optional<BearerTokens> tokens = {};
  int max_calls = 0;
  grpc::AsyncGenericService service = {};
  std::atomic<int> calls = 0;          // admitted and not finished
  std::atomic<bool> draining = false;  // no call is posted any more
};

class GrpcCall;

// A CallQueue is a completion queue and the calls on it whose messages still arrive, oldest first.
struct CallQueue {
  CallHost* host = nullptr;
  std::unique_ptr<grpc::ServerCompletionQueue> queue = {};
  int threads = 1;
  HandlerCounts handlers = {};
  ramet::Mutex mutex = {};
  std::list<GrpcCall*> receiving RAMET_GUARDED_BY(mutex) = {};

  // Handles the events of its calls until `end`. Returns early if the queue has been shut down.
  void Serve(std::chrono::system_clock::time_point end);
  // Cancels the calls that arrived before `time` and whose messages have not.
  void CancelReceiving(std::chrono::steady_clock::time_point time);
};

// One event of a call in its completion queue.
struct CallEvent {
  GrpcCall* call;
  void (GrpcCall::*handle)(bool ok);
};

// A GrpcCall is a call on gRPC's generic service: it waits for a client's call, reads the message,
// runs the handler in the thread of the queue, and sends the answer. It deletes itself.
class GrpcCall final : public Call {
 public:
  // Waits for the next call of a client.
  static void Post(CallQueue* queue);

  std::string_view request() const override { return request_; }
  const RunLimits& limits() const override { return limits_; }
  void Finish(const Pieces& response, const AnsweredBy* answered_by) override;
  void Finish(const ramet::Status& error) override;

 private:
  friend struct CallQueue;

  explicit GrpcCall(CallQueue* queue) : queue_(queue) {}
  void OnArrived(bool ok);
  void OnRead(bool ok);
  void OnFinished(bool ok);
  void OnDone(bool ok);
  ramet::Status Admit();
  void StartReceiving();
  void EndReceiving();
  bool TakeMessage();
  void Handle();
  void Release();

  // The call as gRPC sees it. The objects must live until its last event.
  struct Transport {
    grpc::GenericServerContext context = {};
    grpc::GenericServerAsyncReaderWriter stream{&context};
    grpc::ByteBuffer message = {};
    grpc::Slice slice = {};  // the message
  };
  struct Events {
    CallEvent arrived, read, finished, done;
  };

  CallQueue* const queue_;
  Transport transport_;
  Events events_{{this, &GrpcCall::OnArrived},
                 {this, &GrpcCall::OnRead},
                 {this, &GrpcCall::OnFinished},
                 {this, &GrpcCall::OnDone}};
  std::string_view request_;
  RunLimits limits_{.cancellation = std::make_shared<ramet::CancellationToken>()};
  const CallHandler* handler_ = nullptr;
  std::chrono::steady_clock::time_point arrived_;
  std::list<GrpcCall*>::iterator receiving_;
  std::atomic<bool> answered_ = false;
  std::atomic<int> references_ = 0;
};

}  // namespace server
