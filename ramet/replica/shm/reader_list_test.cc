#include "ramet/replica/shm/reader_list.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <vector>

#include "ramet/base/strings.h"
#include "ramet/replica/shm/layout.h"

namespace ramet::shm {
namespace {

// A follower that does not read for a while is not dropped and gets all segments.
TEST(ReaderListTest, SegmentsThatDoNotFitIntoTheSocketAreSentLater) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  const Channel follower{FileDescriptor(ends[1])};
  ReaderList readers;
  ASSERT_TRUE(readers.Add(Channel(FileDescriptor(ends[0])), "hello", {}, {}).ok());
  ASSERT_EQ(follower.Receive(0)->text, "hello");
  const MemoryFile memory =
      MemoryFile::Create("test", 4096, MemoryFile::Access::kOwnerWrites).value();
  const std::vector<SharedPool::Segment> segments(3000, {memory.fd(), 4096});
  size_t received = 0;
  bool all_sent = readers.SendSegments(segments);
  EXPECT_FALSE(all_sent);
  while (true) {
    const auto packet = follower.Receive(0);
    if (packet.ok()) {
      ASSERT_EQ(packet->text, StrCat("segment ", received, " 4096"));
      ASSERT_EQ(packet->fds.size(), 1u);
      ++received;
    } else if (all_sent) {
      break;
    } else {
      all_sent = readers.SendSegments(segments);
      ASSERT_EQ(readers.size(), 1u);
    }
  }
  EXPECT_EQ(received, segments.size());
}

// Even if a packet cannot be sent, a live follower keeps its pins.
TEST(ReaderListTest, AFollowerIsDroppedOnlyWhenItIsGone) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  std::optional<Channel> follower{FileDescriptor(ends[1])};
  ReaderList readers;
  ASSERT_TRUE(readers.Add(Channel(FileDescriptor(ends[0])), "hello", {}, {}).ok());
  ASSERT_TRUE(follower->Receive(0).ok());
  const uint64_t id = readers.IdOf(ends[0]);
  EXPECT_NE(id, 0u);
  EXPECT_FALSE(readers.SendSegments({{-1, 4096}}));
  EXPECT_EQ(readers.size(), 1u);
  const MemoryFile memory =
      MemoryFile::Create("test", 4096, MemoryFile::Access::kOwnerWrites).value();
  EXPECT_TRUE(readers.SendSegments({{memory.fd(), 4096}}));
  EXPECT_EQ(follower->Receive(0)->text, "segment 0 4096");
  follower.reset();
  EXPECT_TRUE(IsUnavailable(readers.Send(id, "answer")));
  EXPECT_TRUE(readers.SendSegments({{memory.fd(), 4096}, {memory.fd(), 4096}}));
  EXPECT_EQ(readers.size(), 0u);
  EXPECT_EQ(readers.IdOf(ends[0]), 0u);
  EXPECT_TRUE(IsUnavailable(readers.Receive(id).status()));
}

// Both ends of a connection within this process.
struct Ends {
  Ends() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
    here.emplace(FileDescriptor(ends[0]));
    there.emplace(FileDescriptor(ends[1]));
  }
  std::optional<Channel> here, there;
};

TEST(ReaderListTest, AFollowerTakesOneDescriptor) {
  ReaderList readers;
  Ends ends;
  const FileDescriptor before(dup(ends.there->fd()));
  ASSERT_TRUE(readers.Add(*std::move(ends.here), "hello", {}, {}).ok());
  EXPECT_EQ(FileDescriptor(dup(ends.there->fd())).get(), before.get() + 1);
  const auto packet = ends.there->Receive(0);
  ASSERT_EQ(packet->fds.size(), 1u);
}

TEST(ReaderListTest, AFollowerThatDoesNotReadItsGreetingIsDropped) {
  ReaderList readers;
  Ends silent, reads;
  ASSERT_TRUE(readers.Add(*std::move(silent.here), "hello", {}, {}).ok());
  ASSERT_TRUE(readers.Add(*std::move(reads.here), "hello", {}, {}).ok());
  const auto now = ReaderList::Clock::now();
  EXPECT_TRUE(readers.DropOverdue(now));
  ASSERT_EQ(readers.size(), 2u);
  ASSERT_TRUE(reads.there->Receive(0).ok());
  EXPECT_FALSE(readers.DropOverdue(now + ReaderList::kGreetingTime));
  EXPECT_EQ(readers.size(), 1u);
  EXPECT_EQ(silent.there->Receive(0)->text, "hello");
  EXPECT_TRUE(IsUnavailable(silent.there->Receive(0).status()));
}

TEST(ReaderListTest, UnreadConnectionsOfAProcessAreLimited) {
  ReaderList readers(ReaderLimits{.connections = 100, .unread_of_process = 3});
  std::vector<Ends> all(4);
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(readers.Add(*std::move(all[i].here), "hello", {}, {}).ok());
  }
  const Status refused = readers.Add(*std::move(all[3].here), "hello", {}, {});
  EXPECT_TRUE(IsResourceExhausted(refused)) << refused.ToString();
  const auto told = all[3].there->Receive(0);
  EXPECT_EQ(told->text, "full");
  EXPECT_TRUE(told->fds.empty());
}

ControlBlock* MapControl(const Channel& channel) {
  auto packet = channel.Receive(0);
  if (!packet.ok() || packet->fds.empty()) return nullptr;
  void* at = mmap(nullptr, sizeof(ControlBlock), PROT_READ | PROT_WRITE, MAP_SHARED,
                  packet->fds.back().get(), 0);
  return static_cast<ControlBlock*>(at);
}

// Returns both ends of a connection that was made by a different process.
Ends EndsOfAnotherProcess() {
  const Ends way;
  const pid_t child = fork();
  if (child == 0) {
    const Ends made;
    const int fds[] = {made.here->fd(), made.there->fd()};
    _exit(way.here->Send("ends", fds).ok() ? 0 : 1);
  }
  waitpid(child, nullptr, 0);
  Ends ends;
  auto packet = way.there->Receive(1000);
  if (!packet.ok() || packet->fds.size() != 2) return ends;
  ends.here.emplace(std::move(packet->fds[0]));
  ends.there.emplace(std::move(packet->fds[1]));
  return ends;
}

// A follower's run may read the version until the follower notices that it was dropped.
TEST(ReaderListTest, PinsOfADroppedFollowerCountForAWhile) {
  ReaderList readers(ReaderLimits{.connections = 3});
  std::vector<Ends> all(3);
  for (Ends& ends : all) ASSERT_TRUE(readers.Add(*std::move(ends.here), "hello", {}, {}).ok());
  ControlBlock* const control = MapControl(*all[0].there);
  ASSERT_NE(control, nullptr);
  control->pins[3] = 7;
  ASSERT_TRUE(all[1].there->Receive(0).ok() && all[2].there->Receive(0).ok());
  Ends newcomer = EndsOfAnotherProcess();
  ASSERT_TRUE(readers.Add(*std::move(newcomer.here), "hello", {}, {}).ok());
  EXPECT_TRUE(newcomer.there->Receive(0).ok());
  EXPECT_TRUE(IsUnavailable(all[0].there->Receive(0).status()));
  EXPECT_EQ(readers.size(), 3u);
  EXPECT_TRUE(readers.Holds(7));
  const auto now = ReaderList::Clock::now();
  EXPECT_TRUE(readers.DropOverdue(now));
  EXPECT_TRUE(readers.Holds(7));
  EXPECT_FALSE(readers.DropOverdue(now + ReaderList::kPinGrace));
  EXPECT_FALSE(readers.Holds(7));
  munmap(control, sizeof(ControlBlock));
}

TEST(ReaderListTest, QuestionsOfAFollowerAreLimited) {
  ReaderList readers;
  Ends ends;
  ASSERT_TRUE(readers.Add(*std::move(ends.here), "hello", {}, {}).ok());
  const uint64_t id = readers.IdOf(readers.fds()[0]);
  for (size_t i = 0; i < ReaderList::kMaxQuestions; ++i) EXPECT_TRUE(readers.BeginQuestion(id));
  EXPECT_FALSE(readers.BeginQuestion(id));
  readers.EndQuestion(id);
  EXPECT_TRUE(readers.BeginQuestion(id));
  EXPECT_FALSE(readers.BeginQuestion(id + 1));
}

}  // namespace
}  // namespace ramet::shm
