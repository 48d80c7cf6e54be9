#pragma once

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <thread>

#include "cli_testing.h"

namespace cli {

template <class Condition>
bool Eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return condition();
}

// Runs the program in the background, with its output in files.
class Background {
 public:
  Background(const std::string& folder, const std::string& arguments)
      : out_(folder + "/background.out"), err_(folder + "/background.err") {
    for (const std::string& file : {out_, err_}) fs::remove(file);
    Start(rm::StrCat("exec '", RAMET_PROGRAM, "' ", arguments, " > ", out_, " 2> ", err_,
                     " < /dev/null"));
  }
  ~Background() {
    if (pid_ <= 0) return;
    Interrupt();
    Wait();
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void Interrupt() const { kill(pid_, SIGINT); }
  void WaitForOutput(const std::string& text) const {
    EXPECT_TRUE(Eventually([&] { return Content(out_).find(text) != std::string::npos; }))
        << text << "\n"
        << Content(out_) << Content(err_);
  }
  Result Wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Content(out_), Content(err_)};
  }

 private:
  // The program can be interrupted even if this process ignores SIGINT, as commands that a shell
  // runs in the background do.
  void Start(const std::string& command) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    std::string shell = "sh", option = "-c", script = command;
    char* const arguments[] = {shell.data(), option.data(), script.data(), nullptr};
    EXPECT_EQ(posix_spawn(&pid_, "/bin/sh", nullptr, &attributes, arguments, environ), 0);
    posix_spawnattr_destroy(&attributes);
  }

  const std::string out_, err_;
  pid_t pid_ = -1;
};

}  // namespace cli
