#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ramet/op/kernel.h"
#include "ramet/ops/queue/queue.h"

namespace ramet {

// A record and the key that tells where it comes from.
struct Record {
  std::string key, value;
};

// A RecordSource reads the records of one work item, usually a file. Not thread-safe.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  // Returns false at the end.
  virtual StatusOr<bool> Next(Record& record) = 0;
  // Reports whether it is known that no record follows.
  virtual bool ended() const { return false; }
};

// A Reader produces the records of work items, such as names of files, that it takes from a queue.
// One run at a time reads; others wait. Thread-safe.
class Reader : public Resource {
 public:
  static constexpr std::string_view kKind = "reader";
  using Open = std::function<StatusOr<std::unique_ptr<RecordSource>>(const std::string& work)>;

  // `restorable` tells whether the state consists of the numbers that SerializeState returns.
  Reader(std::string name, bool restorable, Open open)
      : name_(std::move(name)), restorable_(restorable), open_(std::move(open)) {}
  std::string_view type_name() const override { return kKind; }
  Status CheckSame(const Reader&) const { return OkStatus(); }

  // Appends up to `n` records, at least one, of one work item.
  // \error kOutOfRange: the queue is closed and empty.
  // \error as Queue::Dequeue, and errors of reading files.
  Status Read(const Cancellation* cancellation, Queue& queue, int64_t n,
              std::vector<Record>& records);
  StatusOr<int64_t> NumRecordsProduced(const Cancellation* cancellation);
  StatusOr<int64_t> NumWorkUnitsCompleted(const Cancellation* cancellation);
  // \error kUnimplemented: the reader is not restorable.
  StatusOr<std::string> SerializeState(const Cancellation* cancellation);
  // \error kInvalidArgument: `state` is not that of a reader.
  Status RestoreState(const Cancellation* cancellation, const std::string& state);
  Status Reset(const Cancellation* cancellation);

 private:
  struct State {
    int64_t work_started = 0, work_finished = 0, records_produced = 0;
    std::string current_work;
  };

  // Calls use() while no other run uses the reader.
  template <class Use>
  Status Exclusive(const Cancellation* cancellation, Use&& use);
  Status ReadUnshared(const Cancellation* cancellation, Queue& queue, int64_t n,
                      std::vector<Record>& records);
  Status StartWork(const Cancellation* cancellation, Queue& queue);
  void FinishWork();
  std::string Encoded() const;
  Status Decode(std::string_view state, State& decoded) const;

  const std::string name_;
  const bool restorable_;
  const Open open_;
  WaitingRoom room_;
  WaitingRoom::Line users_;
  bool in_use_ = false;
  // For the user only.
  State state_;
  std::unique_ptr<RecordSource> source_;
};

}  // namespace ramet
