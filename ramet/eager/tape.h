#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ramet/eager/eager_context.h"

namespace ramet {

// Computes the gradients of inputs from those of outputs, for a piece of a program that records
// itself.
using BackwardFunction = std::function<StatusOr<std::vector<EagerGradient>>(
    std::span<const EagerGradient> output_gradients)>;

// A run of an operation that a tape has recorded.
struct RecordedRun {
  const Operation& op;
  std::span<const EagerValue> inputs, outputs;
};

// The gradient functions of the program, which take precedence over those of the library.
struct ProgramGradients {
  bool (*has)(const std::string& op_type) = nullptr;
  StatusOr<std::vector<EagerGradient>> (*compute)(
      const RecordedRun& run, std::span<const EagerGradient> output_gradients) = nullptr;
};

// A Tape records the eager functions that run on its thread and depend on watched values, to
// differentiate them. Tapes can be nested: the gradients that one tape computes are recorded by the
// others that are active. Not thread-safe.
class RAMET_EXPORT Tape {
 public:
  Tape() = default;
  ~Tape() { Stop(); }
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // Start and Stop recording on the calling thread.
  void Start();
  void Stop();
  // Treats a value as an input of the recorded program.
  void Watch(int64_t id) { tracked_.insert(id); }
  // Reports whether gradients with respect to a value can be computed.
  bool Tracks(const EagerValue& value) const;
  // Records a run of a function on all active tapes that track one of its args.
  static void RecordOnAll(const std::shared_ptr<EagerFunction>& function,
                          std::span<const EagerValue> args, std::span<const EagerValue> results);
  // Records a piece of the program with its backward function.
  static void RecordBackward(std::span<const EagerValue> inputs,
                             std::span<const EagerValue> outputs, const BackwardFunction& backward);

  // Sets the gradient functions of the program. Called once, before the first tape is used.
  static void SetProgramGradients(const ProgramGradients& gradients);

  // Returns the derivatives of the sum of targets with respect to each source. `starts` has the
  // gradient of each target; ones if it does not exist.
  // \error kNotFound: a recorded operation has no gradient.
  // \error as for EagerContext::Execute.
  StatusOr<std::vector<EagerGradient>> Gradients(EagerContext& context,
                                                 std::span<const EagerValue> targets,
                                                 std::span<const EagerValue> sources,
                                                 std::span<const EagerGradient> starts);

 private:
  struct Record {
    std::shared_ptr<EagerFunction> function;  // null if `backward` is set
    BackwardFunction backward;
    std::vector<EagerValue> inputs, outputs;
  };
  // The gradients that have arrived at each value.
  using Arrived = std::unordered_map<int64_t, std::vector<EagerGradient>>;

  bool TracksAny(std::span<const EagerValue> values) const;
  void Add(Record record);
  Status AddStarts(EagerContext& context, std::span<const EagerValue> targets,
                   std::span<const EagerGradient> starts, Arrived* arrived);
  // Passes the gradients of the outputs of a record on to its inputs.
  Status Pass(EagerContext& context, const Record& record, Arrived* arrived);
  StatusOr<std::vector<EagerGradient>> InputGradients(EagerContext& context, const Record& record,
                                                      std::span<const EagerGradient> arriving);

  friend class TapePause;
  // The tapes that record on the calling thread.
  static std::vector<Tape*>& Active();
  std::unordered_set<int64_t> tracked_;
  std::deque<Record> records_;
};

// Stops all active tapes of the calling thread until Resume is called or this object is destroyed.
class RAMET_EXPORT TapePause {
 public:
  TapePause();
  ~TapePause() { Resume(); }
  TapePause(const TapePause&) = delete;
  TapePause& operator=(const TapePause&) = delete;
  void Resume();

 private:
  std::vector<Tape*> paused_;
};

}  // namespace ramet
