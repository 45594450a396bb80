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

/* Reads what cannot be mapped, such as a pipe; 0 and `errno` if it fails. */
static int readStream(int descriptor, File *file) {
  size_t room = 1 << 16, size = 0;
  char *data = allocate(room);
  for (;;) {
    ssize_t got = read(descriptor, data + size, room - size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      free(data);
      return 0;
    }
    if (got == 0)
      break;
    size += (size_t)got;
    if (size == room) {
      room *= 2;
      data = growMemory(data, room);
    }
  }
  *file = (File){data, size, 0};
  return 1;
}

static int readDescriptor(int descriptor, File *file) {
  struct stat status;
  if (fstat(descriptor, &status))
    return 0;
  if (!S_ISREG(status.st_mode) || status.st_size == 0)
    return readStream(descriptor, file);
  size_t size = (size_t)status.st_size;
  void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (data == MAP_FAILED)
    return 0;
  *file = (File){data, size, 1};
  return 1;
}

int readFile(const char *path, int isInputAllowed, File *file, Errors *errors) {
  int isInput = isInputAllowed && strcmp(path, "-") == 0;
  int descriptor = isInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  int isRead = descriptor >= 0 && readDescriptor(descriptor, file);
  int problem = errno;
  if (descriptor >= 0 && !isInput)
    close(descriptor);
  if (!isRead)
    return addError(errors, statusBadInput, "cannot read '%s': %s", path,
                    strerror(problem));
  return 1;
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

void checkWritable(const char *path, Errors *errors) {
  struct stat status;
  int problem = 0;
  if (stat(path, &status) == 0) {
    if (S_ISDIR(status.st_mode))
      problem = EISDIR;
    else if (access(path, W_OK))
      problem = errno;
  } else {
    const char *slash = strrchr(path, '/');
    char *folder = slash == path ? makeText("/")
                   : slash       ? makeText("%.*s", (int)(slash - path), path)
                                 : makeText(".");
    if (access(folder, W_OK))
      problem = errno;
    else if (stat(folder, &status) || !S_ISDIR(status.st_mode))
      problem = ENOTDIR;
    free(folder);
  }
  if (problem)
    addError(errors, statusBadInput, "cannot write '%s': %s", path,
             strerror(problem));
}
