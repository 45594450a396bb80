/*===- Files.c - Files to read ------------------------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* See the header.                                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t maxInputBytes = (size_t)256 << 20;

/* Reads standard input, which has no size that is known before; what went
   wrong, or NULL. */
static const char *readInput(File *file) {
  size_t room = 1 << 16, size = 0;
  char *data = allocate(room);
  *file = (File){data, 0, 0};
  for (;;) {
    ssize_t got = read(STDIN_FILENO, data + size, room - size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return strerror(errno);
    if (got == 0)
      break;
    size += (size_t)got;
    if (size > maxInputBytes)
      return "expected at most 256 MiB";
    if (size == room) {
      room += room / 2;
      data = growMemory(data, room);
    }
    *file = (File){data, size, 0};
  }
  *file = (File){data, size, 0};
  return NULL;
}

/* The same of a plain file: anything else may have no end. */
static const char *readPlainFile(const char *path, File *file) {
  struct stat status;
  const char *problem = NULL;
  /* A pipe would be waited for without O_NONBLOCK. */
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0)
    return strerror(errno);
  if (fstat(descriptor, &status))
    problem = strerror(errno);
  else if (S_ISDIR(status.st_mode))
    problem = strerror(EISDIR);
  else if (!S_ISREG(status.st_mode))
    problem = "expected a plain file";
  size_t size = problem ? 0 : (size_t)status.st_size;
  if (size > 0) {
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED)
      problem = strerror(errno);
    else
      *file = (File){data, size, 1};
  } else if (!problem) {
    *file = (File){allocate(1), 0, 0};
  }
  close(descriptor);
  return problem;
}

int readFile(const char *path, int isInputAllowed, File *file, Errors *errors) {
  int isInput = isInputAllowed && strcmp(path, "-") == 0;
  *file = (File){NULL, 0, 0};
  const char *problem = isInput ? readInput(file) : readPlainFile(path, file);
  if (!problem)
    return 1;
  addError(errors, statusBadInput, "cannot read '%s': %s", path, problem);
  closeFile(file);
  return 0;
}

void closeFile(File *file) {
  if (file->isMapped)
    munmap((void *)file->data, file->size);
  else
    free((void *)file->data);
  *file = (File){NULL, 0, 0};
}

static const uint64_t prime1 = 0x9e3779b185ebca87u,
                      prime2 = 0xc2b2ae3d27d4eb4fu,
                      prime3 = 0x165667b19e3779f9u,
                      prime4 = 0x85ebca77c2b2ae63u,
                      prime5 = 0x27d4eb2f165667c5u;

static uint64_t rotate(uint64_t value, int bits) {
  return value << bits | value >> (64 - bits);
}

static uint64_t readWord(const char *data) {
  uint64_t word;
  memcpy(&word, data, sizeof(word));
  return word;
}

static uint64_t mixWord(uint64_t lane, uint64_t word) {
  return rotate(lane + word * prime2, 31) * prime1;
}

uint64_t hashBytes(const char *data, size_t size) {
  const char *end = data + size;
  uint64_t hash = prime5;
  if (size >= 32) {
    uint64_t lanes[4] = {prime1 + prime2, prime2, 0, 0 - prime1};
    for (; end - data >= 32; data += 32)
      for (int i = 0; i < 4; ++i)
        lanes[i] = mixWord(lanes[i], readWord(data + 8 * i));
    hash = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) +
           rotate(lanes[3], 18);
    for (int i = 0; i < 4; ++i)
      hash = (hash ^ mixWord(0, lanes[i])) * prime1 + prime4;
  }
  hash += size;
  for (; end - data >= 8; data += 8)
    hash = rotate(hash ^ mixWord(0, readWord(data)), 27) * prime1 + prime4;
  if (end - data >= 4) {
    uint32_t half;
    memcpy(&half, data, sizeof(half));
    hash = rotate(hash ^ half * prime1, 23) * prime2 + prime3;
    data += 4;
  }
  for (; data < end; ++data)
    hash = rotate(hash ^ (unsigned char)*data * prime5, 11) * prime1;
  hash = (hash ^ hash >> 33) * prime2;
  hash = (hash ^ hash >> 29) * prime3;
  return hash ^ hash >> 32;
}

/* Why a file cannot be written at `path`, or 0. `*isPlain` says whether it is
   to be replaced as a whole. */
static int findProblem(const char *path, int *isPlain) {
  struct stat status;
  int exists = stat(path, &status) == 0;
  *isPlain = !exists || S_ISREG(status.st_mode);
  if (exists && S_ISDIR(status.st_mode))
    return EISDIR;
  if (exists && access(path, W_OK))
    return errno;
  if (!*isPlain)
    return 0;
  const char *slash = strrchr(path, '/');
  char *folder = slash == path ? makeText("/")
                 : slash       ? makeText("%.*s", (int)(slash - path), path)
                               : makeText(".");
  int problem = 0;
  if (access(folder, W_OK))
    problem = errno;
  else if (stat(folder, &status) || !S_ISDIR(status.st_mode))
    problem = ENOTDIR;
  free(folder);
  return problem;
}

static int cannotWrite(const char *path, int problem, Errors *errors) {
  return addError(errors, statusBadInput, "cannot write '%s': %s", path,
                  strerror(problem));
}

void checkWritable(const char *path, Errors *errors) {
  int isPlain, problem = findProblem(path, &isPlain);
  if (problem)
    cannotWrite(path, problem, errors);
}

/* Opens an empty file beside `target`, with the permissions of what is there.
 */
static int openBeside(const char *target, char **temporary) {
  *temporary = makeText("%s.temp-stream-XXXXXX", target);
  int descriptor = mkstemp(*temporary);
  struct stat status;
  mode_t mask = umask(0);
  umask(mask);
  if (descriptor >= 0)
    (void)fchmod(descriptor,
                 stat(target, &status) ? 0666 & ~mask : status.st_mode & 0777);
  return descriptor;
}

int replaceFile(const char *path, void (*write)(FILE *, const void *),
                const void *argument, Errors *errors) {
  int isPlain, problem = findProblem(path, &isPlain);
  if (problem)
    return cannotWrite(path, problem, errors);
  char *target = realpath(path, NULL), *temporary = NULL;
  if (!target)
    target = makeText("%s", path);
  int descriptor = isPlain ? openBeside(target, &temporary)
                           : open(target, O_WRONLY | O_CLOEXEC);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
  errno = file ? 0 : errno;
  if (file) {
    write(file, argument);
    problem = ferror(file) ? (errno ? errno : EIO) : 0;
    if (fclose(file) && !problem)
      problem = errno;
    if (isPlain && !problem && rename(temporary, target))
      problem = errno;
    if (isPlain && problem)
      (void)unlink(temporary);
  } else {
    problem = errno;
  }
  free(temporary);
  free(target);
  return problem ? cannotWrite(path, problem, errors) : 1;
}
