#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include "CLinux.h"

int hearth_open(const char *path, int flags, unsigned mode) { return open(path, flags, mode); }
int hearth_ioctl_int(int fd, unsigned long request, long argument) { return ioctl(fd, request, argument); }
int hearth_fcntl_int(int fd, int command, int argument) { return fcntl(fd, command, argument); }
int hearth_refuse_huge_pages(void) { return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }
void hearth_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int hearth_peer_credentials(int fd, struct hearth_peer *peer) {
  struct ucred credentials;
  socklen_t size = sizeof credentials;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return -1;
  peer->pid = credentials.pid;
  peer->uid = credentials.uid;
  peer->gid = credentials.gid;
  return 0;
}

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

int hearth_peer_groups(int fd, unsigned *groups, unsigned limit) {
  socklen_t size = limit * sizeof *groups;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0) return -1;
  return (int)(size / sizeof *groups);
}

int hearth_accept(int fd) { return accept4(fd, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int hearth_ioctl_in_child(int fd, unsigned long request, long argument) {
  pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    // Copies of our sockets would keep links alive that the parent closes meanwhile.
    if (fd > 0) syscall(SYS_close_range, 0, fd - 1, 0);
    syscall(SYS_close_range, fd + 1, ~0U, 0);
    _exit(ioctl(fd, request, argument) < 0 ? errno : 0);
  }
  return (int)syscall(SYS_pidfd_open, child, 0);
}

int hearth_write_in_child(int fd, const char *text) {
  pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    if (fd > 0) syscall(SYS_close_range, 0, fd - 1, 0);
    syscall(SYS_close_range, fd + 1, ~0U, 0);
    _exit(write(fd, text, strlen(text)) < 0 ? errno : 0);
  }
  return (int)syscall(SYS_pidfd_open, child, 0);
}

int hearth_child_status(int pidfd) {
  siginfo_t info = {0};
  if (waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG) < 0 || info.si_code != CLD_EXITED) return -1;
  return info.si_status;
}
