#pragma once

#include <ramet/ramet.h>

#include <CLI/CLI.hpp>

namespace cli {

struct ModelOptions;
struct StepOptions;

// Returns why `address` cannot be published to or followed, or "" if it can. For
// CLI::Option::check.
std::string AddressProblem(const std::string& address);

// Each of these functions adds one command to the app. A command named on the command line runs
// within app.parse, prints its results to stdout and stores its outcome in `status`.
void AddOps(CLI::App& app, ramet::Status* status);
void AddGpu(CLI::App& app, ramet::Status* status);
void AddList(CLI::App& app, ramet::Status* status);
void AddPrint(CLI::App& app, ramet::Status* status);
void AddInspect(CLI::App& app, ramet::Status* status);
void AddFollow(CLI::App& app, ramet::Status* status);
void AddPublish(CLI::App& app, ramet::Status* status);
void AddServe(CLI::App& app, ramet::Status* status);
void AddSync(CLI::App& app, ramet::Status* status);
void AddRun(CLI::App& app, ramet::Status* status);
void AddExplain(CLI::App& app, ramet::Status* status);
void AddProfile(CLI::App& app, ramet::Status* status);
void AddFreeze(CLI::App& app, ramet::Status* status);
void AddConvert(CLI::App& app, ramet::Status* status);
void AddDraw(CLI::App& app, ramet::Status* status);
void AddClone(CLI::App& app, ramet::Status* status);
void AddExtract(CLI::App& app, ramet::Status* status);
void AddMerge(CLI::App& app, ramet::Status* status);
// Sets `differ` if the two files differ.
void AddDiff(CLI::App& app, ramet::Status* status, bool* differ);
// Sets `differ` if the two graphs differ.
void AddDiffGraph(CLI::App& app, ramet::Status* status, bool* differ);
// Adds MODEL, --meta, --checkpoint and --tags to a command that opens a model.
void AddModelOptions(CLI::App* command, ModelOptions* options);
// Like AddModelOptions, and also adds --feed, --fetch and --signature.
void AddStepOptions(CLI::App* command, StepOptions* options);
// Adds the command that prints shell completions. They cover the commands that the app has when it
// runs.
void AddCompletion(CLI::App& app);

}  // namespace cli
