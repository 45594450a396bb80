/*===- Object.c - Machine code from an object file ----------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Sections of one kind lie together: code, with stubs that jump to functions *|
|* of the process; what is only read, with slots that hold addresses of       *|
|* symbols; what is written. Nothing in the file is trusted but the code.     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Object.h"
#include "symshape-c/Runtime.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { codeGroup, constantGroup, dataGroup, numGroups };

static const uint64_t maxImageBytes = (uint64_t)1 << 31;

typedef struct Loader {
  const File *file;
  Object *object;
  uint64_t groupEnds[numGroups]; /* from the beginning of the memory */
  const Processor *processor;
  Errors *errors;
} Loader;

static int groupOf(const Elf64_Shdr *section) {
  if (section->sh_flags & SHF_EXECINSTR)
    return codeGroup;
  return section->sh_flags & SHF_WRITE ? dataGroup : constantGroup;
}

/* Makes room at the end of a group; returns where it begins. */
static uint64_t reserve(uint64_t *end, uint64_t bytes, uint64_t alignment) {
  uint64_t begin = (*end + alignment - 1) / alignment * alignment;
  *end = begin + bytes;
  return begin;
}

/* Decides where everything lies, and maps memory for it. */
static int layOut(Loader *loader) {
  Object *object = loader->object;
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), end = 0;
  uint64_t *offsets = allocate((size_t)object->numSections * sizeof(uint64_t));
  uint64_t stubs = 0, slots = 0;
  for (int group = 0; group < numGroups; ++group) {
    (void)reserve(&end, 0, page);
    if (group == codeGroup)
      stubs = reserve(&end, object->numSymbols * stubBytes, 16);
    if (group == constantGroup)
      slots = reserve(&end, object->numSymbols * sizeof(uint64_t), 8);
    for (int i = 0; i < object->numSections; ++i) {
      const Elf64_Shdr *section = &object->sections[i];
      if (!isLoadedSection(section) || groupOf(section) != group)
        continue;
      uint64_t alignment = section->sh_addralign ? section->sh_addralign : 1;
      if (section->sh_flags & SHF_TLS || alignment > page ||
          section->sh_size > maxImageBytes) {
        free(offsets);
        return malformedObject(loader->errors,
                               "a section is of an unknown kind");
      }
      offsets[i] = reserve(&end, section->sh_size, alignment);
    }
    loader->groupEnds[group] = reserve(&end, 0, page);
    if (end > maxImageBytes) {
      free(offsets);
      return malformedObject(loader->errors, "it has more than 2 GiB");
    }
  }
  object->size = end;
  object->memory = mmap(NULL, end, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (object->memory == MAP_FAILED) {
    object->memory = NULL;
    free(offsets);
    return addError(loader->errors, statusBadInput,
                    "out of memory for the code");
  }
  loader->object->stubs = object->memory + stubs;
  loader->object->slots = (uint64_t *)(object->memory + slots);
  object->bases = allocate((size_t)object->numSections * sizeof(char *));
  for (int i = 0; i < object->numSections; ++i) {
    const Elf64_Shdr *section = &object->sections[i];
    if (!isLoadedSection(section))
      continue;
    object->bases[i] = object->memory + offsets[i];
    if (section->sh_type != SHT_NOBITS)
      memcpy(object->bases[i], loader->file->data + section->sh_offset,
             section->sh_size);
  }
  free(offsets);
  return 1;
}

/* A function of the runtime, or else of the process. */
static void *findOutside(const char *name) {
  int64_t count;
  const symshape_rt_function *functions = symshape_rt_functions(&count);
  for (int64_t i = 0; i < count; ++i)
    if (strcmp(functions[i].name, name) == 0)
      return (void *)functions[i].address;
  return dlsym(RTLD_DEFAULT, name);
}

/* Where a symbol that is defined in the object lies; NULL if it is not. */
static char *placeOf(const Object *object, const Elf64_Sym *symbol) {
  if (symbol->st_shndx >= object->numSections)
    return NULL;
  char *base = object->bases[symbol->st_shndx];
  return base ? base + symbol->st_value : NULL;
}

static const char *nameOf(const Object *object, const Elf64_Sym *symbol) {
  return symbol->st_name < object->namesSize ? object->names + symbol->st_name
                                             : "";
}

/* Fills in slots, and stubs of what is not in the object. */
static int resolveSymbols(Loader *loader) {
  const Object *object = loader->object;
  for (size_t i = 1; i < object->numSymbols; ++i) {
    const Elf64_Sym *symbol = &object->symbols[i];
    void *place = placeOf(object, symbol);
    if (symbol->st_shndx == SHN_UNDEF) {
      const char *name = nameOf(object, symbol);
      place = findOutside(name);
      if (!place && ELF64_ST_BIND(symbol->st_info) != STB_WEAK)
        return addError(loader->errors, statusCannotRun,
                        "the code calls '%s', which this process does not have",
                        name);
    }
    loader->object->slots[i] = (uint64_t)(uintptr_t)place;
    if (symbol->st_shndx == SHN_UNDEF)
      loader->processor->writeStub(loader->object->stubs + i * stubBytes,
                                   &loader->object->slots[i]);
  }
  return 1;
}

static int relocateSection(Loader *loader, const Elf64_Shdr *relocations) {
  const Object *object = loader->object;
  size_t count = relocations->sh_size / sizeof(Elf64_Rela);
  char *base = object->bases[relocations->sh_info];
  uint64_t size = object->sections[relocations->sh_info].sh_size;
  const Elf64_Rela *list =
      (const Elf64_Rela *)(loader->file->data + relocations->sh_offset);
  for (size_t i = 0; base && i < count; ++i) {
    uint64_t index = ELF64_R_SYM(list[i].r_info);
    if (list[i].r_offset > size || index >= object->numSymbols)
      return malformedObject(loader->errors, "a relocation lies outside");
    int isOutside = object->symbols[index].st_shndx == SHN_UNDEF;
    if (!isOutside && !loader->object->slots[index])
      return malformedObject(loader->errors, "a relocation refers to nothing");
    char *stub = loader->object->stubs + index * stubBytes;
    Target target = {
        loader->object->slots[index], isOutside ? (uint64_t)(uintptr_t)stub : 0,
        (uint64_t)(uintptr_t)&loader->object->slots[index], list[i].r_addend};
    if (!loader->processor->relocate((unsigned)ELF64_R_TYPE(list[i].r_info),
                                     base + list[i].r_offset,
                                     size - list[i].r_offset, target))
      return malformedObject(loader->errors,
                             "a relocation is of an unknown kind, or does "
                             "not reach its target");
  }
  return 1;
}

/* Lets code be executed, and nothing be written but data. */
static int protect(Loader *loader) {
  static const int rights[] = {PROT_READ | PROT_EXEC, PROT_READ,
                               PROT_READ | PROT_WRITE};
  char *memory = loader->object->memory;
  uint64_t begin = 0;
  for (int group = 0; group < numGroups; ++group) {
    uint64_t end = loader->groupEnds[group];
    if (end > begin && mprotect(memory + begin, end - begin, rights[group]))
      return addError(loader->errors, statusCannotRun,
                      "this system does not let the code be executed");
    begin = end;
  }
  __builtin___clear_cache(memory, memory + loader->groupEnds[codeGroup]);
  return 1;
}

int loadObject(const File *file, const Processor *processor, Object *object,
               Errors *errors) {
  Loader loader = {
      .file = file, .object = object, .processor = processor, .errors = errors};
  *object = (Object){.memory = NULL};
  int isFine = readTables(file, processor, object, errors) && layOut(&loader) &&
               resolveSymbols(&loader);
  for (int i = 0; isFine && i < object->numSections; ++i)
    if (object->sections[i].sh_type == SHT_RELA)
      isFine = relocateSection(&loader, &object->sections[i]);
  if (isFine && protect(&loader))
    return 1;
  unloadObject(object);
  return 0;
}

void *findSymbol(const Object *object, const char *name, size_t *bytes) {
  int isCode = bytes == NULL;
  for (size_t i = 1; i < object->numSymbols; ++i) {
    const Elf64_Sym *symbol = &object->symbols[i];
    if (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL ||
        strcmp(nameOf(object, symbol), name) != 0)
      continue;
    char *place = placeOf(object, symbol);
    if (place &&
        (groupOf(&object->sections[symbol->st_shndx]) == codeGroup) != isCode)
      return NULL;
    if (place && bytes)
      *bytes = object->sections[symbol->st_shndx].sh_size - symbol->st_value;
    return place;
  }
  return NULL;
}

void unloadObject(Object *object) {
  if (object->memory)
    munmap(object->memory, object->size);
  free(object->bases);
  *object = (Object){.memory = NULL};
}
