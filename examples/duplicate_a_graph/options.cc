#include "options.h"

#include <ramet/ramet.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <thread>

namespace example {
namespace {

namespace fs = std::filesystem;

constexpr char kAbout[] =
    "Duplicates a graph and keeps the copy up to date in two ways. A trainer process trains an MLP "
    "on Fashion-MNIST. At regular intervals, it publishes its variables in shared memory and saves "
    "a checkpoint. One follower process needs only the address (shm:NAME). Another one imports the "
    "graph from the .meta file and restores each checkpoint. At the end, the program checks that "
    "all three have the same accuracy after each update and prints the cost of both ways.";

constexpr char kExamples[] =
    "Examples:\n"
    "  duplicate_a_graph                                   run 10,000 steps on the CPU\n"
    "  duplicate_a_graph --trainer /gpu:0                  train on the first GPU\n"
    "  duplicate_a_graph --trainer /device:SIM:0           train on a simulated accelerator\n"
    "  duplicate_a_graph --steps 500 --checkpoint-dir ck   keep the checkpoints in ck/\n"
    "  duplicate_a_graph --steps 100000 --serve            watch the live copy in a browser\n"
    "\n"
    "Exit codes: 0 all sides agree, 1 failure, 2 usage error, 3 the loss became NaN,\n"
    "130 interrupted.";

// Returns the default of --plot: in the build folder if the program is in its bin/, else in the
// current folder.
std::string DefaultPlot() {
  fs::path folder = fs::path(ProgramPath()).parent_path();
  return folder.filename() == "bin" ? folder.parent_path() / "accuracy.svg" : "accuracy.svg";
}

std::string Positive(const std::string& text) {
  double number = 0;
  return CLI::detail::lexical_cast(text, number) && number > 0
             ? ""
             : "'" + text + "' is not a number above 0";
}

void Declare(CLI::App& app, Options& o) {
  app.footer(kExamples);
  app.option_defaults()->always_capture_default();
  app.add_option("--data", o.data, "Folder of the four IDX files (.gz or not)");
  app.add_option("--steps", o.steps, "Number of training steps")->check(Positive);
  app.add_option("--rate", o.rate, "Learning rate of gradient descent")->check(Positive);
  app.add_option("--save-every", o.save_every, "Number of steps between updates")->check(Positive);
  app.add_option("--trainer,--trainer-device", o.trainer_device, "Device of the trainer");
  app.add_option("--followers,--follower-device", o.follower_device, "Device of the followers");
  app.add_option("--seed", o.seed, "Random seed of the initial weights and the order of images");
  app.add_option("--threads", o.threads, "Number of threads of each process")->check(Positive);
  app.add_option("--checkpoint-dir", o.checkpoint_dir,
                 "Folder in which to keep the checkpoints (default: a temporary folder)");
  app.add_option("--plot", o.plot, "SVG file for the plot of accuracy over steps");
  app.add_option("--address", o.address,
                 "Address that the trainer publishes at, shm:NAME (default: a unique one)");
  app.add_flag("--serve", o.serve, ramet::StrCat("Show the trainer's live copy at ", kPage));
  app.add_option("--role", o.role)
      ->group("")
      ->check(CLI::IsMember({kTrainer, kMemoryFollower, kFileFollower}));
}

}  // namespace

std::optional<Options> ParseOptions(int argc, char** argv, int* exit_code) {
  Options options;
  options.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / 2);
  options.plot = DefaultPlot();
  CLI::App app(kAbout, "duplicate_a_graph");
  Declare(app, options);
  try {
    app.parse(argc, argv);
    return options;
  } catch (const CLI::ParseError& e) {
    *exit_code = e.get_exit_code() == 0 ? kOk : kUsage;
    app.exit(e, std::cout, std::cerr);
    return std::nullopt;
  }
}

std::vector<std::string> CommandLine(const Options& o, const std::string& role) {
  return {ProgramPath(),
          "--data=" + o.data,
          "--steps=" + std::to_string(o.steps),
          ramet::StrCat("--rate=", o.rate),
          "--save-every=" + std::to_string(o.save_every),
          "--trainer=" + o.trainer_device,
          "--followers=" + o.follower_device,
          "--seed=" + std::to_string(o.seed),
          "--threads=" + std::to_string(o.threads),
          "--checkpoint-dir=" + o.checkpoint_dir,
          "--address=" + o.address,
          "--role=" + role};
}

std::vector<std::string> ServerCommandLine(const Options& o) {
  const std::string program = fs::path(ProgramPath()).replace_filename("ramet-serve");
  if (!fs::exists(program)) {
    throw std::runtime_error("--serve: '" + program +
                             "' does not exist; build it with `ninja -C build bin/ramet-serve`");
  }
  return {program,           o.address, "--port=0", "--rest_api_port=8501", "--model_name=live",
          "--outputs=output"};
}

std::string ProgramPath() { return fs::read_symlink("/proc/self/exe"); }

std::string ShortPath(const std::string& path) {
  std::string relative = fs::proximate(path);
  return relative.size() < path.size() && !relative.starts_with("../..") ? relative : path;
}

}  // namespace example
