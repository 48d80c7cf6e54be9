// Serves a model while another process trains it. Graph and values come from the address alone.
//   replica_follower [ADDRESS]
#include <ramet/ramet.h>

#include <chrono>
#include <iostream>

namespace rm = ramet;
using namespace std::chrono_literals;

int main(int argc, char** argv) try {
  const std::string address = argc > 1 ? argv[1] : "shm:line";
  auto follower = rm::Follower::Open(address, {.wait = 60s}).value();

  const rm::Feeds feeds = {{"x:0", rm::Tensor::Vector<float>({10})}};
  float answer = 0;
  rm::RunMetadata seen;
  while (true) {
    if (!follower.Wait(seen.version.version + 1, 500ms).ok()) {
      if (follower.stats().connected) continue;
      if (follower.Update().value().id.version == seen.version.version) break;
    }
    const rm::Tensor out = follower.session().Run(feeds, "out:0", rm::RunOptions(), &seen).value();
    answer = out.flat<float>()[0];
  }
  std::cout << "the trainer has ended; f(10) = " << answer << " with version "
            << seen.version.version << " of step " << seen.version.step << ", after "
            << follower.stats().swaps << " versions\n";
  return 0;
} catch (const ramet::BadStatusAccess& e) {
  std::cerr << e.what() << "\n";
  return 1;
}
