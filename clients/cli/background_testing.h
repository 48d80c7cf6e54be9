#pragma once

#include <signal.h>

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
      : pid_file_(folder + "/background.pid"),
        out_(folder + "/background.out"),
        err_(folder + "/background.err") {
    for (const std::string& file : {pid_file_, out_, err_}) fs::remove(file);
    const std::string command = rm::StrCat("echo $$ > ", pid_file_, "; exec '", RAMET_PROGRAM, "' ",
                                           arguments, " > ", out_, " 2> ", err_, " < /dev/null");
    thread_ = std::thread([this, command] { status_ = std::system(command.c_str()); });
  }
  ~Background() {
    if (!thread_.joinable()) return;
    Interrupt();
    thread_.join();
  }
  void Interrupt() const {
    ASSERT_TRUE(Eventually([&] { return !Content(pid_file_).empty(); }));
    kill(std::stoi(Content(pid_file_)), SIGINT);
  }
  void WaitForOutput(const std::string& text) const {
    EXPECT_TRUE(Eventually([&] { return Content(out_).find(text) != std::string::npos; }))
        << text << "\n"
        << Content(out_) << Content(err_);
  }
  Result Wait() {
    thread_.join();
    return {WIFEXITED(status_) ? WEXITSTATUS(status_) : -1, Content(out_), Content(err_)};
  }

 private:
  const std::string pid_file_, out_, err_;
  int status_ = 0;
  std::thread thread_;
};

}  // namespace cli
