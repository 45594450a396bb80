//===- Profile.cpp - Where the time of a call goes ------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "symshape/Execution/Profile.h"
#include "ParseJSON.h"
#include "symshape-c/Runtime.h"
#include "symshape/Execution/Program.h"
#include "symshape/Execution/ProgramInspector.h"
#include "symshape/Process/Files.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include <cstring>
#include <map>
#include <mutex>

using namespace mlir::symshape;
using llvm::StringRef;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// What the machine can do
//===----------------------------------------------------------------------===//

namespace {
struct Peak {
  double flopPerSecond = 0, bytesPerSecond = 0;
};
} // namespace

static constexpr int64_t productSize = 512, sumSize = 16 << 20;

static constexpr StringRef productText = R"(
func.func @main(%a: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>)
      -> tensor<512x512xf32>
  %product = linalg.matmul
      ins(%a, %a : tensor<512x512xf32>, tensor<512x512xf32>)
      outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %product : tensor<512x512xf32>
})";

/// Of short rows, several of which are added up at a time.
static constexpr StringRef sumText = R"(
func.func @main(%a: tensor<262144x64xf32>) -> tensor<262144xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<262144xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<262144xf32>)
      -> tensor<262144xf32>
  %sum = linalg.reduce { arith.addf } ins(%a : tensor<262144x64xf32>)
      outs(%init : tensor<262144xf32>) dimensions = [1]
  return %sum : tensor<262144xf32>
})";

/// The least time of a call, on zeros.
static llvm::Expected<double> timeProgram(StringRef text,
                                          const CompileOptions &options,
                                          llvm::ArrayRef<int64_t> shape) {
  auto source = ProgramSource::parse(
      llvm::MemoryBuffer::getMemBuffer(text, "peak"), /*isModel=*/false, "");
  if (!source)
    return source.takeError();
  auto code = compileCode(*source, options);
  if (!code)
    return code.takeError();
  auto program = Program::load(*source, std::move(*code), options);
  if (!program)
    return program.takeError();
  auto weights = (*program)->bindWeights(nullptr);
  if (!weights)
    return weights.takeError();
  auto input = TensorBuffer::allocate(
      (*program)->getSignature().arguments[0].type, shape);
  if (!input)
    return input.takeError();
  std::memset(input->getData(), 0, input->getNumBytes());
  auto results = (*program)->call(*weights, *input, /*repeat=*/8);
  if (!results)
    return results.takeError();
  return *llvm::min_element(results->seconds);
}

/// Measured once for each number of threads.
static llvm::Expected<Peak> measurePeak(const CompileOptions &like) {
  static std::mutex mutex;
  static std::map<int64_t, Peak> known;
  std::lock_guard<std::mutex> lock(mutex);
  if (auto it = known.find(like.threads); it != known.end())
    return it->second;
  CompileOptions options;
  options.threads = like.threads;
  options.target = like.target;
  auto product = timeProgram(productText, options, {productSize, productSize});
  if (!product)
    return product.takeError();
  auto sum = timeProgram(sumText, options, {sumSize / 64, 64});
  if (!sum)
    return sum.takeError();
  Peak peak;
  peak.flopPerSecond = 2.0 * productSize * productSize * productSize / *product;
  peak.bytesPerSecond = 4.0 * sumSize / *sum;
  known.emplace(like.threads, peak);
  return peak;
}

//===----------------------------------------------------------------------===//
// What a call does
//===----------------------------------------------------------------------===//

namespace {
/// Kernels of one place.
struct Node {
  StringRef op;
  llvm::SmallVector<StringRef, 2> with;
  int64_t nanoseconds = 0, kernels = 0; ///< of all calls
  std::optional<double> bytes = 0, flop = 0;
};

/// The calls of a program that was compiled with timers.
struct Timed {
  double seconds = 0; ///< of all calls
  llvm::MapVector<StringRef, Node> nodes;
  struct Event {
    size_t node;
    int64_t begin, end;
  };
  std::vector<Event> events; ///< of the last call

  void add(llvm::ArrayRef<symshape_rt_interval> intervals);
};
} // namespace

void Timed::add(llvm::ArrayRef<symshape_rt_interval> intervals) {
  events.clear();
  for (const symshape_rt_interval &interval : intervals) {
    auto [place, others] = StringRef(interval.place).split('\n');
    auto [it, isNew] = nodes.try_emplace(place);
    Node &node = it->second;
    node.nanoseconds += interval.end - interval.begin;
    ++node.kernels;
    llvm::SmallVector<StringRef> list;
    others.split(list, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef other : list)
      if (!llvm::is_contained(node.with, other))
        node.with.push_back(other);
    events.push_back(
        {size_t(it - nodes.begin()), interval.begin, interval.end});
  }
}

static llvm::Error call(const Program &program, const BoundWeights &weights,
                        llvm::ArrayRef<TensorBuffer> inputs, Timed &timed,
                        unsigned repeat) {
  // How many there are is the same for each call with these inputs.
  symshape_rt_note_intervals(nullptr, 0);
  auto results = program.call(weights, inputs);
  if (!results)
    return results.takeError();
  std::vector<symshape_rt_interval> intervals(
      symshape_rt_note_intervals(nullptr, 0));
  for (unsigned i = 0; i < repeat; ++i) {
    symshape_rt_note_intervals(intervals.data(), intervals.size());
    results = program.call(weights, inputs);
    int64_t count = symshape_rt_note_intervals(nullptr, 0);
    if (!results)
      return results.takeError();
    timed.seconds += results->seconds.front();
    timed.add(llvm::ArrayRef(intervals).take_front(
        std::min<int64_t>(count, intervals.size())));
  }
  return llvm::Error::success();
}

/// Adds what the ops of the program cost to the nodes that they are timed with:
/// their own, or else the first that has them with it.
static void addCosts(Timed &timed, const std::vector<OpCost> &costs) {
  llvm::StringMap<Node *> nodeOf;
  for (auto &[place, node] : timed.nodes)
    nodeOf[place] = &node;
  for (auto &[place, node] : timed.nodes) {
    llvm::erase_if(node.with, [&, &node = node](StringRef other) {
      return nodeOf.try_emplace(other, &node).first->second != &node;
    });
  }
  auto addTo = [](std::optional<double> &sum, std::optional<double> more) {
    sum = sum && more ? std::optional<double>(*sum + *more) : std::nullopt;
  };
  for (const OpCost &cost : costs) {
    Node *node = nodeOf.lookup(cost.place);
    if (!node)
      continue;
    if (node->op.empty())
      node->op = cost.op;
    addTo(node->bytes, cost.bytes);
    addTo(node->flop, cost.flop);
  }
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

static json::Value orNull(std::optional<double> number) {
  if (number)
    return *number;
  return nullptr;
}

/// What a user calls the node: of a model, what the place says.
static std::string nameOf(StringRef place, const Node &node) {
  std::string name = place.str();
  if (!node.op.empty() && !place.contains(": "))
    name = (node.op + " at " + place).str();
  if (!node.with.empty())
    name += ", and " + std::to_string(node.with.size()) + " more";
  return name;
}

static json::Object describeNode(StringRef place, const Node &node,
                                 unsigned calls, const Peak &peak) {
  double seconds = 1e-9 * node.nanoseconds / calls;
  // Texts of code that goes, and of a context.
  json::Array with;
  for (StringRef other : node.with)
    with.push_back(json::fixUTF8(other));
  // Of the compiler's own kernels nothing is known.
  bool isKnown = !node.op.empty();
  std::optional<double> bytes = isKnown ? node.bytes : std::nullopt;
  std::optional<double> flop = isKnown ? node.flop : std::nullopt;
  std::optional<double> share;
  if (seconds > 0 && (bytes || flop))
    share = std::max(bytes.value_or(0) / peak.bytesPerSecond,
                     flop.value_or(0) / peak.flopPerSecond) /
            seconds;
  return json::Object{{"place", json::fixUTF8(place)},
                      {"name", json::fixUTF8(nameOf(place, node))},
                      {"op", node.op.str()},
                      {"with", std::move(with)},
                      {"kernels", double(node.kernels) / calls},
                      {"seconds", seconds},
                      {"bytes", orNull(bytes)},
                      {"flop", orNull(flop)},
                      {"share", orNull(share)}};
}

static json::Object describeProfile(const Timed &timed, unsigned calls,
                                    const Peak &peak, StringRef function) {
  llvm::SmallVector<size_t> order =
      llvm::to_vector(llvm::seq<size_t>(timed.nodes.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    int64_t first = timed.nodes.begin()[a].second.nanoseconds;
    int64_t second = timed.nodes.begin()[b].second.nanoseconds;
    return first != second ? first > second : a < b;
  });
  json::Array nodes, events;
  std::vector<size_t> numberOf(order.size());
  int64_t inKernels = 0;
  for (auto [number, index] : llvm::enumerate(order)) {
    const auto &[place, node] = timed.nodes.begin()[index];
    numberOf[index] = number;
    inKernels += node.nanoseconds;
    nodes.push_back(describeNode(place, node, calls, peak));
  }
  int64_t first = timed.events.empty() ? 0 : timed.events.front().begin;
  for (const Timed::Event &event : timed.events)
    events.push_back(json::Object{{"node", int64_t(numberOf[event.node])},
                                  {"begin", 1e-9 * double(event.begin - first)},
                                  {"end", 1e-9 * double(event.end - first)}});
  return json::Object{
      {"function", function.str()},
      {"calls", calls},
      {"seconds", timed.seconds / calls},
      {"rest", (timed.seconds - 1e-9 * double(inKernels)) / calls},
      {"peak", json::Object{{"flopPerSecond", peak.flopPerSecond},
                            {"bytesPerSecond", peak.bytesPerSecond}}},
      {"nodes", std::move(nodes)},
      {"events", std::move(events)}};
}

llvm::Expected<json::Object> mlir::symshape::profileProgram(
    const ProgramSource &source, const CompileOptions &options,
    const WeightFile *weights, llvm::ArrayRef<TensorBuffer> inputs,
    unsigned repeat) {
  if (options.gpu)
    return makeInputError("expected a program for the CPU to profile, but got "
                          "one for a GPU");
  CompileOptions withTimers = options;
  withTimers.entry = source.signature.name;
  withTimers.timers = true;
  withTimers.quick = false;
  auto code = compileCode(source, withTimers);
  if (!code)
    return code.takeError();
  auto program = Program::load(source, std::move(*code), withTimers);
  if (!program)
    return program.takeError();
  auto bound =
      (*program)->bindWeights(weights ? weights : source.weights.get());
  if (!bound)
    return bound.takeError();
  Timed timed;
  if (llvm::Error error = call(**program, *bound, inputs, timed, repeat))
    return std::move(error);
  auto inspector = ProgramInspector::open(
      source, [](const ProgramDiagnostic &) {}); // it was said before
  if (!inspector)
    return inspector.takeError();
  llvm::SmallVector<TensorView> views(inputs.begin(), inputs.end());
  std::vector<OpCost> costs = (*inspector)->computeCosts(source.getDims(views));
  addCosts(timed, costs);
  auto peak = measurePeak(options);
  if (!peak)
    return peak.takeError();
  return describeProfile(timed, repeat, *peak, source.signature.name);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Whether an element of a list has the fields that who reads it needs.
static bool isWhole(const json::Value &one, size_t numNodes, bool isNode) {
  const json::Object *object = one.getAsObject();
  if (!object)
    return false;
  if (isNode)
    return object->getString("place") && object->getString("op") &&
           object->getString("name") && object->getNumber("seconds") &&
           object->get("bytes") && object->get("flop") && object->get("share");
  auto node = object->getInteger("node");
  return node && *node >= 0 && size_t(*node) < numNodes &&
         object->getNumber("begin") && object->getNumber("end");
}

llvm::Expected<json::Object> mlir::symshape::readProfile(StringRef path) {
  auto file = readPlainFileOrInput(path);
  if (!file)
    return makeInputError("cannot read '" + path +
                          "': " + llvm::toString(file.takeError()));
  auto value = parseJSON((*file)->getBuffer());
  const json::Object *profile = value ? value->getAsObject() : nullptr;
  const json::Array *nodes = profile ? profile->getArray("nodes") : nullptr;
  const json::Array *events = profile ? profile->getArray("events") : nullptr;
  const json::Object *peak = profile ? profile->getObject("peak") : nullptr;
  if (!value)
    llvm::consumeError(value.takeError());
  bool isProfile =
      nodes && events && peak && profile->getString("function") &&
      profile->getNumber("calls") && profile->getNumber("seconds") &&
      profile->getNumber("rest") && peak->getNumber("flopPerSecond") &&
      peak->getNumber("bytesPerSecond") &&
      llvm::all_of(*nodes, [&](auto &one) { return isWhole(one, 0, true); }) &&
      llvm::all_of(*events, [&](auto &one) {
        return isWhole(one, nodes->size(), false);
      });
  if (!isProfile)
    return makeInputError("expected what symshape-run --profile --json prints, "
                          "but got '" +
                          path + "'");
  return json::Object(*profile);
}

json::Object mlir::symshape::makeTrace(const json::Object &profile) {
  json::Array events;
  const json::Array &nodes = *profile.getArray("nodes");
  for (const json::Value &each : *profile.getArray("events")) {
    const json::Object &event = *each.getAsObject();
    const json::Object &node = *nodes[*event.getInteger("node")].getAsObject();
    double begin = *event.getNumber("begin"), end = *event.getNumber("end");
    json::Object arguments;
    for (StringRef key : {"bytes", "flop", "share", "with"})
      arguments[key] = *node.get(key);
    // Microseconds.
    events.push_back(json::Object{{"name", node.getString("name")->str()},
                                  {"cat", node.getString("op")->str()},
                                  {"ph", "X"},
                                  {"ts", 1e6 * begin},
                                  {"dur", 1e6 * (end - begin)},
                                  {"pid", 1},
                                  {"tid", 1},
                                  {"args", std::move(arguments)}});
  }
  return json::Object{{"traceEvents", std::move(events)},
                      {"displayTimeUnit", "ms"}};
}
