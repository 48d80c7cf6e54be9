#include "ramet/replica/redis/request_inbox.h"

#include <poll.h>

#include <algorithm>
#include <chrono>

#include "ramet/base/log.h"
#include "ramet/base/strings.h"

namespace ramet::redis {
namespace {

constexpr std::string_view kListenSeconds = "5";

void WaitForSignals(const Signal& wake, const Signal& stop, Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  pollfd waits[] = {{wake.fd(), POLLIN, 0}, {stop.fd(), POLLIN, 0}};
  (void)!poll(waits, 2, static_cast<int>(std::clamp<int64_t>(left.count(), 0, 60'000)));
}

}  // namespace

void RequestInbox::Relink() {
  connection_.reset();
  is_deaf_ = false;
}

// Makes sure that a request for the next item of the list is pending at the server.
bool RequestInbox::IsListening() {
  if (is_deaf_) return false;
  if (connection_ && connection_->usable() && Clock::now() <= listening_until_) return true;
  auto opened = server_.Connect();
  if (!opened.ok()) {
    connection_.reset();
    return false;
  }
  connection_ = *std::move(opened);
  AskForNext();
  return true;
}

// Asks the server for the next request. The reply comes when there is one.
void RequestInbox::AskForNext() {
  listening_until_ = Clock::now() + std::chrono::seconds(5) + server_.url.times.timeout;
  connection_->Send({"BLPOP", server_.keys.requests(), kListenSeconds}).IgnoreError();
}

std::optional<Request> RequestInbox::Next(const Signal& wake, Clock::time_point deadline) {
  if (!IsListening()) {
    WaitForSignals(wake, server_.stop, deadline);
    return std::nullopt;
  }
  const auto input = connection_->WaitForInput(&wake, deadline);
  if (!input.ok() || !*input) return std::nullopt;
  const auto reply = connection_->Receive();
  if (!reply.ok()) return std::nullopt;
  if (const Status status = ErrorOf(*reply); !status.ok()) {
    is_deaf_ = true;
    LogWarning(server_.where(), ": cannot receive requests of followers: ", status.message());
    return std::nullopt;
  }
  AskForNext();
  if (reply->items.size() != 2) return std::nullopt;
  auto request = ParseRequest(reply->items[1].view());
  if (!request.ok()) return std::nullopt;
  return *std::move(request);
}

}  // namespace ramet::redis
