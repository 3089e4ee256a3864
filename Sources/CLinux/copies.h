#pragma once
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

// A process that makes copies of itself for another one, and the datagrams between the two. Control messages are macros
// and clone is variadic, which Swift does not import.

// Two connected sockets that carry datagrams in order (SOCK_CLOEXEC); 0, or -1 and errno.
static inline int jamjar_datagram_pair(int ends[2]) { return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); }

// A copy of the calling process, which must have one thread only, as a child of the same parent (CLONE_PARENT): 0 in the
// copy, its identifier in the original, or -1 and errno.
//
// The C library's fork has no such flag. What it does besides is for programs with threads and handlers of forks; the
// thread's number that it keeps in its own memory stays that of the original, by which it only tells threads of one
// process apart.
static inline pid_t jamjar_fork_sibling(void) { return (pid_t)syscall(SYS_clone, 0x00008000 | SIGCHLD, 0, 0, 0, 0); }

// Room for one descriptor that comes with a datagram.
union jamjar_control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

// A message of one number, with that room.
static inline struct msghdr jamjar_message(struct iovec *part, union jamjar_control *control) {
  struct msghdr message = {0};
  message.msg_iov = part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof *control;
  return message;
}

// Sends a number with a descriptor, or without one if that is below 0. 0, or -1 and errno.
static inline int jamjar_send_number(int socket, int32_t number, int descriptor) {
  struct iovec part = {&number, sizeof number};
  union jamjar_control control = {0};
  struct msghdr message = jamjar_message(&part, &control);
  if (descriptor < 0) {
    message.msg_controllen = 0;
  } else {
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL) == sizeof number ? 0 : -1;
}

// Receives a number and the descriptor that came with it, -1 for none. 1, 0 at the end, or -1 and errno.
static inline int jamjar_receive_number(int socket, int32_t *number, int *descriptor) {
  struct iovec part = {number, sizeof *number};
  union jamjar_control control = {0};
  struct msghdr message = jamjar_message(&part, &control);
  *descriptor = -1;
  ssize_t count;
  do count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (count < 0 && errno == EINTR);
  if (count <= 0) return (int)count;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
    memcpy(descriptor, CMSG_DATA(header), sizeof(int));
  return count == sizeof *number ? 1 : -1;
}

// How long a socket's calls wait for the other side, in milliseconds. 0, or -1 and errno.
static inline int jamjar_limit_waiting(int socket, int64_t milliseconds) {
  struct timeval time = {milliseconds / 1000, milliseconds % 1000 * 1000};
  if (setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time) != 0) return -1;
  return setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}
