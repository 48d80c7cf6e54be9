#include "ramet/replica/shm/reader_list.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <optional>

#include "ramet/base/strings.h"

namespace ramet::shm {
namespace {

// A follower that does not read for a while is neither dropped nor left without some segments.
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

// Whatever goes wrong with a packet: a follower that is there holds what it has pinned.
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

}  // namespace
}  // namespace ramet::shm
