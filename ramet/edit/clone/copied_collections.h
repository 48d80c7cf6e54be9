#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ramet/edit/clone/mapping.h"
#include "ramet/edit/clone/selection.h"
#include "ramet/graph_def/message_names.h"

namespace ramet {

// A CollectionCopier adds copies to the collections that their originals are in
// (CloneOptions::collections). Runs after VariableCopier::CopyAll and cannot fail. The caller holds
// the locks of both graphs.
class CollectionCopier {
 public:
  CollectionCopier(const CloneSelection& selection, const CloneOptions& options,
                   const CloneMapping& mapping);
  void CopyAll();

 private:
  void AddBareVariables();
  std::optional<CollectionItem> Copy(const std::string& key, const CollectionItem& item) const;
  std::optional<CollectionItem> CopyMessage(const std::string& key,
                                            const OpaqueMessage& message) const;
  std::string Renamed(std::string_view name, bool* found) const;

  const CloneSelection& selection_;
  const CloneOptions& options_;
  const CloneMapping& mapping_;
  const GraphData& source_;
  GraphData& target_;
};

// Reports whether the clone's copies join a collection.
bool IsWantedCollection(const CloneOptions& options, const std::string& key);

}  // namespace ramet
