#include "ramet/ops/queue/waiting_room.h"

#include "ramet/base/exception.h"

namespace ramet {
namespace {

// Takes one step. An exception becomes the status of the attempt, whose thread may be another one.
Progress TakeStep(Attempt& attempt) {
  Progress progress = Progress::kDone;
  const Status thrown = Guarded([&]() -> Status {
    progress = attempt.take_step(attempt.step, attempt.status);
    return OkStatus();
  });
  attempt.status.Update(thrown);
  return progress;
}

}  // namespace

void WaitingRoom::Enter(Line& line, Attempt& attempt) {
  if (line.empty()) lines_.push_back(&line);
  line.push_back(&attempt);
}

void WaitingRoom::Leave(Line& line, const Attempt& attempt) {
  std::erase(line, &attempt);
  if (line.empty()) std::erase(lines_, &line);
  Advance();
}

bool WaitingRoom::AdvanceLine(Line& line) {
  bool changed = false;
  // An attempt that was cancelled has to undo its steps in its own thread first.
  while (!line.empty() && !line.front()->cancelled) {
    Attempt& attempt = *line.front();
    const Progress progress = TakeStep(attempt);
    changed |= progress != Progress::kNone;
    if (progress != Progress::kDone) break;
    attempt.done = true;
    line.pop_front();
  }
  return changed;
}

void WaitingRoom::Advance() {
  bool changed = true;
  while (changed) {
    changed = false;
    for (Line* line : lines_) changed |= AdvanceLine(*line);
  }
  std::erase_if(lines_, [](const Line* line) { return line->empty(); });
  changed_.NotifyAll();
}

void WaitingRoom::CancelAll(Line& line) {
  for (Attempt* attempt : line) attempt->cancelled = true;
  Advance();
}

}  // namespace ramet
