// What functions return, as their callers see it: two tensors joined along dim 0,
// and a tensor with two dims that have one size.
func.func @join(
    %a: tensor<?x?xf32> {symshape.shape = #symshape.shape<[A, N]>},
    %b: tensor<?x?xf32> {symshape.shape = #symshape.shape<[B, N]>}) -> tensor<?x?xf32> {
  %r = tensor.concat dim(0) %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @square(%a: tensor<?xf32> {symshape.shape = #symshape.shape<[N]>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %r = tensor.empty(%n, %n) : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
