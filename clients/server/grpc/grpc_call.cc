#include "grpc/grpc_call.h"

#include <algorithm>
#include <new>
#include <string>
#include <vector>

namespace server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxErrorBytes = 1024;

// Cuts long messages as TensorFlow Serving does, but not within a character.
std::string CutMessage(const std::string& message) {
  if (message.size() <= kMaxErrorBytes) return message;
  size_t end = kMaxErrorBytes;
  while (end > kMaxErrorBytes - 4 && (message[end] & 0xC0) == 0x80) --end;
  return message.substr(0, end) + "...TRUNCATED";
}

bool HasToken(const grpc::ServerContext& context, const BearerTokens& tokens) {
  const auto [first, last] = context.client_metadata().equal_range("authorization");
  return std::any_of(first, last, [&](const auto& entry) {
    return tokens.Allows({entry.second.data(), entry.second.size()});
  });
}

// Probes of a server's health need no token.
bool NeedsToken(const std::string& path) {
  return path != "/inference.GRPCInferenceService/ServerLive" &&
         path != "/inference.GRPCInferenceService/ServerReady";
}

Clock::time_point DeadlineOf(const grpc::ServerContext& context) {
  using SystemClock = std::chrono::system_clock;
  const SystemClock::time_point deadline = context.deadline();
  if (deadline == SystemClock::time_point::max()) return Clock::time_point::max();
  const auto left = deadline - SystemClock::now();
  if (left > std::chrono::hours(24 * 365)) return Clock::time_point::max();
  return Clock::now() + left;
}

void AddTrailers(const AnsweredBy& by, grpc::ServerContext* context) {
  context->AddTrailingMetadata("x-ramet-version", std::to_string(by.version));
  if (by.step) context->AddTrailingMetadata("x-ramet-step", std::to_string(*by.step));
  if (by.proof != ramet::VersionProof::kNotAsked) {
    context->AddTrailingMetadata("x-ramet-proof", std::string(ramet::ProofName(by.proof)));
  }
}

// Makes a slice that holds the tensor until gRPC has sent it.
grpc::Slice SliceOf(const ramet::Tensor& tensor) {
  auto* held = new ramet::Tensor(tensor);
  return grpc::Slice(
      held->raw_data(), held->bytes(), [](void* user) { delete static_cast<ramet::Tensor*>(user); },
      held);
}

grpc::ByteBuffer BufferOf(const Pieces& pieces) {
  std::vector<grpc::Slice> slices;
  for (const Pieces::Piece& piece : pieces.pieces()) {
    if (!piece.bytes.empty()) slices.emplace_back(piece.bytes.data(), piece.bytes.size());
    if (!piece.tensor.empty()) slices.push_back(SliceOf(piece.tensor));
  }
  if (slices.empty()) slices.emplace_back("", 0);
  return grpc::ByteBuffer(slices.data(), slices.size());
}

}  // namespace

void CallQueue::Serve(std::chrono::system_clock::time_point end) {
  void* tag = nullptr;
  bool ok = false;
  while (queue->AsyncNext(&tag, &ok, end) == grpc::CompletionQueue::GOT_EVENT) {
    const CallEvent event = *static_cast<CallEvent*>(tag);
    (event.call->*event.handle)(ok);
  }
}

void CallQueue::CancelReceiving(Clock::time_point time) {
  ramet::MutexLock lock(mutex);
  for (GrpcCall* call : receiving) {
    if (call->arrived_ >= time) return;
    call->transport_.context.TryCancel();
  }
}

void GrpcCall::Post(CallQueue* queue) {
  auto* call = new GrpcCall(queue);
  call->transport_.context.AsyncNotifyWhenDone(&call->events_.done);
  queue->host->service.RequestCall(&call->transport_.context, &call->transport_.stream,
                                   queue->queue.get(), queue->queue.get(), &call->events_.arrived);
}

void GrpcCall::OnArrived(bool ok) {
  if (!ok) {  // the server is shutting down; there will be no other event
    delete this;
    return;
  }
  references_ = 2;  // OnDone and OnFinished
  if (!queue_->host->draining) Post(queue_);
  if (const ramet::Status refused = Admit(); !refused.ok()) return Finish(refused);
  arrived_ = Clock::now();
  StartReceiving();
  transport_.stream.Read(&transport_.message, &events_.read);
}

ramet::Status GrpcCall::Admit() {
  CallHost& host = *queue_->host;
  if (host.tokens && NeedsToken(transport_.context.method()) &&
      !HasToken(transport_.context, *host.tokens)) {
    return ramet::Unauthenticated(
        "this server requires a token: send the metadata 'authorization: Bearer TOKEN'");
  }
  handler_ = host.table->Find(transport_.context.method());  // counted from here on
  if (!handler_) return ramet::Unimplemented("unknown method ", transport_.context.method());
  if (host.calls.fetch_add(1) < host.max_calls) return ramet::OkStatus();
  return ramet::ResourceExhausted("the server has ", host.max_calls,
                                  " calls in progress, its limit; try again later");
}

void GrpcCall::StartReceiving() {
  ramet::MutexLock lock(queue_->mutex);
  receiving_ = queue_->receiving.insert(queue_->receiving.end(), this);
}

void GrpcCall::EndReceiving() {
  ramet::MutexLock lock(queue_->mutex);
  queue_->receiving.erase(receiving_);
}

void GrpcCall::OnRead(bool ok) {
  EndReceiving();
  if (!ok) return Finish(ramet::Internal("the call came without a message"));
  if (!TakeMessage()) {
    return Finish(ramet::ResourceExhausted("cannot allocate memory for a message of ",
                                           transport_.message.Length(), " bytes"));
  }
  ++references_;
  Handle();
  Release();
}

bool GrpcCall::TakeMessage() {
  if (!transport_.message.TrySingleSlice(&transport_.slice).ok() &&
      !transport_.message.DumpToSingleSlice(&transport_.slice).ok()) {
    return false;
  }
  transport_.message.Clear();
  request_ = {reinterpret_cast<const char*>(transport_.slice.begin()), transport_.slice.size()};
  limits_.deadline = DeadlineOf(transport_.context);
  return true;
}

void GrpcCall::Handle() {
  const HandlerCounts::Running running(queue_->handlers);
  try {
    (*handler_)(*this);
  } catch (const std::bad_alloc&) {
    Finish(ramet::ResourceExhausted("not enough memory for this request"));
  } catch (const std::exception& error) {
    Finish(ramet::Internal(error.what()));
  }
}

void GrpcCall::Finish(const Pieces& response, const AnsweredBy* answered_by) {
  if (answered_.exchange(true)) return;
  if (answered_by) AddTrailers(*answered_by, &transport_.context);
  transport_.stream.WriteAndFinish(BufferOf(response), grpc::WriteOptions(), grpc::Status::OK,
                                   &events_.finished);
}

void GrpcCall::Finish(const ramet::Status& error) {
  if (answered_.exchange(true)) return;
  const auto code = static_cast<grpc::StatusCode>(error.code());
  transport_.stream.Finish(grpc::Status(code, CutMessage(error.message())), &events_.finished);
}

void GrpcCall::OnFinished(bool) {
  if (handler_) --queue_->host->calls;
  Release();
}

void GrpcCall::OnDone(bool) {
  if (transport_.context.IsCancelled()) limits_.cancellation->Cancel();
  Release();
}

void GrpcCall::Release() {
  if (--references_ == 0) delete this;
}

}  // namespace server
