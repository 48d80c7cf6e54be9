#include "ramet/replica/redis/task_queue.h"

#include <utility>

#include "ramet/base/exception.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/replica/interruptible_wait.h"

namespace ramet::redis {

Status TaskQueue::Run(std::function<Status()> work, uint64_t after) {
  auto task = std::make_shared<Task>(Task{std::move(work), Clock::now() + timeout_, after});
  MutexLock lock(mutex_);
  if (!failure_.ok()) return failure_;
  tasks_.push_back(task);
  wake_.Set();
  while (!task->result.has_value()) {
    if (WaitUnlessStopped(changed_, mutex_) != WaitEnd::kStopped) continue;
    std::erase(tasks_, task);
    return InterruptedStatus();
  }
  return task->result->WithContext(where_);
}

bool TaskQueue::empty() const {
  MutexLock lock(mutex_);
  return tasks_.empty();
}

TaskQueue::TaskPtr TaskQueue::Next(uint64_t unsent) {
  MutexLock lock(mutex_);
  if (tasks_.empty()) return nullptr;
  TaskPtr task = tasks_.front();
  if (unsent != 0 && unsent <= task->after) return nullptr;
  tasks_.pop_front();
  return task;
}

void TaskQueue::RunTasks(const std::function<uint64_t()>& unsent,
                         const std::function<bool()>& may_run,
                         const std::function<void(const Status& status)>& done) {
  while (may_run()) {
    const TaskPtr task = Next(unsent());
    if (!task) return;
    const Status status = Guarded([&] { return task->work(); });
    done(status);
    Finish(*task, status);
  }
}

void TaskQueue::Finish(Task& task, Status result) {
  MutexLock lock(mutex_);
  task.result = std::move(result);
  changed_.NotifyAll();
}

void TaskQueue::FailOverdue(Clock::time_point now) {
  MutexLock lock(mutex_);
  std::erase_if(tasks_, [now](const TaskPtr& task) {
    if (task->deadline > now) return false;
    task->result = Unavailable("the server cannot be reached");
    return true;
  });
  changed_.NotifyAll();
}

void TaskQueue::Fail(const Status& why) {
  MutexLock lock(mutex_);
  failure_ = why;
  for (const TaskPtr& task : tasks_) task->result = why;
  tasks_.clear();
  changed_.NotifyAll();
}

}  // namespace ramet::redis
