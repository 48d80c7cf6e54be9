#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ramet/ops/dataset/dataset_args.h"
#include "ramet/ops/dataset/iterator_state.h"

namespace ramet {

// An IteratorResource is an iterator of a session: a place for the iterator of one dataset after
// another. Thread-safe; calls of Next take turns.
class IteratorResource final : public Resource {
 public:
  IteratorResource(std::string container, std::string name, ElementSpec spec)
      : container_(std::move(container)), name_(std::move(name)), spec_(std::move(spec)) {}

  std::string_view type_name() const override { return "iterator"; }
  const std::string& container() const { return container_; }
  const std::string& name() const { return name_; }
  const ElementSpec& spec() const { return spec_; }

  // Replaces the iterator by one at the start of the dataset.
  // \error kInvalidArgument: the dataset's dtypes or shapes are not those of this iterator.
  // \error any error of making the iterator.
  Status SetDataset(const DatasetPtr& dataset, KernelContext& c);
  // \error kFailedPrecondition: it has no dataset yet.
  // \error as for DatasetIterator::Next.
  Status Next(KernelContext& c, Element* element, bool* end);
  // Returns the position of the iterator. If `refuses_state`, functions may not have stateful
  // operations, whose state is not part of it.
  // \error kFailedPrecondition: it has no dataset yet; "RandomUniform is stateful."; the number of
  //   seeds exceeds IteratorState::kMaxSeeds.
  StatusOr<IteratorState> Save(KernelContext& c, bool refuses_state);
  // Continues at a position of the same dataset: makes a new iterator and drops the elements before
  // it. Without a dataset, the next call of SetDataset does that.
  // \error any error of making the iterator; kCancelled and kDeadlineExceeded: the run must end.
  Status Restore(KernelContext& c, IteratorState state);

 private:
  struct State;
  // Waits for the end of a call of Next, and keeps others away until EndUse.
  Status BeginUse(KernelContext& c, State& state);
  static void EndUse(State& state);
  std::shared_ptr<State> CurrentState() const;
  // Makes an iterator of a dataset at a position.
  static StatusOr<std::shared_ptr<State>> NewState(const DatasetPtr& dataset, KernelContext& c,
                                                   IteratorState position);
  const std::string container_, name_;
  const ElementSpec spec_;
  mutable Mutex mutex_;
  std::shared_ptr<State> state_ RAMET_GUARDED_BY(mutex_);
  std::optional<IteratorState> waiting_ RAMET_GUARDED_BY(mutex_);  // for the first dataset
};

// Returns the name under which the ResourceStore of a session keeps the iterators of a container.
std::string IteratorContainer(std::string_view container);
// Returns the iterator that input i names.
// \error kInvalidArgument: the input is not the handle of an iterator.
StatusOr<std::shared_ptr<IteratorResource>> InputIterator(KernelContext& c, int i = 0);
// Checks that an iterator or a dataset with elements of `found` fits `wanted`.
// \error kInvalidArgument: "Number of components does not match: ...", "Data type mismatch at
//   component ...", "Incompatible shapes at component ...".
Status CheckCompatible(const ElementSpec& wanted, const ElementSpec& found);

}  // namespace ramet
