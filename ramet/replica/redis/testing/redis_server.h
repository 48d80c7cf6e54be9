#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ramet/base/strings.h"

namespace ramet::redis {

// Reports whether a program is in the PATH. Tests that need a missing one are skipped.
inline bool HasProgram(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (std::string_view folder : StrSplit(path ? path : "", ':')) {
    if (access(StrCat(folder, "/", name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// Waits until `is_so` returns true, for at most 30 seconds.
inline bool Eventually(const std::function<bool()>& is_so) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

inline sockaddr_in Loopback(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

// A socket on a free port of the loopback interface.
inline int BindToLoopback(int* port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0) std::abort();
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  *port = ntohs(address.sin_port);
  return fd;
}

inline int FreePort() {
  int port = 0;
  close(BindToLoopback(&port));
  return port;
}

// Runs a program in the background; the first argument is its name.
inline pid_t Spawn(const std::vector<std::string>& arguments, const std::string& output) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const int log = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(log, 1);
  dup2(log, 2);
  execvp(argv[0], argv.data());
  _exit(127);
}

// A redis-server process for one test, on the loopback interface. It stores nothing on disk.
class RedisServer {
 public:
  // `options` are command-line options, such as {"--requirepass", "secret"}.
  explicit RedisServer(std::vector<std::string> options = {}) : options_(std::move(options)) {
    std::string folder = (std::filesystem::temp_directory_path() / "ramet_redis_XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) std::abort();
    folder_ = folder;
    constexpr int kMaxTries = 5;  // another process may take the port before the server does
    for (int i = 0; i < kMaxTries && !IsThere(); ++i) {
      Kill();
      port_ = FreePort();
      Start();
    }
    if (!IsThere()) std::abort();
  }
  ~RedisServer() {
    Kill();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  void Start() {
    socket_ = folder_ + "/socket";
    std::vector<std::string> arguments = {"redis-server", "--port",     std::to_string(port_),
                                          "--bind",       "127.0.0.1",  "--unixsocket",
                                          socket_,        "--save",     "",
                                          "--appendonly", "no",         "--dir",
                                          folder_,        "--loglevel", "warning"};
    arguments.insert(arguments.end(), options_.begin(), options_.end());
    pid_ = Spawn(arguments, folder_ + "/log");
    Eventually([this] { return IsThere() || HasEnded(); });
  }
  void Kill() {
    context_.reset();
    if (pid_ > 0) kill(pid_, SIGKILL);
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

  int port() const { return port_; }
  std::string where() const { return StrCat("127.0.0.1:", port_); }
  const std::string& folder() const { return folder_; }
  // Sets the password with which this class logs in as user "default".
  void set_password(std::string password) {
    password_ = std::move(password);
    context_.reset();
  }

  // Returns a command's reply as text: a number, a string, the lines of an array, or "" for nil.
  std::string Ask(const std::vector<std::string>& arguments) {
    if (!context_ || context_->err != 0) {
      context_.reset(redisConnectUnix(socket_.c_str()));
      if (!context_ || context_->err != 0) return "";
      if (!password_.empty()) (void)Ask({"AUTH", password_});
    }
    std::vector<const char*> texts;
    std::vector<size_t> sizes;
    for (const std::string& argument : arguments) {
      texts.push_back(argument.data());
      sizes.push_back(argument.size());
    }
    void* reply = redisCommandArgv(context_.get(), static_cast<int>(texts.size()), texts.data(),
                                   sizes.data());
    if (reply == nullptr) return "";
    const std::string text = TextOf(*static_cast<redisReply*>(reply));
    freeReplyObject(reply);
    return text;
  }
  std::vector<std::string> KeysLike(const std::string& pattern) {
    std::vector<std::string> keys;
    const std::string reply = Ask({"KEYS", pattern});
    for (std::string_view key : StrSplit(reply, '\n')) {
      if (!key.empty()) keys.emplace_back(key);
    }
    return keys;
  }

 private:
  bool IsThere() { return pid_ > 0 && Ask({"PING"}) == "PONG"; }
  bool HasEnded() {
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = 0;
    return pid_ == 0;
  }
  static std::string TextOf(const redisReply& reply) {
    if (reply.type == REDIS_REPLY_INTEGER) return std::to_string(reply.integer);
    if (reply.type == REDIS_REPLY_NIL) return "";
    if (reply.type != REDIS_REPLY_ARRAY) return std::string(reply.str, reply.len);
    std::string text;
    for (size_t i = 0; i < reply.elements; ++i) text += TextOf(*reply.element[i]) + "\n";
    return text;
  }
  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
  };

  const std::vector<std::string> options_;
  std::string folder_, socket_, password_;
  int port_ = 0;
  pid_t pid_ = 0;
  std::unique_ptr<redisContext, Free> context_;
};

}  // namespace ramet::redis
