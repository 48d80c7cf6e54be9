// The program `ramet-serve`, which `ramet serve` starts.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "app/flags.h"
#include "app/program.h"
#include "app/signals.h"

namespace {

constexpr int kFailed = 1, kUsage = 2;
constexpr std::chrono::seconds kForever(3600);

int Complain(const ramet::Status& status, int code) {
  std::cerr << "ramet serve: " << status.message() << std::endl;
  return code;
}

void ServeUntilStopped(server::Signals& signals, server::Program& program) {
  while (true) {
    const int signal = signals.Wait(kForever);
    if (signal == SIGHUP) {
      ramet::LogInfo("SIGHUP: the configuration is read again");
      program.Reload();
    } else if (signal != 0) {
      ramet::LogInfo("stopping; accepted requests are answered");
      return;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  server::Signals signals;
  server::ServeFlags flags;
  if (const auto code = server::ParseFlags(argc, argv, &flags)) return *code;
  if (const auto checked = server::CheckFlags(flags); !checked.ok()) {
    return Complain(checked, kUsage);
  }
  auto program = server::Program::Start(flags);
  if (!program.ok()) {
    const bool is_usage = ramet::IsInvalidArgument(program.status());
    std::_Exit(Complain(program.status(), is_usage ? kUsage : kFailed));
  }
  ServeUntilStopped(signals, **program);
  signals.Release();
  (*program)->Drain(std::chrono::seconds(flags.run.drain_seconds));
  ramet::LogInfo("stopped");
  std::fflush(nullptr);
  // A model that is being loaded could take minutes to end.
  std::_Exit(EXIT_SUCCESS);
}
