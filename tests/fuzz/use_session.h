#pragma once

#include <vector>

#include "progress.h"
#include "ramet/runtime/session.h"
#include "random.h"

namespace ramet::fuzz {

inline constexpr int64_t kRunMillis = 1000;

// The tensors and operations that a case fetches.
struct Targets {
  std::vector<Output> outputs;
  std::vector<Operation> operations;  // without outputs that can be fetched
};

// Reads every byte of the value, so that a sanitizer detects invalid memory.
void Touch(const Tensor& value);

// Uses the session in one of the ways that programs rarely do: feeds tensors within the graph with
// values of odd dtypes and shapes, runs in parts, through callables with values that they do
// not expect, with traces, in several threads while a feed changes or the session is closed. Errors
// are fine.
void UseSessionOddly(Session& session, const Feeds& feeds, const Targets& targets, Random& random,
                     Progress& progress);

}  // namespace ramet::fuzz
