#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include "liars.h"
#include "ramet/base/crc32c.h"
#include "ramet/base/strings.h"
#include "ramet/replica/redis/layout.h"

namespace ramet::peers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kTime = std::chrono::milliseconds(600);
constexpr size_t kChunkBytes = 1024;
constexpr uint64_t kVersion = 3;
constexpr size_t kMaxClients = 16;

std::string Text(std::string_view text) { return StrCat("$", text.size(), "\r\n", text, "\r\n"); }

// Returns the content of an honest server with a few lies that have correct checksums.
std::map<std::string, std::string> Contents(const std::string& name, Random& random) {
  const redis::Keys keys(name);
  std::map<std::string, std::string> store;
  uint64_t next_id = 1;
  const auto blob = [&](const std::string& bytes) {
    redis::Blob made;
    made.id = next_id++;
    made.bytes = random.OneIn(24) ? random.Number(bytes.size()) : bytes.size();
    for (size_t i = 0; i * kChunkBytes < bytes.size(); ++i) {
      const std::string piece = bytes.substr(i * kChunkBytes, kChunkBytes);
      redis::Chunk chunk{static_cast<uint32_t>(piece.size()), crc32c::Value(piece)};
      if (random.OneIn(24)) chunk.bytes = static_cast<uint32_t>(random.Number(chunk.bytes));
      if (random.OneIn(24)) chunk.zstd = true;
      made.chunks.push_back(chunk);
      store[keys.chunk(7, made.id, i)] = random.OneIn(48) ? random.Damaged(piece) : piece;
    }
    return made;
  };
  redis::ServerState state{7, kVersion, kChunkBytes, {kVersion}, {{"stable", kVersion}}, {}, {}};
  std::string signature = SignatureToJson(Signature());
  if (random.OneIn(6)) signature = random.Damaged(signature);
  state.signature = blob(signature);
  state.graph = blob("graph");
  if (random.OneIn(16)) state.chunk_bytes = random.Number(kChunkBytes);
  if (random.OneIn(16)) state.versions.assign(random.Below(2000), random.Bits());
  redis::Manifest manifest;
  manifest.info.id = {7, kVersion, 30};
  for (const VariableSpec& spec : Signature()) {
    manifest.values.push_back(blob(std::string(*TensorBytes(spec.dtype, spec.shape), '\2')));
  }
  if (random.OneIn(16)) manifest.values.resize(random.Below(6));
  store[keys.version(7, kVersion)] = redis::ManifestText(manifest);
  store[keys.state()] = redis::StateText(state);
  store[keys.lock()] = "token";
  return store;
}

// Returns any reply, within the protocol or not.
std::string Nonsense(Random& random, int depth = 0) {
  switch (random.Below(9)) {
    case 0: return "$-1\r\n";
    case 1: return StrCat(":", static_cast<int64_t>(random.Number(1)), "\r\n");
    case 2: return "-MOVED 1 127.0.0.1:1\r\n";
    case 3: return random.Among<std::string>({"-OOM\r\n", "-NOPERM no\r\n", "-\r\n", "+\r\n"});
    case 4: return StrCat("$", static_cast<int64_t>(random.Number(5)), "\r\nhello\r\n");
    case 5: return StrCat("*", static_cast<int64_t>(random.Number(2)), "\r\n");
    case 6: return std::string(random.Below(300'000), random.Among({'*', '$', '0', '\n'}));
    case 7: return Text(R"({"code":0,"version":3,"stats":"[[[","source":7})");
    default: break;
  }
  const uint64_t items = random.Below(4);
  std::string reply = StrCat("*", items, "\r\n");
  if (depth > 12) return reply;
  for (uint64_t i = 0; i < items; ++i) reply += Nonsense(random, depth + 1);
  return reply;
}

// Removes one command from the front of the input. Returns false if it is incomplete.
bool TakeCommand(std::string* input, std::vector<std::string>* words) {
  size_t at = 0;
  const auto number = [&](char kind, int64_t* value) {
    const size_t end = input->find("\r\n", at);
    if (end == input->npos || (*input)[at] != kind) return false;
    const bool ok = ParseInt64(std::string_view(*input).substr(at + 1, end - at - 1), value);
    at = end + 2;
    return ok;
  };
  int64_t count = 0, size = 0;
  words->clear();
  if (input->empty() || !number('*', &count)) return false;
  for (int64_t i = 0; i < count; ++i) {
    if (at >= input->size() || !number('$', &size)) return false;
    if (input->size() < at + static_cast<size_t>(size) + 2) return false;
    words->push_back(input->substr(at, static_cast<size_t>(size)));
    at += static_cast<size_t>(size) + 2;
  }
  input->erase(0, at);
  return true;
}

class Server {
 public:
  Server(int socket, const std::string& name, Random random)
      : random_(random), socket_(socket), store_(Contents(name, random_)) {
    lies_one_in_ = random_.Among<uint64_t>({4, 16, 64, 1'000'000});
  }

  void Serve() {
    const auto end = Clock::now() + kTime;
    while (Clock::now() < end) {
      std::vector<pollfd> waits = {{socket_, POLLIN, 0}};
      for (const Client& client : clients_) waits.push_back({client.fd.get(), POLLIN, 0});
      if (poll(waits.data(), waits.size(), 10) <= 0) continue;
      for (size_t i = clients_.size(); i > 0; --i) {
        if (waits[i].revents == 0 || Pump(clients_[i - 1])) continue;
        clients_.erase(clients_.begin() + static_cast<ptrdiff_t>(i) - 1);
      }
      if (waits[0].revents == 0) continue;
      Client client{
          FileDescriptor(accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)), ""};
      if (client.fd.get() >= 0 && clients_.size() < kMaxClients) {
        clients_.push_back(std::move(client));
      }
    }
  }

 private:
  struct Client {
    FileDescriptor fd;
    std::string input;
  };

  bool Pump(Client& client) {
    char bytes[65536];
    const ssize_t n = recv(client.fd.get(), bytes, sizeof(bytes), 0);
    if (n <= 0) return false;
    client.input.append(bytes, static_cast<size_t>(n));
    std::vector<std::string> words;
    while (TakeCommand(&client.input, &words)) {
      if (random_.OneIn(512)) return false;
      const std::string reply = Reply(words);
      (void)!send(client.fd.get(), reply.data(), reply.size(), MSG_NOSIGNAL);
    }
    return true;
  }

  std::string Reply(const std::vector<std::string>& words) {
    std::string honest = HonestReply(words);
    if (!random_.OneIn(lies_one_in_)) return honest;
    if (random_.OneIn(8)) return "";
    return random_.OneIn(2) ? random_.Damaged(std::move(honest)) : Nonsense(random_);
  }

  std::string HonestReply(const std::vector<std::string>& words) {
    if (words.empty()) return "-ERR\r\n";
    const std::string& verb = words[0];
    if (verb == "GET" && words.size() == 2) {
      const auto found = store_.find(words[1]);
      return found == store_.end() ? "$-1\r\n" : Text(found->second);
    }
    if (verb == "SET" && words.size() >= 3) {
      if (store_.size() < 500) store_[words[1]] = words[2];
      return "+OK\r\n";
    }
    if (verb == "SUBSCRIBE") return StrCat("*3\r\n", Text("subscribe"), Text(words[1]), ":1\r\n");
    if (verb == "BLPOP") {
      return StrCat(
          "*2\r\n", Text("requests"),
          Text(random_.Damaged(R"({"id":"00112233445566778899aabbccddeeff","verb":"status",)"
                               R"("version":1,"label":"stable","epoch":7})")));
    }
    if (verb == "EVAL") return random_.OneIn(4) ? "*2\r\n:1\r\n:0\r\n" : ":1\r\n";
    if (verb == "PTTL") return ":5000\r\n";
    return ":1\r\n";
  }

  Random random_;
  const int socket_;
  std::map<std::string, std::string> store_;
  std::vector<Client> clients_;
  uint64_t lies_one_in_ = 0;
};

}  // namespace

void LieAsRedisServer(int socket, const std::string& name, Random random) {
  Server(socket, name, random).Serve();
}

}  // namespace ramet::peers
