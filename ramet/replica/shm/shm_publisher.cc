#include "ramet/replica/shm/shm_publisher.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "ramet/base/strings.h"
#include "ramet/replica/shm/device_blocks.h"
#include "ramet/replica/shm/device_readers.h"
#include "ramet/replica/shm/reader_server.h"
#include "ramet/replica/shm/takeover.h"
#include "ramet/replica/shm/version_store.h"
#include "ramet/replica/version_text.h"

namespace ramet::shm {
namespace {

// Puts a text into shared memory, because it may be too long for a packet.
StatusOr<MemoryFile> TextFile(const std::string& name, const std::string& text) {
  RAMET_ASSIGN_OR_RETURN(MemoryFile file, MemoryFile::Create(name, std::max<size_t>(text.size(), 1),
                                                             MemoryFile::Access::kOwnerWrites));
  std::memcpy(file.data(), text.data(), text.size());
  return file;
}

// A ShmPublisher publishes through a VersionStore and answers the requests that a ReaderServer
// receives.
class ShmPublisher final : public PublisherTransport {
 public:
  ShmPublisher(std::string address, Announcement announcement, const RetentionOptions& retention)
      : address_(std::move(address)),
        announcement_(std::move(announcement)),
        store_(address_, announcement_.signature, retention, readers_, [this] { server_.Wake(); }),
        device_readers_(readers_),
        device_blocks_(retention.retained),
        server_(address_, readers_,
                {[this](uint64_t reader, const Request& r) { return Respond(reader, r); },
                 [this] { store_.NoteReaderLeft(); }, [this] { store_.table().WakeAll(); }}) {}
  ~ShmPublisher() override;
  Status Start(const AccessOptions& access);

  Allocator* allocator() override { return &store_.pool(); }
  StatusOr<Tensor> MakePublishable(const Tensor& value) override;
  StatusOr<Tensor> AllocatePublishable(DType dtype, const Shape& shape) override {
    return store_.AllocatePublishable(dtype, shape);
  }
  StatusOr<uint64_t> Publish(const VersionInfo& info, std::span<const Tensor> values,
                             std::span<const Tensor> sources,
                             std::shared_ptr<const DeviceCopies> copies) override {
    return store_.Publish(info, values, sources, std::move(copies));
  }
  void PrepareForCopies(const DeviceMemory& from) override { store_.pool().RegisterWith(from); }
  std::shared_ptr<DeviceCopies> ReserveOnDevice(std::span<const Tensor> values) override;
  StatusOr<uint64_t> Rollback(uint64_t version) override { return store_.Rollback(version, true); }
  Status Promote(std::string_view label, uint64_t version) override {
    return store_.Promote(label, version);
  }
  void Release() override { store_.Release(); }
  PublisherStats stats() const override { return store_.stats(); }

 private:
  using Response = std::optional<StatusOr<std::string>>;

  StatusOr<Greeting> MakeGreeting();
  // Returns nothing if the answer comes later.
  Response Respond(uint64_t reader, const Request& request);
  Response RespondHashes(uint64_t reader, const Request& request);

  const std::string address_;
  Announcement announcement_;
  Permissions permissions_;
  MemoryFile signature_, graph_;
  ReaderList readers_;
  VersionStore store_;
  DeviceReaders device_readers_;
  DeviceBlocks device_blocks_;
  ReaderServer server_;
};

StatusOr<Greeting> ShmPublisher::MakeGreeting() {
  RAMET_ASSIGN_OR_RETURN(signature_,
                         TextFile("ramet signature", SignatureToJson(announcement_.signature)));
  RAMET_ASSIGN_OR_RETURN(graph_, TextFile("ramet graph", announcement_.graph));
  const TableWriter& table = store_.table();
  const Hello hello{announcement_.epoch, announcement_.signature.size(),
                    signature_.size(),   announcement_.graph.empty() ? 0 : graph_.size(),
                    table.bytes(),       0};
  return Greeting{hello, {signature_.fd(), graph_.fd(), table.fd()}};
}

Status ShmPublisher::Start(const AccessOptions& access) {
  RAMET_RETURN_IF_ERROR(store_.Reserve());
  RAMET_ASSIGN_OR_RETURN(const std::string socket, SocketAddress(address_, geteuid()));
  if (access.takeover) {
    RAMET_ASSIGN_OR_RETURN(const uint64_t before, TakeOver(socket));
    announcement_.epoch = std::max(announcement_.epoch, before + 1);
  }
  RAMET_RETURN_IF_ERROR(store_.Begin(announcement_.epoch));
  RAMET_ASSIGN_OR_RETURN(Greeting greeting, MakeGreeting());
  permissions_ = {access.mode, access.group};
  auto listener = Listener::Listen(socket, permissions_);
  if (!listener.ok()) {
    return Status(listener.status().code(),
                  StrCat("shm:", address_, ": ", listener.status().message()));
  }
  return server_.Start(*std::move(listener), std::move(greeting), store_.pool());
}

StatusOr<Tensor> ShmPublisher::MakePublishable(const Tensor& value) {
  PoolPosition position;
  if (store_.pool().Find(value.buffer().get(), &position)) return value;
  RAMET_ASSIGN_OR_RETURN(Tensor copy, AllocatePublishable(value.dtype(), value.shape()));
  std::memcpy(copy.raw_data(), value.raw_data(), value.bytes());
  return copy;
}

// The blocks are sent before the version that uses them can be seen.
std::shared_ptr<DeviceCopies> ShmPublisher::ReserveOnDevice(std::span<const Tensor> values) {
  auto copies = device_blocks_.Reserve(values, device_readers_.Keys());
  device_readers_.Send(device_blocks_);
  return copies;
}

ShmPublisher::~ShmPublisher() {
  store_.Close();
  server_.Stop();
  store_.Stop();
}

ShmPublisher::Response ShmPublisher::Respond(uint64_t reader, const Request& request) {
  if (request.verb == "status") return PublisherStatsToText(store_.stats());
  if (request.verb == "hashes") return RespondHashes(reader, request);
  if (request.verb == "device") {  // the blocks come before the answer
    RAMET_RETURN_IF_ERROR(device_readers_.Add(reader, request.label));
    device_readers_.Send(device_blocks_);
    return std::string();
  }
  const auto peer = readers_.peer(reader);
  if (!peer.ok() || (permissions_.BitsOf(*peer) & 2) == 0) {
    return PermissionDenied("the publisher lets this user follow, but not ", request.verb,
                            " (the publisher's mode= and group= give write permission)");
  }
  if (request.verb == "promote") {
    const Status status = store_.Promote(request.label, request.version);
    return status.ok() ? StatusOr<std::string>(std::string()) : status;
  }
  if (request.verb == "rollback") {
    const auto version = store_.Rollback(request.version, false);
    return version.ok() ? StatusOr<std::string>(StrCat(*version)) : version.status();
  }
  if (request.verb == "takeover") {
    // Existing followers keep their last version; new connections are refused.
    server_.CloseListener();
    store_.End();
    return std::string();
  }
  return InvalidArgument("unknown request '", request.verb, "'");
}

ShmPublisher::Response ShmPublisher::RespondHashes(uint64_t reader, const Request& request) {
  const auto text_of = [](const VersionHashes& hashes) {
    return StrCat(hashes.source, " ", hashes.content);
  };
  const VersionHashes known = store_.KnownHashes(request.version);
  if (!known.content.empty()) return text_of(known);
  if (!readers_.BeginQuestion(reader)) {
    return ResourceExhausted(ReaderList::kMaxQuestions,
                             " requests for hashes of this follower are waiting already");
  }
  const auto send = [this, reader, text_of,
                     number = request.number](const StatusOr<VersionHashes>& hashes) {
    readers_.EndQuestion(reader);
    Answer answer{number, hashes.status()};
    if (hashes.ok()) answer.text = text_of(*hashes);
    readers_.Send(reader, AnswerToText(answer)).IgnoreError();
  };
  const Status asked = store_.AskHashes(request.version, send);
  if (asked.ok()) return std::nullopt;
  readers_.EndQuestion(reader);
  return asked;
}

}  // namespace

StatusOr<std::unique_ptr<PublisherTransport>> OpenPublisher(const std::string& address,
                                                            Announcement announcement,
                                                            const RetentionOptions& retention,
                                                            const AccessOptions& access) {
  if (retention.retained < 1 || retention.retained > static_cast<int>(kMaxSlots) / 2) {
    return InvalidArgument("retained is ", retention.retained, ", but must be 1 to ",
                           kMaxSlots / 2);
  }
  auto publisher = std::make_unique<ShmPublisher>(address, std::move(announcement), retention);
  RAMET_RETURN_IF_ERROR(publisher->Start(access));
  return std::unique_ptr<PublisherTransport>(std::move(publisher));
}

}  // namespace ramet::shm
