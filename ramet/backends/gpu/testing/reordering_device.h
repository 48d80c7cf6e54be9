#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "ramet/backends/gpu/testing/forwarding_device.h"

namespace ramet::gpu {

// A ReorderingDevice is another device whose queues have graphs. Each time that a graph is
// launched, its elements are started in a random order of those that the graph allows, so that
// results change if an edge is missing.
class ReorderingDevice final : public ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  // Otherwise the order is that of the capture, as at first.
  void SetReorders(bool reorders) { reorders_ = reorders; }

 private:
  using Work = std::function<Status(DriverQueue& queue)>;

  struct Graph final : DriverGraph {
    std::vector<std::vector<uint32_t>> after;
    std::vector<std::vector<Work>> elements;
  };

  // A queue of another one; `Start` says what happens to its work.
  class Forwarding : public DriverQueue {
   public:
    Status Launch(DriverFunction& function, const LaunchSize& size,
                  std::span<const KernelArgument> arguments) override {
      std::vector<KernelArgument> copy(arguments.begin(), arguments.end());
      return Start(
          [&function, size, copy](DriverQueue& q) { return q.Launch(function, size, copy); });
    }
    Status Copy(DriverMemory& to, const DriverMemory& from, size_t bytes) override {
      return Start([&to, &from, bytes](DriverQueue& q) { return q.Copy(to, from, bytes); });
    }
    Status Zero(DriverMemory& memory, size_t bytes) override {
      return Start([&memory, bytes](DriverQueue& q) { return q.Zero(memory, bytes); });
    }

   protected:
    virtual Status Start(Work work) = 0;
  };

  // Keeps the work that it is given.
  class Recording final : public Forwarding {
   public:
    std::vector<Work> Take() { return std::exchange(work_, {}); }
    Status CopyFromHost(DriverMemory&, std::span<const std::byte>,
                        std::unique_ptr<DriverEvent>*) override {
      return Cannot();
    }
    Status CopyToHost(std::span<std::byte>, const DriverMemory&) override { return Cannot(); }
    StatusOr<std::unique_ptr<DriverEvent>> Record() override { return Cannot(); }
    Status WaitFor(DriverEvent&) override { return Cannot(); }
    Status Flush() override { return Cannot(); }
    Status Finish() override { return Cannot(); }

   private:
    static Status Cannot() { return Unimplemented("graphs have no such work"); }
    Status Start(Work work) override {
      work_.push_back(std::move(work));
      return OkStatus();
    }
    std::vector<Work> work_;
  };

  class Queue final : public Forwarding {
   public:
    Queue(ReorderingDevice& device, std::unique_ptr<DriverQueue> queue)
        : device_(device), queue_(std::move(queue)) {}
    Status CopyFromHost(DriverMemory& to, std::span<const std::byte> from,
                        std::unique_ptr<DriverEvent>* done) override {
      return queue_->CopyFromHost(to, from, done);
    }
    Status CopyToHost(std::span<std::byte> to, const DriverMemory& from) override {
      return queue_->CopyToHost(to, from);
    }
    StatusOr<std::unique_ptr<DriverEvent>> Record() override { return queue_->Record(); }
    Status WaitFor(DriverEvent& event) override { return queue_->WaitFor(event); }
    Status Flush() override { return queue_->Flush(); }
    Status Finish() override { return queue_->Finish(); }

    bool has_graphs() const override { return true; }
    StatusOr<std::unique_ptr<DriverGraph>> Capture(const GraphWork& work) override {
      auto graph = std::make_unique<Graph>();
      graph->after = work.after;
      Recording recording;
      for (size_t i = 0; i < work.after.size(); ++i) {
        RAMET_RETURN_IF_ERROR(work.enqueue(i, recording));
        graph->elements.push_back(recording.Take());
      }
      return std::unique_ptr<DriverGraph>(std::move(graph));
    }
    Status LaunchGraph(DriverGraph& graph) override {
      auto& made = static_cast<Graph&>(graph);
      for (size_t i : OrderOf(made)) {
        for (const Work& work : made.elements[i]) RAMET_RETURN_IF_ERROR(work(*queue_));
      }
      return OkStatus();
    }

   private:
    Status Start(Work work) override { return work(*queue_); }

    std::vector<size_t> OrderOf(const Graph& graph) {
      std::vector<size_t> order, left(graph.after.size());
      for (size_t i = 0; i < left.size(); ++i) left[i] = i;
      if (!device_.reorders_) return left;
      const auto is_ready = [&](size_t i) {
        return std::ranges::none_of(graph.after[i], [&](uint32_t other) {
          return std::ranges::find(left, other) != left.end();
        });
      };
      while (!left.empty()) {
        std::vector<size_t> ready;
        std::ranges::copy_if(left, std::back_inserter(ready), is_ready);
        order.push_back(ready[random_() % ready.size()]);
        std::erase(left, order.back());
      }
      return order;
    }

    ReorderingDevice& device_;
    const std::unique_ptr<DriverQueue> queue_;
    std::mt19937 random_;
  };

  std::unique_ptr<DriverQueue> Wrap(std::unique_ptr<DriverQueue> queue) override {
    return std::make_unique<Queue>(*this, std::move(queue));
  }

  std::atomic<bool> reorders_ = false;
};

}  // namespace ramet::gpu
