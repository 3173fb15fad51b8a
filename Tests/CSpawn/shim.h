#ifndef CSPAWN_SHIM_H
#define CSPAWN_SHIM_H

// glibc declares these only for those who define _GNU_SOURCE, which Swift's Glibc module does not.
#if defined(__linux__)

#include <spawn.h>

int pipe2(int descriptors[2], int flags);
int posix_spawn_file_actions_addchdir_np(
    posix_spawn_file_actions_t *__restrict actions, const char *__restrict path);

#endif

#endif
