#include "ramet/replica/shm/takeover.h"

#include <chrono>

#include "ramet/replica/shm/channel.h"
#include "ramet/replica/shm/requests.h"

namespace ramet::shm {
namespace {

constexpr int64_t kAnswerMillis = 10'000;

Status AskToEnd(const Channel& channel) {
  RAMET_RETURN_IF_ERROR(channel.Send(RequestToText({.number = 1, .verb = "takeover"})));
  while (true) {
    RAMET_ASSIGN_OR_RETURN(const Packet packet, channel.Receive(kAnswerMillis));
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
  RAMET_ASSIGN_OR_RETURN(const Packet first, channel->Receive(kAnswerMillis));
  RAMET_ASSIGN_OR_RETURN(const Hello hello, ParseHello(first.text));
  const Status ended = AskToEnd(*channel);
  if (!ended.ok() && !IsUnavailable(ended)) return ended;
  return hello.epoch;
}

}  // namespace ramet::shm
