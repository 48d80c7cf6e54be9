#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iostream>

#include "command.h"

namespace cli {
namespace {

namespace rm = ramet;
namespace fs = std::filesystem;

constexpr char kProgram[] = "ramet-serve";

// Executes the server in the folder of this program, or else the first one on PATH. Returns only if
// neither can be started. Without a server, --help shows the help of this command.
rm::Status Serve(const CLI::App& command) {
  std::vector<std::string> arguments = command.remaining();
  std::string name = kProgram;
  std::vector<char*> argv = {name.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  execv((self.parent_path() / kProgram).c_str(), argv.data());
  const int next_to_this = errno;
  execvp(kProgram, argv.data());
  const int error = next_to_this != ENOENT ? next_to_this : errno;
  if (error != ENOENT) {
    return rm::PermissionDenied("the program ", kProgram, " cannot be started: ",
                                std::error_code(error, std::generic_category()).message());
  }
  if (arguments == std::vector<std::string>{"--help"}) {
    std::cout << command.help();
    return rm::OkStatus();
  }
  return rm::NotFound("the program ", kProgram,
                      " is not installed; install the Debian package 'ramet-server', or build it "
                      "with the CMake option RAMET_BUILD_SERVER");
}

}  // namespace

void AddServe(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand(
      "serve", "Serve models to clients of TensorFlow Serving and the Open Inference Protocol");
  command->footer(
      "All arguments are passed to the program ramet-serve, which a package of its own installs.\n"
      "Run 'ramet serve --help' for its flags.\n"
      "Examples:\n"
      "  ramet serve shm:policy\n"
      "  ramet serve /models/digits --bind=0.0.0.0");
  // The server explains its own flags.
  command->set_help_flag();
  command->prefix_command();
  command->callback([=] { *status = Serve(*command); });
}

}  // namespace cli
