#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "command.h"
#include "interrupt.h"
#include "sync_text.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;
using std::chrono::milliseconds;

struct SyncOptions {
  std::string address, label;
  uint64_t version = 0;
  bool json = false, prometheus = false, watch = false;
};

bool IsTerminal() {
  const char* term = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

void Show(const SyncOptions& options, const rm::ReplicaStatus& status) {
  if (options.prometheus) {
    std::cout << rm::StatsToPrometheus(status.publisher, options.address) << std::flush;
  } else if (options.json && options.watch) {
    std::cout << StatusJson(rm::PrintableAddress(options.address), status).dump() << std::endl;
  } else if (options.json) {
    PrintJson(StatusJson(rm::PrintableAddress(options.address), status));
  } else if (options.watch && !IsTerminal()) {
    std::cout << StatusLine(status) << std::endl;
  } else {
    std::cout << StatusTable(rm::PrintableAddress(options.address), status) << std::flush;
  }
}

// Shows a new status. On a terminal, the new table overwrites the old one.
void ShowAgain(const SyncOptions& options, const rm::ReplicaStatus& status) {
  if (IsTerminal() && !options.json && !options.prometheus) {
    const std::string table = StatusTable(rm::PrintableAddress(options.address), status);
    std::cout << "\033[" << std::ranges::count(table, '\n') << "A\033[J";
  }
  Show(options, status);
}

// Reports whether two statuses differ in something worth showing.
bool Differ(const rm::ReplicaStatus& a, const rm::ReplicaStatus& b) {
  return a.epoch != b.epoch || a.newest != b.newest || a.versions != b.versions ||
         a.publisher.readers != b.publisher.readers || a.publisher.labels != b.publisher.labels ||
         a.publisher.skipped != b.publisher.skipped || a.connected != b.connected;
}

// Shows each change until an interrupt. The end of the publisher ends the watch without an error.
rm::Status Watch(const SyncOptions& options, rm::ReplicaMonitor monitor, rm::ReplicaStatus shown) {
  constexpr milliseconds kPeriod(500);
  while (SleepUnlessInterrupted(kPeriod)) {
    const auto status = monitor.Look();
    if (rm::IsUnavailable(status.status())) {
      std::cerr << "the publisher has ended" << std::endl;
      return rm::OkStatus();
    }
    RAMET_RETURN_IF_ERROR(status.status());
    if (!Differ(shown, *status)) continue;
    shown = *status;
    ShowAgain(options, shown);
  }
  return rm::OkStatus();
}

rm::Status ShowStatus(const SyncOptions& options) {
  RAMET_ASSIGN_OR_RETURN(auto monitor, rm::ReplicaMonitor::Open(options.address));
  RAMET_ASSIGN_OR_RETURN(auto status, monitor.Look());
  const Interrupts interrupts;
  Show(options, status);
  return options.watch ? Watch(options, std::move(monitor), std::move(status)) : rm::OkStatus();
}

rm::Status Promote(const SyncOptions& options) {
  RAMET_ASSIGN_OR_RETURN(auto monitor, rm::ReplicaMonitor::Open(options.address));
  RAMET_RETURN_IF_ERROR(monitor.Promote(options.label, options.version));
  std::cout << Clean(rm::PrintableAddress(options.address)) << "@" << Clean(options.label)
            << " is v" << options.version << "\n";
  return rm::OkStatus();
}

rm::Status Rollback(const SyncOptions& options) {
  RAMET_ASSIGN_OR_RETURN(auto monitor, rm::ReplicaMonitor::Open(options.address));
  RAMET_ASSIGN_OR_RETURN(const uint64_t made, monitor.Rollback(options.version));
  std::cout << "v" << made << " has the values of v" << options.version << "\n";
  return rm::OkStatus();
}

}  // namespace

std::string AddressProblem(const std::string& address) {
  const rm::Status status = rm::CheckReplicaAddress(address);
  return status.ok() ? "" : status.message();
}

namespace {

CLI::App* AddPart(CLI::App* sync, const char* name, const char* about, SyncOptions* options) {
  auto* command = sync->add_subcommand(name, about);
  command->add_option("ADDRESS", options->address, "The address of a publisher, such as shm:policy")
      ->required()
      ->check(AddressProblem);
  return command;
}

void AddStatus(CLI::App* sync, const std::shared_ptr<SyncOptions>& options, rm::Status* status) {
  auto* command = AddPart(sync, "status", "Show a publisher's versions, labels, readers and memory",
                          options.get());
  auto* json = command->add_flag("--json", options->json,
                                 "Print a JSON object; with --watch, one line for each change");
  command
      ->add_flag("--prometheus", options->prometheus, "Print metrics in the Prometheus text format")
      ->excludes(json);
  command->add_flag("--watch", options->watch,
                    "Print each change until Ctrl-C or until the publisher ends");
  command->footer(
      "Exit codes: 0 success, 1 failure (such as no publisher), 2 usage error, 130 interrupted.\n"
      "Examples:\n"
      "  ramet sync status shm:policy\n"
      "  ramet sync status shm:policy --watch\n"
      "  ramet sync status shm:policy --prometheus > /var/lib/node_exporter/policy.prom");
  command->callback([=] { *status = ShowStatus(*options); });
}

void AddPromote(CLI::App* sync, const std::shared_ptr<SyncOptions>& options, rm::Status* status) {
  auto* command = AddPart(sync, "promote", "Point a label at a version", options.get());
  command
      ->add_option("VERSION", options->version, "A version that 'ramet sync status' lists as kept")
      ->required();
  auto* label = command->add_option("LABEL", options->label,
                                    "The label; followers of ADDRESS@LABEL switch to the version");
  command->add_option("--as", options->label, "LABEL, as an option instead of an argument")
      ->excludes(label)
      ->type_name("LABEL");
  command->footer(
      "The version must still be kept. The publisher keeps it as long as it has the label.\n"
      "Exit codes: 0 success, 1 failure, 2 usage error.\n"
      "Example:\n  ramet sync promote shm:policy 11 stable");
  command->callback([=] {
    if (options->label.empty()) throw CLI::RequiredError("LABEL");
    *status = Promote(*options);
  });
}

void AddRollback(CLI::App* sync, const std::shared_ptr<SyncOptions>& options, rm::Status* status) {
  auto* command = AddPart(sync, "rollback", "Publish an old version again", options.get());
  command
      ->add_option("VERSION", options->version, "A version that 'ramet sync status' lists as kept")
      ->required();
  command->footer(
      "The values get a new version number, so followers switch to it as to any new version. They\n"
      "use it until the trainer publishes the next one.\n"
      "Exit codes: 0 success, 1 failure, 2 usage error.\n"
      "Example:\n  ramet sync rollback shm:policy 11");
  command->callback([=] { *status = Rollback(*options); });
}

}  // namespace

void AddSync(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand("sync", "Inspect and control a publisher");
  auto options = std::make_shared<SyncOptions>();
  command->require_subcommand(1);
  AddStatus(command, options, status);
  AddPromote(command, options, status);
  AddRollback(command, options, status);
  command->footer(
      "Run 'ramet sync COMMAND --help' for more.\n"
      "Exit codes: 0 success, 1 failure, 2 usage error, 130 interrupted.\n"
      "Examples:\n"
      "  ramet sync status shm:policy --watch\n"
      "  ramet sync promote shm:policy 11 stable\n"
      "  ramet sync rollback shm:policy 11");
}

}  // namespace cli
