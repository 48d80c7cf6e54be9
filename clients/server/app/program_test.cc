// Runs the program ramet-serve and asks it with curl.

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>

#include "model/model_testing.h"

namespace server {
namespace {

namespace rm = ramet;
using ::testing::HasSubstr;

// Returns what a command prints.
std::string Output(const std::string& command) {
  std::string output;
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  while (const size_t size = fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), size);
  }
  pclose(pipe);
  return output;
}

class ProgramTest : public ModelTest {
 protected:
  void SetUp() override {
    if (Output("curl --version").empty()) GTEST_SKIP() << "curl is not installed";
  }
  ~ProgramTest() override {
    if (process_ > 0) kill(process_, SIGKILL);
    if (process_ > 0) waitpid(process_, nullptr, 0);
  }
  // Starts the program with REST at a socket, and its log in a file.
  void Start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), RAMET_SERVE_PROGRAM);
    for (const char* more : {"--port=0", "--rest_api_port=0"}) arguments.push_back(more);
    arguments.push_back("--rest_socket_path=" + At("rest"));
    arguments.push_back("--file_system_poll_wait_seconds=0.02");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const std::string log = At("log");
    process_ = fork();
    if (process_ != 0) return;
    const int file = open(log.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
    dup2(file, 1);
    dup2(file, 2);
    execv(argv[0], argv.data());
    _exit(127);
  }
  std::string Curl(const std::string& path, const std::string& body = "") const {
    const std::string data = body.empty() ? "" : " -d '" + body + "'";
    return Output("curl -s --unix-socket " + At("rest") + " 'http://localhost" + path + "'" + data);
  }
  std::string Log() const { return Output("cat " + At("log")); }
  // Returns the exit code.
  int Stop(int signal) {
    kill(process_, signal);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  pid_t process_ = 0;
};

TEST_F(ProgramTest, ServesAFolderUntilItIsStopped) {
  Add("m", 1, 2);
  Start({At("m")});
  ASSERT_TRUE(Eventually([&] {
    return Curl("/v1/models/m:predict", R"({"instances": [[1]]})").find("2.0") != std::string::npos;
  })) << Log();
  Add("m", 2, 3);
  EXPECT_TRUE(Eventually([&] {
    return Curl("/v1/models/m:predict", R"({"instances": [[1]]})").find("3.0") != std::string::npos;
  })) << Log();
  EXPECT_THAT(Curl("/v1/models/m"), HasSubstr("AVAILABLE"));
  EXPECT_EQ(Stop(SIGTERM), 0) << Log();
  EXPECT_THAT(Log(), HasSubstr("stopped"));
}

TEST_F(ProgramTest, ReadsItsConfigurationAgain) {
  Add("a", 1, 2);
  Add("b", 1, 3);
  const auto write = [&](const std::string& name) {
    std::ofstream(At("config")) << "model_config_list { config { name: '" << name
                                << "' base_path: '" << At(name)
                                << "' model_platform: 'tensorflow' } }";
  };
  write("a");
  Start({"--model_config_file=" + At("config"), "--enable_batching"});
  ASSERT_TRUE(Eventually([&] {
    return Curl("/v1/models/a").find("AVAILABLE") != std::string::npos;
  })) << Log();
  write("b");
  kill(process_, SIGHUP);
  EXPECT_TRUE(Eventually([&] {
    return Curl("/v1/models/b:predict", R"({"instances": [[1]]})").find("3.0") != std::string::npos;
  })) << Log();
  std::ofstream(At("config")) << "nonsense";
  kill(process_, SIGHUP);
  EXPECT_TRUE(Eventually([&] { return Log().find("is refused") != std::string::npos; }));
  EXPECT_THAT(Curl("/v1/models/b"), HasSubstr("AVAILABLE"));
  EXPECT_EQ(Stop(SIGINT), 0);
}

TEST_F(ProgramTest, EndsIfNoModelCanBeServed) {
  std::filesystem::create_directories(At("m/1"));
  std::ofstream(At("m/1/saved_model.pb")) << "no model";
  // Newer files could still be on their way.
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  for (const char* path : {"m/1/saved_model.pb", "m/1"}) {
    std::filesystem::last_write_time(At(path), old);
  }
  Start({At("m")});
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = 0;
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_THAT(Log(), HasSubstr("1 servable(s) did not become available: {m version 1"));
}

}  // namespace
}  // namespace server
