/*===- ObjectTables.c - Sections and symbols of an object file ----*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Refuses what LLVM does not write, so that code which was moved, cut or left
*|
|* without its relocations is not run: sections fill the file one after the   *|
|* other, relocations follow the section that they are of, and symbols lie in *|
|* their sections.                                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Object.h"

#include <stdlib.h>
#include <string.h>

int malformedObject(Errors *errors, const char *what) {
  return addError(errors, statusBadInput,
                  "expected an object file that symshape-run has written, but "
                  "%s",
                  what);
}

int isLoadedSection(const Elf64_Shdr *section) {
  return (section->sh_flags & SHF_ALLOC) && section->sh_size > 0;
}

static uint64_t alignTo(uint64_t offset, uint64_t alignment) {
  return (offset + alignment - 1) & ~(alignment - 1);
}

/* Whether the file has `count` items of `bytes` bytes at `offset`, aligned to 8
   bytes. */
static int hasItems(const File *file, uint64_t offset, uint64_t count,
                    uint64_t bytes) {
  return offset % 8 == 0 && offset <= file->size &&
         count <= (file->size - offset) / bytes;
}

/* Whether a section takes room in the file. */
static int isStored(const Elf64_Shdr *section) {
  return section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL;
}

static int compareOffsets(const void *left, const void *right) {
  const Elf64_Shdr *a = *(const Elf64_Shdr *const *)left;
  const Elf64_Shdr *b = *(const Elf64_Shdr *const *)right;
  if (a->sh_offset != b->sh_offset)
    return a->sh_offset < b->sh_offset ? -1 : 1;
  return (a->sh_size > b->sh_size) - (a->sh_size < b->sh_size);
}

/* Whether headers and sections follow one another, with no more between them
   than alignment asks for. */
static int fillsFile(const File *file, const Object *object) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)file->data;
  const Elf64_Shdr **stored =
      allocate((size_t)object->numSections * sizeof(*stored));
  size_t count = 0;
  for (int i = 0; i < object->numSections; ++i)
    if (isStored(&object->sections[i]))
      stored[count++] = &object->sections[i];
  qsort(stored, count, sizeof(*stored), compareOffsets);
  uint64_t end = sizeof(*header);
  int isFilled = 1;
  for (size_t i = 0; isFilled && i < count; ++i) {
    isFilled = stored[i]->sh_offset == alignTo(end, stored[i]->sh_addralign);
    end = stored[i]->sh_offset + stored[i]->sh_size;
  }
  free(stored);
  return isFilled && header->e_shoff == alignTo(end, 8) &&
         header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr) == file->size;
}

/* Whether a section lies in the file, and is of a kind that LLVM writes. */
static const char *findFault(const File *file, const Object *object, int i) {
  const Elf64_Shdr *section = &object->sections[i];
  uint64_t alignment = section->sh_addralign;
  if (isStored(section) && (section->sh_offset > file->size ||
                            section->sh_size > file->size - section->sh_offset))
    return "a section lies outside";
  if (isStored(section) && (alignment == 0 || (alignment & (alignment - 1))))
    return "the alignment of a section is no power of two";
  switch (section->sh_type) {
  case SHT_NULL:
  case SHT_PROGBITS:
  case SHT_STRTAB:
  case SHT_SYMTAB:
  case SHT_NOTE:
  case SHT_X86_64_UNWIND:
    return NULL;
  case SHT_NOBITS:
    return section->sh_flags & SHF_WRITE ? NULL : "a section has no contents";
  case SHT_RELA:
    return section->sh_info + 1 == (unsigned)i &&
                   hasItems(file, section->sh_offset,
                            section->sh_size / sizeof(Elf64_Rela),
                            sizeof(Elf64_Rela))
               ? NULL
               : "relocations do not follow their section";
  default:
    return "a section is of an unknown kind";
  }
}

/* Finds the symbols, whose section this is. */
static int readSymbols(const File *file, Object *object,
                       const Elf64_Shdr *section, Errors *errors) {
  size_t count = section->sh_size / sizeof(Elf64_Sym);
  if (!hasItems(file, section->sh_offset, count, sizeof(Elf64_Sym)) ||
      section->sh_link >= (unsigned)object->numSections)
    return malformedObject(errors, "its symbols lie outside");
  const Elf64_Shdr *names = &object->sections[section->sh_link];
  object->symbols = (const Elf64_Sym *)(file->data + section->sh_offset);
  object->numSymbols = count;
  object->names = file->data + names->sh_offset;
  object->namesSize = names->sh_size;
  if (names->sh_type != SHT_STRTAB || names->sh_size == 0 ||
      object->names[object->namesSize - 1] != 0)
    return malformedObject(errors, "its symbols have no names");
  for (size_t i = 0; i < count; ++i) {
    const Elf64_Sym *symbol = &object->symbols[i];
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE)
      continue;
    if (symbol->st_shndx >= object->numSections ||
        symbol->st_value > object->sections[symbol->st_shndx].sh_size ||
        symbol->st_size >
            object->sections[symbol->st_shndx].sh_size - symbol->st_value)
      return malformedObject(errors, "a symbol lies outside of its section");
  }
  return 1;
}

int readTables(const File *file, const Processor *processor, Object *object,
               Errors *errors) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)file->data;
  if (file->size < sizeof(*header) ||
      memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_type != ET_REL ||
      header->e_shentsize != sizeof(Elf64_Shdr))
    return malformedObject(errors, "it is another kind of file");
  if (header->e_machine != processor->machine)
    return addError(errors, statusCannotRun,
                    "this machine cannot run the code: it is for another "
                    "architecture");
  if (!hasItems(file, header->e_shoff, header->e_shnum, sizeof(Elf64_Shdr)))
    return malformedObject(errors, "its sections lie outside");
  object->sections = (const Elf64_Shdr *)(file->data + header->e_shoff);
  object->numSections = header->e_shnum;
  for (int i = 0; i < object->numSections; ++i) {
    const char *fault = findFault(file, object, i);
    if (fault)
      return malformedObject(errors, fault);
  }
  if (!fillsFile(file, object))
    return malformedObject(errors, "its sections do not fill it");
  for (int i = 0; i < object->numSections; ++i)
    if (object->sections[i].sh_type == SHT_SYMTAB &&
        !readSymbols(file, object, &object->sections[i], errors))
      return 0;
  return object->symbols ? 1 : malformedObject(errors, "it has no symbols");
}
