#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "liars.h"
#include "ramet/base/strings.h"
#include "ramet/replica/shm/channel.h"
#include "ramet/replica/shm/layout.h"
#include "ramet/replica/shm/requests.h"

namespace ramet::peers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kTime = std::chrono::milliseconds(300);
constexpr size_t kMaxConnections = 60;

// One connection and the content of its greeting.
struct Connection {
  explicit Connection(shm::Channel c) : channel(std::move(c)) {}
  shm::Channel channel;
  shm::ControlBlock* control = nullptr;
};

void Read(Connection& connection) {
  auto packet = connection.channel.Receive(0);
  if (!packet.ok() || packet->fds.size() != 4) return;
  void* at = mmap(nullptr, sizeof(shm::ControlBlock), PROT_READ | PROT_WRITE, MAP_SHARED,
                  packet->fds[3].get(), 0);
  if (at != MAP_FAILED) connection.control = static_cast<shm::ControlBlock*>(at);
}

std::string RequestText(Random& random) {
  const shm::Request request{random.Number(1),
                             random.Among<std::string>({"promote", "rollback", "status", "hashes",
                                                        "hashes", "status", "dance", ""}),
                             random.Number(3), random.OneIn(2) ? "stable" : "other"};
  const std::string text = shm::RequestToText(request);
  return random.OneIn(4) ? random.Damaged(text) : text;
}

void Send(const Connection& connection, Random& random) {
  const int fds[] = {0, 1, 2, 0, 1, 2, 0, 1};
  const size_t count = random.OneIn(8) ? random.Below(9) : 0;
  std::string text = RequestText(random);
  if (random.OneIn(16)) text.assign(random.Below(shm::kMaxPacketBytes), 'a');
  connection.channel.Send(text, {fds, count}).IgnoreError();
}

void Scribble(const Connection& connection, Random& random) {
  if (connection.control == nullptr) return;
  connection.control->pins[random.Below(shm::kPinCells)] = random.Number(3);
  if (random.OneIn(4)) connection.control->taken = random.Number(3);
}

}  // namespace

void LieAsShmFollowers(const std::string& name, Random random) {
  const std::string socket = shm::SocketAddress(name, geteuid()).value();
  std::vector<Connection> connections;
  const bool reads = !random.OneIn(4);
  const auto end = Clock::now() + kTime;
  while (Clock::now() < end) {
    if (connections.size() < kMaxConnections && random.OneIn(4)) {
      auto channel = shm::Channel::Connect(socket);
      if (channel.ok()) connections.emplace_back(*std::move(channel));
      if (!channel.ok()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (connections.empty()) continue;
    const size_t i = random.Below(connections.size());
    if (reads) Read(connections[i]);
    if (random.OneIn(2)) Send(connections[i], random);
    if (random.OneIn(2)) Scribble(connections[i], random);
    if (random.OneIn(64)) connections.erase(connections.begin() + static_cast<ptrdiff_t>(i));
  }
  // Some stay as long as the publisher.
  if (random.OneIn(2)) std::this_thread::sleep_for(std::chrono::seconds(3));
}

}  // namespace ramet::peers
