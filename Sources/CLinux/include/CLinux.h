// Kernel interfaces that Swift's Glibc module does not export. Headers and the smallest wrappers for variadic or
// macro-only calls; no logic.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/rfkill.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <semaphore.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// open(2) is variadic, which Swift does not import.
int hearth_open(const char *path, int flags, unsigned mode);
/// ioctl(2) with an integer argument.
int hearth_ioctl_int(int fd, unsigned long request, long argument);
/// fcntl(2) with an integer argument.
int hearth_fcntl_int(int fd, int command, int argument);
/// Names the calling thread (pthread_setname_np is hidden without _GNU_SOURCE).
void hearth_name_thread(const char *name);
/// prctl(2) with PR_SET_THP_DISABLE: no huge pages for this process and its children. 0, or -1.
int hearth_refuse_huge_pages(void);
/// The other side of a UNIX socket (SO_PEERCRED; its struct is hidden without _GNU_SOURCE).
struct hearth_peer { int pid; unsigned uid; unsigned gid; };
int hearth_peer_credentials(int fd, struct hearth_peer *peer);
/// Supplementary groups of the other side (SO_PEERGROUPS), at most `limit`: their number, or -1.
int hearth_peer_groups(int fd, unsigned *groups, unsigned limit);
/// accept4(2) with SOCK_CLOEXEC and SOCK_NONBLOCK.
int hearth_accept(int fd);
/// ioctl(2) in a child process, for requests that may wait in the kernel for seconds and must not keep the loop waiting. Returns a
/// pidfd that becomes readable at its end, or -1; the exit status is 0 or the request's errno. Only `fd` stays open in the child.
int hearth_ioctl_in_child(int fd, unsigned long request, long argument);
/// write(2) of a word, the same way: some files of sysfs answer only when a driver has let go of its device.
int hearth_write_in_child(int fd, const char *text);
/// Takes the exit status of a child by its pidfd; -1 if it has not ended, or not by itself. Does not wait.
int hearth_child_status(int pidfd);
