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

/* What a relocation refers to. */
typedef struct Target {
  uint64_t value; /* of its symbol */
  uint64_t stub;  /* code near the place that jumps there, or 0 */
  uint64_t slot;  /* near the place, holds `value` */
  int64_t addend;
} Target;

enum { stubBytes = 16 };

/* How code of one architecture refers to what is elsewhere. */
typedef struct Processor {
  unsigned machine; /* what e_machine is of its objects */
  /* Changes the bytes at `place`, of which `room` are left in the section. 0 if
     there is no such relocation, or the target is too far. */
  int (*relocate)(unsigned type, char *place, size_t room, Target target);
  /* Writes code that jumps to where `slot` points. */
  void (*writeStub)(char *stub, const uint64_t *slot);
} Processor;

/* Relocations.c */
extern const Processor processorX86, processorAArch64;

/* Relocations.c: that of the machine that runs this. */
const Processor *thisProcessor(void);

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
  char *stubs;     /* one per symbol, `stubBytes` each, within the memory */
  uint64_t *slots; /* one per symbol, within the memory */
} Object;

/* ObjectTables.c: an error that says what is wrong with the file; returns 0. */
int malformedObject(Errors *errors, const char *what);

/* ObjectTables.c: whether it takes room in memory. */
int isLoadedSection(const Elf64_Shdr *section);

/* ObjectTables.c: finds the sections and the symbols. Returns 1, or 0 and an
   error where LLVM would not have written the file so. */
int readTables(const File *file, const Processor *processor, Object *object,
               Errors *errors);

/* Loads code, which can be called where it is for `thisProcessor`. Symbols that
   it lacks are those of the runtime, or else of the process. `file` must stay
   open as long as the object. Returns 1, or 0 and an error. */
int loadObject(const File *file, const Processor *processor, Object *object,
               Errors *errors);

/* Where a symbol that others may use lies; NULL if there is none of this name.
   It must be code if `bytes` is NULL, and else data, of which so many bytes lie
   from there to the end of its section. */
void *findSymbol(const Object *object, const char *name, size_t *bytes);

void unloadObject(Object *object);

#endif /* SYMSHAPE_BUNDLE_OBJECT_H */
