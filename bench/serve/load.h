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

// Runs the load. The first half second is not counted.
LoadResult RunLoad(const Load& load);
