#pragma once

#include <array>
#include <memory>
#include <optional>

#include "ramet/edit/clone/colocation_groups.h"
#include "ramet/edit/clone/copied_ops.h"
#include "ramet/edit/clone/dtypes.h"
#include "ramet/edit/clone/names.h"
#include "ramet/edit/clone/saved_names.h"

namespace ramet {

// A CopiedAttrs makes the attrs of copied nodes. They are shared with the original unless a name, a
// dtype or a function in them changes. The caller holds the locks of both graphs.
class CopiedAttrs {
 public:
  CopiedAttrs(const CloneSelection& selection, const DtypeChanges& dtypes,
              const FunctionCopies& functions, const SavedNames& saved_names,
              ColocationGroups groups, CloneNames& names);
  // `op` is that of the node.
  std::shared_ptr<const AttrMap> Of(NodeId id, const CopiedOp& op);
  // Prefetches the attrs of nodes that follow selection.nodes()[position].
  void Prefetch(size_t position) const;

 private:
  std::shared_ptr<const AttrMap> Changed(const std::shared_ptr<const AttrMap>& before,
                                         const CopiedOp& op);
  std::optional<Tensor> NewValue(NodeId constant) const;
  bool Change(const CopiedOp& op, const AttrMap& before, AttrMap* attrs);
  bool ChangeText(const char* name, const CopiedOp& op, const AttrMap& before, AttrMap* attrs);

  // A cache of changed attrs by the address of the originals.
  struct KnownAttrs {
    const AttrMap* before = nullptr;
    std::shared_ptr<const AttrMap> after;
  };

  const CloneSelection& selection_;
  const DtypeChanges& dtypes_;
  const FunctionCopies& functions_;
  const SavedNames& saved_names_;
  ColocationGroups groups_;
  CloneNames& names_;
  std::array<KnownAttrs, 1024> known_;
};

}  // namespace ramet
