#include "ramet/replica/shm/shm_publisher.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "ramet/base/exception.h"
#include "ramet/base/log.h"
#include "ramet/base/strings.h"
#include "ramet/base/wall_clock.h"
#include "ramet/replica/hash_worker.h"
#include "ramet/replica/shm/reader_list.h"
#include "ramet/replica/shm/requests.h"
#include "ramet/replica/shm/takeover.h"
#include "ramet/replica/shm/version_slots.h"
#include "ramet/replica/start_thread.h"
#include "ramet/replica/version_text.h"

namespace ramet::shm {
namespace {

constexpr uint64_t kDefaultVersions = 8;
constexpr uint64_t kSegmentsPerVersion = 8;
constexpr int kResendMillis = 1;
constexpr int kMaxResendMillis = 100;  // to followers that have not read for long
constexpr int kFullMillis = 100;  // until followers are let in again when descriptors are short
constexpr int kOverdueMillis = 1000;
constexpr uint64_t kSlack = uint64_t{16} << 20;
// Followers let go of versions by writing to memory, which wakes nobody.
constexpr auto kPause = std::chrono::milliseconds(1);

uint64_t SetBytes(const ReplicaSignature& signature) {
  uint64_t bytes = 0;
  for (const VariableSpec& spec : signature) {
    bytes += SharedPool::RoundedBytes(*TensorBytes(spec.dtype, spec.shape));
  }
  return bytes;
}

// Text that followers get as memory, since it may be long.
StatusOr<MemoryFile> TextFile(const std::string& name, const std::string& text) {
  RAMET_ASSIGN_OR_RETURN(MemoryFile file, MemoryFile::Create(name, std::max<size_t>(text.size(), 1),
                                                             MemoryFile::Access::kOwnerWrites));
  std::memcpy(file.data(), text.data(), text.size());
  return file;
}

class ShmPublisher final : public PublisherTransport {
 public:
  ShmPublisher(std::string address, Announcement announcement, const RetentionOptions& retention)
      : address_(std::move(address)),
        announcement_(std::move(announcement)),
        retention_(retention),
        hasher_(std::make_unique<HashWorker>(announcement_.signature)) {}
  ~ShmPublisher() override;
  Status Start(const AccessOptions& access);

  Allocator* allocator() override { return pool_.get(); }
  StatusOr<Tensor> Place(const Tensor& value) override;
  StatusOr<uint64_t> Publish(const VersionInfo& info, std::span<const Tensor> values,
                             std::span<const Tensor> sources) override;
  StatusOr<uint64_t> Rollback(uint64_t version) override;
  Status Promote(std::string_view label, uint64_t version) override;
  void LetGo() override {
    std::lock_guard lock(mutex_);
    Reclaim();
  }
  PublisherStats stats() const override;

 private:
  Status CheckSlotFree(std::unique_lock<std::mutex>& lock, bool may_wait);
  Status FindEntries(std::span<const BufferPtr> buffers);
  StatusOr<uint64_t> Add(std::unique_lock<std::mutex>& lock, const VersionInfo& info,
                         std::span<const BufferPtr> buffers, std::span<const Tensor> sources,
                         bool may_wait);
  StatusOr<uint64_t> RollbackLocked(std::unique_lock<std::mutex>& lock, uint64_t version,
                                    bool may_wait);
  Status CheckNotEnded() const;
  void RetireOld() { versions_->RetireOld(retention_.retained, stats_.labels); }
  void Reclaim();
  Status NotKept(uint64_t version) const;
  Status PromoteLocked(std::string_view label, uint64_t version);

  PublisherStats StatsLocked() const;
  void Serve();
  Status ServeOnce();
  bool stopping() const {
    std::lock_guard lock(mutex_);
    return stopping_;
  }
  int PauseMillis();
  bool TellSegments();
  void WakeServer();
  void WakeReaders();
  std::vector<int> Descriptors() const;
  bool Admit();
  void Welcome(Channel channel);
  void Receive(int fd);
  // Nothing if the answer comes later.
  std::optional<StatusOr<std::string>> Respond(std::unique_lock<std::mutex>& lock, uint64_t reader,
                                               const Request& request);
  std::optional<StatusOr<std::string>> HashesOf(uint64_t version, uint64_t reader, uint64_t number);
  void SendHashes(uint64_t version, uint64_t reader, uint64_t number,
                  const StatusOr<VersionHashes>& hashes);
  void End();

  const std::string address_;
  Announcement announcement_;
  const RetentionOptions retention_;
  Permissions permissions_;
  std::shared_ptr<SharedPool> pool_;
  MemoryFile signature_, graph_;
  std::optional<Listener> listener_;
  FileDescriptor wake_;
  int resend_millis_ = kResendMillis;  // of the server
  bool is_full_ = false;               // likewise: descriptors are short
  std::thread server_;

  mutable std::mutex mutex_;
  std::condition_variable reader_left_;
  bool stopping_ = false;
  bool ended_ = false;  // another publisher has taken over
  std::optional<VersionSlots> versions_;
  std::vector<BufferPtr> buffers_;  // of the version that is being published
  std::vector<Entry> entries_;      // likewise
  ReaderList readers_;
  PublisherStats stats_;
  std::unique_ptr<HashWorker> hasher_;
};

Status ShmPublisher::Start(const AccessOptions& access) {
  const uint64_t set = SetBytes(announcement_.signature);
  const uint64_t limit =
      retention_.max_bytes ? retention_.max_bytes : set * kDefaultVersions + kSlack;
  pool_ = SharedPool::Create(address_, limit, set / kSegmentsPerVersion);
  RAMET_RETURN_IF_ERROR(pool_->Reserve(set * (static_cast<uint64_t>(retention_.retained) + 1)));
  RAMET_ASSIGN_OR_RETURN(const std::string socket, SocketAddress(address_, geteuid()));
  if (access.takeover) {
    RAMET_ASSIGN_OR_RETURN(const uint64_t before, TakeOver(socket));
    announcement_.epoch = std::max(announcement_.epoch, before + 1);
  }
  const auto num_variables =
      static_cast<uint32_t>(std::min<size_t>(announcement_.signature.size(), kMaxVariables + 1));
  const uint32_t num_slots =
      std::min(static_cast<uint32_t>(retention_.retained) + kMaxLabels + 32, kMaxSlots);
  RAMET_ASSIGN_OR_RETURN(TableWriter table, TableWriter::Create(address_, announcement_.epoch,
                                                                num_variables, num_slots));
  versions_.emplace(std::move(table));
  RAMET_ASSIGN_OR_RETURN(signature_,
                         TextFile("ramet signature", SignatureToJson(announcement_.signature)));
  RAMET_ASSIGN_OR_RETURN(graph_, TextFile("ramet graph", announcement_.graph));
  wake_ = FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (wake_.get() < 0) return ErrnoStatus(errno, "an event");
  permissions_ = {access.mode, access.group};
  auto listener = Listener::Listen(socket, permissions_);
  if (!listener.ok()) {
    return Status(listener.status().code(),
                  StrCat("shm:", address_, ": ", listener.status().message()));
  }
  listener_.emplace(*std::move(listener));
  stats_.epoch = announcement_.epoch;
  return StartThread(&server_, [this] { Serve(); });
}

ShmPublisher::~ShmPublisher() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    if (versions_) versions_->table().Close();
  }
  if (!server_.joinable()) return;
  WakeServer();
  server_.join();
  hasher_->Stop();
  versions_->Freeze();
}

StatusOr<Tensor> ShmPublisher::Place(const Tensor& value) {
  shm::Place place;
  if (pool_->Find(value.buffer().get(), &place)) return value;
  auto placed = Tensor::Allocate(value.dtype(), value.shape(), pool_.get());
  std::unique_lock lock(mutex_);
  while (IsResourceExhausted(placed.status())) {
    Reclaim();
    placed = Tensor::Allocate(value.dtype(), value.shape(), pool_.get());
    if (placed.ok()) break;
    const bool may_come = versions_->any_retired() || !hasher_->idle();
    if (retention_.at_limit == RetentionOptions::AtLimit::kSkip || !may_come || ended_) {
      ++stats_.skipped;
      return ResourceExhausted("shm:", address_, ": version ", stats_.version + 1,
                               " is not published: ", placed.status().message());
    }
    reader_left_.wait_for(lock, kPause);
  }
  if (!placed.ok()) return placed.status();
  stats_.bytes_copied += value.bytes();
  lock.unlock();
  std::memcpy(placed->raw_data(), value.raw_data(), value.bytes());
  return placed;
}

Status ShmPublisher::FindEntries(std::span<const BufferPtr> buffers) {
  entries_.resize(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    shm::Place place;
    if (!pool_->Find(buffers[i].get(), &place)) {
      return Internal("the value of '", announcement_.signature[i].name, "' was not placed");
    }
    entries_[i] = {place.offset, place.segment, 0};
  }
  return OkStatus();
}

Status ShmPublisher::CheckNotEnded() const {
  if (!ended_) return OkStatus();
  return Aborted("shm:", address_, ": another publisher has taken over; nothing more is published");
}

StatusOr<uint64_t> ShmPublisher::Publish(const VersionInfo& info, std::span<const Tensor> values,
                                         std::span<const Tensor> sources) {
  std::unique_lock lock(mutex_);
  buffers_.clear();
  for (const Tensor& value : values) buffers_.push_back(value.buffer());
  const auto version = Add(lock, info, buffers_, sources, true);
  buffers_.clear();
  return version;
}

// Makes these values the newest version.
StatusOr<uint64_t> ShmPublisher::Add(std::unique_lock<std::mutex>& lock, const VersionInfo& info,
                                     std::span<const BufferPtr> buffers,
                                     std::span<const Tensor> sources, bool may_wait) {
  std::string text = InfoToText(info);
  if (text.size() > kInfoBytes) {
    return InvalidArgument("shm:", address_, ": the metrics of a version have ", text.size(),
                           " bytes as JSON; ", kInfoBytes, " are possible");
  }
  RAMET_RETURN_IF_ERROR(CheckSlotFree(lock, may_wait));
  RAMET_RETURN_IF_ERROR(FindEntries(buffers));
  const bool all_sent = TellSegments();
  const uint64_t version = stats_.version + 1;
  const bool all_woken = !versions_->Add({version, info.id.step, info.time_nanos, std::move(text)},
                                         info, buffers, sources, entries_);
  if (!all_woken || !all_sent) WakeServer();
  stats_.version = version;
  stats_.step = info.id.step;
  stats_.time_nanos = info.time_nanos;
  ++stats_.published;
  RetireOld();
  Reclaim();
  return stats_.version;
}

StatusOr<uint64_t> ShmPublisher::Rollback(uint64_t version) {
  std::unique_lock lock(mutex_);
  return RollbackLocked(lock, version, true);
}

StatusOr<uint64_t> ShmPublisher::RollbackLocked(std::unique_lock<std::mutex>& lock,
                                                uint64_t version, bool may_wait) {
  const VersionSlots::Slot* old = versions_->Find(version);
  if (old == nullptr) return NotKept(version);
  VersionInfo info = old->info;
  info.rollback_to = version;
  info.time_nanos = WallClockNanos();
  const std::vector<BufferPtr> buffers = old->buffers;
  const std::vector<Tensor> sources = old->sources;
  RAMET_ASSIGN_OR_RETURN(const uint64_t made, Add(lock, info, buffers, sources, may_wait));
  hasher_->Alias(made, version);
  return made;
}

Status ShmPublisher::CheckSlotFree(std::unique_lock<std::mutex>& lock, bool may_wait) {
  while (true) {
    RAMET_RETURN_IF_ERROR(CheckNotEnded());
    Reclaim();
    if (!versions_->full()) return OkStatus();
    if (!may_wait || retention_.at_limit == RetentionOptions::AtLimit::kSkip) break;
    reader_left_.wait_for(lock, kPause);
  }
  ++stats_.skipped;
  return ResourceExhausted("shm:", address_, ": followers hold all ", versions_->size(),
                           " versions that there is room for; the oldest is ", readers_.Oldest());
}

void ShmPublisher::Reclaim() {
  versions_->Reclaim([this](uint64_t version) { return readers_.Holds(version); },
                     [this](uint64_t version) { hasher_->Forget(version); });
}

Status ShmPublisher::NotKept(uint64_t version) const {
  return NotFound("shm:", address_, ": version ", version, " is not kept (any more)");
}

Status ShmPublisher::Promote(std::string_view label, uint64_t version) {
  std::lock_guard lock(mutex_);
  return PromoteLocked(label, version);
}

Status ShmPublisher::PromoteLocked(std::string_view label, uint64_t version) {
  if (versions_->Find(version) == nullptr) return NotKept(version);
  RAMET_RETURN_IF_ERROR(versions_->table().SetLabel(label, version));
  stats_.labels = versions_->table().Labels();
  RetireOld();
  return OkStatus();
}

PublisherStats ShmPublisher::stats() const {
  std::lock_guard lock(mutex_);
  return StatsLocked();
}

PublisherStats ShmPublisher::StatsLocked() const {
  PublisherStats stats = stats_;
  stats.bytes_in_use = pool_->bytes_in_segments();
  stats.readers = static_cast<int>(readers_.size());
  stats.oldest_in_use = readers_.Oldest();
  return stats;
}

std::vector<int> ShmPublisher::Descriptors() const {
  std::vector<int> fds = {wake_.get(), listener_ ? listener_->fd() : -1};
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < readers_.size(); ++i) fds.push_back(readers_.fd(i));
  return fds;
}

// Followers are served again when there is memory again.
void ShmPublisher::Serve() {
  while (!stopping()) {
    const Status served = Guarded([this] { return ServeOnce(); });
    if (served.ok()) continue;
    LogOnce(LogLevel::kWarning, StrCat("serving ", address_), "shm:", address_,
            ": followers are not served for a moment: ", served.message());
    std::this_thread::sleep_for(std::chrono::milliseconds(kFullMillis));
  }
}

Status ShmPublisher::ServeOnce() {
  std::vector<pollfd> waits;
  for (int fd : Descriptors()) waits.push_back({fd, POLLIN, 0});
  if (is_full_) waits[1].fd = -1;
  const int ready = poll(waits.data(), waits.size(), PauseMillis());
  is_full_ = false;
  if (ready < 0 || stopping()) return OkStatus();
  if (waits[0].revents != 0) WakeReaders();
  if (waits[1].revents != 0 && listener_) is_full_ = !Admit();
  for (size_t i = 2; i < waits.size(); ++i) {
    if (waits[i].revents != 0) Receive(waits[i].fd);
  }
  return OkStatus();
}

// How long the server may sleep; negative: until something comes.
int ShmPublisher::PauseMillis() {
  std::lock_guard lock(mutex_);
  int pause = is_full_ ? kFullMillis : INT_MAX;
  if (readers_.DropOverdue(ReaderList::Clock::now())) pause = std::min(pause, kOverdueMillis);
  if (TellSegments()) {
    resend_millis_ = kResendMillis;
  } else {
    pause = std::min(pause, resend_millis_);
    resend_millis_ = std::min(2 * resend_millis_, kMaxResendMillis);
  }
  return pause == INT_MAX ? -1 : pause;
}

// mutex_ is held.
bool ShmPublisher::TellSegments() {
  return readers_.KnowAll(pool_->num_segments()) || readers_.SendSegments(pool_->Segments());
}

void ShmPublisher::WakeServer() {
  const uint64_t one = 1;
  (void)!write(wake_.get(), &one, sizeof(one));
}

void ShmPublisher::WakeReaders() {
  uint64_t count = 0;
  (void)!read(wake_.get(), &count, sizeof(count));
  versions_->table().WakeAll();
}

// False if nobody can be let in for a while.
bool ShmPublisher::Admit() {
  if (ReaderQuota::IsShortOfDescriptors(listener_->fd())) return false;
  auto channel = listener_->Accept();
  const bool is_full = IsResourceExhausted(channel.status());
  if (channel.ok()) Welcome(*std::move(channel));
  return !is_full;
}

void ShmPublisher::Welcome(Channel channel) {
  std::lock_guard lock(mutex_);
  const auto segments = pool_->Segments();
  const Hello hello{announcement_.epoch,        announcement_.signature.size(),
                    signature_.size(),          announcement_.graph.empty() ? 0 : graph_.size(),
                    versions_->table().bytes(), segments.size()};
  (void)readers_.Add(std::move(channel), HelloToText(hello),
                     {signature_.fd(), graph_.fd(), versions_->table().fd()}, segments);
}

void ShmPublisher::Receive(int fd) {
  std::unique_lock lock(mutex_);
  const uint64_t reader = readers_.IdOf(fd);
  auto packet = readers_.Receive(reader);
  if (reader == 0 || IsDeadlineExceeded(packet.status())) return;
  const auto request = packet.ok() ? ParseRequest(packet->text) : packet.status();
  if (request.ok()) {
    const auto text = Respond(lock, reader, *request);
    if (!text) return;
    // One that does not read its answers goes without.
    const Status sent = readers_.Send(reader, AnswerToText({request->number, *text}));
    if (!IsUnavailable(sent)) return;
  }
  readers_.Remove(reader);
  Reclaim();
  reader_left_.notify_all();
}

std::optional<StatusOr<std::string>> ShmPublisher::Respond(std::unique_lock<std::mutex>& lock,
                                                           uint64_t reader,
                                                           const Request& request) {
  if (request.verb == "status") return PublisherStatsToText(StatsLocked());
  if (request.verb == "hashes") {
    return HashesOf(request.version, reader, request.number);
  }
  const auto peer = readers_.peer(reader);
  if (!peer.ok() || (permissions_.BitsOf(*peer) & 2) == 0) {
    return PermissionDenied("the publisher lets this user follow, but not ", request.verb,
                            " (mode= and group= say who may write)");
  }
  if (request.verb == "promote") {
    const Status status = PromoteLocked(request.label, request.version);
    return status.ok() ? StatusOr<std::string>(std::string()) : status;
  }
  if (request.verb == "rollback") {
    const auto version = RollbackLocked(lock, request.version, false);
    return version.ok() ? StatusOr<std::string>(StrCat(*version)) : version.status();
  }
  if (request.verb == "takeover") {
    End();
    return std::string();
  }
  return InvalidArgument("the publisher knows no request '", request.verb, "'");
}

// Who follows may keep what he has; nobody new comes.
void ShmPublisher::End() {
  ended_ = true;
  listener_.reset();
  versions_->table().Close();
  reader_left_.notify_all();
}

std::optional<StatusOr<std::string>> ShmPublisher::HashesOf(uint64_t version, uint64_t reader,
                                                            uint64_t number) {
  if (const VersionHashes known = hasher_->Known(version); !known.content.empty()) {
    return StrCat(known.source, " ", known.content);
  }
  const VersionSlots::Slot* slot = versions_->FindAny(version);
  if (slot == nullptr) return NotKept(version);
  if (!readers_.BeginQuestion(reader)) {
    return ResourceExhausted(ReaderList::kMaxQuestions,
                             " questions for hashes of this follower wait already");
  }
  const auto values = [&] {
    HashWorker::Values all{{}, slot->sources};
    for (size_t i = 0; i < slot->buffers.size(); ++i) {
      const VariableSpec& spec = announcement_.signature[i];
      all.values.emplace_back(spec.dtype, spec.shape, slot->buffers[i]);
    }
    return all;
  };
  const Status asked = hasher_->Ask(
      version, values, [this, version, reader, number](const StatusOr<VersionHashes>& hashes) {
        SendHashes(version, reader, number, hashes);
      });
  if (asked.ok()) return std::nullopt;
  readers_.EndQuestion(reader);
  return asked;
}

void ShmPublisher::SendHashes(uint64_t version, uint64_t reader, uint64_t number,
                              const StatusOr<VersionHashes>& hashes) {
  std::lock_guard lock(mutex_);
  readers_.EndQuestion(reader);
  VersionSlots::Slot* slot = versions_->FindAny(version);
  if (slot == nullptr) {
    hasher_->Forget(version);
  } else if (hashes.ok()) {
    slot->sources.clear();
  }
  Answer answer{number, hashes.status()};
  if (hashes.ok()) answer.text = StrCat(hashes->source, " ", hashes->content);
  readers_.Send(reader, AnswerToText(answer)).IgnoreError();
}

}  // namespace

StatusOr<std::unique_ptr<PublisherTransport>> OpenPublisher(const std::string& address,
                                                            Announcement announcement,
                                                            const RetentionOptions& retention,
                                                            const AccessOptions& access) {
  if (retention.retained < 1 || retention.retained > static_cast<int>(kMaxSlots) / 2) {
    return InvalidArgument("retained is ", retention.retained, "; 1 to ", kMaxSlots / 2,
                           " are possible");
  }
  auto publisher = std::make_unique<ShmPublisher>(address, std::move(announcement), retention);
  RAMET_RETURN_IF_ERROR(publisher->Start(access));
  return std::unique_ptr<PublisherTransport>(std::move(publisher));
}

}  // namespace ramet::shm
