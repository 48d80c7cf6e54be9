#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

// A load of equal calls over gRPC on one channel.
struct Load {
  std::string target = {};  // "127.0.0.1:8500"
  std::string method = "/tensorflow.serving.PredictionService/Predict";
  std::string request = {};  // the serialized message
  // Calls per second, sent at fixed times whether or not earlier ones are answered (an open loop).
  // 0: as many as `outstanding` allows (a closed loop).
  double rate = 0;
  int outstanding = 32;
  std::chrono::duration<double> time = std::chrono::seconds(5);
};

struct LoadResult {
  // The latency of each answered call, from the time at which it was due to the time of its answer.
  std::vector<double> micros = {};
  int64_t failed = 0;
  double seconds = 0;
};

// The first part of each load, which is not counted.
inline constexpr auto kLoadWarmup = std::chrono::milliseconds(500);

LoadResult RunLoad(const Load& load);

// A load of equal requests over HTTP/1.1: each connection sends its next request when the answer to
// the one before has come. `load.request` is the body, and `load.method` the target of a POST.
LoadResult RunHttpLoad(const Load& load);
