/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
   Places an object as symshape-bundle-run does, for any processor, and leaves
   in the working folder what a linker is to make the same from: a script, and
   each section as it became in memory.

     place_object OBJECT x86|aarch64 */
#include "Object.h"

#include <stdio.h>
#include <string.h>

/* The number of the only symbol that is reached through a slot; 0: none is. */
static size_t findSlot(const Object *object, const File *file) {
  for (int i = 0; i < object->numSections; ++i) {
    const Elf64_Shdr *section = &object->sections[i];
    const Elf64_Rela *list =
        (const Elf64_Rela *)(file->data + section->sh_offset);
    for (size_t r = 0;
         section->sh_type == SHT_RELA && r < section->sh_size / sizeof(*list);
         ++r) {
      unsigned type = (unsigned)ELF64_R_TYPE(list[r].r_info);
      if (type == R_AARCH64_ADR_GOT_PAGE)
        return ELF64_R_SYM(list[r].r_info);
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  Errors errors = {NULL, 0};
  File file;
  Object object;
  if (argc != 3 || !readFile(argv[1], 0, &file, &errors) ||
      !loadObject(&file,
                  strcmp(argv[2], "x86") ? &processorAArch64 : &processorX86,
                  &object, &errors))
    return reportErrors(&errors);
  FILE *script = fopen("script", "w");
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)file.data;
  const char *names = file.data + object.sections[header->e_shstrndx].sh_offset;
  fprintf(script, "SECTIONS {\n");
  size_t slot = findSlot(&object, &file);
  for (int i = 0; i < object.numSections; ++i) {
    const char *name = names + object.sections[i].sh_name;
    if (!object.bases[i] || strcmp(name, ".eh_frame") == 0)
      continue;
    if (slot && (char *)&object.slots[slot] < object.bases[i]) {
      fprintf(script, "  .got %p : { *(.got) }\n", (void *)&object.slots[slot]);
      slot = 0;
    }
    fprintf(script, "  %s %p : { *(%s) }\n", name, (void *)object.bases[i],
            name);
    char path[80];
    snprintf(path, sizeof(path), "placed%s", name);
    FILE *copy = fopen(path, "w");
    fwrite(object.bases[i], 1, object.sections[i].sh_size, copy);
    fclose(copy);
  }
  fprintf(script, "  /DISCARD/ : { *(.eh_frame) }\n}\n");
  for (size_t i = 1; i < object.numSymbols; ++i)
    if (object.symbols[i].st_shndx == SHN_UNDEF)
      fprintf(script, "\"%s\" = %p;\n",
              object.names + object.symbols[i].st_name,
              (void *)(object.stubs + i * stubBytes));
  fclose(script);
  return 0;
}
