/*===- Relocations.c - Addresses in machine code ------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* See the header; after "System V Application Binary Interface, AMD64" and   *|
|* "ELF for the Arm 64-bit Architecture".                                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Object.h"

#include <string.h>

/* Stores a number in `bytes` bytes; 0 if there is no room. */
static int store(char *place, size_t room, uint64_t value, size_t bytes) {
  if (room < bytes)
    return 0;
  memcpy(place, &value, bytes);
  return 1;
}

/* The same in 4 bytes, signed. */
static int storeDistance(char *place, size_t room, uint64_t value) {
  int64_t distance = (int64_t)value;
  return distance == (int32_t)distance && store(place, room, value, 4);
}

/*===-- x86-64 ------------------------------------------------------------===*/

static void writeStubX86(char *stub, const uint64_t *slot) {
  /* jmp *distance(%rip) */
  static const char jump[] = {(char)0xff, 0x25};
  int32_t distance = (int32_t)((const char *)slot - (stub + 6));
  memcpy(stub, jump, sizeof(jump));
  memcpy(stub + sizeof(jump), &distance, sizeof(distance));
}

static int relocateX86(unsigned type, char *place, size_t room, Target target) {
  uint64_t here = (uint64_t)(uintptr_t)place;
  uint64_t addend = (uint64_t)target.addend, value = target.value + addend;
  switch (type) {
  case R_X86_64_64:
    return store(place, room, value, 8);
  case R_X86_64_PC64:
    return store(place, room, value - here, 8);
  case R_X86_64_PC32:
    return storeDistance(place, room, value - here);
  case R_X86_64_PLT32:
    if (target.stub)
      value = target.stub + addend;
    return storeDistance(place, room, value - here);
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    return storeDistance(place, room, target.slot + addend - here);
  default:
    return 0;
  }
}

const Processor processorX86 = {EM_X86_64, relocateX86, writeStubX86};

/*===-- AArch64 -----------------------------------------------------------===*/

static void writeStubAArch64(char *stub, const uint64_t *slot) {
  /* ldr x16, .+8; br x16; the address */
  static const uint32_t code[] = {0x58000050, 0xd61f0200};
  memcpy(stub, code, sizeof(code));
  memcpy(stub + sizeof(code), slot, sizeof(*slot));
}

/* Puts `bits` bits of `value`, from bit `from` on, at bit `at` of an
   instruction. */
static int patch(char *place, size_t room, uint64_t value, int from, int bits,
                 int at) {
  uint32_t code, mask = (((uint32_t)1 << bits) - 1) << at;
  if (room < sizeof(code))
    return 0;
  memcpy(&code, place, sizeof(code));
  code = (code & ~mask) | ((uint32_t)(value >> from) << at & mask);
  memcpy(place, &code, sizeof(code));
  return 1;
}

static int fits(uint64_t value, int bits) {
  int64_t bound = (int64_t)1 << (bits - 1), distance = (int64_t)value;
  return distance >= -bound && distance < bound;
}

/* An offset within a page, in units of 2^`log` bytes. */
static int patchOffset(char *place, size_t room, uint64_t value, int log) {
  return !(value & (((uint64_t)1 << log) - 1)) &&
         patch(place, room, value & 0xfff, log, 12 - log, 10);
}

/* The distance in pages, in the two fields of ADRP. */
static int patchPage(char *place, size_t room, uint64_t value, uint64_t here) {
  uint64_t distance = (value & ~(uint64_t)0xfff) - (here & ~(uint64_t)0xfff);
  return fits(distance, 33) && patch(place, room, distance, 12, 2, 29) &&
         patch(place, room, distance, 14, 19, 5);
}

static int relocateAArch64(unsigned type, char *place, size_t room,
                           Target target) {
  uint64_t here = (uint64_t)(uintptr_t)place;
  uint64_t addend = (uint64_t)target.addend, value = target.value + addend;
  switch (type) {
  case R_AARCH64_ABS64:
    return store(place, room, value, 8);
  case R_AARCH64_PREL64:
    return store(place, room, value - here, 8);
  case R_AARCH64_PREL32:
    return storeDistance(place, room, value - here);
  case R_AARCH64_CALL26:
  case R_AARCH64_JUMP26:
    if (target.stub)
      value = target.stub + addend;
    return fits(value - here, 28) && patch(place, room, value - here, 2, 26, 0);
  case R_AARCH64_CONDBR19:
    return fits(value - here, 21) && patch(place, room, value - here, 2, 19, 5);
  case R_AARCH64_TSTBR14:
    return fits(value - here, 16) && patch(place, room, value - here, 2, 14, 5);
  case R_AARCH64_ADR_PREL_PG_HI21:
    return patchPage(place, room, value, here);
  case R_AARCH64_ADR_GOT_PAGE:
    return patchPage(place, room, target.slot + addend, here);
  case R_AARCH64_LD64_GOT_LO12_NC:
    return patchOffset(place, room, target.slot + addend, 3);
  case R_AARCH64_ADD_ABS_LO12_NC:
  case R_AARCH64_LDST8_ABS_LO12_NC:
    return patch(place, room, value, 0, 12, 10);
  case R_AARCH64_LDST16_ABS_LO12_NC:
    return patchOffset(place, room, value, 1);
  case R_AARCH64_LDST32_ABS_LO12_NC:
    return patchOffset(place, room, value, 2);
  case R_AARCH64_LDST64_ABS_LO12_NC:
    return patchOffset(place, room, value, 3);
  case R_AARCH64_LDST128_ABS_LO12_NC:
    return patchOffset(place, room, value, 4);
  default:
    return 0;
  }
}

const Processor processorAArch64 = {EM_AARCH64, relocateAArch64,
                                    writeStubAArch64};

const Processor *thisProcessor(void) {
#if defined(__x86_64__)
  return &processorX86;
#elif defined(__aarch64__)
  return &processorAArch64;
#else
#error "expected x86-64 or AArch64"
#endif
}
