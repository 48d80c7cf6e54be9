#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/graph/operation.h"
#include "ramet/graph/variable.h"

namespace ramet {

// The standard keys (tf.GraphKeys).
namespace graph_keys {
inline constexpr char kGlobalVariables[] = "variables";
inline constexpr char kLocalVariables[] = "local_variables";
inline constexpr char kModelVariables[] = "model_variables";
inline constexpr char kMetricVariables[] = "metric_variables";
inline constexpr char kTrainableVariables[] = "trainable_variables";
inline constexpr char kMovingAverageVariables[] = "moving_average_variables";
inline constexpr char kSummaries[] = "summaries";
inline constexpr char kQueueRunners[] = "queue_runners";
inline constexpr char kTableInitializers[] = "table_initializer";
inline constexpr char kAssetFilepaths[] = "asset_filepaths";
inline constexpr char kRegularizationLosses[] = "regularization_losses";
inline constexpr char kSavers[] = "savers";
inline constexpr char kWeights[] = "weights";
inline constexpr char kBiases[] = "biases";
inline constexpr char kActivations[] = "activations";
inline constexpr char kUpdateOps[] = "update_ops";
inline constexpr char kLosses[] = "losses";
inline constexpr char kSaveableObjects[] = "saveable_objects";
inline constexpr char kGlobalStep[] = "global_step";
inline constexpr char kTrainOp[] = "train_op";
inline constexpr char kInitOp[] = "init_op";
inline constexpr char kCondContext[] = "cond_context";
inline constexpr char kWhileContext[] = "while_context";
}  // namespace graph_keys

// A message that Ramet passes through uninterpreted: QueueRunnerDef, contexts, Any, unknown kinds.
struct OpaqueMessage {
  std::string type_url;  // set for items of an any_list
  std::string bytes;
  bool operator==(const OpaqueMessage&) const = default;
};

class CollectionObject;
using CollectionItem = std::variant<Output, Operation, Variable, int64_t, float, std::string,
                                    OpaqueMessage, std::shared_ptr<const CollectionObject>>;

// A CollectionObject is an arbitrary object of the program in a collection, such as a callable or
// an object of another language. Collections share ownership.
class CollectionObject {
 public:
  virtual ~CollectionObject() = default;
  // Returns the item that a file holds instead (never another CollectionObject), with names
  // relative to `export_scope`. kNotFound leaves the object out, such as one that is outside of the
  // scope. On another error the object has no such form, and the collection is not written.
  virtual StatusOr<CollectionItem> Export(const std::string& export_scope) const = 0;
};

// The collections of a graph: an ordered multimap from keys to items. Not locked; only the thread
// that builds the graph may change it.
class RAMET_EXPORT Collections {
 public:
  void Add(std::string_view key, CollectionItem item);
  // The items of `key` in the order of addition; empty if there is no such collection.
  const std::vector<CollectionItem>& Get(std::string_view key) const;
  // The items of type T: Get<Variable>("variables").
  template <class T>
  std::vector<T> Get(std::string_view key) const {
    std::vector<T> found;
    for (const CollectionItem& item : Get(key)) {
      if (const T* t = std::get_if<T>(&item)) found.push_back(*t);
    }
    return found;
  }
  bool Contains(std::string_view key, const CollectionItem& item) const;
  // Replaces the items of the collection with `items`.
  void Replace(std::string_view key, std::vector<CollectionItem> items);
  void Clear(std::string_view key);
  std::vector<std::string> Keys() const;  // sorted
  const std::map<std::string, std::vector<CollectionItem>, std::less<>>& all() const {
    return all_;
  }

 private:
  std::map<std::string, std::vector<CollectionItem>, std::less<>> all_;
};

}  // namespace ramet
