//===- symshape-ptx-run.cpp - Runs PTX kernels without a GPU --------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments from text or files to a simulated device, one launch, results back.
//
//===----------------------------------------------------------------------===//

#include "../NumberOption.h"
#include "../OtherOptions.h"
#include "../QuietOption.h"
#include "../WordOption.h"
#include "symshape/Execution/InputSpec.h"
#include "symshape/Execution/Npy.h"
#include "symshape/PTXSimulator/Simulator.h"
#include "symshape/Process/Files.h"
#include "symshape/Process/Tool.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace llvm;
using namespace mlir::symshape;

static cl::OptionCategory category("symshape-ptx-run options");
static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::cat(category),
                                  cl::desc("FILE.ptx (- for standard input)"));
static cl::opt<std::string>
    kernelName("kernel", cl::cat(category), cl::value_desc("name"),
               cl::desc("the kernel; may be left out if there is one"));
static cl::opt<std::string> grid("grid", cl::cat(category),
                                 cl::value_desc("X,Y,Z"), cl::init("1"),
                                 cl::desc("blocks (default: 1)"));
static cl::opt<std::string> block("block", cl::cat(category),
                                  cl::value_desc("X,Y,Z"), cl::init("1"),
                                  cl::desc("threads of a block (default: 1)"));
static NumberOption<uint64_t>
    sharedBytes("shared", cl::cat(category), cl::value_desc("bytes"),
                cl::desc("dynamic shared memory (default: 0)"));
static cl::list<std::string>
    args("arg", cl::cat(category), cl::value_desc("spec"),
         cl::desc("an argument: 2x3xf32=random:1, 4xi32=iota, @file.npy (a "
                  "pointer to such "
                  "elements), or a scalar such as i64=5, f32=0.5"));
static cl::list<std::string> outputs(
    "output", cl::cat(category), cl::value_desc("N=FILE.npy"),
    cl::desc("writes argument N, from 0, after the launch; without, arguments "
             "that have changed are printed"));
static WordOption<ptx::Order> order(
    "order", cl::cat(category), cl::init(ptx::Order::Forward),
    cl::desc("of blocks, of warps, and of lanes in atomics"),
    cl::values(clEnumValN(ptx::Order::Forward, "forward", "from the first"),
               clEnumValN(ptx::Order::Backward, "backward", "from the last"),
               clEnumValN(ptx::Order::Both, "both",
                          "twice; the results must agree")));
static cl::opt<bool> checkRaces("check-races", cl::cat(category),
                                cl::init(true),
                                cl::desc("look for races (default: true)"));
static cl::opt<bool> checkUninitialized(
    "check-uninitialized", cl::cat(category), cl::init(true),
    cl::desc("look for reads of shared memory that nothing was written to "
             "(default: true)"));
static NumberOption<uint64_t>
    maxInstructions("max-instructions", cl::cat(category),
                    cl::init(uint64_t(1) << 40), cl::value_desc("number"),
                    cl::desc("of all threads (default: 2^40)"));
static cl::opt<bool>
    list("list", cl::cat(category),
         cl::desc("print the kernels of the file, and run none"));
static cl::opt<bool> printCounts("counts", cl::cat(category),
                                 cl::desc("print how many instructions ran"));
static cl::opt<bool>
    isJson("json", cl::cat(category),
           cl::desc("print one JSON object: arguments that have changed or are "
                    "written, and how many instructions ran; with --list, the "
                    "kernels"));
static QuietOption quiet(category);

static const char overview[] =
    "Runs a kernel in PTX on a simulated device with sm_80, and checks every "
    "access.\n\n"
    "exit status: 0 ran; 1 the PTX is not understood; 2 usage, or a file that "
    "cannot be read or "
    "written; 3 the kernel did something that is not allowed; 70 internal "
    "error\n";

static int complain(const Twine &message, int status) {
  errs() << "error: " << message << '\n';
  return status;
}

/// One argument on the device: a scalar in the parameters, or a tensor in
/// memory.
struct Argument {
  TensorBuffer value;
  bool isScalar = false;
  uint64_t address = 0;
};

/// `X,Y,Z`, of which the last ones may be left out.
static bool parseExtents(StringRef text, uint32_t (&extents)[3]) {
  SmallVector<StringRef, 3> parts;
  text.split(parts, ',');
  if (parts.size() > 3)
    return false;
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i].getAsInteger(10, extents[i]))
      return false;
  return true;
}

static json::Object describeKernel(const ptx::KernelInfo &info) {
  json::Array parameters;
  for (const ptx::KernelInfo::Parameter &parameter : info.parameters)
    parameters.push_back(json::Object{{"name", parameter.name},
                                      {"bytes", parameter.bytes},
                                      {"place", parameter.place}});
  return json::Object{{"name", info.name},
                      {"sharedBytes", info.staticSharedBytes},
                      {"localBytes", info.localBytes},
                      {"maxThreads", info.maxThreads},
                      {"parameters", std::move(parameters)}};
}

static void printKernel(const ptx::KernelInfo &info) {
  outs() << info.name << ": " << info.staticSharedBytes
         << " bytes of shared memory, " << info.localBytes
         << " of local memory, at most " << info.maxThreads << " threads\n";
  for (const ptx::KernelInfo::Parameter &parameter : info.parameters)
    outs() << "  " << parameter.name << ": " << parameter.bytes << " bytes at "
           << parameter.place << '\n';
}

static Expected<std::vector<Argument>>
loadArguments(ptx::Simulator &simulator) {
  std::vector<Argument> arguments;
  for (const std::string &text : args) {
    Expected<InputSpec> spec = InputSpec::parse(text);
    if (!spec)
      return spec.takeError();
    Expected<TensorBuffer> value = spec->load();
    if (!value)
      return value.takeError();
    Argument argument;
    argument.value = *value;
    argument.isScalar = value->getShape().empty() && spec->getPath().empty();
    if (!argument.isScalar) {
      argument.address = simulator.allocate(uint64_t(value->getNumBytes()));
      if (!argument.address)
        return createStringError("no memory on the device for '" + text + "'");
      simulator.write(argument.address, value->getData(),
                      uint64_t(value->getNumBytes()));
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

/// The bytes that the kernel gets; an error if an argument does not fit its
/// parameter.
static Expected<std::vector<uint8_t>>
packParameters(const ptx::KernelInfo &info, ArrayRef<Argument> arguments) {
  if (arguments.size() != info.parameters.size())
    return createStringError("expected " + Twine(info.parameters.size()) +
                             " arguments for kernel '" + info.name +
                             "', but got " + Twine(arguments.size()));
  std::vector<uint8_t> bytes(info.parameterBytes);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument &argument = arguments[i];
    uint64_t size = argument.isScalar ? uint64_t(argument.value.getNumBytes())
                                      : sizeof(uint64_t);
    if (size != info.parameters[i].bytes)
      return createStringError("expected " + Twine(info.parameters[i].bytes) +
                               " bytes for argument " + Twine(i) + ", '" +
                               info.parameters[i].name + "', but got " +
                               Twine(size));
    const void *from = argument.isScalar
                           ? static_cast<const void *>(argument.value.getData())
                           : &argument.address;
    std::memcpy(bytes.data() + info.parameters[i].place, from, size);
  }
  return bytes;
}

static void printArgument(size_t number, const TensorBuffer &value) {
  outs() << "argument " << number << ": ";
  printTensor(outs(), value);
  outs() << '\n';
}

static void addArgument(json::OStream &object, size_t number,
                        const TensorBuffer &value, ArrayRef<StringRef> files) {
  object.object([&] {
    object.attribute("number", static_cast<int64_t>(number));
    object.attribute("element", value.getElementType().getName());
    object.attribute("shape", json::Array(value.getShape()));
    if (!files.empty()) {
      object.attribute("file", files.back());
      return;
    }
    object.attributeBegin("values");
    object.rawValue([&](raw_ostream &os) { printElementsAsJSON(os, value); });
    object.attributeEnd();
  });
}

/// Writes the arguments that --output names, or gives those that have changed
/// to `tell`, with the files that they are in.
static Error giveResults(
    ptx::Simulator &simulator, ArrayRef<Argument> arguments,
    function_ref<void(size_t, const TensorBuffer &, ArrayRef<StringRef>)>
        tell) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const TensorBuffer &before = arguments[i].value;
    if (arguments[i].isScalar)
      continue;
    Expected<TensorBuffer> after =
        TensorBuffer::allocate(before.getElementType(), before.getShape());
    if (!after)
      return after.takeError();
    simulator.read(after->getData(), arguments[i].address,
                   uint64_t(after->getNumBytes()));
    SmallVector<StringRef> files;
    for (StringRef output : outputs) {
      auto [number, path] = output.split('=');
      if (number != std::to_string(i))
        continue;
      if (Error error = writeNpy(path, *after))
        return error;
      files.push_back(path);
    }
    if (outputs.empty() ? !after->isIdentical(before) : !files.empty())
      tell(i, *after, files);
  }
  return Error::success();
}

/// What ran, and what came of it.
static Error printResults(ptx::Simulator &simulator,
                          ArrayRef<Argument> arguments) {
  const auto &counts = simulator.counts;
  if (!isJson) {
    Error error = giveResults(simulator, arguments,
                              [](size_t number, const TensorBuffer &value,
                                 ArrayRef<StringRef> files) {
                                if (files.empty())
                                  printArgument(number, value);
                              });
    if (!error && printCounts)
      outs() << counts.blocks << " blocks, " << counts.instructions
             << " instructions of warps, " << counts.threadInstructions
             << " of threads\n";
    return error;
  }
  json::OStream object(outs());
  Error error = Error::success();
  object.object([&] {
    object.attributeArray("arguments", [&] {
      error =
          joinErrors(std::move(error),
                     giveResults(simulator, arguments,
                                 [&](size_t number, const TensorBuffer &value,
                                     ArrayRef<StringRef> files) {
                                   addArgument(object, number, value, files);
                                 }));
    });
    object.attribute("blocks", counts.blocks);
    object.attribute("instructions", counts.instructions);
    object.attribute("threadInstructions", counts.threadInstructions);
  });
  outs() << '\n';
  return error;
}

static Error checkOutputs(ArrayRef<Argument> arguments) {
  for (StringRef output : outputs) {
    auto [number, path] = output.split('=');
    size_t index = 0;
    if (number.getAsInteger(10, index) || path.empty() ||
        index >= arguments.size() || arguments[index].isScalar)
      return createStringError(
          "expected N=FILE.npy with the number of an array, but got '" +
          output + "'");
    if (Error error = checkWritable(path))
      return error;
  }
  return Error::success();
}

static int run(ptx::Simulator &simulator, const ptx::Kernel *kernel) {
  ptx::KernelInfo info = ptx::Simulator::describe(kernel);
  ptx::LaunchShape shape;
  shape.sharedBytes = sharedBytes;
  for (auto [option, extents] :
       {std::pair(&grid, &shape.grid), std::pair(&block, &shape.block)})
    if (!parseExtents(*option, *extents))
      return complain("expected --" + option->ArgStr +
                          " to be up to three numbers with commas, but got '" +
                          *option + "'",
                      2);
  Expected<std::vector<Argument>> arguments = loadArguments(simulator);
  if (!arguments)
    return complain(toString(arguments.takeError()), 2);
  Expected<std::vector<uint8_t>> parameters = packParameters(info, *arguments);
  if (!parameters)
    return complain(toString(parameters.takeError()), 2);
  if (Error error = checkOutputs(*arguments))
    return complain(toString(std::move(error)), 2);
  ptx::Fault fault = simulator.launch(kernel, shape, *parameters);
  if (fault.kind != ptx::Fault::None)
    return complain(input +
                        (fault.line ? ":" + std::to_string(fault.line) : "") +
                        ": " + fault.message,
                    3);
  if (Error error = printResults(simulator, *arguments))
    return complain(toString(std::move(error)), 2);
  return 0;
}

static int runTool(int argc, char **argv) {
  hideOtherOptions(category);
  if (!parseOptions(argc, argv, overview))
    return 2;
  if (quiet)
    Tool::silence();
  Expected<std::unique_ptr<MemoryBuffer>> file =
      mlir::symshape::readPlainFileOrInput(input);
  if (!file)
    return complain(
        "cannot read '" + input + "': " + toString(file.takeError()), 2);
  ptx::SimulatorOptions options;
  options.order = order;
  options.checkRaces = checkRaces;
  options.checkUninitialized = checkUninitialized;
  options.maxInstructions = maxInstructions;
  ptx::Simulator simulator(options);
  std::string error;
  ptx::LoadedModule *module = simulator.load((*file)->getBuffer(), error);
  if (!module)
    return complain(input + ":" + error, 1);
  std::vector<std::string> names = simulator.kernels(module);
  if (list && isJson) {
    json::Array kernels;
    for (const std::string &name : names)
      kernels.push_back(describeKernel(
          ptx::Simulator::describe(simulator.kernel(module, name))));
    outs() << json::Value(json::Object{{"kernels", std::move(kernels)}})
           << '\n';
    return 0;
  }
  if (list) {
    for (const std::string &name : names)
      printKernel(ptx::Simulator::describe(simulator.kernel(module, name)));
    return 0;
  }
  if (kernelName.empty() && names.size() == 1)
    kernelName = names[0];
  const ptx::Kernel *kernel = simulator.kernel(module, kernelName);
  if (!kernel)
    return complain("expected --kernel to be one of " + join(names, ", ") +
                        ", but got " +
                        (kernelName.empty() ? "none" : "'" + kernelName + "'"),
                    2);
  return run(simulator, kernel);
}

int main(int argc, char **argv) {
  mlir::symshape::Tool tool(argc, argv);
  return tool.finish(runTool(argc, argv));
}
