#include "ramet/replica/shm/takeover.h"

#include <algorithm>
#include <chrono>

#include "ramet/replica/deadline.h"
#include "ramet/replica/shm/channel.h"
#include "ramet/replica/shm/requests.h"

namespace ramet::shm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kTakeoverTimeout = std::chrono::seconds(10);

// The deadline covers all packets together, so that a peer cannot delay it by sending more of them.
Status AskToEnd(const Channel& channel, Clock::time_point end) {
  RAMET_RETURN_IF_ERROR(channel.Send(RequestToText({.number = 1, .verb = "takeover"})));
  while (true) {
    if (Clock::now() >= end) return DeadlineExceeded("the publisher did not answer in time");
    RAMET_ASSIGN_OR_RETURN(const Packet packet, channel.Receive(MillisUntil(end)));
    if (!IsAnswer(packet.text)) continue;
    RAMET_ASSIGN_OR_RETURN(const Answer answer, ParseAnswer(packet.text));
    return answer.text.status();
  }
}

}  // namespace

StatusOr<uint64_t> TakeOver(const std::string& socket) {
  auto channel = Channel::Connect(socket);
  if (IsNotFound(channel.status())) return 0;
  if (!channel.ok()) return channel.status();
  const auto end = Clock::now() + kTakeoverTimeout;
  RAMET_ASSIGN_OR_RETURN(const Packet first, channel->Receive(MillisUntil(end)));
  RAMET_ASSIGN_OR_RETURN(const Hello hello, ParseHello(first.text));
  const Status ended = AskToEnd(*channel, end);
  if (!ended.ok() && !IsUnavailable(ended)) return ended;
  return hello.epoch;
}

}  // namespace ramet::shm
