#include "ramet/replica/redis/redis_publisher.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <iterator>
#include <mutex>
#include <thread>

#include "ramet/base/exception.h"
#include "ramet/base/log.h"
#include "ramet/base/strings.h"
#include "ramet/replica/hash_worker.h"
#include "ramet/replica/redis/publication.h"
#include "ramet/replica/redis/request_listener.h"
#include "ramet/replica/start_thread.h"

namespace ramet::redis {
namespace {

constexpr auto kFirstPause = std::chrono::milliseconds(20);
constexpr auto kLongestPause = std::chrono::milliseconds(2000);
constexpr auto kFlushTime = std::chrono::seconds(10);
constexpr int kMostRetained = 1000;

class RedisPublisher final : public PublisherTransport {
 public:
  RedisPublisher(RedisUrl url, Announcement announcement, const RetentionOptions& retention,
                 bool takeover)
      : where_(url.ToString()),
        retention_(retention),
        timeout_(url.timeout * 3),
        publication_(std::move(url), std::move(announcement), retention, takeover, stop_) {}
  ~RedisPublisher() override;
  Status Start();

  StatusOr<Tensor> Place(const Tensor& value) override;
  StatusOr<uint64_t> Publish(const VersionInfo& info, std::span<const Tensor> values,
                             std::span<const Tensor> sources) override;
  StatusOr<uint64_t> Rollback(uint64_t version) override;
  Status Promote(std::string_view label, uint64_t version) override;
  PublisherStats stats() const override;

 private:
  // What the sending thread is to do, and what came of it.
  struct Task {
    std::function<Status()> work;
    Clock::time_point deadline;
    uint64_t after = 0;  // the version that goes first
    std::optional<Status> result = {};
  };

  Status CheckRoom(std::span<const Tensor> values) const;
  Status InSender(std::function<Status()> work);
  void Finish(Task& task, Status result);
  StatusOr<uint64_t> RollbackNow(uint64_t version);

  void Run();
  bool Work();
  bool TryLink();
  void WaitUnlinked();
  void SendQueued();
  void DoTasks();
  void FailTasks(Clock::time_point due);
  void NoteFailure(const Status& status);
  void UpdateStats();

  const std::string where_;
  const RetentionOptions retention_;
  const std::chrono::milliseconds timeout_;
  Signal stop_, wake_;
  std::unique_ptr<HashWorker> hasher_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Outgoing> queued_;
  bool sending_ = false;
  bool linked_ = false;
  bool closing_ = false;
  bool finished_ = false;
  Status lost_;  // why nothing can be published any more
  uint64_t last_number_ = 0;
  uint64_t other_bytes_ = 0;  // of the versions that stay when another one comes
  uint64_t skipped_ = 0;
  std::vector<Tensor> newest_;   // the values that were handed over last
  std::vector<Tensor> garbage_;  // for the sending thread to let go of, which may take long
  PublisherStats stats_;
  std::deque<std::shared_ptr<Task>> tasks_;

  // The sending thread's own.
  Publication publication_;
  std::unique_ptr<RequestListener> listener_;
  std::chrono::milliseconds pause_ = kFirstPause;
  bool has_warned_ = false;
  std::thread sender_;
};

Status RedisPublisher::Start() {
  hasher_ = std::make_unique<HashWorker>(publication_.announcement().signature);
  listener_ = std::make_unique<RequestListener>(
      publication_, *hasher_, wake_, stop_,
      RequestListener::Publisher{[this](uint64_t version) { return RollbackNow(version); },
                                 [this] { return stats(); }, [this] { UpdateStats(); }});
  RAMET_RETURN_IF_ERROR(publication_.Open());
  linked_ = true;
  stats_ = publication_.stats();
  return StartThread(&sender_, [this] { Run(); });
}

RedisPublisher::~RedisPublisher() {
  if (!sender_.joinable()) return;
  {
    std::unique_lock lock(mutex_);
    closing_ = true;
    wake_.Set();
    changed_.notify_all();
    changed_.wait_for(lock, kFlushTime, [this] { return finished_; });
  }
  stop_.Set();
  sender_.join();
  hasher_.reset();
}

// What may be written by others later is copied.
StatusOr<Tensor> RedisPublisher::Place(const Tensor& value) { return value.Owned(); }

Status RedisPublisher::CheckRoom(std::span<const Tensor> values) const {
  uint64_t bytes = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const bool same = i < newest_.size() && newest_[i].buffer().get() == values[i].buffer().get();
    if (!same || retention_.retained == 1) bytes += values[i].bytes();
  }
  if (other_bytes_ + bytes <= publication_.max_bytes()) return OkStatus();
  return ResourceExhausted(where_, ": ", publication_.max_bytes(), " bytes are allowed ",
                           "(RetentionOptions::max_bytes); the versions that are kept have ",
                           other_bytes_, ", this one needs ", bytes, " more");
}

StatusOr<uint64_t> RedisPublisher::Publish(const VersionInfo& info, std::span<const Tensor> values,
                                           std::span<const Tensor> sources) {
  std::vector<Tensor> surplus;
  std::unique_lock lock(mutex_);
  if (retention_.at_limit == RetentionOptions::AtLimit::kWait) {
    changed_.wait(lock, [this] { return (!queued_ && !sending_) || !linked_ || closing_; });
  }
  RAMET_RETURN_IF_ERROR(lost_);
  if (const Status room = CheckRoom(values); !room.ok()) {
    ++skipped_;
    return room;
  }
  std::vector<Tensor>& garbage = garbage_.empty() ? garbage_ : surplus;
  if (queued_) {
    ++skipped_;
    std::ranges::move(queued_->values, std::back_inserter(garbage));
    std::ranges::move(queued_->sources, std::back_inserter(garbage));
  }
  queued_.emplace();
  queued_->info = info;
  queued_->info.id.epoch = publication_.announcement().epoch;
  queued_->info.id.version = ++last_number_;
  queued_->values.assign(values.begin(), values.end());
  queued_->sources.assign(sources.begin(), sources.end());
  std::ranges::move(newest_, std::back_inserter(garbage));
  newest_ = queued_->values;
  wake_.Set();
  return last_number_;
}

Status RedisPublisher::InSender(std::function<Status()> work) {
  auto task = std::make_shared<Task>(Task{std::move(work), Clock::now() + timeout_});
  std::unique_lock lock(mutex_);
  task->after = last_number_;
  if (!lost_.ok()) return lost_;
  tasks_.push_back(task);
  wake_.Set();
  changed_.wait(lock, [&] { return task->result.has_value(); });
  return task->result->WithContext(where_);
}

StatusOr<uint64_t> RedisPublisher::Rollback(uint64_t version) {
  uint64_t number = 0;
  RAMET_RETURN_IF_ERROR(InSender([this, version, &number] {
    auto made = RollbackNow(version);
    if (made.ok()) number = *made;
    return made.status();
  }));
  return number;
}

StatusOr<uint64_t> RedisPublisher::RollbackNow(uint64_t version) {
  uint64_t number = 0;
  {
    std::lock_guard lock(mutex_);
    number = ++last_number_;
  }
  RAMET_RETURN_IF_ERROR(publication_.Rollback(version, number));
  hasher_->Alias(number, version);
  return number;
}

Status RedisPublisher::Promote(std::string_view label, uint64_t version) {
  return InSender([this, label, version] { return publication_.Promote(label, version); });
}

PublisherStats RedisPublisher::stats() const {
  std::lock_guard lock(mutex_);
  PublisherStats stats = stats_;
  stats.skipped = skipped_;
  return stats;
}

void RedisPublisher::UpdateStats() {
  PublisherStats stats = publication_.stats();
  const uint64_t other_bytes = publication_.BytesBesideNext();
  std::vector<Tensor> garbage;
  std::lock_guard lock(mutex_);
  stats_ = std::move(stats);
  other_bytes_ = other_bytes;
  garbage.swap(garbage_);
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
  if (publication_.linked()) publication_.Close();
  std::lock_guard lock(mutex_);
  finished_ = true;
  if (lost_.ok()) lost_ = Unavailable(where_, ": the publisher has ended");
  for (auto& task : tasks_) task->result = lost_;
  tasks_.clear();
  changed_.notify_all();
}

// One round; false: the last one.
bool RedisPublisher::Work() {
  wake_.Clear();
  FailTasks(Clock::now());
  if (!publication_.linked() && !TryLink()) {
    {
      std::lock_guard lock(mutex_);
      if (closing_ || !lost_.ok()) return false;
    }
    WaitUnlinked();
    return true;
  }
  SendQueued();
  if (publication_.linked()) DoTasks();
  if (!publication_.linked()) return true;
  {
    std::lock_guard lock(mutex_);
    if (queued_ || !tasks_.empty()) return true;
    if (closing_) return false;
  }
  listener_->SendHashes();
  listener_->Listen();
  if (publication_.linked() && Clock::now() >= publication_.next_beat()) {
    if (const Status status = publication_.Beat(); !status.ok()) NoteFailure(status);
    UpdateStats();
  }
  return true;
}

void RedisPublisher::NoteFailure(const Status& status) {
  std::lock_guard lock(mutex_);
  if (IsAborted(status)) {
    lost_ = status.WithContext(where_);
    LogWarning(lost_.message());
  } else if (!publication_.linked() && !has_warned_ && !IsCancelled(status)) {
    has_warned_ = true;
    LogWarning(where_, ": ", status.message(), "; publishing goes on when the server is back");
  }
  linked_ = publication_.linked();
  changed_.notify_all();
}

bool RedisPublisher::TryLink() {
  {
    std::lock_guard lock(mutex_);
    if (!lost_.ok()) return false;
  }
  listener_->Relink();
  if (const Status status = publication_.Reconnect(); !status.ok()) {
    NoteFailure(status);
    return false;
  }
  if (has_warned_) LogInfo(where_, ": connected again");
  has_warned_ = false;
  pause_ = kFirstPause;
  UpdateStats();
  std::lock_guard lock(mutex_);
  linked_ = true;
  return true;
}

void RedisPublisher::WaitUnlinked() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, pause_, [this] { return closing_; });
  pause_ = std::min<std::chrono::milliseconds>(pause_ * 2, kLongestPause);
}

// A version that the connection was lost with is sent again, unless there is a newer one.
void RedisPublisher::SendQueued() {
  std::optional<Outgoing> outgoing;
  {
    std::lock_guard lock(mutex_);
    if (!queued_) return;
    outgoing.swap(queued_);
    sending_ = true;
  }
  const Status status = Guarded([&] { return publication_.Send(*outgoing); });
  const bool again = !status.ok() && !publication_.linked() && !IsAborted(status);
  if (!status.ok()) NoteFailure(status);
  if (!status.ok() && !again) {
    LogWarning(where_, ": version ", outgoing->info.id.version,
               " was not published: ", status.message());
  }
  UpdateStats();
  std::lock_guard lock(mutex_);
  sending_ = false;
  if (again && !queued_) {
    queued_ = std::move(outgoing);
  } else if (!status.ok()) {
    ++skipped_;
  }
  changed_.notify_all();
}

void RedisPublisher::DoTasks() {
  while (publication_.linked()) {
    std::shared_ptr<Task> task;
    {
      std::lock_guard lock(mutex_);
      if (tasks_.empty()) return;
      task = tasks_.front();
      if (queued_ && queued_->info.id.version <= task->after) return;
      tasks_.pop_front();
    }
    const Status status = Guarded([&] { return task->work(); });
    if (!status.ok()) NoteFailure(status);
    UpdateStats();
    Finish(*task, status);
  }
}

void RedisPublisher::Finish(Task& task, Status result) {
  std::lock_guard lock(mutex_);
  task.result = std::move(result);
  changed_.notify_all();
}

void RedisPublisher::FailTasks(Clock::time_point due) {
  std::lock_guard lock(mutex_);
  if (publication_.linked()) return;
  std::erase_if(tasks_, [&](const std::shared_ptr<Task>& task) {
    if (lost_.ok() && task->deadline > due) return false;
    task->result = lost_.ok() ? Unavailable("the server cannot be reached") : lost_;
    return true;
  });
  changed_.notify_all();
}

}  // namespace

StatusOr<std::unique_ptr<PublisherTransport>> OpenPublisher(const std::string& scheme,
                                                            const std::string& place,
                                                            Announcement announcement,
                                                            const RetentionOptions& retention,
                                                            bool takeover) {
  RAMET_ASSIGN_OR_RETURN(RedisUrl url, ParseRedisUrl(scheme, place));
  const std::string where = url.ToString();
  if (retention.retained < 1 || retention.retained > kMostRetained) {
    return InvalidArgument(where, ": retained is ", retention.retained, "; 1 to ", kMostRetained,
                           " are possible");
  }
  auto publisher = std::make_unique<RedisPublisher>(std::move(url), std::move(announcement),
                                                    retention, takeover);
  if (const Status status = publisher->Start(); !status.ok()) return status.WithContext(where);
  return std::unique_ptr<PublisherTransport>(std::move(publisher));
}

}  // namespace ramet::redis
