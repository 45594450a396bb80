//===- Pickle.cpp - Tensors that torch.save wrote -------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pickle is a program for a machine with a stack (Python's `pickletools` has
// its opcodes). Values are numbers of places in one list, so that those that
// hold themselves are no harm.
//
//===----------------------------------------------------------------------===//

#include "Pickle.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::symshape::pytorch;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

namespace {
using Id = unsigned;

struct Thing {
  enum Kind { Other, Integer, Text, List, Dictionary, Global, Storage, Tensor };
  Kind kind = Other;
  int64_t number = 0;
  StringRef text;        ///< of a global: its module, a new line, its name
  std::vector<Id> items; ///< of a dictionary: keys and values in turn
};

class Machine {
public:
  explicit Machine(StringRef code) : rest(code) {}

  /// What the program leaves; nullopt if it is none, or one of unknown parts.
  std::optional<Id> run();
  const Thing &operator[](Id id) const { return values[id]; }

private:
  bool step(uint8_t opcode);
  void reduce();
  void makeStorage();

  uint64_t takeNumber(unsigned bytes);
  StringRef takeBytes(uint64_t count);
  StringRef takeLine();
  void push(Thing value);
  void pushText(Thing::Kind kind, StringRef text) { push({kind, 0, text, {}}); }
  void pushTuple(size_t count);
  Id pop();
  std::vector<Id> popToMark();

  StringRef rest;
  std::vector<Thing> values;
  std::vector<Id> stack;
  std::vector<size_t> marks;
  llvm::DenseMap<uint64_t, Id> memo;
  bool isBroken = false;
};
} // namespace

uint64_t Machine::takeNumber(unsigned bytes) {
  uint64_t number = 0;
  StringRef taken = takeBytes(bytes);
  for (size_t i = 0; i < taken.size(); ++i)
    number |= uint64_t(uint8_t(taken[i])) << (8 * i);
  return number;
}

StringRef Machine::takeBytes(uint64_t count) {
  isBroken |= count > rest.size();
  StringRef taken = rest.take_front(count);
  rest = rest.drop_front(taken.size());
  return taken;
}

StringRef Machine::takeLine() {
  auto [line, after] = rest.split('\n');
  rest = after;
  return line;
}

void Machine::push(Thing value) {
  values.push_back(std::move(value));
  stack.push_back(values.size() - 1);
}

Id Machine::pop() {
  if (stack.empty()) {
    isBroken = true;
    push({});
  }
  Id id = stack.back();
  stack.pop_back();
  return id;
}

void Machine::pushTuple(size_t count) {
  Thing tuple{Thing::List, 0, "", std::vector<Id>(count)};
  for (size_t i = count; i-- > 0;)
    tuple.items[i] = pop();
  push(std::move(tuple));
}

std::vector<Id> Machine::popToMark() {
  size_t mark = marks.empty() ? stack.size() + 1 : marks.back();
  if (mark > stack.size()) {
    isBroken = true;
    return {};
  }
  marks.pop_back();
  std::vector<Id> items(stack.begin() + mark, stack.end());
  stack.resize(mark);
  return items;
}

/// Of a tuple: the word "storage", the type, the name of the file, the device,
/// the number of elements.
void Machine::makeStorage() {
  Thing storage = values[pop()];
  if (storage.kind == Thing::List && storage.items.size() >= 3)
    storage.kind = Thing::Storage;
  push(std::move(storage));
}

/// A call of a function by its name, with a tuple of arguments.
void Machine::reduce() {
  Thing arguments = values[pop()];
  StringRef name = values[pop()].text;
  size_t count = arguments.items.size();
  if (name.starts_with("torch._utils\n_rebuild_parameter") && count > 0)
    return stack.push_back(arguments.items[0]);
  if (name == "torch._utils\n_rebuild_tensor_v2" && count >= 4)
    return push({Thing::Tensor, 0, "", std::move(arguments.items)});
  push({name == "collections\nOrderedDict" ? Thing::Dictionary : Thing::Other,
        0,
        "",
        {}});
}

bool Machine::step(uint8_t opcode) {
  auto append = [&](std::vector<Id> items) {
    if (stack.empty())
      return false;
    std::vector<Id> &all = values[stack.back()].items;
    all.insert(all.end(), items.begin(), items.end());
    return true;
  };
  auto integer = [&](int64_t number) {
    push({Thing::Integer, number, "", {}});
    return true;
  };
  auto recall = [&](uint64_t place) {
    auto it = memo.find(place);
    if (it == memo.end())
      return false;
    stack.push_back(it->second);
    return true;
  };
  auto keep = [&](uint64_t place) {
    if (stack.empty())
      return false;
    memo[place] = stack.back();
    return true;
  };
  switch (opcode) {
  case 0x80: // PROTO
    takeBytes(1);
    return true;
  case 0x95: // FRAME
    takeBytes(8);
    return true;
  case '}':
    push({Thing::Dictionary, 0, "", {}});
    return true;
  case ']':
  case ')':
    push({Thing::List, 0, "", {}});
    return true;
  case '(':
    marks.push_back(stack.size());
    return true;
  case 't':
  case 'l':
    push({Thing::List, 0, "", popToMark()});
    return true;
  case 0x85:
  case 0x86:
  case 0x87:
    pushTuple(opcode - 0x84);
    return true;
  case 'q':
    return keep(takeNumber(1));
  case 'r':
    return keep(takeNumber(4));
  case 0x94: // MEMOIZE
    return keep(memo.size());
  case 'h':
    return recall(takeNumber(1));
  case 'j':
    return recall(takeNumber(4));
  case 'X':
    pushText(Thing::Text, takeBytes(takeNumber(4)));
    return true;
  case 0x8c: // SHORT_BINUNICODE
    pushText(Thing::Text, takeBytes(takeNumber(1)));
    return true;
  case 'c': {
    const char *start = rest.data();
    takeLine();
    StringRef name = takeLine();
    pushText(Thing::Global, StringRef(start, name.end() - start));
    return true;
  }
  case 'K':
    return integer(takeNumber(1));
  case 'M':
    return integer(takeNumber(2));
  case 'J':
    return integer(static_cast<int32_t>(takeNumber(4)));
  case 0x8a: { // LONG1
    unsigned bytes = takeNumber(1);
    if (bytes > 8)
      return false;
    uint64_t number = takeNumber(bytes);
    unsigned unused = 64 - 8 * bytes;
    return integer(bytes == 0 ? 0 : int64_t(number << unused) >> unused);
  }
  case 'G':
    takeBytes(8);
    push({});
    return true;
  case 'N':
  case 0x88:
  case 0x89:
    push({});
    return true;
  case 'Q':
    makeStorage();
    return true;
  case 'R':
    reduce();
    return true;
  case 's': {
    Id value = pop(), key = pop();
    return append({key, value});
  }
  case 'u':
  case 'e':
    return append(popToMark());
  case 'a':
    return append({pop()});
  case 'b': // a state of what was made
    pop();
    return true;
  default:
    return false;
  }
}

std::optional<Id> Machine::run() {
  while (!rest.empty() && !isBroken) {
    uint8_t opcode = takeNumber(1);
    if (opcode == '.')
      return stack.empty() ? std::nullopt : std::optional(stack.back());
    if (!step(opcode))
      return std::nullopt;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// The number that the schema has for a type of storage; 0: none.
static int64_t scalarTypeOf(StringRef storage) {
  static constexpr std::pair<StringRef, int64_t> types[] = {
      {"Byte", 1}, {"Char", 2},  {"Short", 3},  {"Int", 4},   {"Long", 5},
      {"Half", 6}, {"Float", 7}, {"Double", 8}, {"Bool", 12}, {"BFloat16", 13}};
  for (auto [name, number] : types)
    if (storage == ("torch\n" + name + "Storage").str())
      return number;
  return 0;
}

static json::Array integersOf(const Machine &machine, Id list) {
  json::Array made;
  for (Id item : machine[list].items)
    made.push_back(json::Object{{"as_int", machine[item].number}});
  return made;
}

/// What is known of a tensor; nullopt where it is of another kind.
static std::optional<json::Object>
describe(const Machine &machine, const Thing &tensor, StringRef &file) {
  const Thing &storage = machine[tensor.items[0]];
  if (storage.kind != Thing::Storage)
    return std::nullopt;
  file = machine[storage.items[2]].text;
  int64_t type = scalarTypeOf(machine[storage.items[1]].text);
  if (type == 0 || file.empty() || !llvm::all_of(file, llvm::isAlnum))
    return std::nullopt;
  return json::Object{
      {"path_name", file},
      {"use_pickle", false},
      {"tensor_meta",
       json::Object{
           {"dtype", type},
           {"layout", 7},
           {"sizes", integersOf(machine, tensor.items[2])},
           {"strides", integersOf(machine, tensor.items[3])},
           {"storage_offset",
            json::Object{{"as_int", machine[tensor.items[1]].number}}}}}};
}

llvm::Expected<json::Value>
mlir::symshape::pytorch::readPickledTensors(StringRef saved, Archive &archive,
                                            StringRef folder) {
  auto inner = Archive::open(saved);
  if (!inner)
    return inner.takeError();
  std::string root;
  StringRef code;
  for (const auto &file : inner->getFiles()) {
    StringRef path = file.getKey();
    if (path.consume_back("data.pkl") && !path.contains(".data/")) {
      root = path.str();
      code = file.getValue();
    }
  }
  if (auto order = inner->find(root + "byteorder"))
    if (order->trim() != "little")
      return llvm::createStringError("expected numbers in little-endian order");
  Machine machine(code);
  std::optional<Id> top = machine.run();
  if (!top || machine[*top].kind != Thing::Dictionary)
    return llvm::createStringError(
        "expected the pickle of a dictionary of tensors: export the program "
        "with torch 2.8 or later");
  json::Object config;
  const std::vector<Id> &items = machine[*top].items;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    const Thing &key = machine[items[i]], &tensor = machine[items[i + 1]];
    if (key.kind != Thing::Text || tensor.kind != Thing::Tensor)
      continue;
    StringRef file;
    auto payload = describe(machine, tensor, file);
    if (!payload)
      continue; // missed by name, should the program want it
    if (auto bytes = inner->find(root + "data/" + file.str()))
      archive.add((folder + file).str(), *bytes);
    if (json::isUTF8(key.text))
      config[key.text] = std::move(*payload);
  }
  return json::Object{{"config", std::move(config)}};
}
