/* A library for LD_PRELOAD that kills the process at its IDGEN_KILL_AT-th write of a state file: at the system calls that write, sync
 * and rename a file in the folder IDGEN_KILL_IN. */
#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_inside(const char *path) {
  const char *folder = getenv("IDGEN_KILL_IN");
  return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static void count(bool counts) {
  static int seen;
  const char *at = getenv("IDGEN_KILL_AT");
  if (counts && at && ++seen == atoi(at)) kill(getpid(), SIGKILL);
}

static bool is_file_inside(int file) {
  char link[64], path[PATH_MAX + 1];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, PATH_MAX);
  if (length < 0) return false;
  path[length] = 0;
  return is_inside(path);
}

/* Half of a write is done before the process ends. */
ssize_t write(int file, const void *bytes, size_t length) {
  static ssize_t (*next)(int, const void *, size_t);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "write");
  if (getenv("IDGEN_KILL_AT") && is_file_inside(file)) {
    ssize_t half = next(file, bytes, length / 2);
    count(true);
    ssize_t rest = half < 0 ? half : next(file, (const char *)bytes + half, length - (size_t)half);
    return rest < 0 ? rest : half + rest;
  }
  return next(file, bytes, length);
}

int fsync(int file) {
  static int (*next)(int);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "fsync");
  count(is_file_inside(file));
  return next(file);
}

int fdatasync(int file) {
  static int (*next)(int);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "fdatasync");
  count(is_file_inside(file));
  return next(file);
}

int rename(const char *from, const char *to) {
  static int (*next)(const char *, const char *);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "rename");
  count(is_inside(to));
  int done = next(from, to);
  count(is_inside(to));
  return done;
}
