// RUN: symshape-opt %s --split-input-file --verify-diagnostics

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#by_panel = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = by_panel>
func.func @contract_c1(%a: tensor<?x8xf32>, %b: tensor<8x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error@+1 {{expected 3 maps, but got 2}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x8xf32>, tensor<8x?xf32>) outs(%c : tensor<?x?xf32>)
      attributes {maps = [#mk, #mn], tile = #by_panel} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#sum = affine_map<(m, n, k) -> (k + n, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#by_panel = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = by_panel>
func.func @contract_c1_map(%a: tensor<?x8xf32>, %b: tensor<8x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error@+1 {{expected map 1 to be a projected permutation of 3 loops with 2 results, but got}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x8xf32>, tensor<8x?xf32>) outs(%c : tensor<?x?xf32>)
      attributes {maps = [#mk, #sum, #mn], tile = #by_panel} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#by_panel = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = by_panel>
func.func @contract_c2(%a: tensor<?x8xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error@+1 {{expected the last dimension of the result to be one of the right operand alone}}
  %0 = symshape_kernel.contract ins(%b, %a : tensor<?x?xf32>, tensor<?x8xf32>) outs(%c : tensor<?x?xf32>)
      attributes {maps = [#mn, #mk, #mn], tile = #by_panel} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#by_panel = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = by_panel>
func.func @contract_c3(%a: tensor<?x8xf32>, %b: tensor<8x?xf32>, %c: tensor<?x?xf32>) {
  // expected-error@+1 {{expected a region with 1 arguments}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x8xf32>, tensor<8x?xf32>) outs(%c : tensor<?x?xf32>)
      attributes {maps = [#mk, #kn, #mn], tile = #by_panel} {
  ^bb0(%sum: f32, %x: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#packed = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>
func.func @contract_panels(%a: tensor<?x8xf32>, %b: tensor<?x8x16xf32>, %c: tensor<?x?xf32>) {
  // expected-error@+1 {{expected the last dimension of the packed operand to be 32, but got 16}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x8xf32>, tensor<?x8x16xf32>) outs(%c : tensor<?x?xf32>)
      attributes {maps = [#mk, #nk, #mn], tile = #packed} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return
}

// -----

func.func @tile_c1() attributes {
  // expected-error@+1 {{expected a tile of whole vectors, but got 14 rows of 24 columns in vectors of 16, and 8 streams}}
  tile = #symshape_cpu.tile<rows = 14, columns = 24, lanes = 16, streams = 8, packing = by_panel>} {
  return
}

// -----

func.func @tile_c1_group() attributes {
  // expected-error@+1 {{expected groups of 1 or 2 terms, or of 4 of a packed operand, but got 4}}
  tile = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = by_panel, group = 4>} {
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#groups = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = in_call, group = 4>
func.func @contract_groups(%a: tensor<?x8xi8>, %b: tensor<?x2x32x8xi8>, %c: tensor<?x?xi32>) {
  // expected-error@+1 {{expected the last dimension of the packed operand to be 4, but got 8}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x8xi8>, tensor<?x2x32x8xi8>) outs(%c : tensor<?x?xi32>)
      attributes {maps = [#mk, #nk, #mn], tile = #groups} {
  ^bb0(%sum: i32):
    symshape_kernel.yield %sum : i32
  } -> tensor<?x?xi32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#groups = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = in_call, group = 4>
func.func @contract_panels_of_groups(%a: tensor<?x8xi8>, %b: tensor<?x2x16x4xi8>, %c: tensor<?x?xi32>) {
  // expected-error@+1 {{expected the last dimension but one of the packed operand to be 32, but got 16}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x8xi8>, tensor<?x2x16x4xi8>) outs(%c : tensor<?x?xi32>)
      attributes {maps = [#mk, #nk, #mn], tile = #groups} {
  ^bb0(%sum: i32):
    symshape_kernel.yield %sum : i32
  } -> tensor<?x?xi32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m + k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#groups = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = in_call, group = 4>
func.func @contract_terms(%a: tensor<?xi8>, %b: tensor<?x2x32x4xi8>, %c: tensor<?x?xi32>) {
  // expected-error@+1 {{expected the last loop of the packed operand to be a sum with a known number of terms}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?xi8>, tensor<?x2x32x4xi8>) outs(%c : tensor<?x?xi32>)
      attributes {maps = [#mk, #nk, #mn], tile = #groups} {
  ^bb0(%sum: i32):
    symshape_kernel.yield %sum : i32
  } -> tensor<?x?xi32>
  return
}

// -----

#image = affine_map<(n, h, w, f, i, j) -> (n, h + i, w * 16 + j)>
#kernel = affine_map<(n, h, w, f, i, j) -> (f, i, j)>
#result = affine_map<(n, h, w, f, i, j) -> (n, h, w, f)>
#packed = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>
func.func @contract_c4(%a: tensor<?x?x?xf32>, %b: tensor<1x3x48x32xf32>, %u: tensor<6x6x1x16x16xf32>, %c: tensor<?x?x?x32xf32>) {
  // expected-error@+1 {{expected transformed weights of 6x6xPANELSxCHANNELSx32 in f32 for a convolution from zero, but got 'tensor<6x6x1x16x16xf32>'}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x?x?xf32>, tensor<1x3x48x32xf32>) outs(%c : tensor<?x?x?x32xf32>)
      transformed(%u : tensor<6x6x1x16x16xf32>) attributes {maps = [#image, #kernel, #result], tile = #packed} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?x?x32xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#packed = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>
func.func @contract_c5(%a: tensor<?x16xf32>, %b: tensor<?x8x32xi8>, %s: tensor<?x1x32xf32>, %c: tensor<?x?xf32>) {
  // expected-error@+1 {{expected codes of 2, 4 or 8 bits to have scales for blocks of a multiple of 16 terms}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x16xf32>, tensor<?x8x32xi8>) outs(%c : tensor<?x?xf32>)
      scales(%s : tensor<?x1x32xf32>) attributes {code_bits = 3, block_terms = 16, maps = [#mk, #nk, #mn], tile = #packed} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#packed = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>
func.func @contract_c5_block(%a: tensor<?x16xf32>, %b: tensor<?x8x32xi8>, %s: tensor<?x1x32xf32>, %c: tensor<?x?xf32>) {
  // expected-error@+1 {{expected codes of 2, 4 or 8 bits to have scales for blocks of a multiple of 16 terms}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x16xf32>, tensor<?x8x32xi8>) outs(%c : tensor<?x?xf32>)
      scales(%s : tensor<?x1x32xf32>) attributes {code_bits = 4, block_terms = 24, maps = [#mk, #nk, #mn], tile = #packed} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#packed = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>
func.func @contract_c5_no_scales(%a: tensor<?x16xf32>, %b: tensor<?x8x32xi8>, %c: tensor<?x?xf32>) {
  // expected-error@+1 {{expected codes of 2, 4 or 8 bits to have scales for blocks of a multiple of 16 terms}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x16xf32>, tensor<?x8x32xi8>) outs(%c : tensor<?x?xf32>)
      attributes {code_bits = 4, block_terms = 16, maps = [#mk, #nk, #mn], tile = #packed} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#packed = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>
func.func @contract_c5_no_bits(%a: tensor<?x16xf32>, %b: tensor<?x8x32xi8>, %s: tensor<?x1x32xf32>, %c: tensor<?x?xf32>) {
  // expected-error@+1 {{expected codes of 2, 4 or 8 bits to have scales for blocks of a multiple of 16 terms}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x16xf32>, tensor<?x8x32xi8>) outs(%c : tensor<?x?xf32>)
      scales(%s : tensor<?x1x32xf32>) attributes {block_terms = 16, maps = [#mk, #nk, #mn], tile = #packed} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#packed = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>
func.func @contract_c5_scales_alone(%a: tensor<?x16xf32>, %b: tensor<?x16x32xf32>, %s: tensor<?x1x32xf32>, %c: tensor<?x?xf32>) {
  // expected-error@+1 {{expected codes of 2, 4 or 8 bits to have scales for blocks of a multiple of 16 terms}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x16xf32>, tensor<?x16x32xf32>) outs(%c : tensor<?x?xf32>)
      scales(%s : tensor<?x1x32xf32>) attributes {maps = [#mk, #nk, #mn], tile = #packed} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#packed = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>
func.func @contract_c5_codes(%a: tensor<?x16xf32>, %b: tensor<?x8x32xi32>, %s: tensor<?x1x32xf32>, %c: tensor<?x?xf32>) {
  // expected-error@+1 {{expected codes to be i8 in panels along 2 loops, and the rest f32}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x16xf32>, tensor<?x8x32xi32>) outs(%c : tensor<?x?xf32>)
      scales(%s : tensor<?x1x32xf32>) attributes {code_bits = 4, block_terms = 16, maps = [#mk, #nk, #mn], tile = #packed} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#packed = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>
func.func @contract_c5_sums(%a: tensor<?x16xf16>, %b: tensor<?x8x32xi8>, %s: tensor<?x1x32xf32>, %c: tensor<?x?xf32>) {
  // expected-error@+1 {{expected codes to be i8 in panels along 2 loops, and the rest f32}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x16xf16>, tensor<?x8x32xi8>) outs(%c : tensor<?x?xf32>)
      scales(%s : tensor<?x1x32xf32>) attributes {code_bits = 4, block_terms = 16, maps = [#mk, #nk, #mn], tile = #packed} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#packed = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = by_panel>
func.func @contract_c5_in_place(%a: tensor<?x16xf32>, %b: tensor<8x?xi8>, %s: tensor<?x1x32xf32>, %c: tensor<?x?xf32>) {
  // expected-error@+1 {{expected codes to be i8 in panels along 2 loops, and the rest f32}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x16xf32>, tensor<8x?xi8>) outs(%c : tensor<?x?xf32>)
      scales(%s : tensor<?x1x32xf32>) attributes {code_bits = 4, block_terms = 16, maps = [#mk, #kn, #mn], tile = #packed} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#packed = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>
func.func @contract_c5_scales(%a: tensor<?x16xf32>, %b: tensor<?x8x32xi8>, %s: tensor<?x1x16xf32>, %c: tensor<?x?xf32>) {
  // expected-error@+1 {{expected scales and zeros of one shape, PANELSxBLOCKSx32, but got 'tensor<?x1x16xf32>'}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x16xf32>, tensor<?x8x32xi8>) outs(%c : tensor<?x?xf32>)
      scales(%s : tensor<?x1x16xf32>) attributes {code_bits = 4, block_terms = 16, maps = [#mk, #nk, #mn], tile = #packed} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#packed = #symshape_cpu.tile<rows = 14, columns = 32, lanes = 16, streams = 8, packing = before_call>
func.func @contract_c5_zeros(%a: tensor<?x16xf32>, %b: tensor<?x8x32xi8>, %s: tensor<?x1x32xf32>, %z: tensor<?x32xi8>, %c: tensor<?x?xf32>) {
  // expected-error@+1 {{expected scales and zeros of one shape, PANELSxBLOCKSx32, but got 'tensor<?x32xi8>'}}
  %0 = symshape_kernel.contract ins(%a, %b : tensor<?x16xf32>, tensor<?x8x32xi8>) outs(%c : tensor<?x?xf32>)
      scales(%s : tensor<?x1x32xf32>) zeros(%z : tensor<?x32xi8>) attributes {code_bits = 4, block_terms = 16, maps = [#mk, #nk, #mn], tile = #packed} {
  ^bb0(%sum: f32):
    symshape_kernel.yield %sum : f32
  } -> tensor<?x?xf32>
  return
}
