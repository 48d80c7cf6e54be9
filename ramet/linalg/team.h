#pragma once

#include <cstdint>

namespace ramet::linalg {

// The thread pool of this process, shared by the loops of linalg and by oneDNN. A team is the
// calling thread and threads of the pool. Its members are numbered; a thread may run several
// members one after another. The calling thread runs the members that no other thread has started,
// so it never waits for a thread that is not scheduled.
//
// An idle thread spins for at most 50 us, and only while there are idle processors. Then it sleeps.
// The child of a fork starts its own pool.

using TeamFunction = void (*)(void* context, int member);

enum class Members {
  // Members may run one after another. Sleeping threads are not woken while the processors are
  // busy.
  kIndependent,
  // Members may wait for each other. TeamLimit(members) >= members must hold.
  kMayWait,
};

// Calls function(context, i) for each i in [0, members) and returns when all are done. Within a
// team, they all run on the calling thread and must not wait for each other. If members throw, the
// first exception is rethrown after the others have run; with kMayWait `function` must not throw.
// Allocates nothing once the pool has its threads.
void RunTeam(int members, Members kind, TeamFunction function, void* context);

// Returns the largest possible team of up to `wanted` members, starting missing threads. It is less
// than `wanted` only if the system refuses more threads.
int TeamLimit(int wanted);

// Returns the calling thread's member number and the size of its team: 0 and 1 outside of a team.
int TeamMember();
int TeamSize();
bool InTeam();

// Waits for the other members of the calling thread's team (kMayWait).
void TeamBarrier();

namespace team_internal {
// Returns how many times a thread of this process has begun to spin.
uint64_t Spins();
}  // namespace team_internal

}  // namespace ramet::linalg
