#include "use_session.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "ramet/runtime/partial_run.h"
#include "values.h"

namespace ramet::fuzz {
namespace {

RunOptions Limited() {
  RunOptions options;
  options.timeout_in_ms = kRunMillis;
  return options;
}

std::vector<GraphElement> ElementsOf(const Targets& targets) {
  std::vector<GraphElement> elements(targets.outputs.begin(), targets.outputs.end());
  elements.insert(elements.end(), targets.operations.begin(), targets.operations.end());
  return elements;
}

void TouchAll(const StatusOr<std::vector<Tensor>>& values, Progress& progress) {
  progress.Note(values.status().ToString());
  if (!values.ok()) return;
  for (const Tensor& value : *values) Touch(value);
}

std::vector<Output> AllOutputs(const Graph& graph) {
  std::vector<Output> all;
  for (const Operation& op : graph.operations()) {
    for (const Output& output : op.outputs()) all.push_back(output);
  }
  return all;
}

// Draws a value to feed: usually of the tensor's dtype, and then often of its shape.
Tensor DrawFeed(Random& random, const Output& output) {
  if (random.Percent(3)) return Tensor();
  DType dtype = BaseType(output.dtype());
  if (random.Percent(10)) dtype = random.Pick({kFloat, kInt32, kInt64, kBool, kString, kDouble});
  const bool known = output.shape().IsFullyDefined() && random.Percent(60);
  const Shape shape = known ? output.shape() : DrawShape(random);
  auto value = DrawTensor(random, dtype, shape, DrawValuesKind(random));
  return value.ok() ? *std::move(value) : Tensor(1.0f);
}

void FeedWithin(Session& session, Feeds feeds, const Targets& targets, Random& random,
                Progress& progress) {
  progress.Phase("feeding tensors within the graph");
  const std::vector<Output> all = AllOutputs(session.graph());
  for (int64_t n = random.In(1, 3); n > 0 && !all.empty(); --n) {
    const Output output = random.Pick(all);
    feeds.push_back({output, DrawFeed(random, output)});
  }
  TouchAll(session.Run(feeds, Fetches(ElementsOf(targets)), Limited()), progress);
}

void RunInParts(Session& session, const Feeds& feeds, const Targets& targets, Random& random,
                Progress& progress) {
  progress.Phase("running in parts");
  std::vector<GraphElement> fed;
  for (const Feed& feed : feeds) fed.push_back(feed.tensor);
  const std::vector<Output> all = AllOutputs(session.graph());
  if (random.Percent(30) && !all.empty()) fed.push_back(random.Pick(all));
  std::vector<GraphElement> fetches = ElementsOf(targets);
  if (random.Percent(50) && !all.empty()) fetches.push_back(random.Pick(all));
  auto run = session.PartialRunSetup(fed, fetches);
  progress.Note(run.status().ToString());
  if (!run.ok() || fetches.empty()) return;
  for (int64_t n = random.In(1, 4); n > 0; --n) {
    Feeds some;
    for (const Feed& feed : feeds) {
      if (random.Percent(50)) some.push_back(feed);
    }
    std::vector<GraphElement> part;
    for (int64_t k = random.Below(3); k > 0; --k) part.push_back(random.Pick(fetches));
    TouchAll(run->Run(some, part), progress);
  }
}

void CallWithOddValues(Session& session, const Feeds& feeds, const Targets& targets, Random& random,
                       Progress& progress) {
  progress.Phase("calling with odd values");
  std::vector<GraphElement> fed;
  std::vector<Tensor> values;
  for (const Feed& feed : feeds) {
    fed.push_back(feed.tensor);
    values.push_back(feed.value);
  }
  auto callable = session.MakeCallable(fed, Fetches(ElementsOf(targets)));
  progress.Note(callable.status().ToString());
  if (!callable.ok()) return;
  for (int round = 0; round < 3; ++round) {
    std::vector<Tensor> fetched(targets.outputs.size() + targets.operations.size());
    if (random.Percent(10)) fetched.resize(random.Below(4));
    const Status status = callable->Run(values, fetched, Limited());
    progress.Note(status.ToString());
    for (const Tensor& value : fetched) Touch(value);
    if (values.empty()) return;
    Tensor& value = values[random.Below(static_cast<int64_t>(values.size()))];
    const Shape shape = DrawRelatedShape(random, value.empty() ? Shape() : value.shape());
    auto other = DrawTensor(random, value.dtype(), shape, DrawValuesKind(random));
    if (other.ok()) value = *std::move(other);
    if (random.Percent(10)) values.pop_back();
  }
}

void Trace(Session& session, const Feeds& feeds, const Targets& targets, Progress& progress) {
  progress.Phase("tracing");
  RunOptions options = Limited();
  options.trace = options.output_partition_graphs = true;
  RunMetadata metadata;
  TouchAll(session.Run(feeds, Fetches(ElementsOf(targets)), options, &metadata), progress);
}

// Gives fed floating-point numbers other values, again and again, while runs read them: they may be
// memory that a program or a publisher writes (docs/decisions/0080-values-that-can-change.md).
void ChangeFeeds(const Feeds& feeds, const std::atomic<bool>& over) {
  while (!over) {
    for (const Feed& feed : feeds) {
      if (feed.value.empty() || !IsFloating(feed.value.dtype())) continue;
      auto* bytes = static_cast<volatile uint8_t*>(const_cast<void*>(feed.value.raw_data()));
      for (size_t i = 0; i < feed.value.bytes(); ++i) bytes[i] = bytes[i] ^ 0x55;
    }
    std::this_thread::yield();
  }
}

void RunTogether(Session& session, const Feeds& feeds, const Targets& targets, Random& random,
                 Progress& progress) {
  progress.Phase("running in threads");
  const bool closes = random.Percent(50), cancels = random.Percent(30),
             changes = random.Percent(40);
  const auto pause = std::chrono::microseconds(random.Pick({0, 50, 300, 2000}));
  RunOptions options = Limited();
  if (cancels) options.cancellation = std::make_shared<CancellationToken>();
  std::atomic<bool> over = false;
  const auto run = [&] {
    for (int i = 0; i < 3; ++i) {
      const auto values = session.Run(feeds, Fetches(ElementsOf(targets)), options);
      if (values.ok()) {
        for (const Tensor& value : *values) Touch(value);
      }
    }
  };
  std::thread first(run), second(run);
  std::thread third([&] {
    if (changes) ChangeFeeds(feeds, over);
  });
  std::this_thread::sleep_for(pause);
  if (cancels) options.cancellation->Cancel();
  if (closes) session.Close();
  first.join();
  second.join();
  over = true;
  third.join();
}

}  // namespace

void Touch(const Tensor& value) {
  uint64_t sum = 0;
  if (value.empty()) return;
  if (value.dtype() == kString) {
    for (const std::string& s : value.flat<std::string>()) {
      sum += s.size() + (s.empty() ? 0 : static_cast<uint64_t>(s.back()));
    }
  } else if (DTypeSize(value.dtype()) > 0) {
    const auto* bytes = static_cast<const uint8_t*>(value.raw_data());
    for (size_t i = 0; i < value.bytes(); ++i) sum += bytes[i];
  }
  static std::atomic<uint64_t> kept;
  kept = sum;
}

void UseSessionOddly(Session& session, const Feeds& feeds, const Targets& targets, Random& random,
                     Progress& progress) {
  switch (random.Below(6)) {
    case 0:
    case 1: return FeedWithin(session, feeds, targets, random, progress);
    case 2: return RunInParts(session, feeds, targets, random, progress);
    case 3: return CallWithOddValues(session, feeds, targets, random, progress);
    case 4: return Trace(session, feeds, targets, progress);
    default: return RunTogether(session, feeds, targets, random, progress);
  }
}

}  // namespace ramet::fuzz
