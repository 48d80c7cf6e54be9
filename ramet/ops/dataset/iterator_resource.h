#pragma once

#include <memory>
#include <string>

#include "ramet/ops/dataset/dataset_args.h"

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

 private:
  struct State;
  const std::string container_, name_;
  const ElementSpec spec_;
  Mutex mutex_;
  std::shared_ptr<State> state_ RAMET_GUARDED_BY(mutex_);
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
