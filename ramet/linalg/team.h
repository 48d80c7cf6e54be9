#pragma once

#include <cstdint>

namespace ramet::linalg {

// The threads of this process that share the work of one function: one pool, for the loops of
// linalg and for oneDNN. A team is the calling thread and threads of the pool. Its members are
// numbered; a thread may be several members one after another. The calling thread runs the members
// that no other thread has begun, so it waits for none that has yet to get a processor.
//
// A thread without work spins for at most 50 us, and only while there are idle processors. Then it
// sleeps. The child of a fork starts its own pool.

using TeamFunction = void (*)(void* context, int member);

enum class Members {
  // May run one after another: threads that sleep are left alone while the processors are busy.
  kIndependent,
  // May wait for each other: there must be TeamLimit(members) >= members.
  kMayWait,
};

// Calls function(context, i) for each i in [0, members); returns when all are done. Within a team,
// they all run on the calling thread and must not wait for each other. `function` must not throw.
// Allocates nothing once the pool has its threads.
void RunTeam(int members, Members kind, TeamFunction function, void* context);

// Returns the largest team of up to `wanted` members that can be had: less than `wanted` only if
// the system refuses more threads. Starts threads that are missing.
int TeamLimit(int wanted);

// Which member of a team the calling thread is, and of how many: 0 of 1 outside of a team.
int TeamMember();
int TeamSize();
bool InTeam();

// Waits for the other members of the calling thread's team (kMayWait).
void TeamBarrier();

}  // namespace ramet::linalg
