#pragma once

#include "ramet/base/export.h"

namespace ramet {

// A BlockingHook learns when its thread is about to wait for other runs, and when it goes on.
// Hooks nest: the innermost of a thread is called first.
class RAMET_EXPORT BlockingHook {
 public:
  BlockingHook();
  virtual ~BlockingHook();
  BlockingHook(const BlockingHook&) = delete;
  BlockingHook& operator=(const BlockingHook&) = delete;

 protected:
  friend class BlockingScope;
  virtual void BeforeWait() = 0;
  virtual void AfterWait() = 0;

 private:
  BlockingHook* const outer_;
};

// A BlockingScope surrounds a wait of a kernel for other runs of the session. Create it without
// locks held: what the run holds is released meanwhile (StepGate).
class RAMET_EXPORT BlockingScope {
 public:
  BlockingScope();
  ~BlockingScope();
  BlockingScope(const BlockingScope&) = delete;
  BlockingScope& operator=(const BlockingScope&) = delete;
};

}  // namespace ramet
