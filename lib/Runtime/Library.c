/*===- Library.c - What the code generator calls ------------------*- C -*-===*\
|*                                                                            *|
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Functions of the runtime, and those of the C library and of the compiler's *|
|* library that LLVM calls where a target has no instruction. Code that is    *|
|* loaded at run time finds them here: the process need not have them.        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#define __STDC_WANT_IEC_60559_BFP_EXT__ 1
#define __STDC_WANT_IEC_60559_FUNCS_EXT__ 1
#include "Internal.h"
#include "symshape-c/RuntimeGPU.h"

#include <math.h>
#include <string.h>

typedef __int128 Wide;
typedef unsigned __int128 UWide;

/* Of the compiler's library. */
Wide __multi3(Wide, Wide);
Wide __divti3(Wide, Wide);
Wide __modti3(Wide, Wide);
UWide __udivti3(UWide, UWide);
UWide __umodti3(UWide, UWide);
Wide __ashlti3(Wide, int);
Wide __ashrti3(Wide, int);
Wide __lshrti3(Wide, int);
int __clzti2(Wide);
int __popcountti2(Wide);
double __powidf2(double, int);
float __powisf2(float, int);
Wide __fixdfti(double);
Wide __fixsfti(float);
UWide __fixunsdfti(double);
UWide __fixunssfti(float);
double __floattidf(Wide);
float __floattisf(Wide);
double __floatuntidf(UWide);
float __floatuntisf(UWide);

double __extendhfdf2(float);
float __truncsfhf2(float);
float __truncdfhf2(double);

/* Functions on floats of 80 and 128 bits: only their addresses are taken, so
   how floats are passed does not matter here. */
#define FOR_EACH_LONG_FLOAT_FUNCTION(DO)                                       \
  DO(__addtf3)                                                                 \
  DO(__subtf3)                                                                 \
  DO(__multf3) DO(__divtf3) DO(__eqtf2) DO(__netf2) DO(__lttf2) DO(__letf2)    \
      DO(__gttf2) DO(__getf2) DO(__unordtf2) DO(__extendhftf2) DO(             \
          __extendsftf2) DO(__extenddftf2) DO(__extendxftf2) DO(__trunctfhf2)  \
          DO(__trunctfsf2) DO(__trunctfdf2) DO(__trunctfxf2) DO(__fixtfsi)     \
              DO(__fixtfdi) DO(__fixtfti) DO(__fixunstfsi) DO(__fixunstfdi)    \
                  DO(__fixunstfti) DO(__floatsitf) DO(__floatditf)             \
                      DO(__floattitf) DO(__floatunsitf) DO(__floatunditf)      \
                          DO(__floatuntitf) DO(__powitf2) DO(__extendhfxf2)    \
                              DO(__truncxfhf2) DO(__fixxfti) DO(__fixunsxfti)  \
                                  DO(__floattixf) DO(__floatuntixf)            \
                                      DO(__powixf2)
#define DECLARE(function) void function(void);
FOR_EACH_LONG_FLOAT_FUNCTION(DECLARE)

static float fromBits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static uint32_t toBits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/* Older libraries lack what follows. */
static float extendBFloat(float value) { return fromBits(toBits(value) << 16); }

static float roundToBFloat(float value) {
  uint32_t bits = toBits(value);
  if (isnan(value))
    return fromBits(bits >> 16 | 0x40);
  return fromBits((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* By way of the float that is next to `value` towards zero, with the last bit
   set if they differ: if more than two bits are dropped later, the last of them
   tells on which side of a tie the value is. */
static float roundDoubleToBFloat(double value) {
  float near = (float)value;
  if (isnan(value) || (double)near == value)
    return roundToBFloat(near);
  if (fabs((double)near) > fabs(value))
    near = nextafterf(near, 0);
  return roundToBFloat(fromBits(toBits(near) | 1));
}

/* Likewise, by way of a double. */
#define ROUND_TO_BFLOAT(name, type)                                            \
  static float name(type value) {                                              \
    double near = (double)value;                                               \
    if (isnan(near) || (type)near == value)                                    \
      return roundDoubleToBFloat(near);                                        \
    if ((near < 0 ? -(type)near : (type)near) > (value < 0 ? -value : value))  \
      near = nextafter(near, 0);                                               \
    uint64_t bits;                                                             \
    memcpy(&bits, &near, sizeof(bits));                                        \
    bits |= 1;                                                                 \
    memcpy(&near, &bits, sizeof(bits));                                        \
    return roundDoubleToBFloat(near);                                          \
  }
ROUND_TO_BFLOAT(roundLongToBFloat, long double)
ROUND_TO_BFLOAT(roundQuadToBFloat, __float128)

/* Drops the last of 64 bits that do not fit in a double, but keeps whether any
   was set. */
static uint64_t shorten(uint64_t value) {
  return value >> 53 ? (value & ~UINT64_C(0xfff)) | ((value & 0xfff) != 0) << 12
                     : value;
}
static float floatUnsignedBFloat(uint64_t value) {
  return roundDoubleToBFloat((double)shorten(value));
}
static float floatBFloat(int64_t value) {
  if (value >= 0)
    return floatUnsignedBFloat((uint64_t)value);
  return roundDoubleToBFloat(-(double)shorten(-(uint64_t)value));
}

/* 16-bit floats are integers of at most 17 bits, or infinite. */
static Wide fixHalf(float half) { return (Wide)__extendhfsf2(half); }
static UWide fixUnsignedHalf(float half) { return (UWide)__extendhfsf2(half); }
/* What rounds to infinity as a half does so by way of a float, too. Below 2^24
   a float is exact. */
static float floatWideHalf(Wide value) {
  return __truncsfhf2(__floattisf(value));
}
static float floatUnsignedWideHalf(UWide value) {
  return __truncsfhf2(__floatuntisf(value));
}
static float floatHalf(int64_t value) { return __truncsfhf2((float)value); }
static float floatUnsignedHalf(uint64_t value) {
  return __truncsfhf2((float)value);
}

/* What math.rsqrt calls if it is lowered to a function. */
static double rsqrt(double value) { return 1 / sqrt(value); }
static float rsqrtf(float value) { return 1 / sqrtf(value); }

/* For code that is linked, and not loaded: these names, unless another library
   has them. */
#define NAMED(result, name, parameter, function)                               \
  result name(parameter) __attribute__((weak, alias(#function)));
NAMED(float, __extendbfsf2, float, extendBFloat)
NAMED(float, __truncsfbf2, float, roundToBFloat)
NAMED(float, __truncdfbf2, double, roundDoubleToBFloat)
NAMED(float, __floatdibf, int64_t, floatBFloat)
NAMED(float, __floatundibf, uint64_t, floatUnsignedBFloat)

typedef void (*Address)(void);
#define ONE(name, function) {name, (Address)(function)}
#define SAME(function) ONE(#function, function)
/* For double and for float. */
#define BOTH(function) SAME(function), SAME(function##f)

static const symshape_rt_function functions[] = {
    SAME(symshape_rt_fail),
    SAME(symshape_rt_tell),
    SAME(symshape_rt_parallel),
    SAME(symshape_rt_enter),
    SAME(symshape_rt_leave),
    ONE("memrefCopy", symshape_rt_copy),
    SAME(_mlir_memref_to_llvm_alloc),
    SAME(_mlir_memref_to_llvm_aligned_alloc),
    SAME(_mlir_memref_to_llvm_free),
    SAME(symshape_gpu_alloc),
    SAME(symshape_gpu_constant),
    SAME(symshape_gpu_drop),
    SAME(symshape_gpu_fetch),
    SAME(symshape_gpu_finish),
    SAME(symshape_gpu_launch),
    SAME(symshape_gpu_launch_shared),
    SAME(symshape_gpu_read),
    SAME(symshape_gpu_send),
    SAME(symshape_gpu_status),
    SAME(symshape_gpu_write),
    SAME(printI64),
    SAME(printU64),
    SAME(printF16),
    SAME(printBF16),
    SAME(printF32),
    SAME(printF64),
    SAME(printString),
    SAME(printOpen),
    SAME(printClose),
    SAME(printComma),
    SAME(printNewline),
    SAME(memcpy),
    SAME(memmove),
    SAME(memset),
    SAME(memcmp),
    ONE("bcmp", memcmp),
    BOTH(acos),
    BOTH(acosh),
    BOTH(asin),
    BOTH(asinh),
    BOTH(atan),
    BOTH(atan2),
    BOTH(atanh),
    BOTH(cbrt),
    BOTH(ceil),
    BOTH(copysign),
    BOTH(cos),
    BOTH(cosh),
    BOTH(erf),
    BOTH(erfc),
    BOTH(exp),
    BOTH(exp10),
    BOTH(exp2),
    BOTH(expm1),
    BOTH(fabs),
    BOTH(fdim),
    BOTH(floor),
    BOTH(fma),
    BOTH(fmax),
    BOTH(fmin),
    BOTH(fmod),
    BOTH(frexp),
    BOTH(hypot),
    BOTH(ldexp),
    BOTH(lgamma),
    BOTH(llrint),
    BOTH(llround),
    BOTH(log),
    BOTH(log10),
    BOTH(log1p),
    BOTH(log2),
    BOTH(lrint),
    BOTH(lround),
    BOTH(modf),
    BOTH(nearbyint),
    BOTH(pow),
    BOTH(remainder),
    BOTH(remquo),
    BOTH(rint),
    BOTH(round),
    BOTH(roundeven),
    BOTH(rsqrt),
    BOTH(scalbln),
    BOTH(scalbn),
    BOTH(sin),
    BOTH(sincos),
    BOTH(sinh),
    BOTH(sqrt),
    BOTH(tan),
    BOTH(tanh),
    BOTH(tgamma),
    BOTH(trunc),
    SAME(__multi3),
    SAME(__divti3),
    SAME(__modti3),
    SAME(__udivti3),
    SAME(__umodti3),
    SAME(__ashlti3),
    SAME(__ashrti3),
    SAME(__lshrti3),
    SAME(__clzti2),
    SAME(__popcountti2),
    SAME(__powidf2),
    SAME(__powisf2),
    SAME(__fixdfti),
    SAME(__fixsfti),
    SAME(__fixunsdfti),
    SAME(__fixunssfti),
    SAME(__floattidf),
    SAME(__floattisf),
    SAME(__floatuntidf),
    SAME(__floatuntisf),
    ONE("__fixhfti", fixHalf),
    ONE("__fixunshfti", fixUnsignedHalf),
    ONE("__floattihf", floatWideHalf),
    ONE("__floatuntihf", floatUnsignedWideHalf),
    SAME(__extendhfsf2),
    SAME(__extendhfdf2),
    SAME(__truncsfhf2),
    SAME(__truncdfhf2),
    ONE("__floatdihf", floatHalf),
    ONE("__floatundihf", floatUnsignedHalf),
    ONE("__floatdibf", floatBFloat),
    ONE("__floatundibf", floatUnsignedBFloat),
    ONE("__extendbfsf2", extendBFloat),
    ONE("__truncsfbf2", roundToBFloat),
    ONE("__truncdfbf2", roundDoubleToBFloat),
    ONE("__truncxfbf2", roundLongToBFloat),
    ONE("__trunctfbf2", roundQuadToBFloat),
#define ENTRY(function) SAME(function),
    FOR_EACH_LONG_FLOAT_FUNCTION(ENTRY)};

const symshape_rt_function *symshape_rt_functions(int64_t *count) {
  *count = sizeof(functions) / sizeof(*functions);
  return functions;
}
