#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "liars.h"
#include "ramet/base/strings.h"
#include "ramet/replica/shm/channel.h"
#include "ramet/replica/shm/layout.h"
#include "ramet/replica/shm/memory_file.h"
#include "ramet/replica/shm/requests.h"
#include "ramet/replica/shm/version_table.h"

namespace ramet::peers {
namespace {

using shm::MemoryFile;

constexpr size_t kPage = 4096;
constexpr int kRounds = 200;

// Returns a file as a publisher sends it, or one that differs in an important way.
FileDescriptor FileOf(const std::string& bytes, Random& random, bool shared_by_all = false) {
  if (random.OneIn(16)) return FileDescriptor(open("/dev/zero", O_RDWR | O_CLOEXEC));
  FileDescriptor fd(memfd_create("liar", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const size_t size = random.OneIn(16) ? random.Number(bytes.size()) % (kPage * 64) : bytes.size();
  (void)!ftruncate(fd.get(), static_cast<off_t>(size));
  if (!random.OneIn(16)) (void)posix_fallocate(fd.get(), 0, static_cast<off_t>(size));
  if (size >= bytes.size()) (void)!pwrite(fd.get(), bytes.data(), bytes.size(), 0);
  int seals = F_SEAL_SHRINK | (shared_by_all ? 0 : F_SEAL_FUTURE_WRITE);
  if (random.OneIn(8)) seals = random.Among({0, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_FUTURE_WRITE});
  (void)fcntl(fd.get(), F_ADD_SEALS, seals);
  return fd;
}

// An honest table of one version, whose memory stays writable here.
struct Table {
  explicit Table(Random& random) {
    auto writer = shm::TableWriter::Create("liar", 7, static_cast<uint32_t>(Signature().size()), 4);
    const shm::Entry entries[] = {{0, 0, 0}, {kPage, 0, 0}, {2 * kPage, 0, 0}};
    writer->Fill(1, {5, 50, 500, R"({"metrics":{"loss":1}})"}, entries);
    writer->Announce(1);
    writer->SetLabel("stable", 5).IgnoreError();
    std::string bytes(writer->bytes(), '\0');
    (void)!pread(writer->fd(), bytes.data(), bytes.size(), 0);
    size = bytes.size();
    fd = FileDescriptor(memfd_create("table", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    (void)posix_fallocate(fd.get(), 0, static_cast<off_t>(size));
    if (random.OneIn(4)) bytes = Changed(std::move(bytes), random);
    (void)!pwrite(fd.get(), bytes.data(), size, 0);
    at = static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0));
    (void)fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE);
  }
  static std::string Changed(std::string bytes, Random& random) {
    const size_t offset = random.Below(bytes.size() / 4) * 4;
    const uint64_t number = random.Number(static_cast<unsigned char>(bytes[offset]));
    std::memcpy(bytes.data() + offset, &number, random.Among<size_t>({1, 4}));
    return bytes;
  }
  // Changes something while the other side reads. Keeps `signal`, which wakes followers.
  void Change(Random& random) const {
    const bool in_header = random.OneIn(2);
    const size_t from = in_header ? 0 : sizeof(shm::TableHeader);
    const size_t offset = from + random.Below((in_header ? 256 : size - from - 8) / 8) * 8;
    const uint64_t number = random.Number(5);
    std::memcpy(at + offset, &number, sizeof(number));
  }
  FileDescriptor fd;
  size_t size = 0;
  char* at = nullptr;
};

std::string SegmentBytes() { return std::string(4 * kPage, '\2'); }

std::string GreetingText(const Table& table, const std::string& signature, Random& random) {
  shm::Hello hello{7, Signature().size(), signature.size(), 5, table.size, 1};
  uint64_t* const numbers[] = {&hello.epoch,       &hello.num_variables, &hello.signature_bytes,
                               &hello.graph_bytes, &hello.table_bytes,   &hello.num_segments};
  if (random.OneIn(4)) {
    uint64_t& number = *numbers[random.Below(std::size(numbers))];
    number = random.Number(number);
  }
  const std::string text = shm::HelloToText(hello);
  if (random.OneIn(16)) return random.Damaged(text);
  return random.OneIn(32) ? random.Among<std::string>({"full", "refused", "", "ramet"}) : text;
}

void Greet(const shm::Channel& channel, const Table& table, Random& random) {
  std::string signature = SignatureToJson(Signature());
  if (random.OneIn(6)) signature = random.Damaged(std::move(signature));
  FileDescriptor files[4];
  files[0] = FileOf(signature, random);
  files[1] = FileOf("graph", random);
  files[2] = FileDescriptor(fcntl(table.fd.get(), F_DUPFD_CLOEXEC, 0));
  files[3] = FileOf(std::string(sizeof(shm::ControlBlock), '\0'), random, true);
  std::vector<int> fds;
  for (const FileDescriptor& file : files) fds.push_back(file.get());
  if (random.OneIn(16)) std::swap(fds[random.Below(4)], fds[random.Below(4)]);
  if (random.OneIn(16)) fds.resize(random.Below(4));
  channel.Send(GreetingText(table, signature, random), fds).IgnoreError();
}

void SendSegment(const shm::Channel& channel, uint64_t number, Random& random) {
  const FileDescriptor file = FileOf(SegmentBytes(), random);
  const uint64_t said = random.OneIn(8) ? random.Number(number) : number;
  const uint64_t bytes =
      random.OneIn(8) ? random.Number(SegmentBytes().size()) : SegmentBytes().size();
  const int fd = file.get();
  const size_t count = random.OneIn(8) ? 0 : 1;
  channel.Send(StrCat("segment ", said, " ", bytes), {&fd, count}).IgnoreError();
}

// Answers a request of the follower, if there is one.
void Answer(const shm::Channel& channel, Random& random) {
  const auto packet = channel.Receive(1);
  if (!packet.ok()) return;
  const auto request = shm::ParseRequest(packet->text);
  const uint64_t number = request.ok() ? request->number : 1;
  const std::string text =
      random.Among<std::string>({"6", "aa bb", R"({"version":5,"labels":{"stable":5}})", "", "-1",
                                 "[[[[", R"({"labels":7})"});
  shm::Answer answer{random.OneIn(8) ? random.Number(number) : number, text};
  if (random.OneIn(4)) answer.text = Status(static_cast<Code>(1 + random.Below(16)), "no");
  const std::string whole = shm::AnswerToText(answer);
  channel.Send(random.OneIn(4) ? random.Damaged(whole) : whole).IgnoreError();
}

}  // namespace

void LieAsShmPublisher(int socket, Random random) {
  pollfd wait{socket, POLLIN, 0};
  if (poll(&wait, 1, 5000) <= 0) return;
  const shm::Channel channel{FileDescriptor(accept4(socket, nullptr, nullptr, SOCK_CLOEXEC))};
  if (random.OneIn(32)) return;
  const Table table(random);
  Greet(channel, table, random);
  const uint64_t segments = random.OneIn(16) ? random.Below(40) : 1;
  for (uint64_t i = 0; i < segments; ++i) SendSegment(channel, i, random);
  const bool changes = random.OneIn(2);
  for (int round = 0; round < kRounds; ++round) {
    if (changes) table.Change(random);
    if (random.OneIn(8)) {
      reinterpret_cast<shm::TableHeader*>(table.at)->signal.fetch_add(1);
    }
    Answer(channel, random);
    if (random.OneIn(kRounds)) return;
  }
}

}  // namespace ramet::peers
