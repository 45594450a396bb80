//===- Random.cpp - Random bits -------------------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `rng_bit_generator`, bit for bit as XLA gives them. Both generators encrypt
// a counter with a key: ThreeFry 2x32 with 20 rounds and Philox 4x32 with 10
// (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, 2011). Which
// counter an element has is XLA's (prng.cc).
//
//===----------------------------------------------------------------------===//

#include "Node.h"
#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <functional>
#include <numeric>

using namespace mlir;
using namespace mlir::symshape::stablehlo;

namespace {
/// Words of 32 bits.
struct Words : Scalars {
  using Scalars::Scalars;
  Value word(uint32_t value) {
    return integer(b.getI32Type(), APInt(32, value));
  }
  Value wide(uint64_t value) {
    return integer(b.getI64Type(), APInt(64, value));
  }
  Value add(Value x, Value y) { return create<arith::AddIOp>(x, y); }
  Value exor(Value x, Value y) { return create<arith::XOrIOp>(x, y); }
  Value rotate(Value x, unsigned distance) {
    return create<arith::OrIOp>(create<arith::ShLIOp>(x, word(distance)),
                                create<arith::ShRUIOp>(x, word(32 - distance)));
  }
  Value low(Value x) { return create<arith::TruncIOp>(b.getI32Type(), x); }
  Value high(Value x) { return low(create<arith::ShRUIOp>(x, wide(32))); }
  Value join(Value low, Value high) {
    Value left = create<arith::ExtUIOp>(b.getI64Type(), low);
    Value right = create<arith::ExtUIOp>(b.getI64Type(), high);
    return create<arith::OrIOp>(left, create<arith::ShLIOp>(right, wide(32)));
  }
  std::pair<Value, Value> threeFry(Value counter, Value key);
  SmallVector<Value> philox(Value counterLow, Value counterHigh, Value key);
};
} // namespace

std::pair<Value, Value> Words::threeFry(Value counter, Value key) {
  constexpr unsigned rotations[] = {13, 15, 26, 6, 17, 29, 16, 24};
  Value keys[3] = {low(key), high(key), Value()};
  keys[2] = exor(exor(keys[0], keys[1]), word(0x1BD11BDA));
  Value x = add(low(counter), keys[0]), y = add(high(counter), keys[1]);
  for (unsigned group = 0; group < 5; ++group) {
    for (unsigned i = 0; i < 4; ++i) {
      x = add(x, y);
      y = exor(x, rotate(y, rotations[(group % 2) * 4 + i]));
    }
    x = add(x, keys[(group + 1) % 3]);
    y = add(y, add(keys[(group + 2) % 3], word(group + 1)));
  }
  return {x, y};
}

SmallVector<Value> Words::philox(Value counterLow, Value counterHigh,
                                 Value key) {
  SmallVector<Value> x{low(counterLow), high(counterLow), low(counterHigh),
                       high(counterHigh)};
  Value keys[] = {low(key), high(key)};
  auto multiply = [&](uint32_t factor, Value v) {
    return create<arith::MulIOp>(wide(factor),
                                 create<arith::ExtUIOp>(b.getI64Type(), v));
  };
  for (unsigned round = 0; round < 10; ++round) {
    Value one = multiply(0xD2511F53, x[0]), two = multiply(0xCD9E8D57, x[2]);
    x = {exor(exor(high(two), x[1]), keys[0]), low(two),
         exor(exor(high(one), x[3]), keys[1]), low(one)};
    keys[0] = add(keys[0], word(0x9E3779B9));
    keys[1] = add(keys[1], word(0xBB67AE85));
  }
  return x;
}

namespace {
class BitGenerator {
public:
  BitGenerator(Node &n, Value key, Value counter, Value counterHigh)
      : n(n), key(key), counter(counter), counterHigh(counterHigh) {
    auto type = n.resultType(1);
    shape.assign(type.getShape().begin(), type.getShape().end());
    width = type.getElementType().getIntOrFloatBitWidth();
    count = type.getNumElements();
  }
  Value threeFry();
  Value philox();
  int64_t used = 0; ///< how far the counter goes on

private:
  Value generate(llvm::function_ref<Value(Words &, ValueRange)> body);
  /// The position in row-major order of extents.
  static Value position(Words &s, ValueRange at, ArrayRef<int64_t> extents);
  Value narrow(Words &s, Value bits);

  Node &n;
  Value key, counter, counterHigh;
  SmallVector<int64_t> shape;
  unsigned width;
  int64_t count;
};
} // namespace

Value BitGenerator::generate(
    llvm::function_ref<Value(Words &, ValueRange)> body) {
  return n.generate(
      getAsIndexOpFoldResult(n.b.getContext(), shape),
      signless(n.resultElement(1)),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Words s(b, loc);
        SmallVector<Value> places;
        for (Value place : at)
          places.push_back(s.create<arith::IndexCastOp>(b.getI64Type(), place));
        return narrow(s, body(s, places));
      });
}

Value BitGenerator::position(Words &s, ValueRange at,
                             ArrayRef<int64_t> extents) {
  Value sum = s.wide(0);
  for (auto [place, extent] : llvm::zip(at, extents))
    sum = s.add(s.create<arith::MulIOp>(sum, s.wide(extent)), place);
  return sum;
}

Value BitGenerator::narrow(Words &s, Value bits) {
  Type type = signless(n.resultElement(1));
  return bits.getType() == type ? bits : s.create<arith::TruncIOp>(type, bits);
}

/// One counter for two elements of 32 bits: neighbours along the first even
/// axis, or else along the longest one.
Value BitGenerator::threeFry() {
  if (width == 64) {
    used = count;
    return generate([&](Words &s, ValueRange at) {
      Value number = s.add(counter, position(s, at, shape));
      auto [low, high] = s.threeFry(number, key);
      return s.join(low, high);
    });
  }
  SmallVector<int64_t> half(shape);
  size_t axis = 0;
  auto even = llvm::find_if(shape, [](int64_t n) { return n % 2 == 0; });
  if (even != shape.end())
    axis = even - shape.begin();
  else if (!shape.empty())
    axis = llvm::max_element(shape) - shape.begin();
  if (!shape.empty())
    half[axis] = llvm::divideCeil(shape[axis], 2);
  used = std::accumulate(half.begin(), half.end(), int64_t(1),
                         std::multiplies<>());
  return generate([&](Words &s, ValueRange at) {
    SmallVector<Value> places(at);
    Value odd = s.wide(0);
    if (!shape.empty()) {
      odd = s.create<arith::AndIOp>(at[axis], s.wide(1));
      places[axis] = s.create<arith::ShRUIOp>(at[axis], s.wide(1));
    }
    Value number = s.add(counter, position(s, places, half));
    auto [low, high] = s.threeFry(number, key);
    Value isOdd =
        s.create<arith::CmpIOp>(arith::CmpIPredicate::ne, odd, s.wide(0));
    return s.select(isOdd, high, low);
  });
}

/// One counter for 128 bits of neighbours in row-major order.
Value BitGenerator::philox() {
  unsigned each = width == 64 ? 2 : 4;
  used = llvm::divideCeil(count, each);
  return generate([&](Words &s, ValueRange at) {
    Value place = position(s, at, shape);
    Value number = s.create<arith::DivUIOp>(place, s.wide(each));
    Value which = s.create<arith::RemUIOp>(place, s.wide(each));
    Value low = s.add(counter, number);
    Value carries = s.less(low, counter, /*isUnsigned=*/true);
    Value high =
        s.add(counterHigh, s.create<arith::ExtUIOp>(n.b.getI64Type(), carries));
    SmallVector<Value> words = s.philox(low, high, key);
    if (width == 64)
      words = {s.join(words[0], words[1]), s.join(words[2], words[3])};
    Value result = words[0];
    for (unsigned i = 1; i < words.size(); ++i) {
      Value isThis =
          s.create<arith::CmpIOp>(arith::CmpIPredicate::eq, which, s.wide(i));
      result = s.select(isThis, words[i], result);
    }
    return result;
  });
}

static LogicalResult rngBitGenerator(Node &n) {
  Value state = n.tensor(0);
  auto type = n.resultType(1);
  if (!state || !type)
    return failure();
  StringRef algorithm = n.word("rng_algorithm");
  bool isThreeFry = algorithm == "THREE_FRY";
  auto stateType = n.type(0);
  Type element = type.getElementType();
  int64_t words = isThreeFry ? 2 : 3;
  if (stateType.getRank() != 1 || stateType.getDimSize(0) != words ||
      !stateType.getElementType().isInteger(64))
    return n.fail("expected a state of " + Twine(words) +
                  " integers of 64 bits");
  if (!type.hasStaticShape() || !element.isInteger() || element.isInteger(1))
    return n.fail("expected a result of integers, of static extents");
  auto read = [&](int64_t i) -> Value {
    return tensor::ExtractOp::create(n.b, n.loc, state,
                                     n.index(n.b.getIndexAttr(i)));
  };
  Value key = read(0), counter = read(1);
  Value high = isThreeFry ? Value() : read(2);
  BitGenerator generator(n, key, counter, high);
  Value bits = isThreeFry ? generator.threeFry() : generator.philox();
  Words s(n.b, n.loc);
  Value next = s.add(counter, s.wide(generator.used));
  SmallVector<Value> after{key, next};
  if (!isThreeFry) {
    Value carries = s.less(next, counter, /*isUnsigned=*/true);
    after.push_back(
        s.add(high, s.create<arith::ExtUIOp>(n.b.getI64Type(), carries)));
  }
  Value newState = tensor::FromElementsOp::create(
      n.b, n.loc, RankedTensorType::get(words, n.b.getI64Type()), after);
  return failed(n.set(0, newState)) ? failure() : n.set(1, bits);
}

void mlir::symshape::stablehlo::addRandomOps(Registry &registry) {
  registry["rng_bit_generator"] = Definition{rngBitGenerator, 1, 2};
}
