#pragma once
#include <malloc.h>
#include <sys/stat.h>
#include <sys/ioctl.h>
#include <linux/fs.h>
#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <spawn.h>
#include <stdio.h>
#include <stddef.h>
#include <stdint.h>

// Linux's own file calls, which glibc declares only for _GNU_SOURCE (a module cannot set it for its neighbours).
extern int fallocate(int descriptor, int mode, off_t offset, off_t length);
extern ssize_t copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset, size_t length, unsigned int flags);
extern int memfd_create(const char *name, unsigned int flags);
extern int sync_file_range(int descriptor, off_t offset, off_t length, unsigned int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern int renameat2(int old_folder, const char *old_name, int new_folder, const char *new_name, unsigned int flags);

// Renames without replacing anything, not even an empty folder (RENAME_NOREPLACE is 1); -1 and errno where that fails.
static inline int jamjar_rename_new(int old_folder, const char *old_name, int new_folder, const char *new_name) {
  return renameat2(old_folder, old_name, new_folder, new_name, 1);
}

// Sets disk space aside behind the file's end without making the file longer (FALLOC_FL_KEEP_SIZE is 1); -1 and errno
// where that fails.
static inline int jamjar_reserve(int descriptor, off_t offset, off_t length) {
  return fallocate(descriptor, 1, offset, length);
}

// The reading of a clock in nanoseconds. Swift code names no field of struct timespec, for the reason given below.
static inline int64_t jamjar_read_clock(clockid_t clock) {
  struct timespec time = {0};
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// Sets a timer to ring once, at `nanoseconds` of its clock (TFD_TIMER_ABSTIME); 0, or -1 and errno.
static inline int jamjar_set_timer(int descriptor, int64_t nanoseconds) {
  struct itimerspec setting = {.it_value = {nanoseconds / 1000000000, nanoseconds % 1000000000}};
  return timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &setting, NULL);
}

// Writes out what the program has printed, and says whether all of it has arrived: 0, the error of this attempt, or EIO
// where an earlier one failed. Swift 6 does not let code name stdout, which is a variable.
static inline int jamjar_flush_output(void) {
  errno = 0;
  if (fflush(stdout) != 0) return errno != 0 ? errno : EIO;
  return ferror(stdout) ? EIO : 0;
}

// What fstat(2) says, in fields of this module: which module owns the fields of struct stat depends on what else a
// program imports, and with member import visibility that decides whether it compiles.
struct jamjar_file_status {
  int64_t size;
  int64_t modified_nanoseconds;
  int64_t changed_nanoseconds;
  uint64_t inode;
  int is_regular;
};

// 0, or -1 and errno.
static inline int jamjar_examine(int descriptor, struct jamjar_file_status *result) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) return -1;
  result->size = status.st_size;
  result->modified_nanoseconds = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
  result->changed_nanoseconds = (int64_t)status.st_ctim.tv_sec * 1000000000 + status.st_ctim.tv_nsec;
  result->inode = status.st_ino;
  result->is_regular = S_ISREG(status.st_mode);
  return 0;
}

// Sets the times of access and modification of an open file, in milliseconds since 1970. 0, or -1 and errno.
static inline int jamjar_set_modified(int descriptor, int64_t milliseconds) {
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  if (time.tv_nsec < 0) time.tv_nsec = 0;
  struct timespec both[2] = {time, time};
  return futimens(descriptor, both);
}

// Bytes of a file in a folder, of a link itself; -1 and errno if that fails.
static inline int64_t jamjar_size_at(int folder, const char *_Nonnull name) {
  struct stat status;
  return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ? -1 : status.st_size;
}

// Whether a path grants anything to users other than its owner and group; 0 if it does not exist.
static inline int jamjar_is_open_to_others(const char *_Nonnull path) {
  struct stat status;
  return stat(path, &status) == 0 && (status.st_mode & 7) != 0;
}

// 1 while the file has a name, 0 once it was deleted, or -1 and errno.
static inline int jamjar_is_linked(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) != 0 ? -1 : status.st_nlink > 0;
}

// A file in memory that goes with its last descriptor (MFD_CLOEXEC is 1); -1 and errno where that fails.
static inline int jamjar_memory_file(const char *name) { return memfd_create(name, 1); }

// Begins to write a finished stretch of a file back and does not wait for it (SYNC_FILE_RANGE_WRITE is 2); -1 and errno
// where that fails.
static inline int jamjar_begin_writeback(int descriptor, off_t offset, off_t length) {
  return sync_file_range(descriptor, offset, length, 2);
}

// Makes all of `to` share the blocks of `from` (FICLONE); 0, or -1 and errno where the file system cannot.
static inline int jamjar_share_blocks(int to, int from) { return ioctl(to, FICLONE, from); }

// Copies up to `length` bytes at `offset` of both files inside the kernel; how many, or -1 and errno.
static inline ssize_t jamjar_copy_range(int from, int to, off_t offset, size_t length) {
  off_t there = offset;
  return copy_file_range(from, &offset, to, &there, length, 0);
}

// Has the kernel note for each datagram of a socket when it came, in civil time (SO_TIMESTAMPNS); 0, or -1 and errno.
static inline int jamjar_stamp_datagrams(int descriptor) {
  int on = 1;
  return setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
}

// Has the kernel keep a socket's newest stamp for jamjar_last_stamp, instead of delivering stamps with the datagrams.
static inline void jamjar_keep_stamps(int descriptor) {
  int off = 0;
  setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &off, sizeof off);
  // The first question has the kernel begin.
  struct timespec ignored;
  ioctl(descriptor, SIOCGSTAMPNS, &ignored);
}

// When the datagram came that another library has just taken off a socket after jamjar_keep_stamps, in nanoseconds of
// civil time; 0 where the kernel does not say.
static inline int64_t jamjar_last_stamp(int descriptor) {
  struct timespec time;
  if (ioctl(descriptor, SIOCGSTAMPNS, &time) != 0) return 0;
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// The kernel's stamp beside a datagram, in nanoseconds of civil time; 0 where there is none.
static inline int64_t jamjar_stamp_of(struct msghdr *_Nonnull message) {
  int64_t stamp = 0;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL; part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
    struct timespec time;
    __builtin_memcpy(&time, CMSG_DATA(part), sizeof time);
    stamp = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
  }
  return stamp;
}

// Takes a datagram off a socket without waiting: its bytes, its sender where `sender` is not NULL, and when it came, in
// nanoseconds of civil time, 0 where the kernel does not say. How many bytes, or -1 and errno.
static inline ssize_t jamjar_receive(
    int descriptor, void *_Nonnull bytes, size_t count, struct sockaddr_storage *_Nullable sender,
    socklen_t *_Nullable sender_length, int64_t *_Nonnull stamp) {
  union {
    char bytes[CMSG_SPACE(sizeof(struct timespec)) + 64];
    struct cmsghdr aligned;
  } control;
  struct iovec part = {bytes, count};
  struct msghdr message = {0};
  message.msg_name = sender;
  message.msg_namelen = sender != NULL ? sizeof *sender : 0;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  ssize_t result = recvmsg(descriptor, &message, MSG_DONTWAIT);
  *stamp = result < 0 ? 0 : jamjar_stamp_of(&message);
  if (result < 0) return result;
  if (sender_length != NULL) *sender_length = message.msg_namelen;
  return result;
}

// The sender of a socket's next datagram, without taking it off. 0, or -1 and errno.
static inline int jamjar_peek_sender(int descriptor, struct sockaddr_storage *_Nonnull sender) {
  socklen_t length = sizeof *sender;
  char first;
  return recvfrom(descriptor, &first, 1, MSG_DONTWAIT | MSG_PEEK, (struct sockaddr *)sender, &length) >= 0 ? 0 : -1;
}

// When a socket's next datagram came, without taking it off, in nanoseconds of civil time; 0 where there is none or the
// kernel does not say.
static inline int64_t jamjar_next_stamp(int descriptor) {
  union {
    char bytes[CMSG_SPACE(sizeof(struct timespec)) + 64];
    struct cmsghdr aligned;
  } control;
  struct msghdr message = {0};
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  if (recvmsg(descriptor, &message, MSG_DONTWAIT | MSG_PEEK) < 0) return 0;
  return jamjar_stamp_of(&message);
}

// 1 for a socket of datagrams, 0 for others and for what is no socket.
static inline int jamjar_is_datagram_socket(int descriptor) {
  int type = 0;
  socklen_t length = sizeof type;
  return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_DGRAM;
}

// 1 if a socket holds something to be read, else 0, also for other descriptors.
static inline int jamjar_is_readable(int descriptor) {
  char first;
  ssize_t count = recv(descriptor, &first, 1, MSG_DONTWAIT | MSG_PEEK);
  if (count != 0) return count > 0;
  // An empty datagram is something, the end of a stream is nothing.
  return jamjar_is_datagram_socket(descriptor);
}

// Whether two addresses have the same family, host and port.
static inline int jamjar_is_same_address(
    const struct sockaddr_storage *_Nonnull left, const struct sockaddr_storage *_Nonnull right) {
  if (left->ss_family != right->ss_family) return 0;
  if (left->ss_family == AF_INET) {
    const struct sockaddr_in *a = (const struct sockaddr_in *)left, *b = (const struct sockaddr_in *)right;
    return a->sin_port == b->sin_port && a->sin_addr.s_addr == b->sin_addr.s_addr;
  }
  if (left->ss_family == AF_INET6) {
    const struct sockaddr_in6 *a = (const struct sockaddr_in6 *)left, *b = (const struct sockaddr_in6 *)right;
    return a->sin6_port == b->sin6_port && __builtin_memcmp(&a->sin6_addr, &b->sin6_addr, sizeof a->sin6_addr) == 0;
  }
  return 0;
}

// The bytes of an IP address in network order: their number, 4 or 16; 0 for other families.
static inline int jamjar_address_bytes(const struct sockaddr *_Nonnull address, uint8_t *_Nonnull bytes) {
  if (address->sa_family == AF_INET) {
    __builtin_memcpy(bytes, &((const struct sockaddr_in *)address)->sin_addr, 4);
    return 4;
  }
  if (address->sa_family == AF_INET6) {
    __builtin_memcpy(bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
    return 16;
  }
  return 0;
}

// CRC32C by the processor's own instruction (SSE4.2). Other processors answer "not available" and the caller's tables
// do the work; the function is still there so that callers need no #if.
#if defined(__x86_64__)
#include <cpuid.h>

static inline int jamjar_crc32c_is_available(void) {
  unsigned int a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2) != 0;
}

__attribute__((target("sse4.2")))
static inline uint32_t jamjar_crc32c(uint32_t state, const void *_Nonnull bytes, size_t count) {
  const unsigned char *p = (const unsigned char *)bytes;
  uint64_t wide = state;
  for (; count >= 8; count -= 8, p += 8) {
    uint64_t word;
    __builtin_memcpy(&word, p, 8);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  uint32_t narrow = (uint32_t)wide;
  for (; count > 0; count--, p++) narrow = __builtin_ia32_crc32qi(narrow, *p);
  return narrow;
}
#else
static inline int jamjar_crc32c_is_available(void) { return 0; }

static inline uint32_t jamjar_crc32c(uint32_t state, const void *_Nonnull bytes, size_t count) {
  const unsigned char *p = (const unsigned char *)bytes;
  for (; count > 0; count--, p++) {
    state ^= *p;
    for (int bit = 0; bit < 8; bit++) state = state >> 1 ^ (0x82F63B78u & (0u - (state & 1u)));
  }
  return state;
}
#endif

// Lets this thread's timers fire within a nanosecond of their time instead of 50 microseconds (prctl is variadic).
static inline void clinux_tighten_timers(void) { prctl(PR_SET_TIMERSLACK, 1UL); }

// Two connected stream sockets that no other child inherits (SOCK_CLOEXEC); 0, or -1 and errno.
static inline int jamjar_socket_pair(int ends[2]) { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends); }

// Has a child keep no descriptor of its parent's from `from` on; 0 or an error number.
static inline int jamjar_close_from(posix_spawn_file_actions_t *actions, int from) {
  return posix_spawn_file_actions_addclosefrom_np(actions, from);
}

// Copies a structure that its writers, other threads or processes, keep twice, one after the other, and change back to
// front: 1 if both agree, and so the copy is whole; 0 while one is written. `words` are of eight bytes.
static inline int jamjar_copy_of_twins(const void *_Nonnull memory, uint64_t *_Nonnull copy, size_t words) {
  const uint64_t *first = (const uint64_t *)memory, *second = first + words;
  int equal = 1;
  for (size_t i = 0; i < words; i++) copy[i] = __atomic_load_n(&first[i], __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (size_t i = 0; i < words; i++) equal &= __atomic_load_n(&second[i], __ATOMIC_RELAXED) == copy[i];
  return equal;
}
