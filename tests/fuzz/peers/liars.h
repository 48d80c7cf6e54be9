#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "ramet/base/file.h"
#include "ramet/replica/transport.h"
#include "random.h"

// Both sides of a case. A liar is one end of a transport in a separate process. Its victim is the
// other end, as users run it, in another process. A victim must end by itself with an error or a
// result, whatever the liar does.
namespace ramet::peers {

// Returns the published variables: a matrix, indices, bools.
ReplicaSignature Signature();
Announcement HonestAnnouncement();

// Exit statuses of victims.
constexpr int kFine = 0;
constexpr int kStarved = 3;  // an honest peer was not served
constexpr int kThrew = 4;    // an exception left the library

// Acts as a publisher in shared memory. `socket` is listening since before the victim started.
void LieAsShmPublisher(int socket, Random random);
// Acts as followers of a publisher in shared memory at `name`.
void LieAsShmFollowers(const std::string& name, Random random);
// Acts as a server for followers and publishers. `socket` is a listening TCP socket.
void LieAsRedisServer(int socket, const std::string& name, Random random);
// Changes a folder of checkpoints while it is followed.
void MakeFolder(const std::string& folder);
void LieAsFolder(const std::string& folder, Random random);

int FollowShm(const std::string& name, Random random);
int PublishShm(const std::string& name);
int FollowRedis(int port, const std::string& name, Random random);
int PublishRedis(int port, const std::string& name);
int FollowFolder(const std::string& folder, Random random);

}  // namespace ramet::peers
