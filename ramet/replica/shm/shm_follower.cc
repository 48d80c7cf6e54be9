#include "ramet/replica/shm/shm_follower.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "ramet/base/strings.h"
#include "ramet/replica/deadline.h"
#include "ramet/replica/shm/channel.h"
#include "ramet/replica/shm/device_block_map.h"
#include "ramet/replica/shm/pins.h"
#include "ramet/replica/shm/publisher_link.h"
#include "ramet/replica/shm/requests.h"
#include "ramet/replica/shm/segment_map.h"
#include "ramet/replica/shm/version_table.h"
#include "ramet/replica/version_text.h"

namespace ramet::shm {
namespace {

using Clock = FollowerTransport::Clock;

constexpr uint64_t kMaxGraphBytes = uint64_t{1} << 31;
// Lower than the limit for graphs, because parsing a signature takes many times its size.
constexpr uint64_t kMaxSignatureBytes = uint64_t{1} << 27;
constexpr auto kSegmentTimeout = std::chrono::seconds(5);
constexpr auto kAnswerTimeout = std::chrono::seconds(10);
constexpr auto kDeviceTimeout = std::chrono::seconds(1);

class ShmFollower final : public FollowerTransport {
 public:
  ShmFollower(std::string address, Channel channel)
      : address_(std::move(address)), link_(address_, std::move(channel)) {}
  Status Start(Clock::time_point deadline);

  const Announcement& announcement() const override { return announcement_; }
  uint64_t Newest(std::string_view label) const override;
  std::vector<uint64_t> Versions() const override { return table_->Versions(); }
  StatusOr<std::unique_ptr<HeldVersion>> Take(uint64_t version) override;
  void PrepareForCopies(const DeviceMemory& to) override { segments_.RegisterWith(to); }
  Tensor OnDevice(HeldVersion& version, size_t entry, const DeviceMemory& memory) override;
  void Wait(uint64_t* seen, Clock::time_point deadline) override;
  StatusOr<VersionHashes> Hashes(uint64_t version, Clock::time_point deadline) override;
  Status Promote(std::string_view label, uint64_t version) override;
  StatusOr<uint64_t> Rollback(uint64_t version) override;
  StatusOr<PublisherStats> PublisherStatus() override;
  void Interrupt() override;
  bool connected() const override { return link_.connected() && !table_->closed(); }

 private:
  Status ReadTexts(const Hello& hello, std::vector<FileDescriptor>& fds);
  Status TakeSegment(Packet packet);
  // Takes a packet that is not an answer.
  Status TakePacket(Packet packet);

  const std::string address_;
  Announcement announcement_;
  std::optional<TableReader> table_;
  std::shared_ptr<Pins> pins_;
  SegmentMap segments_;
  DeviceBlockMap device_blocks_;
  std::atomic<bool> interrupted_ = false;
  PublisherLink link_;  // its thread uses the members above
};

StatusOr<std::string> TextOf(FileDescriptor fd, uint64_t bytes, uint64_t max_bytes,
                             std::string_view what) {
  if (bytes > max_bytes) {
    return InvalidArgument("the publisher announced a ", what, " of ", bytes,
                           " bytes; the limit is ", max_bytes);
  }
  if (bytes == 0) return std::string();
  RAMET_ASSIGN_OR_RETURN(MemoryFile file,
                         MemoryFile::Open(std::move(fd), bytes, MemoryFile::Access::kOwnerWrites));
  return std::string(file.data(), file.size());
}

Status ShmFollower::ReadTexts(const Hello& hello, std::vector<FileDescriptor>& fds) {
  announcement_.epoch = hello.epoch;
  RAMET_ASSIGN_OR_RETURN(std::string json, TextOf(std::move(fds[0]), hello.signature_bytes,
                                                  kMaxSignatureBytes, "signature"));
  RAMET_ASSIGN_OR_RETURN(announcement_.signature, SignatureFromJson(json));
  RAMET_ASSIGN_OR_RETURN(announcement_.graph,
                         TextOf(std::move(fds[1]), hello.graph_bytes, kMaxGraphBytes, "graph"));
  RAMET_ASSIGN_OR_RETURN(table_, TableReader::Open(std::move(fds[2]), hello.table_bytes));
  if (table_->num_variables() != announcement_.signature.size()) {
    return InvalidArgument("the publisher's table has ", table_->num_variables(),
                           " variables, but its signature has ", announcement_.signature.size());
  }
  RAMET_ASSIGN_OR_RETURN(
      MemoryFile control,
      MemoryFile::Open(std::move(fds[3]), sizeof(ControlBlock), MemoryFile::Access::kAllWrite));
  pins_ = std::make_shared<Pins>(std::move(control));
  return OkStatus();
}

Status ShmFollower::Start(Clock::time_point deadline) {
  RAMET_ASSIGN_OR_RETURN(Packet first, link_.Receive(MillisUntil(deadline)));
  RAMET_ASSIGN_OR_RETURN(const Hello hello, ParseHello(first.text));
  if (first.fds.size() != 4) {
    return InvalidArgument("the publisher sent ", first.fds.size(), " descriptors, expected 4");
  }
  RAMET_RETURN_IF_ERROR(ReadTexts(hello, first.fds));
  while (segments_.size() < hello.num_segments) {
    RAMET_ASSIGN_OR_RETURN(Packet packet, link_.Receive(MillisUntil(deadline)));
    RAMET_RETURN_IF_ERROR(TakeSegment(std::move(packet)));
  }
  return link_.Start({[this](Packet packet) { return TakePacket(std::move(packet)); },
                      [this] {
                        segments_.Close();
                        device_blocks_.Close();
                        table_->WakeWaiters();
                      }});
}

Status ShmFollower::TakeSegment(Packet packet) {
  RAMET_ASSIGN_OR_RETURN(const SegmentNotice notice, ParseSegment(packet.text));
  if (packet.fds.size() != 1) return InvalidArgument("received a segment without its descriptor");
  return segments_.Add(notice.number, notice.bytes, std::move(packet.fds[0]));
}

Status ShmFollower::TakePacket(Packet packet) {
  if (!IsDeviceNotice(packet.text)) return TakeSegment(std::move(packet));
  RAMET_ASSIGN_OR_RETURN(const DeviceNotice notice, ParseDeviceNotice(packet.text));
  if (packet.fds.size() != 1) return InvalidArgument("received a block without its descriptor");
  return device_blocks_.Add(notice, std::move(packet.fds[0]));
}

// The first call asks the publisher for copies on the device, which later versions have. A
// publisher that does not answer in time is not asked again.
Tensor ShmFollower::OnDevice(HeldVersion& version, size_t entry, const DeviceMemory& memory) {
  const MemorySharer* const sharer = MemorySharerOf(memory);
  if (sharer == nullptr) return Tensor();
  const std::string& key = sharer->sharing_key();
  if (device_blocks_.IsNew(key)) {
    link_.Ask({.verb = "device", .label = key}, Clock::now() + kDeviceTimeout)
        .status()
        .IgnoreError();
  }
  auto& pinned = static_cast<PinnedVersion&>(version);
  if (pinned.entries[entry].device_block == 0) return Tensor();
  return device_blocks_.ValueAt(pinned.entries[entry], announcement_.signature[entry], *sharer,
                                pinned.HoldOn(*sharer));
}

uint64_t ShmFollower::Newest(std::string_view label) const {
  return label.empty() ? table_->latest() : table_->Label(label).value_or(0);
}

StatusOr<std::unique_ptr<HeldVersion>> ShmFollower::Take(uint64_t version) {
  std::atomic<uint64_t>* cell = pins_->Acquire();
  if (cell == nullptr) {
    return ResourceExhausted("shm:", address_, ": this follower already holds ", kPinCells,
                             " versions; release some");
  }
  auto held = std::make_unique<PinnedVersion>(std::make_shared<const Pin>(pins_, cell));
  VersionRecord record;
  std::vector<Entry>& entries = held->entries;
  RAMET_RETURN_IF_ERROR(table_->Take(version, *cell, &record, &entries));
  held->info = {{announcement_.epoch, record.version, record.step}, record.time_nanos};
  InfoFromText(record.info, &held->info);
  for (size_t i = 0; i < entries.size(); ++i) {
    const uint64_t segment = entries[i].segment;
    if (segment >= segments_.size() &&
        !segments_.WaitFor(segment, Clock::now() + kSegmentTimeout)) {
      return Unavailable("shm:", address_, ": the publisher did not send segment ", segment,
                         " of its memory in time");
    }
    RAMET_ASSIGN_OR_RETURN(Tensor value, segments_.ValueAt(entries[i], announcement_.signature[i]));
    held->values.push_back(std::move(value));
  }
  pins_->SetTaken(version);
  return std::unique_ptr<HeldVersion>(std::move(held));
}

void ShmFollower::Wait(uint64_t* seen, Clock::time_point deadline) {
  const uint64_t was = *seen;
  while (!interrupted_ && connected()) {
    const uint32_t signal = table_->signal();
    if (uint64_t{signal} + 1 != was) {
      *seen = uint64_t{signal} + 1;
      return;
    }
    const auto left = deadline - Clock::now();
    if (left <= Clock::duration::zero()) return;
    const auto nanos = std::min<int64_t>(std::chrono::nanoseconds(left).count(), 1'000'000'000);
    table_->Wait(signal, nanos);
  }
}

StatusOr<VersionHashes> ShmFollower::Hashes(uint64_t version, Clock::time_point deadline) {
  RAMET_ASSIGN_OR_RETURN(const std::string text,
                         link_.Ask({.verb = "hashes", .version = version}, deadline));
  const auto words = StrSplit(text, ' ');
  if (words.size() == 2) return VersionHashes{std::string(words[0]), std::string(words[1])};
  return InvalidArgument("shm:", address_, ": the publisher sent an invalid answer for hashes");
}

Status ShmFollower::Promote(std::string_view label, uint64_t version) {
  return link_
      .Ask({.verb = "promote", .version = version, .label = std::string(label)},
           Clock::now() + kAnswerTimeout)
      .status();
}

StatusOr<uint64_t> ShmFollower::Rollback(uint64_t version) {
  RAMET_ASSIGN_OR_RETURN(const std::string text, link_.Ask({.verb = "rollback", .version = version},
                                                           Clock::now() + kAnswerTimeout));
  int64_t number = 0;
  if (ParseInt64(text, &number) && number > 0) return static_cast<uint64_t>(number);
  return InvalidArgument("shm:", address_, ": the publisher sent an invalid version number");
}

StatusOr<PublisherStats> ShmFollower::PublisherStatus() {
  RAMET_ASSIGN_OR_RETURN(const std::string text,
                         link_.Ask({.verb = "status"}, Clock::now() + kAnswerTimeout));
  return PublisherStatsFromText(text);
}

void ShmFollower::Interrupt() {
  interrupted_ = true;
  link_.Interrupt();
  table_->WakeWaiters();
}

// Anybody can bind an abstract name, so only publishers of this user and of root are trusted. For a
// socket file, the permissions of its folder apply.
Status CheckOwner(const std::string& socket, const Channel& channel) {
  if (socket.front() != '@') return OkStatus();
  RAMET_ASSIGN_OR_RETURN(const Peer peer, channel.peer());
  if (peer.uid == 0 || peer.uid == geteuid()) return OkStatus();
  return PermissionDenied(
      "the publisher of that name belongs to user ", peer.uid,
      "; to follow another user's publisher, use the path of a socket file on both sides");
}

}  // namespace

StatusOr<std::unique_ptr<FollowerTransport>> ConnectFollower(const std::string& address,
                                                             Clock::time_point deadline) {
  RAMET_ASSIGN_OR_RETURN(const std::string socket, SocketAddress(address, geteuid()));
  RAMET_ASSIGN_OR_RETURN(Channel channel, Channel::Connect(socket));
  RAMET_RETURN_IF_ERROR(CheckOwner(socket, channel));
  auto follower = std::make_unique<ShmFollower>(address, std::move(channel));
  RAMET_RETURN_IF_ERROR(follower->Start(deadline));
  return std::unique_ptr<FollowerTransport>(std::move(follower));
}

}  // namespace ramet::shm
