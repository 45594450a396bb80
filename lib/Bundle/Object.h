/*===- Object.h - Machine code from an object file ----------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Loads relocatable object files (ELF, x86-64 and AArch64) as symshape-run   *|
|* writes them: position-independent code in which what is near is reached    *|
|* directly. A linker would make a library of them, but needs to be there.    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_BUNDLE_OBJECT_H
#define SYMSHAPE_BUNDLE_OBJECT_H

#include "Files.h"

#include <elf.h>

/* Loaded code and its symbols. */
typedef struct Object {
  char *memory; /* one mapping */
  size_t size;
  const Elf64_Shdr *sections; /* in the file */
  char **bases;               /* where sections lie, or NULL; owned */
  int numSections;
  const Elf64_Sym *symbols; /* in the file */
  size_t numSymbols;
  const char *names; /* of symbols, in the file; the last byte is 0 */
  size_t namesSize;
} Object;

/* Loads the code. Symbols that it lacks are those of the runtime, or else of
   the process. `file` must stay open as long as the object. Returns 1, or 0 and
   an error. */
int loadObject(const File *file, Object *object, Errors *errors);

/* Where a symbol that others may use lies, and how many bytes lie from there to
   the end of its section; NULL if there is none of this name. */
void *findSymbol(const Object *object, const char *name, size_t *bytes);

void unloadObject(Object *object);

/* Relocations.c: what a relocation refers to. */
typedef struct Target {
  uint64_t value; /* of its symbol */
  uint64_t stub;  /* code near the place that jumps there, or 0 */
  uint64_t slot;  /* near the place, holds `value` */
  int64_t addend;
} Target;

/* Relocations.c: changes the bytes at `place`, of which `room` are left in the
   section. 0 if there is no such relocation of this processor, or the target is
   too far. */
int relocate(unsigned type, char *place, size_t room, Target target);

/* Relocations.c: writes code that jumps to where `slot` points. */
enum { stubBytes = 16 };
void writeStub(char *stub, const uint64_t *slot);

/* Relocations.c: what e_machine is of this processor's objects. */
unsigned expectedMachine(void);

#endif /* SYMSHAPE_BUNDLE_OBJECT_H */
