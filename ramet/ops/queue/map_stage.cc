#include <algorithm>
#include <map>

#include "ramet/op/op.h"
#include "ramet/ops/queue/session_resource.h"
#include "ramet/ops/queue/staging.h"

namespace ramet {
namespace {

using Indices = std::span<const int32_t>;

Status CheckOrder(Indices indices) {
  for (size_t i = 1; i < indices.size(); ++i) {
    if (indices[i - 1] >= indices[i]) return InvalidArgument("Indices are not strictly ordered");
  }
  return OkStatus();
}

// A StagingMap maps int64 keys to tuples that may be put and taken component by component. Complete
// tuples can be taken. Thread-safe.
class StagingMap final : public Resource {
 public:
  static constexpr std::string_view kKind = "staging map";
  explicit StagingMap(StagingLimits limits) : limits_(limits) {}
  std::string_view type_name() const override { return kKind; }

  // Sets components of the tuple of a key, which has `width` components. Waits until there is room.
  // \error kInvalidArgument: an index is out of range, or its component is already set.
  Status Put(const Cancellation* cancellation, int64_t key, Indices indices, Tuple values,
             size_t width) {
    RAMET_RETURN_IF_ERROR(CheckOrder(indices));
    if (indices.size() != values.size()) {
      return InvalidArgument("Number of indices ", indices.size(),
                             " doesn't match number of values ", values.size());
    }
    const int64_t bytes = TupleBytes(values);
    RAMET_RETURN_IF_ERROR(limits_.CheckSize(bytes));
    const auto step = [&](Status& status) {
      if (!limits_.HaveRoom(std::ssize(complete_), bytes_, bytes)) return Progress::kNone;
      status = Insert(key, indices, values, width);
      if (status.ok()) bytes_ += bytes;
      return Progress::kDone;
    };
    return room_.Perform(cancellation, producers_, "MapStage", step, [] {});
  }

  // Returns components of the tuple of a key; waits for it. If `remove`, the components are
  // removed, and the tuple with the last one. If `key` is null, takes the first tuple and sets
  // *taken.
  // \error kInvalidArgument: an index is out of range, or its component was removed.
  StatusOr<Tuple> Get(const Cancellation* cancellation, const int64_t* key, Indices indices,
                      bool remove, int64_t* taken) {
    RAMET_RETURN_IF_ERROR(CheckOrder(indices));
    Tuple found;
    WaitingRoom::Line alone;  // tuples of different keys do not wait for each other
    const auto step = [&](Status& status) {
      const auto at = key == nullptr ? complete_.begin() : complete_.find(*key);
      if (at == complete_.end()) return Progress::kNone;
      *taken = at->first;
      status = Select(at, indices, remove, found);
      return Progress::kDone;
    };
    RAMET_RETURN_IF_ERROR(room_.Perform(cancellation, alone, "MapUnstage", step, [] {}));
    return found;
  }

  int64_t size() {
    MutexLock lock(room_.mutex());
    return std::ssize(complete_);
  }
  int64_t incomplete_size() {
    MutexLock lock(room_.mutex());
    return std::ssize(incomplete_);
  }
  void Clear() {
    MutexLock lock(room_.mutex());
    complete_.clear();
    incomplete_.clear();
    bytes_ = 0;
    room_.Advance();
  }

 private:
  using Tuples = std::map<int64_t, Tuple>;

  static Status OutOfBounds(int64_t index, int64_t key, size_t width) {
    return InvalidArgument("Index '", index, "' for key '", key, "' was out of bounds '", width,
                           "'.");
  }

  Status Insert(int64_t key, Indices indices, const Tuple& values, size_t width) {
    for (const int32_t index : indices) {
      if (index < 0 || static_cast<size_t>(index) >= width) return OutOfBounds(index, key, width);
    }
    Tuple& tuple = incomplete_[key];
    tuple.resize(std::max(tuple.size(), width));
    for (size_t i = 0; i < indices.size(); ++i) {
      Tensor& component = tuple[indices[i]];
      if (!component.empty()) {
        return InvalidArgument("The tensor for index '", indices[i], "' for key '", key,
                               "' was already initialized '", width, "'.");
      }
      component = values[i];
    }
    if (std::ranges::any_of(tuple, [](const Tensor& t) { return t.empty(); })) return OkStatus();
    complete_.emplace(key, std::move(tuple));
    incomplete_.erase(key);
    return OkStatus();
  }

  Status Select(Tuples::iterator at, Indices indices, bool remove, Tuple& found) {
    Tuple& tuple = at->second;
    for (const int32_t index : indices) {
      if (index < 0 || static_cast<size_t>(index) >= tuple.size()) {
        return OutOfBounds(index, at->first, tuple.size());
      }
      if (tuple[index].empty()) {
        return InvalidArgument("Tensor at index '", index, "' for key '", at->first,
                               "' has already been removed.");
      }
      found.push_back(tuple[index]);
    }
    if (!remove) return OkStatus();
    for (const int32_t index : indices) tuple[index] = Tensor();
    bytes_ -= TupleBytes(found);
    if (std::ranges::all_of(tuple, [](const Tensor& t) { return t.empty(); })) complete_.erase(at);
    return OkStatus();
  }

  const StagingLimits limits_;
  WaitingRoom room_;
  WaitingRoom::Line producers_;
  Tuples complete_, incomplete_;  // empty tensors are missing components
  int64_t bytes_ = 0;
};

using MapKernel = StagingKernel<StagingMap>;

StatusOr<int64_t> KeyOf(const Tensor& key) {
  if (key.num_elements() == 1) return key.scalar<int64_t>();
  return InvalidArgument("key must be an int64 scalar, but has shape ", key.shape());
}

class MapPutKernel final : public MapKernel {
 public:
  explicit MapPutKernel(const KernelNode& node)
      : MapKernel(node), width_(node.attrs->GetOr<std::vector<DType>>("dtypes", {}).size()) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<MapPutKernel>(node));
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const int64_t key, KeyOf(c.input(0)));
    RAMET_ASSIGN_OR_RETURN(Tuple values, InputsFrom(c, 2));
    RAMET_ASSIGN_OR_RETURN(auto map, Area(c));
    return map->Put(c.cancellation(), key, c.input(1).flat<int32_t>(), std::move(values), width_);
  }

 private:
  const size_t width_;
};

enum class MapGet { kPeek, kRemove, kRemoveAny };

template <MapGet get>
class MapGetKernel final : public MapKernel {
 public:
  using MapKernel::MapKernel;
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<MapGetKernel>(node));
  }
  Status Compute(KernelContext& c) override {
    constexpr bool any = get == MapGet::kRemoveAny;
    RAMET_ASSIGN_OR_RETURN(auto map, Area(c));
    int64_t key = 0, taken = 0;
    if constexpr (!any) {
      RAMET_ASSIGN_OR_RETURN(key, KeyOf(c.input(0)));
    }
    const Indices indices = c.input(any ? 0 : 1).flat<int32_t>();
    const int num_values = c.num_outputs() - (any ? 1 : 0);
    if (std::ssize(indices) != num_values) {
      return InvalidArgument("output/indices size mismatch: ", num_values, " vs. ", indices.size());
    }
    RAMET_ASSIGN_OR_RETURN(Tuple values, map->Get(c.cancellation(), any ? nullptr : &key, indices,
                                                  get != MapGet::kPeek, &taken));
    if (any) c.SetOutput(0, Tensor(taken));
    return Output(c, any ? 1 : 0, std::move(values));
  }
};

template <int64_t (StagingMap::*size)()>
class MapSizeKernel final : public MapKernel {
 public:
  using MapKernel::MapKernel;
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<MapSizeKernel>(node));
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(auto map, Area(c));
    c.SetOutput(0, Tensor(static_cast<int32_t>((*map.*size)())));
    return OkStatus();
  }
};

class MapClearKernel final : public MapKernel {
 public:
  using MapKernel::MapKernel;
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return StatusOr<std::unique_ptr<Kernel>>(std::make_unique<MapClearKernel>(node));
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(auto map, Area(c));
    map->Clear();
    return OkStatus();
  }
};

constexpr char kMapStageDoc[] =
    "Sets components `indices` of the tuple of a key in a staging map, which is in the session "
    "under the name shared_name, or that of the node. Waits while the map has `capacity` complete "
    "tuples or memory_limit bytes; 0 means no limit. Error: the indices do not increase or are out "
    "of range; a component is already set.";
constexpr char kMapPeekDoc[] =
    "Returns components `indices` of the tuple of a key; waits until it is complete. Error: the "
    "indices do not increase or are out of range.";
constexpr char kMapUnstageDoc[] =
    "Like MapPeek, and removes the components. Error: also if one of them was removed before.";
constexpr char kMapUnstageNoKeyDoc[] =
    "Removes components of the complete tuple with the smallest key, and returns the key too; "
    "waits until there is one. Errors as for MapUnstage.";
constexpr char kMapSizeDoc[] = "Returns the number of complete tuples in a staging map.";
constexpr char kMapIncompleteDoc[] = "Returns the number of incomplete tuples in a staging map.";
constexpr char kMapClearDoc[] = "Removes all tuples from a staging map.";

#define RAMET_MAP_ATTRS(dtypes)                                                      \
  Attr("capacity: int >= 0 = 0")                                                     \
      .Attr("memory_limit: int >= 0 = 0")                                            \
      .AttrRange("memory_limit", 0, INT64_MAX) dtypes.Attr("container: string = ''") \
      .Attr("shared_name: string = ''")                                              \
      .Stateful()

#define RAMET_MAP_OPS(prefix)                                                            \
  RAMET_OP(prefix "MapStage")                                                            \
      .Input("key: int64")                                                               \
      .Input("indices: int32")                                                           \
      .Input("values: fake_dtypes")                                                      \
      .RAMET_MAP_ATTRS(.Attr("dtypes: list(type)").Attr("fake_dtypes: list(type) >= 1")) \
      .Doc(kMapStageDoc)                                                                 \
      .Shape(NoOutputs)                                                                  \
      .CpuKernelClass<MapPutKernel>();                                                   \
  RAMET_OP(prefix "MapPeek")                                                             \
      .Input("key: int64")                                                               \
      .Input("indices: int32")                                                           \
      .Output("values: dtypes")                                                          \
      .RAMET_MAP_ATTRS(.Attr("dtypes: list(type) >= 1"))                                 \
      .Doc(kMapPeekDoc)                                                                  \
      .Shape(UnknownShape)                                                               \
      .CpuKernelClass<MapGetKernel<MapGet::kPeek>>();                                    \
  RAMET_OP(prefix "MapUnstage")                                                          \
      .Input("key: int64")                                                               \
      .Input("indices: int32")                                                           \
      .Output("values: dtypes")                                                          \
      .RAMET_MAP_ATTRS(.Attr("dtypes: list(type) >= 1"))                                 \
      .Doc(kMapUnstageDoc)                                                               \
      .Shape(UnknownShape)                                                               \
      .CpuKernelClass<MapGetKernel<MapGet::kRemove>>();                                  \
  RAMET_OP(prefix "MapUnstageNoKey")                                                     \
      .Input("indices: int32")                                                           \
      .Output("key: int64")                                                              \
      .Output("values: dtypes")                                                          \
      .RAMET_MAP_ATTRS(.Attr("dtypes: list(type) >= 1"))                                 \
      .Doc(kMapUnstageNoKeyDoc)                                                          \
      .Shape(UnknownShape)                                                               \
      .CpuKernelClass<MapGetKernel<MapGet::kRemoveAny>>();                               \
  RAMET_OP(prefix "MapSize")                                                             \
      .Output("size: int32")                                                             \
      .RAMET_MAP_ATTRS(.Attr("dtypes: list(type)"))                                      \
      .Doc(kMapSizeDoc)                                                                  \
      .Shape(ScalarShape)                                                                \
      .CpuKernelClass<MapSizeKernel<&StagingMap::size>>();                               \
  RAMET_OP(prefix "MapIncompleteSize")                                                   \
      .Output("size: int32")                                                             \
      .RAMET_MAP_ATTRS(.Attr("dtypes: list(type)"))                                      \
      .Doc(kMapIncompleteDoc)                                                            \
      .Shape(ScalarShape)                                                                \
      .CpuKernelClass<MapSizeKernel<&StagingMap::incomplete_size>>();                    \
  RAMET_OP(prefix "MapClear")                                                            \
      .RAMET_MAP_ATTRS(.Attr("dtypes: list(type)"))                                      \
      .Doc(kMapClearDoc)                                                                 \
      .Shape(NoOutputs)                                                                  \
      .CpuKernelClass<MapClearKernel>()

RAMET_MAP_OPS("");
RAMET_MAP_OPS("Ordered");

#undef RAMET_MAP_OPS
#undef RAMET_MAP_ATTRS

}  // namespace
}  // namespace ramet
