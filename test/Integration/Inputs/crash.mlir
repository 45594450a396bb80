// Programs that crash when they are called.

func.func @trap(%n: i64) -> i64 {
  %pointer = llvm.inttoptr %n : i64 to !llvm.ptr
  %value = llvm.load volatile %pointer : !llvm.ptr -> i64
  return %value : i64
}

// Runs over its stack: what each call allocates is used after the next one.
func.func @deep(%n: index) -> index {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %next = arith.addi %n, %c1 : index
  %size = arith.constant 64 : i64
  %place = llvm.alloca %size x i64 : (i64) -> !llvm.ptr
  llvm.store volatile %size, %place : i64, !llvm.ptr
  %ends = arith.cmpi eq, %n, %c0 : index
  %inner = scf.if %ends -> index {
    scf.yield %n : index
  } else {
    %r = func.call @deep(%next) : (index) -> index
    scf.yield %r : index
  }
  %kept = llvm.load volatile %place : !llvm.ptr -> i64
  %kept_index = arith.index_cast %kept : i64 to index
  %sum = arith.addi %inner, %kept_index : index
  return %sum : index
}
