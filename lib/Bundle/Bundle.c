/*===- Bundle.c - A folder with a compiled program ----------------*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* See the header, and docs/HowTo/ShipABundle.md for the files.               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Bundle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Reads a file of the bundle, and compares it with what the manifest says. */
static int readListed(const Bundle *bundle, const char *name, File *file,
                      Errors *errors) {
  const Json *entry = jsonMember(jsonMember(bundle->manifest, "files"), name);
  int64_t bytes = jsonIntegerOf(entry, "bytes", -1);
  const char *hash = jsonTextOf(entry, "xxh64", "");
  char *path = makeText("%s/%s", bundle->folder, name);
  int isRead = bytes < 0 ? addError(errors, statusBadInput,
                                    "'%s/manifest.json': expected the size of "
                                    "'%s'",
                                    bundle->folder, name)
                         : readFile(path, /*isInputAllowed=*/0, file, errors);
  if (isRead) {
    char actual[17];
    snprintf(actual, sizeof(actual), "%016" PRIx64,
             hashBytes(file->data, file->size));
    if (file->size != (uint64_t)bytes)
      isRead = addError(errors, statusBadInput,
                        "'%s': expected %" PRId64 " bytes, but got %zu", path,
                        bytes, file->size);
    else if (strcmp(actual, hash) != 0)
      isRead =
          addError(errors, statusBadInput,
                   "'%s' is not as it was when the bundle was saved", path);
    if (!isRead)
      closeFile(file);
  }
  free(path);
  return isRead;
}

static int isListed(const Bundle *bundle, const char *name) {
  return jsonMember(jsonMember(bundle->manifest, "files"), name) != NULL;
}

static int checkManifest(const Bundle *bundle, const char *path,
                         Errors *errors) {
  const Json *manifest = bundle->manifest;
  if (strcmp(jsonTextOf(manifest, "format", ""), "symshape-bundle") != 0)
    return addError(errors, statusBadInput,
                    "'%s': expected the manifest of a bundle", path);
  int64_t version = jsonIntegerOf(manifest, "version", -1);
  if (version != bundleVersion)
    return addError(errors, statusBadInput,
                    "'%s': expected a bundle of version %d, but got version "
                    "%" PRId64,
                    path, bundleVersion, version);
  const char *target = jsonTextOf(manifest, "target", "");
  if (strcmp(target, "cpu") != 0 && strcmp(target, "nvvm") != 0)
    return addError(errors, statusBadInput,
                    "'%s': expected the target cpu or nvvm, but got '%s'", path,
                    target);
  return 1;
}

static int readManifest(Bundle *bundle, Errors *errors) {
  File file;
  char *path = makeText("%s/manifest.json", bundle->folder);
  size_t before = errors->count;
  int isFine = readFile(path, /*isInputAllowed=*/0, &file, errors);
  prefixErrors(errors, before,
               "expected a bundle, which symshape-run --save-bundle writes: ");
  if (isFine) {
    bundle->manifest = parseJson(file.data, file.size, errors);
    prefixErrors(errors, before, "'%s': ", path);
    closeFile(&file);
    isFine = bundle->manifest && checkManifest(bundle, path, errors);
  }
  free(path);
  return isFine;
}

static int readSignatureFile(Bundle *bundle, Errors *errors) {
  File file;
  if (!readListed(bundle, "signature.json", &file, errors))
    return 0;
  size_t before = errors->count;
  Json *text = parseJson(file.data, file.size, errors);
  int isRead = readSignature(text, &bundle->signature, errors);
  prefixErrors(errors, before, "'%s/signature.json': ", bundle->folder);
  closeFile(&file);
  return isRead;
}

static int readWeightFile(Bundle *bundle, Errors *errors) {
  static const char name[] = "weights.safetensors";
  File file;
  if (!isListed(bundle, name))
    return 1;
  if (!readListed(bundle, name, &file, errors))
    return 0;
  closeFile(&file);
  char *path = makeText("%s/%s", bundle->folder, name);
  int isRead = openWeights(path, &bundle->weights, errors);
  free(path);
  return isRead;
}

int openBundle(const char *folder, Bundle *bundle, Errors *errors) {
  *bundle = (Bundle){.folder = folder};
  int isFine = readManifest(bundle, errors);
  if (isFine) {
    bundle->isForGPU =
        strcmp(jsonTextOf(bundle->manifest, "target", ""), "nvvm") == 0;
    bundle->isParallel = jsonIntegerOf(bundle->manifest, "parallel", 0) != 0;
    isFine = readSignatureFile(bundle, errors) &&
             readListed(bundle, "program.o", &bundle->code, errors) &&
             readWeightFile(bundle, errors) && checkProcessor(bundle, errors);
  }
  if (!isFine)
    closeBundle(bundle);
  return isFine;
}

char *readKernels(const Bundle *bundle, int64_t capability, Errors *errors) {
  char *name = capability ? makeText("kernels.sm_%" PRId64 ".cubin", capability)
                          : makeText("kernels.ptx");
  char *arch = makeText("kernels.sm_%" PRId64 "a.cubin", capability);
  const char *chosen = isListed(bundle, arch) ? arch : name;
  File file;
  char *code = NULL;
  if ((!capability || isListed(bundle, chosen)) &&
      readListed(bundle, chosen, &file, errors)) {
    code = allocate(file.size + 1);
    memcpy(code, file.data, file.size);
    closeFile(&file);
  }
  free(arch);
  free(name);
  return code;
}

void closeBundle(Bundle *bundle) {
  freeSignature(&bundle->signature);
  if (bundle->code.data)
    closeFile(&bundle->code);
  closeWeights(&bundle->weights);
  freeJson(bundle->manifest);
  *bundle = (Bundle){.folder = NULL};
}
