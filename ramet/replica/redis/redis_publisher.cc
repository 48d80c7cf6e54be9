#include "ramet/replica/redis/redis_publisher.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "ramet/base/exception.h"
#include "ramet/base/log.h"
#include "ramet/base/strings.h"
#include "ramet/replica/hash_worker.h"
#include "ramet/replica/redis/publication.h"
#include "ramet/replica/redis/request_listener.h"
#include "ramet/replica/redis/send_queue.h"
#include "ramet/replica/redis/task_queue.h"
#include "ramet/replica/start_thread.h"

namespace ramet::redis {
namespace {

constexpr auto kFirstReconnectWait = std::chrono::milliseconds(20);
constexpr auto kMaxReconnectWait = std::chrono::milliseconds(2000);
constexpr auto kFlushTimeout = std::chrono::seconds(10);
constexpr int kMaxRetained = 1000;

// A RedisPublisher passes versions to a thread of its own, which sends them to the server and
// answers followers.
class RedisPublisher final : public PublisherTransport {
 public:
  RedisPublisher(RedisUrl url, Announcement announcement, const RetentionOptions& retention)
      : server_(std::move(url)),
        queue_(server_.where(), retention, wake_),
        tasks_(server_.where(), server_.url.times.timeout * 3, wake_),
        publication_(server_, std::move(announcement), retention) {}
  ~RedisPublisher() override;
  Status Start(bool takeover);

  // Copies values whose memory may be written later.
  StatusOr<Tensor> MakePublishable(const Tensor& value) override { return value.Owned(); }
  StatusOr<uint64_t> Publish(const VersionInfo& info, std::span<const Tensor> values,
                             std::span<const Tensor> sources,
                             std::shared_ptr<const DeviceCopies> /*copies*/) override {
    return queue_.Push(info, values, sources);
  }
  StatusOr<uint64_t> Rollback(uint64_t version) override;
  Status Promote(std::string_view label, uint64_t version) override;
  Status Flush() override {
    return tasks_.Run([] { return OkStatus(); }, queue_.last_number());
  }
  PublisherStats stats() const override { return queue_.stats(); }

 private:
  // These functions are called on the sending thread.
  bool is_linked() { return publication_.lease().link().usable(); }
  void Run();
  bool Work();
  bool TryLink();
  void WaitUnlinked();
  void SendQueued();
  void RunTasks();
  StatusOr<uint64_t> RollbackNow(uint64_t version);
  void NoteFailure(const Status& status);

  const Server server_;
  const Signal wake_;
  SendQueue queue_;
  TaskQueue tasks_;
  std::unique_ptr<HashWorker> hasher_;

  // Used by the sending thread only.
  Publication publication_;
  std::unique_ptr<RequestListener> listener_;
  std::chrono::milliseconds pause_ = kFirstReconnectWait;
  bool has_warned_ = false;
  std::thread sender_;
};

Status RedisPublisher::Start(bool takeover) {
  hasher_ = std::make_unique<HashWorker>(publication_.announcement().signature);
  listener_ = std::make_unique<RequestListener>(
      server_, publication_, *hasher_, wake_,
      RequestListener::Publisher{[this](uint64_t version) { return RollbackNow(version); },
                                 [this] { return stats(); },
                                 [this] { queue_.Update(publication_); }});
  RAMET_RETURN_IF_ERROR(publication_.Open(takeover));
  queue_.Begin(publication_);
  return StartThread(&sender_, [this] { Run(); });
}

RedisPublisher::~RedisPublisher() {
  if (!sender_.joinable()) return;
  queue_.Close(kFlushTimeout);
  server_.stop.Set();
  sender_.join();
  hasher_.reset();
}

StatusOr<uint64_t> RedisPublisher::Rollback(uint64_t version) {
  const auto number = std::make_shared<uint64_t>(0);
  const auto roll_back = [this, version, number] {
    auto made = RollbackNow(version);
    if (made.ok()) *number = *made;
    return made.status();
  };
  RAMET_RETURN_IF_ERROR(tasks_.Run(roll_back, queue_.last_number()));
  return *number;
}

Status RedisPublisher::Promote(std::string_view label, uint64_t version) {
  const auto promote = [this, label = std::string(label), version] {
    return publication_.Promote(label, version);
  };
  return tasks_.Run(promote, queue_.last_number());
}

StatusOr<uint64_t> RedisPublisher::RollbackNow(uint64_t version) {
  const uint64_t number = queue_.NextNumber();
  RAMET_RETURN_IF_ERROR(publication_.Rollback(version, number));
  hasher_->Alias(number, version);
  return number;
}

void RedisPublisher::Run() {
  bool goes_on = true;
  while (goes_on) {
    const Status worked = Guarded([&] {
      goes_on = Work();
      return OkStatus();
    });
    if (!worked.ok()) WaitUnlinked();
  }
  publication_.lease().Release();
  if (queue_.failure().ok()) queue_.Fail(Unavailable(server_.where(), ": the publisher has ended"));
  tasks_.Fail(queue_.failure());
  queue_.Finish();
}

// Does one round of work. Returns false after the last one.
bool RedisPublisher::Work() {
  wake_.Clear();
  if (!is_linked()) tasks_.FailOverdue(Clock::now());
  if (!is_linked() && !TryLink()) {
    if (queue_.closing() || !queue_.failure().ok()) return false;
    WaitUnlinked();
    return true;
  }
  SendQueued();
  if (is_linked()) RunTasks();
  if (!is_linked() || queue_.unsent() != 0 || !tasks_.empty()) return true;
  if (queue_.closing()) return false;
  listener_->SendHashes();
  listener_->Listen();
  if (is_linked() && Clock::now() >= publication_.lease().next_beat()) {
    if (const Status status = publication_.Beat(); !status.ok()) NoteFailure(status);
    queue_.Update(publication_);
  }
  return true;
}

void RedisPublisher::NoteFailure(const Status& status) {
  if (IsAborted(status)) {
    const Status failure = status.WithContext(server_.where());
    LogWarning(failure.message());
    queue_.Fail(failure);
    tasks_.Fail(failure);
  } else if (!is_linked() && !has_warned_ && !IsCancelled(status)) {
    has_warned_ = true;
    LogWarning(server_.where(), ": ", status.message(),
               "; publishing resumes when the server is back");
  }
  queue_.SetLinked(is_linked());
}

bool RedisPublisher::TryLink() {
  if (!queue_.failure().ok()) return false;
  listener_->Relink();
  if (const Status status = publication_.Reconnect(); !status.ok()) {
    NoteFailure(status);
    return false;
  }
  if (has_warned_) LogInfo(server_.where(), ": connected again");
  has_warned_ = false;
  pause_ = kFirstReconnectWait;
  queue_.Update(publication_);
  queue_.SetLinked(true);
  return true;
}

void RedisPublisher::WaitUnlinked() {
  queue_.WaitForClose(pause_);
  pause_ = std::min<std::chrono::milliseconds>(pause_ * 2, kMaxReconnectWait);
}

// A version whose connection was lost is sent again, unless there is a newer one.
void RedisPublisher::SendQueued() {
  std::optional<Outgoing> outgoing = queue_.Take();
  if (!outgoing) return;
  const Status status = Guarded([&] { return publication_.Send(*outgoing); });
  const bool again = !status.ok() && !is_linked() && !IsAborted(status);
  if (!status.ok()) NoteFailure(status);
  if (!status.ok() && !again) {
    LogWarning(server_.where(), ": version ", outgoing->info.id.version,
               " was not published: ", status.message());
  }
  queue_.Update(publication_);
  queue_.NoteSent(std::move(outgoing), status, again);
}

void RedisPublisher::RunTasks() {
  tasks_.RunTasks([this] { return queue_.unsent(); }, [this] { return is_linked(); },
                  [this](const Status& status) {
                    if (!status.ok()) NoteFailure(status);
                    queue_.Update(publication_);
                  });
}

}  // namespace

StatusOr<std::unique_ptr<PublisherTransport>> OpenPublisher(const std::string& scheme,
                                                            const std::string& location,
                                                            Announcement announcement,
                                                            const RetentionOptions& retention,
                                                            bool takeover) {
  RAMET_ASSIGN_OR_RETURN(RedisUrl url, ParseRedisUrl(scheme, location));
  const std::string where = url.ToString();
  if (retention.retained < 1 || retention.retained > kMaxRetained) {
    return InvalidArgument(where, ": retained is ", retention.retained, ", but must be 1 to ",
                           kMaxRetained);
  }
  auto publisher =
      std::make_unique<RedisPublisher>(std::move(url), std::move(announcement), retention);
  if (const Status status = publisher->Start(takeover); !status.ok())
    return status.WithContext(where);
  return std::unique_ptr<PublisherTransport>(std::move(publisher));
}

}  // namespace ramet::redis
