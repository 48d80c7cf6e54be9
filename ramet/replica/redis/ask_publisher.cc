#include "ramet/replica/redis/ask_publisher.h"

#include <algorithm>
#include <chrono>

namespace ramet::redis {
namespace {

constexpr std::chrono::milliseconds kMaxAnswerPause{50};
constexpr std::string_view kRequestMillis = "60000";

}  // namespace

// Uses a separate connection, because the answer may take long.
StatusOr<Answer> AskPublisher(const Server& server, SeenState& seen, Request request,
                              Clock::time_point deadline) {
  RAMET_ASSIGN_OR_RETURN(auto connection, server.Connect());
  RAMET_ASSIGN_OR_RETURN(Reply owner, connection->Call({"GET", server.keys.lock()}));
  if (owner.nil()) return Unavailable("there is no publisher");
  request.id = NewRequestId();
  RAMET_RETURN_IF_ERROR(
      connection->Call({"RPUSH", server.keys.requests(), RequestText(request)}).status());
  RAMET_RETURN_IF_ERROR(
      connection->Call({"PEXPIRE", server.keys.requests(), kRequestMillis}).status());
  std::chrono::milliseconds pause(1);
  while (Clock::now() < deadline) {
    RAMET_ASSIGN_OR_RETURN(const Reply reply,
                           connection->Call({"GET", server.keys.answer(request.id)}));
    if (!reply.nil()) {
      RAMET_ASSIGN_OR_RETURN(Answer answer, ParseAnswer(reply.view()));
      RAMET_RETURN_IF_ERROR(answer.status);
      return answer;
    }
    RAMET_ASSIGN_OR_RETURN(owner, connection->Call({"GET", server.keys.lock()}));
    if (owner.nil()) return Unavailable("the publisher has ended");
    seen.WaitForInterrupt(pause);
    if (seen.interrupted()) return Cancelled("the follower was closed");
    pause = std::min(pause * 2, kMaxAnswerPause);
  }
  return DeadlineExceeded("the publisher has not answered in time");
}

}  // namespace ramet::redis
