/*===- Tensor.h - Tensors of a caller -----------------------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Element types, memory and text of dense tensors, as symshape-run has them  *|
|* (symshape/Execution/ElementType.h, TensorBuffer.h).                        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SYMSHAPE_BUNDLE_TENSOR_H
#define SYMSHAPE_BUNDLE_TENSOR_H

#include "Errors.h"

#include <stdint.h>
#include <stdio.h>

typedef enum ElementKind {
  kindBool,
  kindSigned,
  kindUnsigned,
  kindFloat,
  kindBFloat,
  kindIndex,
} ElementKind;

/* One of i1, i8 to i64, ui8 to ui64, f16, bf16, f32, f64, index. An i1 takes
   one byte, 0 or 1; an index is a signed 64-bit integer. */
typedef struct ElementType {
  ElementKind kind;
  int width; /* in bits */
} ElementType;

enum { maxRank = 64, maxTypeName = 16 };

/* Reads a name such as `f32`, `i1`, `ui8`, `index`; an integer of another width
   below 64, such as `i48`, is stored as the next wider one. 1 for success. */
int parseElementType(const char *text, size_t length, ElementType *type);

/* The name, which needs `maxTypeName` bytes. */
void nameElementType(ElementType type, char *name);

static inline int64_t bytesOfElement(ElementType type) {
  return type.width <= 8 ? 1 : type.width / 8;
}
static inline int isFloatType(ElementType type) {
  return type.kind == kindFloat || type.kind == kindBFloat;
}
static inline int isSameType(ElementType a, ElementType b) {
  return a.kind == b.kind && a.width == b.width;
}

/* The value of the signed element at `data`, which need not be aligned. */
int64_t readIntegerElement(ElementType type, const char *data);
double readFloatElement(ElementType type, const char *data);

/* Stores the low bits; an i1 becomes `value != 0`. */
void writeIntegerElement(ElementType type, int64_t value, char *data);
/* Rounds to the float type, to the nearest even. */
void writeFloatElement(ElementType type, double value, char *data);

/* Writes the element as text that reads back as the same value. */
void printElement(FILE *out, ElementType type, const char *data);

/* A dense tensor in row-major order; a scalar has rank 0. */
typedef struct Tensor {
  ElementType type;
  int rank;
  int64_t extents[maxRank];
  char *data;  /* NULL: only type and extents are known */
  void *owned; /* to be freed; NULL if the memory is another's */
} Tensor;

/* The size in bytes; -1 if it exceeds 2^47 or an extent is negative. */
int64_t bytesOfTensor(const Tensor *tensor);
int64_t elementsOfTensor(const Tensor *tensor);

/* Gives the tensor memory, aligned to 64 bytes. 1 for success. */
int allocateTensor(Tensor *tensor, Errors *errors);
void freeTensor(Tensor *tensor);

/* `2x3xf32`, or `f32` for rank 0; a negative extent is `?`. To be freed. */
char *describeType(ElementType type, int rank, const int64_t *extents);

/* Prints `2x3xf32: [[0, 1, 2], [3, 4, 5]]` and a newline. */
void printTensor(FILE *out, const Tensor *tensor);

/* `[[0, 1, 2], [3, 4, "nan"]]`, as JSON. */
void printElementsAsJSON(FILE *out, const Tensor *tensor);

#endif /* SYMSHAPE_BUNDLE_TENSOR_H */
