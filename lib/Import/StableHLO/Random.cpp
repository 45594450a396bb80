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

#include "Random.h"
#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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
/// The bits of a result of any extents.
class BitGenerator {
public:
  BitGenerator(Node &n, Value key, Value counter, Value counterHigh,
               ArrayRef<OpFoldResult> sizes)
      : s(n.b, n.loc), n(n), key(key), counter(counter),
        counterHigh(counterHigh), sizes(sizes) {
    for (OpFoldResult size : sizes)
      shape.push_back(wide(n.index(size)));
    width = n.resultElement(1).getIntOrFloatBitWidth();
  }
  Value threeFry();
  Value philox();
  Value used; ///< how far the counter goes on
  Words s;    ///< outside of the code of elements

private:
  Value generate(llvm::function_ref<Value(Words &, ValueRange)> body);
  Value wide(Value index) {
    return s.create<arith::IndexCastOp>(n.b.getI64Type(), index);
  }
  Value multiply(Value x, Value y) { return s.create<arith::MulIOp>(x, y); }
  Value product(ValueRange extents) {
    Value result = s.wide(1);
    for (Value extent : extents)
      result = multiply(result, extent);
    return result;
  }
  Value divideUp(Value x, uint64_t by) {
    return s.create<arith::DivUIOp>(s.add(x, s.wide(by - 1)), s.wide(by));
  }
  /// The position in row-major order of extents.
  static Value position(Words &s, ValueRange at, ValueRange extents);
  SmallVector<Value> halvedAxis();

  Node &n;
  Value key, counter, counterHigh;
  ArrayRef<OpFoldResult> sizes;
  SmallVector<Value> shape;
  unsigned width;
};
} // namespace

Value BitGenerator::generate(
    llvm::function_ref<Value(Words &, ValueRange)> body) {
  Type element = signless(n.resultElement(1));
  return n.generate(
      sizes, element, [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
        Words s(b, loc);
        SmallVector<Value> places;
        for (Value place : at)
          places.push_back(s.create<arith::IndexCastOp>(b.getI64Type(), place));
        Value bits = body(s, places);
        return bits.getType() == element
                   ? bits
                   : s.create<arith::TruncIOp>(element, bits);
      });
}

Value BitGenerator::position(Words &s, ValueRange at, ValueRange extents) {
  Value sum = s.wide(0);
  for (auto [place, extent] : llvm::zip(at, extents))
    sum = s.add(s.create<arith::MulIOp>(sum, extent), place);
  return sum;
}

/// Per axis, whether one counter is for two neighbours along it: so it is for
/// the first even axis, or else for the first of the longest ones.
SmallVector<Value> BitGenerator::halvedAxis() {
  auto isEqual = [&](Value x, Value y) -> Value {
    return s.create<arith::CmpIOp>(arith::CmpIPredicate::eq, x, y);
  };
  auto without = [&](Value x, Value y) -> Value {
    Value isNot = s.create<arith::XOrIOp>(y, s.integer(n.b.getI1Type(), 1));
    return s.create<arith::AndIOp>(x, isNot);
  };
  auto eitherOf = [&](Value x, Value y) -> Value {
    return s.create<arith::OrIOp>(x, y);
  };
  Value none = s.integer(n.b.getI1Type(), 0), found = none, longest = s.wide(0);
  SmallVector<Value> isHalved;
  for (Value extent : shape) {
    Value isEven =
        isEqual(s.create<arith::AndIOp>(extent, s.wide(1)), s.wide(0));
    isHalved.push_back(without(isEven, found));
    found = eitherOf(found, isEven);
    longest = s.create<arith::MaxUIOp>(longest, extent);
  }
  for (auto [halved, extent] : llvm::zip(isHalved, shape)) {
    Value isFirst = without(isEqual(extent, longest), found);
    halved = eitherOf(halved, isFirst);
    found = eitherOf(found, isFirst);
  }
  return isHalved;
}

Value BitGenerator::threeFry() {
  if (width == 64) {
    used = product(shape);
    return generate([&](Words &s, ValueRange at) {
      Value number = s.add(counter, position(s, at, shape));
      auto [low, high] = s.threeFry(number, key);
      return s.join(low, high);
    });
  }
  SmallVector<Value> half, isHalved = halvedAxis();
  for (auto [extent, halved] : llvm::zip(shape, isHalved))
    half.push_back(s.select(halved, divideUp(extent, 2), extent));
  used = product(half);
  return generate([&](Words &s, ValueRange at) {
    SmallVector<Value> places;
    Value odd = s.wide(0);
    for (auto [place, halved] : llvm::zip(at, isHalved)) {
      Value rest = s.create<arith::AndIOp>(place, s.wide(1));
      odd = s.select(halved, rest, odd);
      Value pair = s.create<arith::ShRUIOp>(place, s.wide(1));
      places.push_back(s.select(halved, pair, place));
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
  used = divideUp(product(shape), each);
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

/// The state is a key and a counter: of Philox one of 128 bits, whose upper
/// half is the key where the state has no third word.
static LogicalResult
generateBits(Node &n, std::optional<SmallVector<OpFoldResult>> sizes) {
  Value state = n.tensor(0);
  auto newState = n.resultType(0);
  if (!state || !newState || !sizes)
    return failure();
  bool isThreeFry = n.word("rng_algorithm") == "THREE_FRY";
  auto stateType = n.type(0);
  Type element = n.resultElement(1);
  if (stateType.getRank() != 1 || newState.getRank() != 1 ||
      !stateType.getElementType().isInteger(64))
    return n.fail("expected a state of integers of 64 bits");
  int64_t words = 2;
  if (!isThreeFry)
    words = stateType.isDynamicDim(0) ? newState.getDimSize(0)
                                      : stateType.getDimSize(0);
  if ((words != 2 && words != 3) ||
      failed(verifyCompatibleShape(stateType.getShape(), {words})))
    return n.fail("expected a state of two integers of 64 bits, or three for "
                  "Philox");
  if (!element.isInteger() || element.isInteger(1))
    return n.fail("expected a result of integers");
  state = n.cast(state, RankedTensorType::get(words, n.b.getI64Type()));
  auto read = [&](int64_t i) -> Value {
    return tensor::ExtractOp::create(n.b, n.loc, state,
                                     n.index(n.b.getIndexAttr(i)));
  };
  Value key = read(0), counter = read(1);
  Value high = words == 3 ? read(2) : key;
  BitGenerator generator(n, key, counter, high, *sizes);
  Value bits = isThreeFry ? generator.threeFry() : generator.philox();
  Words &s = generator.s;
  Value next = s.add(counter, generator.used);
  SmallVector<Value> after{key, next};
  if (words == 3) {
    Value carries = s.less(next, counter, /*isUnsigned=*/true);
    after.push_back(
        s.add(high, s.create<arith::ExtUIOp>(n.b.getI64Type(), carries)));
  }
  Value made = tensor::FromElementsOp::create(n.b, n.loc, after);
  return failed(n.set(0, made)) ? failure() : n.set(1, bits);
}

static LogicalResult rngBitGenerator(Node &n) {
  return generateBits(n, n.staticSizes(1));
}

LogicalResult mlir::symshape::stablehlo::dynamicRngBitGenerator(Node &n) {
  if (n.count() != 2 || n.op->getNumResults() != 2)
    return n.fail("expected a state and extents, and two results");
  return generateBits(n, n.resultSizes(1, 1));
}

void mlir::symshape::stablehlo::addRandomOps(Registry &registry) {
  registry["rng_bit_generator"] = Definition{rngBitGenerator, 1, 2};
}
