#include "ramet/ops/queue/reader.h"

#include "ramet/base/coding.h"
#include "ramet/base/exception.h"

namespace ramet {

template <class Use>
Status Reader::Exclusive(const Cancellation* cancellation, Use&& use) {
  const auto enter = [this](Status&) {
    if (in_use_) return Progress::kNone;
    in_use_ = true;
    return Progress::kDone;
  };
  RAMET_RETURN_IF_ERROR(room_.Perform(cancellation, users_, "Read", enter, [] {}));
  const Status status = Guarded(use);
  MutexLock lock(room_.mutex());
  in_use_ = false;
  room_.Advance();
  return status;
}

Status Reader::Read(const Cancellation* cancellation, Queue& queue, int64_t n,
                    std::vector<Record>& records) {
  return Exclusive(cancellation, [&] { return ReadUnshared(cancellation, queue, n, records); });
}

Status Reader::ReadUnshared(const Cancellation* cancellation, Queue& queue, int64_t n,
                            std::vector<Record>& records) {
  while (records.empty()) {
    if (source_ == nullptr) RAMET_RETURN_IF_ERROR(StartWork(cancellation, queue));
    while (std::ssize(records) < n) {
      Record record;
      RAMET_ASSIGN_OR_RETURN(const bool found, source_->Next(record));
      if (found) {
        ++state_.records_produced;
        records.push_back(std::move(record));
      }
      if (!found || source_->ended()) {
        FinishWork();
        break;
      }
    }
  }
  return OkStatus();
}

void Reader::FinishWork() {
  source_ = nullptr;
  state_.work_finished = state_.work_started;
}

Status Reader::StartWork(const Cancellation* cancellation, Queue& queue) {
  if (queue.spec().dtypes != std::vector<DType>{kString}) {
    return InvalidArgument("Expected queue with single string component");
  }
  RAMET_ASSIGN_OR_RETURN(const Tuple work, queue.Dequeue(cancellation));
  if (work[0].num_elements() != 1) {
    return InvalidArgument("Expected to dequeue a one-element string tensor, but its shape is ",
                           work[0].shape());
  }
  state_.current_work = work[0].scalar<std::string>();
  RAMET_ASSIGN_OR_RETURN(source_, open_(state_.current_work));
  ++state_.work_started;
  return OkStatus();
}

StatusOr<int64_t> Reader::NumRecordsProduced(const Cancellation* cancellation) {
  int64_t n = 0;
  RAMET_RETURN_IF_ERROR(Exclusive(cancellation, [&] {
    n = state_.records_produced;
    return OkStatus();
  }));
  return n;
}

StatusOr<int64_t> Reader::NumWorkUnitsCompleted(const Cancellation* cancellation) {
  int64_t n = 0;
  RAMET_RETURN_IF_ERROR(Exclusive(cancellation, [&] {
    n = state_.work_finished;
    return OkStatus();
  }));
  return n;
}

StatusOr<std::string> Reader::SerializeState(const Cancellation* cancellation) {
  if (!restorable_) return Unimplemented("Reader SerializeState");
  std::string state;
  RAMET_RETURN_IF_ERROR(Exclusive(cancellation, [&] {
    state = Encoded();
    return OkStatus();
  }));
  return state;
}

Status Reader::RestoreState(const Cancellation* cancellation, const std::string& state) {
  if (!restorable_) return Unimplemented("Reader RestoreState");
  return Exclusive(cancellation, [&]() -> Status {
    State decoded;
    RAMET_RETURN_IF_ERROR(Decode(state, decoded));
    source_ = nullptr;
    state_ = std::move(decoded);
    return OkStatus();
  });
}

Status Reader::Reset(const Cancellation* cancellation) {
  return Exclusive(cancellation, [&] {
    source_ = nullptr;
    state_ = State();
    return OkStatus();
  });
}

// The message ReaderBaseState (tensorflow/core/framework/reader_base.proto).
std::string Reader::Encoded() const {
  std::string bytes;
  const int64_t numbers[] = {state_.work_started, state_.work_finished, state_.records_produced};
  for (int i = 0; i < 3; ++i) {
    if (numbers[i] == 0) continue;
    AppendVarint64(&bytes, static_cast<uint64_t>(i + 1) << 3);
    AppendVarint64(&bytes, static_cast<uint64_t>(numbers[i]));
  }
  if (!state_.current_work.empty()) {
    AppendVarint64(&bytes, (4 << 3) | 2);
    AppendVarint64(&bytes, state_.current_work.size());
    bytes += state_.current_work;
  }
  return bytes;
}

Status Reader::Decode(std::string_view state, State& decoded) const {
  const Status damaged = InvalidArgument("Could not parse state for ", name_, ": ", state);
  std::string_view rest = state;
  while (!rest.empty()) {
    uint64_t tag = 0, number = 0;
    if (!TakeVarint64(&rest, &tag) || !TakeVarint64(&rest, &number)) return damaged;
    if (tag == ((4 << 3) | 2)) {
      if (number > rest.size()) return damaged;
      decoded.current_work = rest.substr(0, number);
      rest.remove_prefix(number);
      continue;
    }
    if ((tag & 7) != 0 || tag >> 3 < 1 || tag >> 3 > 3) return damaged;
    const auto value = static_cast<int64_t>(number);
    if (value < 0) {
      return InvalidArgument("Unexpected negative value when restoring in ", name_, ": ", state);
    }
    (tag >> 3 == 1   ? decoded.work_started
     : tag >> 3 == 2 ? decoded.work_finished
                     : decoded.records_produced) = value;
  }
  if (decoded.work_started <= decoded.work_finished) return OkStatus();
  return InvalidArgument("Inconsistent work started vs. finished when restoring in ", name_, ": ",
                         decoded.work_started, " vs. ", decoded.work_finished);
}

}  // namespace ramet
