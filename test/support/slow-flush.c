// Preloaded into a process: while the file that FLUSH_HOLD names is there, each flush of a disk takes as many milliseconds longer as it says.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void hold(void) {
  const char *path = getenv("FLUSH_HOLD");
  FILE *file = path ? fopen(path, "r") : NULL;
  long ms = 0;
  if (!file) return;
  if (fscanf(file, "%ld", &ms) == 1) {
    struct timespec wait = {ms / 1000, (ms % 1000) * 1000000};
    nanosleep(&wait, NULL);
  }
  fclose(file);
}

int fdatasync(int fd) {
  hold();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}

int fsync(int fd) {
  hold();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}
