#include "ramet/replica/redis/request_listener.h"

#include <chrono>

#include "ramet/base/strings.h"
#include "ramet/replica/version_text.h"

namespace ramet::redis {
namespace {

constexpr std::chrono::milliseconds kAnswerLifetime{60'000};

}  // namespace

void RequestListener::Listen() {
  const auto request = inbox_.Next(wake_, publication_.lease().next_beat());
  if (!request) return;
  Answer answer;
  answer.status = Answered(*request, &answer);
  publisher_.changed();
  if (request->verb != "hashes" || !answer.status.ok() || !answer.hashes.content.empty()) {
    SendAnswer(request->id, answer);
  }
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
  RAMET_ASSIGN_OR_RETURN(const SentVersion* kept, publication_.Kept(request.version));
  answer->hashes = hasher_.Known(request.version);
  return answer->hashes.content.empty() ? AskHashes(request, kept->outgoing) : OkStatus();
}

Status RequestListener::AskHashes(const Request& request, const Outgoing& kept) {
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
    if (publication_.Kept(version).ok()) return false;
    hasher_.Forget(version);
    return true;
  });
  Store(server_.keys.hashes(publication_.announcement().epoch, answer.version), answer,
        server_.url.times.ttl);
}

void RequestListener::SendAnswer(const std::string& id, const Answer& answer) {
  Store(server_.keys.answer(id), answer, kAnswerLifetime);
}

void RequestListener::Store(const std::string& key, const Answer& answer,
                            std::chrono::milliseconds time) {
  const Link& link = publication_.lease().link();
  if (!link.usable()) return;
  link->Call({"SET", key, AnswerText(answer), "PX", StrCat(time.count())}).status().IgnoreError();
}

}  // namespace ramet::redis
