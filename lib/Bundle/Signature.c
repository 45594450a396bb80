/*===- Signature.c - What an entry function exchanges -------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* See the header.                                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Signature.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int countElements(const Json *list) {
  int count = 0;
  for (const Json *element = list; element; element = element->next)
    ++count;
  return count;
}

static int readValue(const Json *json, ValueSignature *value) {
  const char *element = jsonTextOf(json, "element", "");
  value->name = jsonTextOf(json, "name", NULL);
  value->typeText = jsonTextOf(json, "type", NULL);
  value->weight = jsonTextOf(json, "weight", NULL);
  value->isTensor = jsonIntegerOf(json, "isTensor", 0) != 0;
  value->isSignless = jsonIntegerOf(json, "isSignless", 0) != 0;
  value->valueBits = (int)jsonIntegerOf(json, "valueBits", 0);
  value->rank =
      jsonIntegers(jsonMember(json, "shape"), -1, value->extents, maxRank);
  value->declared = jsonElementsOf(json, "declared");
  for (const Json *text = value->declared; text; text = text->next)
    if (text->kind != jsonString)
      return 0;
  return value->name && value->typeText && value->rank >= 0 &&
         (value->isTensor || value->rank == 0) && value->valueBits >= 0 &&
         value->valueBits < 64 &&
         parseElementType(element, strlen(element), &value->type);
}

/* Reads the values of a list; NULL if one is malformed. */
static ValueSignature *readValues(const Json *list, int *count) {
  *count = countElements(list);
  ValueSignature *values = allocate((size_t)*count * sizeof(*values));
  int i = 0;
  for (const Json *element = list; element; element = element->next)
    if (!readValue(element, &values[i++])) {
      free(values);
      return NULL;
    }
  return values;
}

int readSignature(Json *text, Signature *signature, Errors *errors) {
  *signature = (Signature){.text = text};
  if (!text)
    return 0; /* an error that is known */
  signature->name = jsonTextOf(text, "function", NULL);
  signature->arguments =
      readValues(jsonElementsOf(text, "arguments"), &signature->numArguments);
  signature->results =
      readValues(jsonElementsOf(text, "results"), &signature->numResults);
  const Json *names = jsonElementsOf(text, "inputNames");
  signature->inputNames =
      allocate((size_t)countElements(names) * sizeof(const char *));
  int areNames = 1;
  for (const Json *name = names; name; name = name->next) {
    areNames &= name->kind == jsonString;
    signature->inputNames[signature->numInputNames++] = name->text;
  }
  if (!signature->name || !signature->arguments || !signature->results ||
      !areNames) {
    freeSignature(signature);
    return addError(errors, statusBadInput,
                    "expected the function, its arguments and its results");
  }
  for (int i = 0; i < signature->numArguments; ++i)
    signature->numInputs += !signature->arguments[i].weight;
  return 1;
}

char *recordValue(const ValueSignature *value) {
  char *type = describeType(value->type, value->rank, value->extents);
  char *bits = value->valueBits ? makeText(" of %d bits", value->valueBits)
                                : makeText("%s", "");
  char *text = makeText("%s %s%s%s%s%s", value->isTensor ? "tensor" : "scalar",
                        type, value->isSignless ? " signless" : "", bits,
                        value->weight ? " weight " : "",
                        value->weight ? value->weight : "");
  free(bits);
  free(type);
  return text;
}

void freeSignature(Signature *signature) {
  free(signature->arguments);
  free(signature->results);
  free(signature->inputNames);
  freeJson(signature->text);
  *signature = (Signature){.text = NULL};
}

static int isInteger(ElementType type) {
  return type.kind == kindSigned || type.kind == kindUnsigned ||
         type.kind == kindIndex;
}

/* Whether elements of type `got` may be read as elements of the argument. A
   signless integer has no sign of its own; a file has no index type. */
static int isCompatible(const ValueSignature *argument, ElementType got) {
  ElementType type = argument->type;
  return isSameType(type, got) ||
         (type.width == got.width && isInteger(type) && isInteger(got) &&
          (argument->isSignless || type.kind == kindIndex ||
           got.kind == kindIndex));
}

/* The first element that the type of the argument does not have; NULL if there
   is none, or if elements are not known yet. */
static const char *findOutside(const ValueSignature *argument,
                               const Tensor *tensor) {
  if (!argument->valueBits || !tensor->data)
    return NULL;
  int64_t size = bytesOfElement(tensor->type), count = elementsOfTensor(tensor);
  int64_t bound = (int64_t)1 << (argument->valueBits - 1);
  for (int64_t i = 0; i < count; ++i) {
    int64_t value = readIntegerElement(tensor->type, tensor->data + i * size);
    if (value < -bound || value >= bound)
      return tensor->data + i * size;
  }
  return NULL;
}

static void tellOutside(const Signature *signature,
                        const ValueSignature *argument, ElementType type,
                        const char *element, Errors *errors) {
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  if (stream) {
    printElement(stream, type, element);
    fclose(stream);
  }
  addError(errors, statusBadInput,
           "@%s: expected values of %s for %s, but got %s", signature->name,
           argument->typeText, argument->name, text ? text : "another");
  free(text);
}

void checkArgument(const Signature *signature, const ValueSignature *argument,
                   const Tensor *tensor, Errors *errors) {
  if (tensor->rank != argument->rank || !isCompatible(argument, tensor->type)) {
    char *expected =
        describeType(argument->type, argument->rank, argument->extents);
    char *got = describeType(tensor->type, tensor->rank, tensor->extents);
    addError(errors, statusBadInput, "@%s: expected %s for %s, but got %s",
             signature->name, expected, argument->name, got);
    free(expected);
    free(got);
    return;
  }
  size_t before = errors->count;
  for (int i = 0; i < tensor->rank; ++i)
    if (argument->extents[i] >= 0 && argument->extents[i] != tensor->extents[i])
      addError(errors, statusGuardFailed,
               "@%s: expected extent %" PRId64 " of %s dim %d (%s), but got "
               "%" PRId64,
               signature->name, argument->extents[i], argument->name, i,
               argument->typeText, tensor->extents[i]);
  const char *bad =
      errors->count == before ? findOutside(argument, tensor) : NULL;
  if (bad)
    tellOutside(signature, argument, tensor->type, bad, errors);
}

/* `%q: [B, 64] f32` at the end of errors from `first` on. */
static void tellArgument(const ValueSignature *argument, const char *separator,
                         Errors *errors, size_t first) {
  suffixErrors(errors, first, "%s %s: ", separator, argument->name);
  const Json *declared = argument->declared;
  for (int i = 0; i < argument->rank;
       ++i, declared = declared ? declared->next : NULL)
    if (argument->extents[i] < 0)
      suffixErrors(errors, first, "%s%s", i ? ", " : "[",
                   declared ? declared->text : "?");
    else
      suffixErrors(errors, first, "%s%" PRId64, i ? ", " : "[",
                   argument->extents[i]);
  const char *end = argument->rank ? "] " : argument->isTensor ? "[] " : "";
  char *element = describeType(argument->type, 0, NULL);
  suffixErrors(errors, first, "%s%s", end, element);
  free(element);
}

void checkInputs(const Signature *signature, const Tensor *const *inputs,
                 int count, Errors *errors) {
  if (count != signature->numInputs) {
    size_t before = errors->count;
    addError(errors, statusBadInput, "@%s: expected %d input%s, but got %d",
             signature->name, signature->numInputs,
             signature->numInputs == 1 ? "" : "s", count);
    const char *separator = ":";
    for (int i = 0; i < signature->numArguments; ++i) {
      const ValueSignature *argument = &signature->arguments[i];
      if (argument->weight)
        continue;
      tellArgument(argument, separator, errors, before);
      separator = ";";
    }
    return;
  }
  Errors wrongExtents = {NULL, 0};
  int next = 0;
  for (int i = 0; i < signature->numArguments; ++i) {
    const ValueSignature *argument = &signature->arguments[i];
    const Tensor *input = argument->weight ? NULL : inputs[next++];
    if (!input)
      continue;
    Errors found = {NULL, 0};
    checkArgument(signature, argument, input, &found);
    for (size_t e = 0; e < found.count; ++e) {
      int isExtent = found.list[e].status == statusGuardFailed;
      addError(isExtent ? &wrongExtents : errors, found.list[e].status, "%s",
               found.list[e].text);
    }
    freeErrors(&found);
  }
  for (size_t e = 0; e < wrongExtents.count; ++e)
    addError(errors, wrongExtents.list[e].status, "%s",
             wrongExtents.list[e].text);
  freeErrors(&wrongExtents);
}
