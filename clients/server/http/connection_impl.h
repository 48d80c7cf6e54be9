#pragma once

// The members of Connection, for http_server.cc.

#include "config/ascii_case.h"
#include "http/connection.h"
#include "json/json_text.h"

namespace server {

inline constexpr size_t kReadBytes = 4096, kBodyReadBytes = 64 << 10;
inline constexpr size_t kMaxLingerBytes = 1 << 20;
inline constexpr auto kLingerTime = std::chrono::seconds(2);

template <class Stream>
Connection<Stream>::~Connection() {
  context_->Release(charged_);
  context_->Remove(this);
}

template <class Stream>
void Connection<Stream>::Start() {
  if constexpr (kIsTls) {
    Enter(Phase::kReading, Clock::now() + context_->limits.header_time);
    stream_.async_handshake(asio::ssl::stream_base::server,
                            [self = this->shared_from_this()](ErrorCode error) {
                              if (!error) self->AwaitRequest();
                            });
  } else {
    AwaitRequest();
  }
}

template <class Stream>
void Connection<Stream>::AwaitRequest() {
  parser_.reset();
  if (buffer_.size() > 0) return ReadHeader();  // the client sends several requests at once
  Enter(Phase::kIdle, Clock::now() + context_->limits.idle_time);
  if (context_->draining.load()) EndIfIdle();
  buffer_.shrink_to_fit();
  if constexpr (kIsTls) {
    // The stream may have read bytes already, so waiting for the socket could take forever.
    stream_.async_read_some(buffer_.prepare(kReadBytes), Then(&Connection::OnFirstBytes));
  } else {
    stream_.async_wait(Socket::wait_read, Then(&Connection::OnReadable));
  }
}

template <class Stream>
void Connection<Stream>::OnReadable(ErrorCode error) {
  if (!error) ReadHeader();
}

template <class Stream>
void Connection<Stream>::OnFirstBytes(ErrorCode error, size_t size) {
  if (error) return;
  buffer_.commit(size);
  ReadHeader();
}

template <class Stream>
void Connection<Stream>::ReadHeader() {
  Enter(Phase::kReading, Clock::now() + context_->limits.header_time);
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(context_->limits.max_header_bytes));
  parser_->body_limit(context_->limits.max_body_bytes);
  parser_->get().body() = this;
  buffer_.reserve(kReadBytes);
  http::async_read_header(stream_, buffer_, *parser_, Then(&Connection::OnHeader));
}

// Moves the header out of the parser.
template <class Stream>
void Connection<Stream>::MoveHeader() {
  const auto& message = parser_->get();
  request_ = HttpRequest();
  request_.received = Clock::now();
  request_.method.assign(message.method_string().data(), message.method_string().size());
  request_.target.assign(message.target().data(), message.target().size());
  for (const auto& field : message) {
    request_.headers.emplace_back(
        std::string(field.name_string().data(), field.name_string().size()),
        std::string(field.value().data(), field.value().size()));
  }
}

template <class Stream>
void Connection<Stream>::OnHeader(ErrorCode error, size_t) {
  if (error) return OnReadError(error);
  MoveHeader();
  facts_.keep_alive = parser_->keep_alive();
  facts_.is_head = request_.method == "HEAD";
  if (context_->admission) {
    if (auto refusal = context_->admission(request_)) {
      facts_.keep_alive = facts_.keep_alive && parser_->is_done();
      return Answer(std::move(*refusal));
    }
  }
  facts_.body_began = request_.received;
  Enter(Phase::kReading, facts_.body_began + context_->limits.body_time);
  if (parser_->is_done()) return OnRead({}, 0);
  if (EqualsIgnoringCase(request_.Header("Expect"), "100-continue")) {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(kContinue), Then(&Connection::OnContinued));
  } else {
    OnContinued({}, 0);
  }
}

template <class Stream>
void Connection<Stream>::OnContinued(ErrorCode error, size_t) {
  if (error) return;
  const auto length = parser_->content_length();
  if (!length || *length > kReadBytes) buffer_.reserve(kBodyReadBytes);
  http::async_read(stream_, buffer_, *parser_, Then(&Connection::OnRead));
}

template <class Stream>
ErrorCode Connection<Stream>::OnBody(const char* data, size_t size) {
  const HttpLimits& limits = context_->limits;
  if (request_.body.size() + size > limits.max_body_bytes) return http::error::body_limit;
  if (!context_->Charge(size)) return asio::error::no_buffer_space;
  charged_ += size;
  request_.body.append(data, size);
  const uint64_t extra_seconds = request_.body.size() / limits.min_bytes_per_second;
  Postpone(facts_.body_began + limits.body_time + std::chrono::seconds(extra_seconds));
  return {};
}

template <class Stream>
void Connection<Stream>::OnRead(ErrorCode error, size_t) {
  if (error) return OnReadError(error);
  request_.cancellation = std::make_shared<ramet::CancellationToken>();
  SetComputed(request_.cancellation);
  Enter(Phase::kComputing, Clock::time_point::max());
  HttpResponder responder(this->shared_from_this());
  const HandlerCounts::Running running(context_->handlers);
  try {
    context_->handler(std::move(request_), std::move(responder));
  } catch (const std::exception&) {
    // The destructor of the responder has answered.
  }
}

template <class Stream>
void Connection<Stream>::OnReadError(ErrorCode error) {
  if (error == http::error::header_limit)
    return Refuse(431, "The header of the request is too large.");
  if (error == http::error::body_limit) {
    return Refuse(413, "The body of the request is too large; the limit is " +
                           std::to_string(context_->limits.max_body_bytes) + " bytes.");
  }
  if (error == asio::error::no_buffer_space) {
    return Refuse(503, "The server holds too many requests; try again later.");
  }
  const bool begun = parser_ && parser_->got_some();
  if (late() && begun) return Refuse(408, "The request was not sent in time.");
  if (error.category() == http::make_error_code(http::error::bad_method).category() &&
      error != http::error::end_of_stream && error != http::error::partial_message) {
    return Refuse(400, "The request is not HTTP/1.1: " + error.message());
  }
}

template <class Stream>
void Connection<Stream>::Refuse(int status, std::string_view text) {
  facts_.keep_alive = false;
  HttpResponse response = {.status = status, .body = ErrorBody(text)};
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  Answer(std::move(response));
}

template <class Stream>
void Connection<Stream>::WriteHeader(const HttpResponse& response) {
  response_ = {};
  if (parser_) response_.version(parser_->get().version());
  response_.result(static_cast<unsigned>(response.status));
  if (!response.content_type.empty()) {
    response_.set(http::field::content_type, response.content_type);
  }
  for (const auto& [name, value] : response.headers) response_.set(name, value);
  response_.keep_alive(facts_.keep_alive);
  response_.content_length(response.body.size());
}

template <class Stream>
void Connection<Stream>::Answer(HttpResponse response) {
  SetComputed(nullptr);
  context_->ChargeAnswer(response.body.size());
  charged_ += response.body.size();
  const HttpLimits& limits = context_->limits;
  Enter(Phase::kWriting,
        Clock::now() + limits.body_time +
            std::chrono::seconds(response.body.size() / limits.min_bytes_per_second));
  facts_.keep_alive = facts_.keep_alive && !context_->draining.load(std::memory_order_relaxed);
  WriteHeader(response);
  if (!facts_.is_head) response_.body() = std::move(response.body);
  http::async_write(stream_, response_, Then(&Connection::OnWritten));
}

template <class Stream>
void Connection<Stream>::OnWritten(ErrorCode error, size_t) {
  context_->Release(std::exchange(charged_, 0));
  response_ = {};
  if (error) return;
  if (facts_.keep_alive) return AwaitRequest();
  Linger();
}

template <class Stream>
void Connection<Stream>::Linger() {
  Enter(Phase::kWriting, Clock::now() + kLingerTime);
  if constexpr (kIsTls) {
    stream_.async_shutdown([self = this->shared_from_this()](ErrorCode) {});
  } else {
    ErrorCode ignored;
    stream_.shutdown(Socket::shutdown_send, ignored);
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kReadBytes), Then(&Connection::OnLingered));
  }
}

template <class Stream>
void Connection<Stream>::OnLingered(ErrorCode error, size_t size) {
  lingered_ += size;
  if (error || lingered_ > kMaxLingerBytes) return;
  stream_.async_read_some(buffer_.prepare(kReadBytes), Then(&Connection::OnLingered));
}

}  // namespace server
