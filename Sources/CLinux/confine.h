#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// What a worker process gives up before it reads anything from outside. prctl, syscall and filters of seccomp are
// variadic or macros, which Swift does not import.

// Limits by the kernel's own call: sys/resource.h would give this module fields that Swift looks for in Glibc. The
// numbers are the same on every processor that we know.
enum { jamjar_limit_time = 0, jamjar_limit_data = 2, jamjar_limit_core = 4, jamjar_limit_files = 7 };

// Lowers a limit of the calling process; a lower one of the administrator's stays. 0, or -1 and errno.
static inline int jamjar_lower_limit(int resource, uint64_t most, int lowers_hard_limit) {
  struct {
    uint64_t soft, hard;
  } limit;
  if (syscall(SYS_prlimit64, 0, resource, NULL, &limit) != 0) return -1;
  limit.soft = most < limit.hard ? most : limit.hard;
  if (lowers_hard_limit) limit.hard = limit.soft;
  return (int)syscall(SYS_prlimit64, 0, resource, &limit, NULL);
}

// The calling thread, and those that it starts, gain no privileges by execve; seccomp and Landlock want that first.
// 0, or -1 and errno.
static inline int jamjar_renounce_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

// Limits of the calling process: bytes of private writable memory, open descriptors, no core dump. 0, or -1 and errno.
static inline int jamjar_limit_process(uint64_t memory, uint64_t descriptors) {
  if (jamjar_lower_limit(jamjar_limit_core, 0, 1) != 0) return -1;
  if (jamjar_lower_limit(jamjar_limit_data, memory, 1) != 0) return -1;
  return jamjar_lower_limit(jamjar_limit_files, descriptors, 1);
}

// Ends the calling process (SIGXCPU) once it has used `seconds` of processor time from now on. 0, or -1 and errno.
static inline int jamjar_limit_processor_time(uint64_t seconds) {
  struct timespec used;
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return -1;
  return jamjar_lower_limit(jamjar_limit_time, (uint64_t)used.tv_sec + seconds, 0);
}

// Ends the process if the other end of its socket is closed. The kernel sends SIGIO for that, and for other news of it.
static int jamjar_watched_socket = -1;
static void jamjar_socket_has_news(int signal) {
  (void)signal;
  int code = errno;
  // Tells of an end that is closed without being asked.
  struct pollfd end = {jamjar_watched_socket, 0, 0};
  if (poll(&end, 1, 0) == 1 && (end.revents & (POLLHUP | POLLERR)) != 0) _exit(0);
  errno = code;
}

// Has the calling process end at once when the other end of its `socket` is closed. 0, or -1 and errno.
static inline int jamjar_end_with_socket(int socket) {
  struct sigaction action = {0};
  action.sa_handler = jamjar_socket_has_news;
  action.sa_flags = SA_RESTART;
  jamjar_watched_socket = socket;
  if (sigaction(SIGIO, &action, NULL) != 0 || fcntl(socket, F_SETOWN, getpid()) != 0) return -1;
  int flags = fcntl(socket, F_GETFL);
  if (flags < 0 || fcntl(socket, F_SETFL, flags | O_ASYNC) != 0) return -1;
  // What was closed before nobody is told.
  jamjar_socket_has_news(SIGIO);
  return 0;
}

// Processor time used by another process, in nanoseconds; -1 if it does not exist.
static inline int64_t jamjar_processor_time(pid_t process) {
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// MARK: Landlock (Documentation/userspace-api/landlock.rst); its header may be older than the kernel.

enum jamjar_reach { jamjar_reach_list, jamjar_reach_read, jamjar_reach_write, jamjar_reach_run };

enum {
  jamjar_fs_execute = 1 << 0, jamjar_fs_write_file = 1 << 1, jamjar_fs_read_file = 1 << 2, jamjar_fs_read_folder = 1 << 3,
  jamjar_fs_remove_folder = 1 << 4, jamjar_fs_remove_file = 1 << 5, jamjar_fs_make_folder = 1 << 7,
  jamjar_fs_make_file = 1 << 8, jamjar_fs_refer = 1 << 13, jamjar_fs_truncate = 1 << 14,
};

// The rights over files that this kernel can restrict; 0 without Landlock.
static inline uint64_t jamjar_landlock_rights(long abi) {
  if (abi < 1) return 0;
  // Version 1 has 13 rights, version 2 moves between folders, version 3 truncation, version 5 ioctl on devices.
  int count = abi >= 5 ? 16 : abi >= 3 ? 15 : abi >= 2 ? 14 : 13;
  return (1ull << count) - 1;
}

// The version of Landlock; less than 1 if the kernel does not offer it.
static inline long jamjar_landlock_version(void) { return syscall(444, NULL, 0, 1); }

// A new set of rules that permits nothing, or no more than connections: a descriptor, or -1 and errno.
static inline int jamjar_landlock_begin(int may_connect) {
  long abi = jamjar_landlock_version();
  if (abi < 1) return -1;
  struct {
    uint64_t files, network, scope;
  } all = {jamjar_landlock_rights(abi), may_connect ? 0 : 3, 3};
  // TCP since version 4; signals and abstract sockets of others since version 6.
  size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  return (int)syscall(444, &all, size, 0);
}

// Permits a folder with everything in it, or a file, in a set of rules. 0, or -1 and errno.
static inline int jamjar_landlock_permit(int rules, int place, enum jamjar_reach reach) {
  uint64_t rights = jamjar_fs_read_folder;
  if (reach != jamjar_reach_list) rights |= jamjar_fs_read_file;
  if (reach == jamjar_reach_write)
    rights |= jamjar_fs_write_file | jamjar_fs_remove_folder | jamjar_fs_remove_file | jamjar_fs_make_folder
        | jamjar_fs_make_file | jamjar_fs_refer | jamjar_fs_truncate;
  if (reach == jamjar_reach_run) rights |= jamjar_fs_execute;
  struct stat status;
  if (fstat(place, &status) != 0) return -1;
  if (!S_ISDIR(status.st_mode)) rights &= jamjar_fs_execute | jamjar_fs_write_file | jamjar_fs_read_file | jamjar_fs_truncate;
  struct {
    uint64_t rights;
    int32_t place;
  } __attribute__((packed)) rule = {rights & jamjar_landlock_rights(jamjar_landlock_version()), place};
  return (int)syscall(445, rules, 1, &rule, 0);
}

// The same for a path, if it exists.
static inline void jamjar_landlock_permit_path(int rules, const char *path, enum jamjar_reach reach) {
  int place = open(path, 010000000 /* O_PATH, for _GNU_SOURCE only */ | O_CLOEXEC);
  if (place < 0) return;
  jamjar_landlock_permit(rules, place, reach);
  close(place);
}

// Restricts the calling thread, and those that it starts, to the rules. 0, or -1 and errno.
static inline int jamjar_landlock_end(int rules) { return (int)syscall(446, rules, 0); }

// MARK: seccomp

#if defined(__x86_64__)
#define JAMJAR_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define JAMJAR_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

enum jamjar_extent { jamjar_this_thread, jamjar_every_thread };
// What is left besides: nothing; to become another program; that, and sockets.
enum jamjar_rest { jamjar_rest_nothing, jamjar_rest_program, jamjar_rest_connections };

// Leaves the calling thread and those that it starts, or every thread of the process, the system calls that work on open
// or permitted files needs, and no other: no new sockets and connections, programs and processes, no change of owners,
// modes, times and attributes by name (which Landlock does not restrict). What is refused fails with EPERM; calls that
// are younger than the list fail with ENOSYS, so that a younger C library falls back to older ones. 0, or -1 and errno;
// ENOSYS on other processors.
static inline int jamjar_limit_system_calls(enum jamjar_extent extent, enum jamjar_rest rest) {
#ifdef JAMJAR_AUDIT_ARCH
  // The first number that is the same on every processor. Calls from there on are younger than some headers.
  enum { younger = 424 };
  static const int permitted[] = {
    // Open files and the socket to the service.
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv, SYS_pwritev, SYS_preadv2,
    SYS_pwritev2, SYS_lseek, SYS_close, SYS_fstat, SYS_fstatfs, SYS_fsync, SYS_fdatasync, SYS_sync_file_range,
    SYS_ftruncate, SYS_fallocate, SYS_fadvise64, SYS_flock, SYS_fcntl, SYS_dup, SYS_dup3, SYS_ioctl, SYS_pipe2,
    SYS_copy_file_range, SYS_sendfile, SYS_memfd_create, SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl,
    SYS_epoll_pwait, SYS_eventfd2, SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg, SYS_shutdown, SYS_getsockopt,
    SYS_setsockopt, SYS_getsockname, SYS_getpeername,
    // Memory, threads, time, signals to itself.
    SYS_futex, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_brk, SYS_mincore, SYS_msync,
    SYS_set_robust_list, SYS_get_robust_list, SYS_set_tid_address, SYS_sched_yield, SYS_sched_getaffinity,
    SYS_sched_getparam, SYS_sched_getscheduler, SYS_sched_get_priority_max, SYS_sched_get_priority_min,
    SYS_membarrier, SYS_getcpu, SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep,
    SYS_gettimeofday, SYS_times, SYS_getrusage, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn,
    SYS_rt_sigpending, SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_sigaltstack, SYS_restart_syscall, SYS_exit,
    SYS_exit_group,
    // Names, as far as Landlock leaves them.
    SYS_openat, SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_mkdirat,
    SYS_unlinkat, SYS_renameat, SYS_renameat2, SYS_statfs, SYS_umask,
    // Who and where it is.
    SYS_getpid, SYS_getppid, SYS_gettid, SYS_getpgid, SYS_getsid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
    SYS_getresuid, SYS_getresgid, SYS_getgroups, SYS_getpriority, SYS_getrlimit, SYS_setrlimit, SYS_capget, SYS_uname,
    SYS_sysinfo, SYS_getrandom,
    // rseq, close_range, openat2, faccessat2.
#ifdef SYS_rseq
    SYS_rseq,
#endif
    436, 437, 439,
    // Of x86-64 only.
#ifdef SYS_open
    SYS_open, SYS_creat, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_getdents, SYS_mkdir, SYS_rmdir, SYS_unlink,
    SYS_rename, SYS_dup2, SYS_pipe, SYS_poll, SYS_select, SYS_epoll_create, SYS_epoll_wait, SYS_eventfd,
    SYS_arch_prctl, SYS_time, SYS_getpgrp,
#endif
  };
  // The first for a program, all of them for connections.
  static const int more[] = {
    SYS_execve, SYS_socket, SYS_connect, SYS_bind, SYS_sendmmsg, SYS_recvmmsg,
  };
  const int all = sizeof more / sizeof more[0];
  const int rests = rest == jamjar_rest_nothing ? 0 : rest == jamjar_rest_program ? 1 : all;
  // Calls whose argument must be 0 or another value: about the caller's own process; names of threads and of memory.
  const struct {
    int call, argument;
    uint32_t other;
  } only[] = {
    {SYS_tgkill, 0, (uint32_t)getpid()}, {SYS_prlimit64, 0, (uint32_t)getpid()},
    {SYS_setpriority, 1, (uint32_t)getpid()}, {SYS_sched_setaffinity, 0, (uint32_t)getpid()},
    {SYS_sched_setparam, 0, (uint32_t)getpid()}, {SYS_sched_setscheduler, 0, (uint32_t)getpid()},
    {SYS_prctl, 0, 15 /* PR_SET_NAME */}, {SYS_prctl, 0, 16 /* PR_GET_NAME */},
    {SYS_prctl, 0, 0x53564d41 /* PR_SET_VMA */},
  };
  enum { permissions = sizeof permitted / sizeof permitted[0], conditions = sizeof only / sizeof only[0] };
  struct sock_filter program[44 + 2 * permissions + 6 * conditions];
  const struct sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  const struct sock_filter missing = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
  const struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  unsigned short n = 0;
#define JAMJAR_LOAD(offset) (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define JAMJAR_JUMP(test, value, yes, no) (struct sock_filter) BPF_JUMP(BPF_JMP | test | BPF_K, value, yes, no)
// The lower half of an argument on these processors, which are little-endian.
#define JAMJAR_ARGUMENT(index) (offsetof(struct seccomp_data, args) + 8 * (index))
  program[n++] = JAMJAR_LOAD(offsetof(struct seccomp_data, arch));
  program[n++] = JAMJAR_JUMP(BPF_JEQ, JAMJAR_AUDIT_ARCH, 1, 0);
  program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  program[n++] = JAMJAR_LOAD(offsetof(struct seccomp_data, nr));
  // x32 has other numbers; clone3 hides its flags behind a pointer, and the C library goes on with clone.
  program[n++] = JAMJAR_JUMP(BPF_JGE, 0x40000000, 0, 1);
  program[n++] = missing;
  program[n++] = JAMJAR_JUMP(BPF_JEQ, 435, 0, 1);
  program[n++] = missing;
  // Threads, but no processes.
  program[n++] = JAMJAR_JUMP(BPF_JEQ, SYS_clone, 0, 4);
  program[n++] = JAMJAR_LOAD(JAMJAR_ARGUMENT(0));
  program[n++] = JAMJAR_JUMP(BPF_JSET, 0x00010000 /* CLONE_THREAD */, 1, 0);
  program[n++] = refuse;
  program[n++] = allow;
  // The times of open files only: they have no path, a pointer of two halves.
  program[n++] = JAMJAR_JUMP(BPF_JEQ, SYS_utimensat, 0, 6);
  program[n++] = JAMJAR_LOAD(JAMJAR_ARGUMENT(1));
  program[n++] = JAMJAR_JUMP(BPF_JEQ, 0, 0, 3);
  program[n++] = JAMJAR_LOAD(JAMJAR_ARGUMENT(1) + 4);
  program[n++] = JAMJAR_JUMP(BPF_JEQ, 0, 0, 1);
  program[n++] = allow;
  program[n++] = refuse;
  for (int i = 0; i < permissions; i++) {
    program[n++] = JAMJAR_JUMP(BPF_JEQ, (uint32_t)permitted[i], 0, 1);
    program[n++] = allow;
  }
  for (int i = 0; i < rests; i++) {
    program[n++] = JAMJAR_JUMP(BPF_JEQ, (uint32_t)more[i], 0, 1);
    program[n++] = allow;
  }
  for (int i = 0; i < conditions; i++) {
    program[n++] = JAMJAR_JUMP(BPF_JEQ, (uint32_t)only[i].call, 0, 5);
    program[n++] = JAMJAR_LOAD(JAMJAR_ARGUMENT(only[i].argument));
    program[n++] = JAMJAR_JUMP(BPF_JEQ, 0, 1, 0);
    program[n++] = JAMJAR_JUMP(BPF_JEQ, only[i].other, 0, 1);
    program[n++] = allow;
    program[n++] = JAMJAR_LOAD(offsetof(struct seccomp_data, nr));
  }
  program[n++] = JAMJAR_JUMP(BPF_JGE, younger, 0, 1);
  program[n++] = missing;
  program[n++] = refuse;
#undef JAMJAR_LOAD
#undef JAMJAR_JUMP
#undef JAMJAR_ARGUMENT
  struct sock_fprog filter = {n, program};
  unsigned long flags = extent == jamjar_every_thread ? SECCOMP_FILTER_FLAG_TSYNC : 0;
  long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
  if (result > 0) errno = EBUSY;
  return result == 0 ? 0 : -1;
#else
  errno = ENOSYS;
  return -1;
#endif
}
