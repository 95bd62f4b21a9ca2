// SPDX-License-Identifier: Apache-2.0
//
// What lspd and its guardian say to each other over a SOCK_SEQPACKET pair: one
// packet, one message. Standard library only, so that the guardian stays tiny.
#ifndef LSPD_SANDBOX_GUARDIAN_WIRE_H_
#define LSPD_SANDBOX_GUARDIAN_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace banyan::lspd {

// The guardian finds its end of the pair here.
inline constexpr int kGuardianSocket = 3;

// Beyond this a packet may not fit into the socket's buffer.
inline constexpr size_t kMaxGuardianPacket = 128 << 10;

enum class GuardianVerb : uint32_t {
  kSpawn = 1,        // To the guardian, with three descriptors: 0, 1, 2.
  kKill = 2,         // To the guardian.
  kSpawned = 3,      // From the guardian.
  kSpawnFailed = 4,  // From the guardian.
  kExited = 5,       // From the guardian.
};

// What of a spawn went wrong.
enum class SpawnStage : int32_t { kFork = 0, kDirectory = 1, kExec = 2 };

struct GuardianMessage {
  GuardianVerb verb = GuardianVerb::kSpawn;
  uint64_t request = 0;  // kSpawn, kSpawned, kSpawnFailed
  int32_t pid = 0;       // kKill, kSpawned, kExited
  // kKill: the signal. kSpawnFailed: errno. kExited: as waitpid() tells it.
  int32_t value = 0;
  SpawnStage stage = SpawnStage::kFork;  // kSpawnFailed
  std::string directory;                 // kSpawn
  std::vector<std::string> argv;         // kSpawn
  std::vector<std::string> environment;  // kSpawn: "NAME=value"
};

std::string EncodeGuardianMessage(const GuardianMessage& message);
bool DecodeGuardianMessage(const std::string& packet, GuardianMessage* message);

// False with errno when the packet could not be sent. Waits for place.
bool SendGuardianMessage(int socket, const GuardianMessage& message,
                         const std::vector<int>& descriptors = {});

// The descriptors that came along are the caller's, close-on-exec. False at
// the end of the stream and for what is no message.
bool ReceiveGuardianMessage(int socket, GuardianMessage* message,
                            std::vector<int>* descriptors);

}  // namespace banyan::lspd

#endif  // LSPD_SANDBOX_GUARDIAN_WIRE_H_
