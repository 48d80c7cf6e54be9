#include "ramet/format/checkpoint_state.h"
#include "ramet/format/fuzz_testing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ramet;
  fuzz_testing::WriteInput("checkpoint", {reinterpret_cast<const char*>(data), size});
  const std::string folder = fuzz_testing::Folder().path();
  StatusOr<CheckpointStateInfo> state = ReadCheckpointState(folder);
  if (state.ok() && state->model_checkpoint_path.empty()) std::abort();
  LatestCheckpoint(folder).status().IgnoreError();
  return 0;
}
