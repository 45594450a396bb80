// Twice what it is given, or memory that nobody writes.
func.func @main(%x: tensor<?xi8>, %k: i64) -> tensor<?xi8> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %n = tensor.dim %x, %c0 : tensor<?xi8>
  %test = arith.cmpi ne, %k, %zero : i64
  %r = scf.if %test -> tensor<?xi8> {
    %e = tensor.empty(%n) : tensor<?xi8>
    %s = linalg.add ins(%x, %x : tensor<?xi8>, tensor<?xi8>) outs(%e : tensor<?xi8>) -> tensor<?xi8>
    scf.yield %s : tensor<?xi8>
  } else {
    %f = tensor.empty(%n) : tensor<?xi8>
    scf.yield %f : tensor<?xi8>
  }
  return %r : tensor<?xi8>
}
