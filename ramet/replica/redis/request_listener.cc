#include "ramet/replica/redis/request_listener.h"

#include <poll.h>

#include <algorithm>

#include "ramet/base/log.h"
#include "ramet/base/strings.h"
#include "ramet/replica/version_text.h"

namespace ramet::redis {
namespace {

constexpr std::string_view kAnswerMillis = "60000";
constexpr std::string_view kListenSeconds = "5";

}  // namespace

void RequestListener::Relink() {
  connection_.reset();
  is_deaf_ = false;
}

// Waits until there are values to send or the next beat is due.
void RequestListener::WaitForWake() {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(publication_.next_beat() - Clock::now());
  pollfd waits[] = {{wake_.fd(), POLLIN, 0}, {stop_.fd(), POLLIN, 0}};
  (void)!poll(waits, 2, static_cast<int>(std::clamp<int64_t>(left.count(), 0, 60'000)));
}

// Makes sure that a request for the next item of the list is pending at the server.
bool RequestListener::IsListening() {
  if (is_deaf_) return false;
  if (connection_ && connection_->usable() && Clock::now() <= listening_until_) return true;
  auto opened = Connection::Open(publication_.url(), publication_.keys().lock(), stop_);
  if (!opened.ok()) {
    connection_.reset();
    return false;
  }
  connection_ = *std::move(opened);
  TakeRequest();
  return true;
}

void RequestListener::Listen() {
  if (!IsListening()) return WaitForWake();
  const auto input = connection_->WaitForInput(&wake_, publication_.next_beat());
  if (!input.ok() || !*input) return;
  const auto reply = connection_->Receive();
  if (!reply.ok()) return;
  if (const Status status = ErrorOf(*reply); !status.ok()) {
    is_deaf_ = true;
    LogWarning(publication_.url().ToString(),
               ": cannot receive requests of followers: ", status.message());
    return;
  }
  TakeRequest();
  if (reply->items.size() != 2) return;
  const auto request = ParseRequest(reply->items[1].view());
  if (!request.ok()) return;
  Answer answer;
  answer.status = Answered(*request, &answer);
  publisher_.changed();
  if (request->verb != "hashes" || !answer.status.ok() || !answer.hashes.content.empty()) {
    SendAnswer(request->id, answer);
  }
}

// Asks the server for the next request. The reply comes when there is one.
void RequestListener::TakeRequest() {
  listening_until_ = Clock::now() + std::chrono::seconds(5) + publication_.url().timeout;
  connection_->Send({"BLPOP", publication_.keys().requests(), kListenSeconds}).IgnoreError();
}

Status RequestListener::Answered(const Request& request, Answer* answer) {
  const uint64_t epoch = publication_.announcement().epoch;
  if (request.epoch != 0 && request.epoch != epoch) {
    return Unavailable("the publisher that was asked has ended; there is a different one now");
  }
  if (request.verb == "promote") return publication_.Promote(request.label, request.version);
  if (request.verb == "rollback") {
    RAMET_ASSIGN_OR_RETURN(answer->version, publisher_.rollback(request.version));
    return OkStatus();
  }
  if (request.verb == "status") {
    answer->stats = PublisherStatsToText(publisher_.stats());
    return OkStatus();
  }
  if (request.verb != "hashes") return InvalidArgument("unknown request '", request.verb, "'");
  if (publication_.Kept(request.version) == nullptr) return publication_.NotKept(request.version);
  answer->hashes = hasher_.Known(request.version);
  return answer->hashes.content.empty() ? AskHashes(request) : OkStatus();
}

Status RequestListener::AskHashes(const Request& request) {
  const Outgoing& kept = *publication_.Kept(request.version);
  return hasher_.Ask(
      request.version,
      [&kept] {
        return HashWorker::Values{kept.values, kept.sources};
      },
      [this, id = request.id, version = request.version](const StatusOr<VersionHashes>& hashes) {
        Answer answer;
        answer.version = version;
        answer.status = hashes.status();
        if (hashes.ok()) answer.hashes = *hashes;
        MutexLock lock(mutex_);
        hash_answers_.emplace_back(id, std::move(answer));
        wake_.Set();
      });
}

void RequestListener::SendHashes() {
  std::deque<std::pair<std::string, Answer>> answers;
  {
    MutexLock lock(mutex_);
    answers.swap(hash_answers_);
  }
  for (const auto& answer : answers) {
    SendAnswer(answer.first, answer.second);
    if (answer.second.status.ok()) KeepHashes(answer.second);
  }
}

// Stores the hashes on the server for followers that ask after the publisher has ended.
void RequestListener::KeepHashes(const Answer& answer) {
  hashed_.push_back(answer.version);
  std::erase_if(hashed_, [this](uint64_t version) {
    if (publication_.Kept(version) != nullptr) return false;
    hasher_.Forget(version);
    return true;
  });
  if (!publication_.linked()) return;
  const uint64_t epoch = publication_.announcement().epoch;
  publication_.connection()
      .Call({"SET", publication_.keys().hashes(epoch, answer.version), AnswerText(answer), "PX",
             StrCat(publication_.url().ttl.count())})
      .status()
      .IgnoreError();
}

void RequestListener::SendAnswer(const std::string& id, const Answer& answer) {
  if (!publication_.linked()) return;
  publication_.connection()
      .Call({"SET", publication_.keys().answer(id), AnswerText(answer), "PX", kAnswerMillis})
      .status()
      .IgnoreError();
}

}  // namespace ramet::redis
