// The command-line program `ramet`.
#include <algorithm>
#include <exception>
#include <iostream>

#include "command.h"
#include "interrupt.h"
#include "text.h"

namespace {

enum ExitCode {
  kOk = 0,
  kFailed = 1,
  kDiffer = 1,
  kUsage = 2,
  kDiffFailed = 2,
  kInterrupted = 130
};

constexpr char kFooter[] =
    "Examples:\n"
    "  ramet inspect model-1000.meta           summarize a graph and check its checkpoint\n"
    "  ramet list model-1000                   list the tensors of a checkpoint\n"
    "  ramet diff model-1000 model-2000        compare the tensors of two checkpoints\n"
    "  ramet convert model-1000 model.safetensors\n"
    "  ramet draw model-1000.meta -o model.svg draw a graph\n"
    "  ramet freeze model-1000 --output-nodes out -o frozen.pb\n"
    "  ramet clone in.meta --from in:0 --to out:0 --scope copy -o out.meta\n"
    "  ramet diff-graph a.meta b.meta          compare the structure of two graphs\n"
    "  ramet run model-1000 --feed x=x.npy --fetch out -o results\n"
    "  ramet profile model-1000 --feed x=x.npy --fetch out --svg profile.svg\n"
    "  ramet follow file:checkpoints           print a line for each new checkpoint\n"
    "  ramet follow shm:policy --fetch out --feed x=x.npy\n"
    "  ramet publish model-1000 shm:policy     serve a checkpoint to other processes\n"
    "  ramet serve shm:policy                  answer requests of clients over the network\n"
    "  ramet sync status shm:policy            show versions, readers and memory\n"
    "\n"
    "A PREFIX is the path of a checkpoint without .index, as returned by Saver.save. Commands "
    "that\n"
    "take a PREFIX also accept a SavedModel folder, a frozen GraphDef, or a folder with a\n"
    "'checkpoint' file. Files are recognized by their content, not by their names.\n"
    "Run 'ramet COMMAND --help' for more.\n"
    "\n"
    "Exit codes: 0 success, 1 failure, 2 usage error, 130 interrupted;\n"
    "for diff and diff-graph: 0 equal, 1 different, 2 failure or usage error.\n"
    "\n"
    "Environment: NO_COLOR=1 turns off colors.";

int Complain(std::string message) {
  std::ranges::replace_if(
      message, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  std::cerr << "ramet: " << cli::Clean(message) << "\n";
  return kFailed;
}

std::vector<std::string> CommandsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

// Returns "status, promote or rollback".
std::string Alternatives(std::vector<std::string> names) {
  const std::string last = names.back();
  names.pop_back();
  return ramet::StrCat(ramet::StrJoin(names, ", "), names.empty() ? "" : " or ", last);
}

// Describes a command line without a command, or with one that does not exist. Returns "" for any
// other mistake. `first` is the first argument of all.
std::string CommandProblem(const CLI::App& app, const std::string& first) {
  if (app.get_subcommands().empty()) {
    if (first.empty() || first.starts_with('-')) return "";
    const std::vector<std::string> names = CommandsOf(app);
    const std::string near = ramet::NearestName(first, {names.begin(), names.end()});
    return ramet::StrCat("'", first, "' is not a command",
                         near.empty() ? "" : ramet::StrCat("; did you mean '", near, "'?"));
  }
  const CLI::App& command = *app.get_subcommands().front();
  const std::vector<std::string> parts = CommandsOf(command);
  if (parts.empty() || !command.get_subcommands().empty()) return "";
  const std::vector<std::string> extras = command.remaining();
  const std::string use = ramet::StrCat("use ", Alternatives(parts));
  if (extras.empty())
    return ramet::StrCat("'ramet ", command.get_name(), "' needs a subcommand; ", use);
  return ramet::StrCat("'", extras.front(), "' is not a command of 'ramet ", command.get_name(),
                       "'; ", use);
}

// Describes a value that CLI11 could not convert, which it reports as "Could not convert: X = Y".
std::string ConversionProblem(const std::string& text) {
  constexpr std::string_view kStart = "Could not convert: ";
  const size_t equals = text.find(" = ");
  if (!text.starts_with(kStart) || equals == text.npos) return text;
  return ramet::StrCat(text.substr(kStart.size(), equals - kStart.size()), ": '",
                       text.substr(equals + 3), "' is not a number");
}

// Reports a mistake in the arguments. Prints the help if `error` asks for it.
int ReportUsage(const CLI::App& app, const CLI::ParseError& error, const std::string& first) {
  if (error.get_exit_code() == 0) return app.exit(error, std::cout, std::cerr);
  std::string message = CommandProblem(app, first);
  if (message.empty()) message = ConversionProblem(error.what());
  std::string command = "ramet";
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    command += " " + at->get_name();
  }
  Complain(message);
  std::cerr << "Run '" << command << " --help' for more.\n";
  return kUsage;
}

// Makes a repeatable option take one value each time it is given, so that `--fetch out model` names
// one tensor and the model.
void TakeOneValueEach(CLI::App* app) {
  for (CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; })) {
    for (CLI::Option* option : command->get_options([](const CLI::Option*) { return true; })) {
      if (!option->get_positional()) option->allow_extra_args(false);
    }
    TakeOneValueEach(command);
  }
}

}  // namespace

int main(int argc, char** argv) {
  ramet::Status status;
  bool differ = false;
  CLI::App app("Inspect, convert, run, publish and follow TensorFlow 1 graphs and checkpoints.",
               "ramet");
  app.footer(kFooter);
  app.set_version_flag("--version", "ramet " RAMET_VERSION);
  app.require_subcommand(0, 1);
  try {
    cli::AddInspect(app, &status);
    cli::AddList(app, &status);
    cli::AddPrint(app, &status);
    cli::AddDiff(app, &status, &differ);
    cli::AddConvert(app, &status);
    cli::AddFreeze(app, &status);
    cli::AddClone(app, &status);
    cli::AddExtract(app, &status);
    cli::AddMerge(app, &status);
    cli::AddDiffGraph(app, &status, &differ);
    cli::AddRun(app, &status);
    cli::AddExplain(app, &status);
    cli::AddProfile(app, &status);
    cli::AddDraw(app, &status);
    cli::AddFollow(app, &status);
    cli::AddPublish(app, &status);
    cli::AddServe(app, &status);
    cli::AddSync(app, &status);
    cli::AddOps(app, &status);
    cli::AddGpu(app, &status);
    cli::AddCompletion(app);
    TakeOneValueEach(&app);
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) throw CLI::RequiredError("A command");
  } catch (const CLI::ParseError& e) {
    return ReportUsage(app, e, argc > 1 ? argv[1] : "");
  } catch (const std::exception& e) {
    status = ramet::Unknown(e.what());
  }
  std::cout.flush();
  // A signal also interrupts a write that waits for a full pipe, so it comes first.
  if (status.ok() && cli::Interrupted()) return kInterrupted;
  if (status.ok() && !std::cout) status = ramet::Unknown("cannot write to stdout");
  if (!status.ok()) {
    const int code = Complain(status.ToString());
    const bool compares = app.got_subcommand("diff") || app.got_subcommand("diff-graph");
    return compares ? kDiffFailed : code;
  }
  return differ ? kDiffer : kOk;
}
