/*===- symshape-bundle-run.c - Run what symshape-run has saved ----*- C -*-===*\
|* Part of the SymShape project, under the Apache License v2.0 with LLVM     *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Calls and printing; the work is done in lib/Bundle. Options that           *|
|* symshape-run has too mean the same.                                        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "Calls.h"
#include "Npy.h"
#include "Program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "OVERVIEW: Runs a bundle, which symshape-run --save-bundle has written.\n"
    "\n"
    "exit status: 0 ran; 1 no GPU, or code that cannot be loaded; 2 usage, a\n"
    "broken bundle, or an input or weight that cannot be read or has the "
    "wrong\n"
    "type or rank; 3 a guard or assert failed, or an extent contradicts the\n"
    "type; 70 internal error\n"
    "\n"
    "USAGE: symshape-bundle-run [options] FOLDER\n"
    "\n"
    "OPTIONS:\n"
    "  --input=<spec>        next argument that is no weight:\n"
    "                        2x3xf32=random:SEED[:LOW:HIGH], =zeros, =iota\n"
    "                        or =[VALUES], a scalar such as i64=5, or\n"
    "                        @FILE.npy; NAME=SPEC is for the input of that\n"
    "                        name\n"
    "  --calls=<file>        one call per line: inputs separated by blanks\n"
    "  --output=<file.npy>   file for the next result; {call} becomes the\n"
    "                        number of the call, from 0\n"
    "  --weights=<file.safetensors>\n"
    "                        weights instead of those of the bundle\n"
    "  --threads=<number>    threads that a call uses (default: 1), of a "
    "bundle\n"
    "                        that was saved with --threads\n"
    "  --device=<number>     number of the GPU (default: 0)\n"
    "  --repeat=<number>     runs of each call (default: 1)\n"
    "  --time                print median and minimum time of each call, in "
    "ms\n"
    "  --kernel-time         print how long the GPU computed, without copies\n"
    "                        of inputs and results\n"
    "  --poison              fill memory of the GPU with NaN before it is "
    "used\n"
    "  --counts              print how many kernels each run launches, and "
    "how\n"
    "                        often it reads the GPU's memory before its end\n"
    "  --json                print a line of JSON for each call: results "
    "with\n"
    "                        type, shape, and file or values, and seconds of\n"
    "                        each run\n"
    "  --quiet               print nothing but errors; the exit status tells\n"
    "                        the rest\n"
    "  --help                print this\n";

typedef struct TextList {
  const char **texts;
  int count;
} TextList;

typedef struct Options {
  const char *folder, *calls, *weights;
  TextList inputs, outputs;
  const char *threads, *device, *repeat; /* NULL: not given */
  int isTimed, areKernelsTimed, isCounted, isPoisoned, isHelp, isJSON, isQuiet;
} Options;

static void append(TextList *list, const char *text) {
  list->texts =
      growMemory(list->texts, (size_t)(list->count + 1) * sizeof(char *));
  list->texts[list->count++] = text;
}

/*===-- Command line ------------------------------------------------------===*/

/* What the option's value becomes; 0 if it is not known. */
static int setOption(Options *options, const char *name, const char *value) {
  const struct {
    const char *name;
    const char **place;
    TextList *list;
  } known[] = {{"input", NULL, &options->inputs},
               {"output", NULL, &options->outputs},
               {"calls", &options->calls, NULL},
               {"weights", &options->weights, NULL},
               {"threads", &options->threads, NULL},
               {"device", &options->device, NULL},
               {"repeat", &options->repeat, NULL}};
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); ++i) {
    if (strcmp(known[i].name, name) != 0)
      continue;
    if (value && known[i].list)
      append(known[i].list, value);
    else if (value)
      *known[i].place = value;
    return 1;
  }
  return 0;
}

static int setFlag(Options *options, const char *name) {
  int *place = strcmp(name, "time") == 0          ? &options->isTimed
               : strcmp(name, "kernel-time") == 0 ? &options->areKernelsTimed
               : strcmp(name, "counts") == 0      ? &options->isCounted
               : strcmp(name, "poison") == 0      ? &options->isPoisoned
               : strcmp(name, "help") == 0        ? &options->isHelp
               : strcmp(name, "json") == 0        ? &options->isJSON
               : strcmp(name, "quiet") == 0       ? &options->isQuiet
                                                  : NULL;
  if (place)
    *place = 1;
  return place != NULL;
}

static int refuseUsage(const char *what, const char *argument) {
  const char *quote = *argument ? "'" : "";
  fprintf(stderr,
          "symshape-bundle-run: %s%s%s%s.  Try: 'symshape-bundle-run "
          "--help'\n",
          what, quote, argument, quote);
  return 0;
}

/* 0, after a message, where it is no command line of this tool. */
static int parseArgument(Options *options, char **argv, int *at) {
  const char *argument = argv[*at];
  if (*argument != '-' || !argument[1]) {
    if (options->folder)
      return refuseUsage("Too many positional arguments, such as ", argument);
    options->folder = argument;
    return 1;
  }
  const char *name = argument + 1 + (argument[1] == '-');
  const char *equals = strchr(name, '=');
  if (!equals && setFlag(options, name))
    return 1;
  char *plain = equals ? makeText("%.*s", (int)(equals - name), name)
                       : makeText("%s", name);
  const char *value = equals ? equals + 1 : NULL;
  int isFlag = setFlag(options, plain);
  int isKnown = setOption(options, plain, value);
  if (isKnown && !value) {
    value = argv[*at + 1];
    *at += value != NULL;
    (void)setOption(options, plain, value);
  }
  free(plain);
  if (!isKnown)
    return refuseUsage(isFlag ? "Expected no value in "
                              : "Unknown command line argument ",
                       argument);
  return value ? 1 : refuseUsage("Expected a value of ", argument);
}

static int parseCommandLine(Options *options, int argc, char **argv) {
  for (int at = 1; at < argc; ++at)
    if (!parseArgument(options, argv, &at))
      return 0;
  if (!options->folder && !options->isHelp)
    return refuseUsage("Expected the folder of a bundle", "");
  return 1;
}

/* A number from `least` on; the default if none was given. */
static int64_t readNumber(const char *name, const char *text, int64_t least,
                          int64_t otherwise, Errors *errors) {
  if (!text)
    return otherwise;
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (!*text || *end || errno || number < least || number > INT32_MAX) {
    addError(errors, statusBadInput,
             "expected --%s to be a number from %lld to %d, but got '%s'", name,
             (long long)least, INT32_MAX, text);
    return otherwise;
  }
  return number;
}

/* Combinations of options that cannot be carried out. */
static void checkOptions(const Options *options, const Bundle *bundle,
                         const Calls *calls, Errors *errors) {
  if (options->calls && options->inputs.count)
    addError(errors, statusBadInput,
             "expected either --calls or --input, but got both");
  if (options->device && !bundle->isForGPU)
    addError(errors, statusBadInput,
             "expected a bundle for a GPU with --device");
  const char *ofGPU[] = {options->isCounted ? "counts" : NULL,
                         options->areKernelsTimed ? "kernel-time" : NULL,
                         options->isPoisoned ? "poison" : NULL};
  for (size_t i = 0; i < sizeof(ofGPU) / sizeof(*ofGPU); ++i)
    if (ofGPU[i] && !bundle->isForGPU)
      addError(errors, statusBadInput, "expected a bundle for a GPU with --%s",
               ofGPU[i]);
  if (options->threads && !bundle->isParallel)
    addError(errors, statusBadInput,
             "expected a bundle that was saved with --threads with --threads");
  for (int i = 0; i < options->outputs.count; ++i)
    if (calls->count > 1 && !strstr(options->outputs.texts[i], "{call}"))
      addError(errors, statusBadInput,
               "expected {call} in --output for several calls, but got '%s'",
               options->outputs.texts[i]);
}

/*===-- Calls -------------------------------------------------------------===*/

typedef struct Run {
  const Options *options;
  Program *program;
  int64_t repeat;
  double *seconds, *kernelSeconds; /* one per repetition */
} Run;

static int compareNumbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void printTimes(const Run *run, const char *what, double *seconds) {
  size_t n = (size_t)run->repeat;
  qsort(seconds, n, sizeof(double), compareNumbers);
  double median = (seconds[n / 2] + seconds[(n - 1) / 2]) / 2;
  printf("%s: median %.4f ms, minimum %.4f ms\n", what, 1e3 * median,
         1e3 * seconds[0]);
}

static void printText(const char *text) {
  putchar('"');
  for (; *text; ++text) {
    if ((unsigned char)*text < 0x20)
      printf("\\u%04x", (unsigned)*text);
    else
      printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
  }
  putchar('"');
}

/* A result in a line of JSON; `path` is NULL if it is in no file. */
static void printAsJSON(const Tensor *tensor, const char *path) {
  char *type = describeType(tensor->type, 0, NULL);
  printf("{\"element\":\"%s\",\"shape\":[", type);
  free(type);
  for (int i = 0; i < tensor->rank; ++i)
    printf("%s%lld", i ? "," : "", (long long)tensor->extents[i]);
  printf(path ? "],\"file\":" : "],\"values\":");
  if (path)
    printText(path);
  else
    printElementsAsJSON(stdout, tensor);
  putchar('}');
}

static void printSeconds(const Run *run, const char *what,
                         const double *seconds) {
  printf(",\"%s\":[", what);
  for (int64_t i = 0; i < run->repeat; ++i)
    printf("%s%.9g", i ? "," : "", seconds[i]);
  putchar(']');
}

static int printResults(const Run *run, const CallResult *results, int number,
                        Errors *errors) {
  int count = run->program->bundle->signature.numResults;
  int isJSON = run->options->isJSON;
  for (int i = 0; i < count; ++i) {
    const Tensor *tensor = &results[i].tensor;
    char *path = i < run->options->outputs.count
                     ? makeOutputPath(run->options->outputs.texts[i], number)
                     : NULL;
    int isWritten = !path || writeNpy(path, tensor, errors);
    if (isWritten && isJSON) {
      printf(i ? "," : "{\"results\":[");
      printAsJSON(tensor, path);
    } else if (isWritten && !path) {
      printTensor(stdout, tensor);
    }
    free(path);
    if (!isWritten)
      return 0;
  }
  if (isJSON)
    printf(count ? "]" : "{\"results\":[]");
  return 1;
}

/* What else was asked for, after the results of a call. */
static void printMeasured(Run *run, long long launches, long long reads) {
  const Options *options = run->options;
  if (options->isJSON) {
    printSeconds(run, "seconds", run->seconds);
    if (options->areKernelsTimed)
      printSeconds(run, "kernelSeconds", run->kernelSeconds);
    if (options->isCounted)
      printf(",\"launches\":%lld,\"reads\":%lld", launches, reads);
    puts("}");
    return;
  }
  if (options->isTimed)
    printTimes(run, "time", run->seconds);
  if (options->areKernelsTimed)
    printTimes(run, "kernels", run->kernelSeconds);
  if (options->isCounted)
    printf("launches: %lld, reads: %lld\n", launches, reads);
}

/* Makes a call, as often as was asked for, and prints what the last run
   gives. */
static int makeCall(Run *run, const Tensor *inputs, int number,
                    Errors *errors) {
  Program *program = run->program;
  size_t count = (size_t)program->bundle->signature.numResults;
  CallResult *results = allocate(count * sizeof(*results));
  int64_t launches = symshape_gpu_num_launches();
  int64_t reads = symshape_gpu_num_reads();
  int isFine = 1;
  for (int64_t i = 0; isFine && i < run->repeat; ++i) {
    if (i)
      releaseResults(program, results);
    isFine = callProgram(program, inputs, results, &run->seconds[i], errors);
    run->kernelSeconds[i] = symshape_gpu_kernel_seconds();
  }
  if (isFine) {
    isFine = printResults(run, results, number, errors);
    releaseResults(program, results);
  }
  free(results);
  if (isFine)
    printMeasured(
        run,
        (long long)((symshape_gpu_num_launches() - launches) / run->repeat),
        (long long)((symshape_gpu_num_reads() - reads) / run->repeat));
  return isFine;
}

/* Loads the inputs of a call, checks them, and makes it. */
static int runCall(Run *run, const CallSpec *call, int number, Errors *errors) {
  size_t count = (size_t)call->count;
  Tensor *inputs = allocate(count * sizeof(*inputs));
  const Tensor **known = allocate(count * sizeof(*known));
  int isFine = 1;
  for (int i = 0; isFine && i < call->count; ++i) {
    isFine = loadInput(&call->inputs[i], /*withData=*/1, &inputs[i], errors);
    known[i] = &inputs[i];
  }
  if (isFine) {
    size_t before = errors->count;
    checkInputs(&run->program->bundle->signature, known, call->count, errors);
    isFine = errors->count == before && makeCall(run, inputs, number, errors);
  }
  for (int i = 0; i < call->count; ++i)
    freeTensor(&inputs[i]);
  free(known);
  free(inputs);
  return isFine;
}

static void runCalls(Run *run, const Calls *calls, Errors *errors) {
  for (int number = 0; number < calls->count; ++number) {
    if (!runCall(run, &calls->list[number], number, errors)) {
      if (calls->count > 1)
        fprintf(stderr, "note: in call %d\n", number);
      return;
    }
    fflush(stdout);
  }
}

/* Gives the program its weights, and makes the calls. */
static void runProgram(const Options *options, Program *program,
                       const Calls *calls, const Weights *weights,
                       Errors *errors) {
  symshape_gpu_poison(options->isPoisoned);
  int64_t threads = readNumber("threads", options->threads, 1, 1, errors);
  int64_t repeat = readNumber("repeat", options->repeat, 1, 1, errors);
  if (errors->count > 0 || !openProgram(program, weights, threads, errors))
    return;
  Run run = {options, program, repeat,
             allocate((size_t)repeat * sizeof(double)),
             allocate((size_t)repeat * sizeof(double))};
  symshape_gpu_time_kernels(options->areKernelsTimed);
  runCalls(&run, calls, errors);
  free(run.kernelSeconds);
  free(run.seconds);
}

/* Opens what the calls need, and checks them. */
static void checkAndRun(const Options *options, Program *program,
                        const Calls *calls, Errors *errors) {
  const Bundle *bundle = program->bundle;
  Weights other = {.header = NULL};
  int isOpen =
      !options->weights || openWeights(options->weights, &other, errors);
  const Weights *weights = options->weights ? &other : &bundle->weights;
  if (isOpen)
    checkWeights(&bundle->signature, weights, errors);
  checkCalls(calls, &bundle->signature, options->outputs.texts,
             options->outputs.count, errors);
  if (errors->count == 0)
    runProgram(options, program, calls, weights, errors);
  if (isOpen)
    closeWeights(&other);
}

/* Reads the calls, and makes them on the device that they need. */
static void runBundle(const Options *options, Program *program,
                      Errors *errors) {
  const Bundle *bundle = program->bundle;
  Calls calls = {NULL, 0, NULL};
  if (options->calls)
    readCalls(&calls, options->calls, &bundle->signature, errors);
  else
    addCall(&calls, options->inputs.texts, options->inputs.count,
            &bundle->signature, errors);
  if (errors->count == 0)
    checkOptions(options, bundle, &calls, errors);
  int64_t device = readNumber("device", options->device, 0, 0, errors);
  int isOpen = errors->count == 0 && bundle->isForGPU;
  if (isOpen && symshape_gpu_open(device)) {
    addError(errors, statusCannotRun, "%s", symshape_gpu_error());
    isOpen = 0;
  }
  if (errors->count == 0)
    checkAndRun(options, program, &calls, errors);
  closeProgram(program);
  if (isOpen)
    symshape_gpu_close();
  freeCalls(&calls);
}

static void run(const Options *options, Errors *errors) {
  Bundle bundle;
  if (!openBundle(options->folder, &bundle, errors))
    return;
  Program program;
  if (loadProgram(&program, &bundle, errors))
    runBundle(options, &program, errors);
  else
    closeProgram(&program);
  closeBundle(&bundle);
}

int main(int argc, char **argv) {
  Options options = {.folder = NULL};
  exitOnCrash();
  if (!parseCommandLine(&options, argc, argv))
    return statusBadInput;
  Errors errors = {NULL, 0};
  if (options.isQuiet && !freopen("/dev/null", "w", stdout))
    addError(&errors, statusBadInput, "cannot open '/dev/null': %s",
             strerror(errno));
  if (options.isHelp)
    fputs(usage, stdout);
  else
    run(&options, &errors);
  free(options.inputs.texts);
  free(options.outputs.texts);
  if (fflush(stdout) || ferror(stdout))
    addError(&errors, statusBadInput, "cannot write to standard output: %s",
             strerror(errno));
  return reportErrors(&errors);
}
