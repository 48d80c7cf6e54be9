// Tests of `ramet gpu`.
#include <sys/stat.h>

#include "cli_testing.h"

namespace cli {
namespace {

class GpuCommand : public Cli {
 protected:
  static Result With(const std::string& environment, const std::string& arguments) {
    const std::string command = rm::StrCat(environment, " '", RAMET_PROGRAM, "' ", arguments, " > ",
                                           Path("stdout"), " 2> ", Path("stderr"), " < /dev/null");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Content(Path("stdout")),
            Content(Path("stderr"))};
  }
};

TEST_F(GpuCommand, SaysWhyThereIsNone) {
  const Result result = With("RAMET_GPU=off", "gpu list");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "no GPU: RAMET_GPU=off turns GPUs off; unset it\n");
  const json report = json::parse(With("RAMET_GPU=off", "gpu list --json").out);
  EXPECT_TRUE(report["gpus"].empty());
  EXPECT_THAT(report["missing"].get<std::string>(), HasSubstr("RAMET_GPU=off"));
}

TEST_F(GpuCommand, AnUnknownDriverIsAnError) {
  const Result result = With("RAMET_GPU=metal", "gpu list");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("RAMET_GPU is 'metal'; expected off, cuda, opencl"));
  ExpectError("gpu", 2, "use list or cache");
  ExpectError("gpu lst", 2, "'lst' is not a command of 'ramet gpu'");
}

TEST_F(GpuCommand, ListsAProcessorBehindOpenCl) {
  const Result result = With("RAMET_GPU=opencl:cpu", "gpu list");
  if (result.code != 0) GTEST_SKIP() << "skipped: " << result.err;
  EXPECT_THAT(result.out, StartsWith("/device:GPU:0  "));
  EXPECT_THAT(result.out, HasSubstr("(a processor)\n  driver OpenCL, version OpenCL "));
  EXPECT_THAT(result.out, HasSubstr("compute unit"));
  const json gpu = json::parse(With("RAMET_GPU=opencl:cpu", "gpu list --json").out)["gpus"][0];
  EXPECT_EQ(gpu["device"], "/device:GPU:0");
  EXPECT_TRUE(gpu["is_cpu"].get<bool>());
  EXPECT_GT(gpu["memory_bytes"].get<uint64_t>(), 0u);
  const Result hidden = With("RAMET_GPU=opencl:cpu CUDA_VISIBLE_DEVICES=", "gpu list");
  EXPECT_EQ(hidden.out, "no GPU: CUDA_VISIBLE_DEVICES='' hides all GPUs; unset it\n");
}

TEST_F(GpuCommand, ShowsAndClearsCompiledKernels) {
  const std::string folder = Path("kernels");
  const std::string environment = "RAMET_GPU_CACHE='" + folder + "'";
  EXPECT_EQ(With(environment, "gpu cache").out, folder + "  0 entries, 0 B of at most 268.4 MB\n");
  fs::create_directory(folder);
  chmod(folder.c_str(), 0700);
  const std::string entry = folder + "/0123456789abcdef0123456789abcdef.module";
  std::ofstream(entry) << std::string(1500, 'x');
  std::ofstream(entry + ".tempstate5") << "a process writes this";
  std::ofstream(folder + "/notes.txt") << "not an entry";
  EXPECT_EQ(With(environment, "gpu cache").out, folder + "  1 entry, 1.5 kB of at most 268.4 MB\n");
  const json report = json::parse(With(environment, "gpu cache --json").out);
  EXPECT_EQ(report["folder"], folder);
  EXPECT_EQ(report["entries"], 1);
  EXPECT_EQ(report["bytes"], 1500);
  EXPECT_EQ(With(environment, "gpu cache --clear").out, folder + "  removed 1 entry, 1.5 kB\n");
  EXPECT_FALSE(fs::exists(entry));
  EXPECT_TRUE(fs::exists(entry + ".tempstate5"));
  EXPECT_TRUE(fs::exists(folder + "/notes.txt"));
  EXPECT_THAT(With("RAMET_GPU_CACHE=", "gpu cache").out, HasSubstr("are not kept"));
}

}  // namespace
}  // namespace cli
