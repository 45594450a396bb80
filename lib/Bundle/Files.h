/*===- Files.h - Files, whole --------------------------------------*- C
-*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* As symshape/Process/Files.h has them. Not for: what is in them.            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_BUNDLE_FILES_H
#define SYMSHAPE_BUNDLE_FILES_H

#include "Errors.h"

#include <stdint.h>
#include <stdio.h>

/* The bytes of a file, mapped where it can be. */
typedef struct File {
  const char *data;
  size_t size;
  int isMapped;
} File;

/* Reads the plain file at `path`; `-` is standard input if `isInputAllowed`, of
   which at most 256 MiB is read. Returns 1, or 0 and an error that names the
   path. */
int readFile(const char *path, int isInputAllowed, File *file, Errors *errors);

void closeFile(File *file);

/* The XXH64 hash with seed 0 (Collet, xxHash specification 0.1.1). */
uint64_t hashBytes(const char *data, size_t size);

/* An error unless a file at `path` can be written, whatever it holds. */
void checkWritable(const char *path, Errors *errors);

/* Writes a file beside the one at `path`, which it then replaces: if it cannot
   be written, the old one stays, and nothing else is left. A device or a pipe
   is written to at once. Returns 1, or 0 and an error. */
int replaceFile(const char *path, void (*write)(FILE *, const void *),
                const void *argument, Errors *errors);

#endif /* SYMSHAPE_BUNDLE_FILES_H */
