// libramet_beside.so, which tests/oracle/one_process_test.py calls while TensorFlow is in the
// process.
#include <ramet/ramet.h>

#include <algorithm>
#include <cstdio>
#include <span>

namespace rm = ramet;

// Imports a MetaGraph file of TensorFlow, restores its checkpoint, feeds `rows` x `width` floats to
// `feed` and stores rows x classes floats of `fetch`. Returns 0, or 1 after printing the error.
extern "C" RAMET_EXPORT int RametBeside(const char* prefix, const char* feed, const char* fetch,
                                        int rows, int width, const float* input, int classes,
                                        float* output) {
  try {
    rm::Graph graph;
    auto meta = rm::ImportMetaGraph(graph, std::string(prefix) + ".meta").value();
    auto session = rm::Session::Create(graph).value();
    meta.saver.Restore(session, prefix).value();
    auto images = rm::Tensor::Of(rm::Shape{rows, width},
                                 std::span<const float>(input, static_cast<size_t>(rows) * width));
    auto fetched = session.Run({{feed, images}}, fetch).value();
    std::copy_n(fetched.data<float>(), static_cast<size_t>(rows) * classes, output);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
