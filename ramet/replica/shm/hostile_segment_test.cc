// Tests of a follower with memory from a hostile or broken publisher, and of a publisher with a
// hostile follower's memory. They must return errors and never read outside of the mappings.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <random>
#include <thread>

#include "ramet/replica/shm/channel.h"
#include "ramet/replica/shm/layout.h"
#include "ramet/replica/shm/memory_file.h"
#include "ramet/replica/shm/requests.h"
#include "ramet/replica/shm/segment_map.h"
#include "ramet/replica/shm/shm_follower.h"
#include "ramet/replica/shm/version_table.h"

namespace ramet::shm {
namespace {

using ::testing::HasSubstr;

constexpr size_t kPage = 4096;

FileDescriptor Duplicate(int fd) { return FileDescriptor(fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

// Returns memory with these bytes, sealed like a publisher's.
FileDescriptor Sealed(const std::string& bytes) {
  MemoryFile file =
      MemoryFile::Create("test", bytes.size(), MemoryFile::Access::kOwnerWrites).value();
  std::memcpy(file.data(), bytes.data(), bytes.size());
  return Duplicate(file.fd());
}

// Returns a table with one version of two variables.
std::string GoodTable() {
  TableWriter writer = TableWriter::Create("test", 7, 2, 4).value();
  const Entry entries[] = {{0, 0, 0}, {64, 0, 0}};
  writer.Fill(1, {5, 50, 500, "{}"}, entries);
  writer.Announce(1);
  EXPECT_TRUE(writer.SetLabel("stable", 5).ok());
  std::string bytes(writer.bytes(), '\0');
  EXPECT_EQ(pread(writer.fd(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  return bytes;
}

// Reads everything from a table that a follower reads.
Status UseTable(const std::string& bytes) {
  RAMET_ASSIGN_OR_RETURN(const TableReader reader, TableReader::Open(Sealed(bytes), bytes.size()));
  (void)reader.Label("stable");
  (void)reader.latest();
  std::vector<uint64_t> versions = reader.Versions();
  versions.push_back(5);
  Status first;
  for (uint64_t version : versions) {
    std::atomic<uint64_t> cell = 0;
    VersionRecord record;
    std::vector<Entry> entries;
    const Status status = reader.Take(version, cell, &record, &entries);
    EXPECT_EQ(cell != 0, status.ok());
    EXPECT_LE(record.info.size(), kInfoBytes);
    if (first.ok()) first = status;
  }
  return first;
}

template <class T>
std::string With(std::string bytes, size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
  return bytes;
}

TEST(HostileTable, AValidTableIsAccepted) { EXPECT_TRUE(UseTable(GoodTable()).ok()); }

TEST(HostileTable, InconsistentNumbersAreErrors) {
  const std::string good = GoodTable();
  EXPECT_THAT(UseTable(With(good, 0, 'X')).message(), HasSubstr("not a version table"));
  const Status layout = UseTable(With(good, offsetof(TableHeader, layout), kLayout + 1));
  EXPECT_TRUE(IsFailedPrecondition(layout));
  EXPECT_EQ(layout.message(), StrCat("the publisher's shared memory has layout ", kLayout + 1,
                                     ", this program reads layout ", kLayout,
                                     "; use the same release of Ramet on both sides"));
  for (uint32_t number : {0u, 3u, 0x7fffffffu, 0xffffffffu}) {
    EXPECT_FALSE(UseTable(With(good, offsetof(TableHeader, num_variables), number)).ok());
    EXPECT_FALSE(UseTable(With(good, offsetof(TableHeader, num_slots), number)).ok());
    EXPECT_FALSE(UseTable(With(good, offsetof(TableHeader, slot_bytes), number)).ok());
  }
  EXPECT_FALSE(UseTable(good.substr(0, good.size() - kPage)).ok());
  EXPECT_FALSE(UseTable(std::string(16, '\0')).ok());
}

TEST(HostileTable, ChangedEntriesFailTheirChecksum) {
  const std::string good = GoodTable();
  size_t damaged = 0;
  for (size_t i = 0; i + 8 <= good.size(); i += 8) {
    damaged += IsDataLoss(UseTable(With(good, i, good[i] ^ 1)));
  }
  EXPECT_GE(damaged, 2 * sizeof(Entry) / 8);
}

TEST(HostileTable, RandomBytesNeverCauseReadsOutOfBounds) {
  std::mt19937_64 random(1);
  const std::string good = GoodTable();
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good;
    for (int k = 0; k < 8; ++k) {
      const size_t at = random() % (bytes.size() - 8);
      bytes = With(std::move(bytes), at, random() >> (random() % 64));
    }
    (void)UseTable(bytes);
  }
}

TEST(HostileSegment, EntriesOutsideAreDataLoss) {
  SegmentMap map;
  ASSERT_TRUE(map.Add(0, kPage, Sealed(std::string(kPage, 'x'))).ok());
  const VariableSpec spec = [] {
    VariableSpec s;
    s.name = "w";
    s.dtype = DType::kFloat;
    s.shape = Shape{16};
    return s;
  }();
  EXPECT_TRUE(map.ValueAt({kPage - 64, 0, 0}, spec).ok());
  for (const Entry& entry :
       {Entry{kPage, 0, 0}, Entry{kPage - 60, 0, 0}, Entry{~uint64_t{63}, 0, 0}, Entry{1, 0, 0},
        Entry{0, 1, 0}, Entry{0, 0xffffffff, 0}}) {
    const auto value = map.ValueAt(entry, spec);
    EXPECT_TRUE(IsDataLoss(value.status())) << entry.offset << " " << entry.segment;
    EXPECT_THAT(value.status().message(), HasSubstr("'w'"));
  }
}

// The publisher may write to its memory at any time. Integers and booleans can be used as indices,
// so they are copied, and booleans are normalized to 0 or 1.
TEST(HostileSegment, IntegersAndBoolsAreCopies) {
  SegmentMap map;
  ASSERT_TRUE(map.Add(0, kPage, Sealed(std::string(kPage, '\7'))).ok());
  const auto value = [&](DType dtype) {
    VariableSpec spec;
    spec.name = "v";
    spec.dtype = dtype;
    spec.shape = Shape{64};
    return map.ValueAt({64, 0, 0}, spec).value();
  };
  for (DType dtype : {DType::kBool, DType::kInt8, DType::kInt32, DType::kInt64, DType::kQInt8,
                      DType::kUInt8, DType::kUInt64}) {
    EXPECT_FALSE(value(dtype).borrowed()) << DTypeName(dtype);
  }
  for (DType dtype : {DType::kFloat, DType::kDouble, DType::kHalf, DType::kBFloat16}) {
    EXPECT_TRUE(value(dtype).borrowed()) << DTypeName(dtype);
  }
  const Tensor bools = value(DType::kBool);
  EXPECT_EQ(std::string(static_cast<const char*>(bools.raw_data()), 64), std::string(64, '\1'));
}

TEST(HostileSegment, MemoryThatCouldBeTruncatedIsRefused) {
  FileDescriptor fd(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(fd.get(), kPage), 0);
  const auto file = MemoryFile::Open(std::move(fd), kPage, MemoryFile::Access::kOwnerWrites);
  EXPECT_TRUE(IsInvalidArgument(file.status()));
  EXPECT_THAT(file.status().message(), HasSubstr("truncated"));
  EXPECT_FALSE(
      MemoryFile::Open(Sealed(std::string(kPage, 'x')), 2 * kPage, MemoryFile::Access::kOwnerWrites)
          .ok());
}

// Holes are refused both before and after the follower has checked the memory.
TEST(HostileSegment, MemoryThatCouldGetHolesIsRefused) {
  FileDescriptor fd(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(posix_fallocate(fd.get(), 0, kPage), 0);
  ASSERT_EQ(fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  const auto open = [&](MemoryFile::Access access) {
    return MemoryFile::Open(Duplicate(fd.get()), kPage, access).status();
  };
  EXPECT_TRUE(IsInvalidArgument(open(MemoryFile::Access::kOwnerWrites)));
  EXPECT_THAT(open(MemoryFile::Access::kOwnerWrites).message(), HasSubstr("holes"));
  EXPECT_TRUE(open(MemoryFile::Access::kAllWrite).ok());
  const FileDescriptor sealed = Sealed(std::string(2 * kPage, 'x'));
  EXPECT_NE(fallocate(sealed.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, kPage), 0);
}

// Opens the memory in a child process that stops before and after each of its system calls. Calls
// `change` at stop number `at`. Returns the child's exit code: 0 if it refused the memory, 1 if
// not, 2 if children cannot be traced. Sets *stops to the number of stops.
int OpenWithChange(const FileDescriptor& fd, int at, const std::function<void()>& change,
                   int* stops) {
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(2);
    raise(SIGSTOP);
    const auto file =
        MemoryFile::Open(Duplicate(fd.get()), kPage, MemoryFile::Access::kOwnerWrites);
    _exit(IsInvalidArgument(file.status()) ? 0 : 1);
  }
  int status = 0;
  for (*stops = 0; waitpid(child, &status, 0) == child && WIFSTOPPED(status);) {
    if (++*stops == at) change();
    ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The size counts once the memory is sealed. Here the file is truncated and sealed during the
// check, between any two system calls.
TEST(HostileSegment, MemoryTruncatedDuringTheCheckIsRefused) {
  int stops = 1;
  for (int at = 1; at <= stops; ++at) {
    FileDescriptor fd(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(posix_fallocate(fd.get(), 0, kPage), 0);
    const auto truncate_and_seal = [&] {
      EXPECT_EQ(ftruncate(fd.get(), 0), 0);
      EXPECT_EQ(fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE), 0);
    };
    const int code = OpenWithChange(fd, at, truncate_and_seal, &stops);
    if (code == 2) GTEST_SKIP() << "skipped: this system does not allow tracing child processes";
    EXPECT_EQ(code, 0) << "at stop " << at;
  }
  EXPECT_GT(stops, 5);
}

TEST(HostileFollower, CanNeitherWriteNorTruncateMappedMemory) {
  const FileDescriptor fd = Sealed(std::string(kPage, 'x'));
  EXPECT_NE(ftruncate(fd.get(), 0), 0);
  EXPECT_NE(ftruncate(fd.get(), 2 * kPage), 0);
  EXPECT_NE(pwrite(fd.get(), "y", 1, 0), 1);
  EXPECT_EQ(mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0), MAP_FAILED);
  void* shown = mmap(nullptr, kPage, PROT_READ, MAP_SHARED, fd.get(), 0);
  ASSERT_NE(shown, MAP_FAILED);
  EXPECT_NE(mprotect(shown, kPage, PROT_READ | PROT_WRITE), 0);
  munmap(shown, kPage);
}

TEST(HostileText, RequestsAndGreetings) {
  for (const char* text :
       {"", " ", "ramet", "ramet 1", "ramet x 1 1 1 1 1 1", "ramet 1 -1 1 1 1 1 1",
        "ramet 1 99999999999999999999 1 1 1 1 1", "segment", "segment 1", "promote", "promote x y",
        "error 0 x", "error 99 x", "ok\n"}) {
    EXPECT_FALSE(ParseHello(text).ok()) << text;
    EXPECT_FALSE(ParseSegment(text).ok()) << text;
    EXPECT_FALSE(ParseRequest(text).ok()) << text;
    EXPECT_FALSE(ParseAnswer(text).ok()) << text;
  }
}

TEST(HostileText, GreetingsOfAnotherLayout) {
  for (const uint32_t other : {kLayout - 1, kLayout + 1}) {
    for (const char* rest : {" 1 1 1 1 1 1", "", " and more than this program knows of"}) {
      const Status status = ParseHello(StrCat("ramet ", other, rest)).status();
      EXPECT_TRUE(IsFailedPrecondition(status)) << status.ToString();
      EXPECT_EQ(status.message(),
                StrCat("the publisher speaks layout ", other, ", this program layout ", kLayout,
                       "; use the same release of Ramet on both sides"));
    }
  }
}

// Connects to a listener that greets by calling `greets`.
Status FollowSomebodyWho(const std::function<void(Channel&)>& greets) {
  const std::string name = StrCat("hostile ", getpid());
  Listener listener = Listener::Listen(SocketAddress(name, geteuid()).value(), {}).value();
  std::thread somebody([&] {
    auto channel = listener.Accept();
    while (!channel.ok()) channel = listener.Accept();
    greets(*channel);
    (void)channel->Receive(2000);
  });
  const auto follower =
      ConnectFollower(name, FollowerTransport::Clock::now() + std::chrono::seconds(1));
  somebody.join();
  return follower.status();
}

Hello GoodHello() {
  Hello hello;
  hello.epoch = 7;
  hello.num_variables = 2;
  hello.signature_bytes = 2;
  hello.table_bytes = GoodTable().size();
  return hello;
}

void Greet(Channel& channel, const Hello& hello, const std::string& signature,
           const std::string& table) {
  const FileDescriptor fds[] = {Sealed(signature), Sealed("graph"), Sealed(table),
                                Sealed(std::string(sizeof(ControlBlock), '\0'))};
  const int numbers[] = {fds[0].get(), fds[1].get(), fds[2].get(), fds[3].get()};
  (void)channel.Send(HelloToText(hello), numbers);
}

TEST(HostilePublisher, InconsistentGreetingsAreErrors) {
  EXPECT_TRUE(IsFailedPrecondition(
      FollowSomebodyWho([](Channel& c) { (void)c.Send(StrCat("ramet ", kLayout + 1)); })));
  EXPECT_FALSE(FollowSomebodyWho([](Channel& c) { (void)c.Send("hello"); }).ok());
  EXPECT_FALSE(FollowSomebodyWho([](Channel& c) { (void)c.Send(HelloToText(GoodHello())); }).ok());
  EXPECT_TRUE(IsDeadlineExceeded(FollowSomebodyWho([](Channel&) {})));
  for (uint64_t bytes : {uint64_t{0}, uint64_t{3}, uint64_t{1} << 31, ~uint64_t{0} >> 1}) {
    EXPECT_FALSE(FollowSomebodyWho([&](Channel& c) {
                   Hello hello = GoodHello();
                   hello.signature_bytes = bytes;
                   Greet(c, hello, "[]", GoodTable());
                 }).ok());
  }
  // The signature is empty, but the table has two variables.
  EXPECT_FALSE(
      FollowSomebodyWho([](Channel& c) { Greet(c, GoodHello(), "[]", GoodTable()); }).ok());
  const std::string huge =
      R"([{"name":"a","dtype":"float","shape":[4611686018427387904,8]},{"name":"b","dtype":"float","shape":[]}])";
  EXPECT_FALSE(FollowSomebodyWho([&](Channel& c) {
                 Hello hello = GoodHello();
                 hello.signature_bytes = huge.size();
                 Greet(c, hello, huge, GoodTable());
               }).ok());
}

}  // namespace
}  // namespace ramet::shm
