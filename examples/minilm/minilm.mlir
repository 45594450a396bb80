// all-MiniLM-L6-v2, a published sentence encoder: token ids in, one unit vector
// per sentence out. Batch B and length L are unknown when it is compiled.
//
// One private function per block. Weights are arguments, named as in the model
// file and laid out as there, [out, in]; each block transposes what it
// multiplies by. Row-wise blocks (@layer_norm, @feed_forward) take N rows and do
// not care how these are arranged; @encode calls them with N = B * L.
//
// No range of B or L is declared. That L is at most 512 follows from the table
// of positions in @embeddings, and that all ids are rows of the table of words
// from the look-up there; both become checks.

!ids       = tensor<?x?xi64>          // [B, L]
!bias      = tensor<?x?xf32>          // [B, L]
!hidden    = tensor<?x?x384xf32>      // [B, L, 384]
!rows      = tensor<?x384xf32>        // [B * L, 384]
!wide      = tensor<?x1536xf32>       // [B * L, 1536]
!per_row   = tensor<?xf32>            // [B * L]
!positions = tensor<?x384xf32>        // [L, 384]
!split     = tensor<?x?x12x32xf32>    // [B, L, 12, 32]
!heads     = tensor<?x12x?x32xf32>    // [B, 12, L, 32]
!heads_t   = tensor<?x12x32x?xf32>    // [B, 12, 32, L]
!items     = tensor<?x?x32xf32>       // [B * 12, L, 32]
!items_t   = tensor<?x32x?xf32>       // [B * 12, 32, L]
!pairs     = tensor<?x?x?xf32>        // [B * 12, L, L]
!scores    = tensor<?x12x?x?xf32>     // [B, 12, L, L]
!per_query = tensor<?x12x?xf32>       // [B, 12, L]
!sentences = tensor<?x384xf32>        // [B, 384]
!per_item  = tensor<?xf32>            // [B]

#r   = affine_map<(r, c) -> (r)>
#c   = affine_map<(r, c) -> (c)>
#rc  = affine_map<(r, c) -> (r, c)>
#bl_ = affine_map<(b, l, c) -> (b, l)>
#b_c = affine_map<(b, l, c) -> (b, c)>
#_lc = affine_map<(b, l, c) -> (l, c)>
#__c = affine_map<(b, l, c) -> (c)>
#blc = affine_map<(b, l, c) -> (b, l, c)>
#b__k = affine_map<(b, h, q, k) -> (b, k)>
#bhq_ = affine_map<(b, h, q, k) -> (b, h, q)>
#bhqk = affine_map<(b, h, q, k) -> (b, h, q, k)>

// Each row to mean 0 and variance 1, then scaled and shifted per column.
func.func private @layer_norm(
    %x: !rows {symshape.shape = #symshape.shape<[N, 384]>},
    %scale: tensor<384xf32>, %shift: tensor<384xf32>)
    -> (!rows {symshape.shape = #symshape.shape<[N, 384]>}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %width = arith.constant 384.0 : f32
  %epsilon = arith.constant 1.0e-12 : f32
  %N = tensor.dim %x, %c0 : !rows
  %empty = tensor.empty(%N) : !rows
  %column = tensor.empty(%N) : !per_row
  %zeros = linalg.fill ins(%zero : f32) outs(%column : !per_row) -> !per_row
  %sum = linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : !rows) outs(%zeros : !per_row) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.addf %acc, %v : f32
    linalg.yield %0 : f32
  } -> !per_row
  %squares = linalg.generic {indexing_maps = [#rc, #r, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : !rows, !per_row) outs(%zeros : !per_row) {
  ^bb0(%v: f32, %s: f32, %acc: f32):
    %mean = arith.divf %s, %width : f32
    %centred = arith.subf %v, %mean : f32
    %square = arith.mulf %centred, %centred : f32
    %0 = arith.addf %acc, %square : f32
    linalg.yield %0 : f32
  } -> !per_row
  %y = linalg.generic {indexing_maps = [#rc, #r, #r, #c, #c, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %squares, %scale, %shift : !rows, !per_row, !per_row, tensor<384xf32>, tensor<384xf32>)
      outs(%empty : !rows) {
  ^bb0(%v: f32, %s: f32, %q: f32, %g: f32, %t: f32, %out: f32):
    %mean = arith.divf %s, %width : f32
    %centred = arith.subf %v, %mean : f32
    %variance = arith.divf %q, %width : f32
    %safe = arith.addf %variance, %epsilon : f32
    %deviation = math.sqrt %safe : f32
    %normal = arith.divf %centred, %deviation : f32
    %scaled = arith.mulf %normal, %g : f32
    %0 = arith.addf %scaled, %t : f32
    linalg.yield %0 : f32
  } -> !rows
  return %y : !rows
}

// Word, position and token type 0 of each token, added and normalised.
func.func private @embeddings(
    %ids: !ids {symshape.shape = #symshape.shape<[B, L]>},
    %word: tensor<30522x384xf32>, %position: tensor<512x384xf32>, %type: tensor<2x384xf32>,
    %norm_w: tensor<384xf32>, %norm_b: tensor<384xf32>)
    -> (!hidden {symshape.shape = #symshape.shape<[B, L, 384]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %B = tensor.dim %ids, %c0 : !ids
  %L = tensor.dim %ids, %c1 : !ids
  %positions = tensor.extract_slice %position[0, 0] [%L, 384] [1, 1] : tensor<512x384xf32> to !positions
  %type0 = tensor.extract_slice %type[0, 0] [1, 384] [1, 1] : tensor<2x384xf32> to tensor<384xf32>
  %empty = tensor.empty(%B, %L) : !hidden
  %sum = linalg.generic {indexing_maps = [#bl_, #_lc, #__c, #blc],
                         iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%ids, %positions, %type0 : !ids, !positions, tensor<384xf32>) outs(%empty : !hidden) {
  ^bb0(%id: i64, %p: f32, %t: f32, %out: f32):
    %row = arith.index_cast %id : i64 to index
    %column = linalg.index 2 : index
    %w = tensor.extract %word[%row, %column] : tensor<30522x384xf32>
    %0 = arith.addf %w, %t : f32
    %1 = arith.addf %0, %p : f32
    linalg.yield %1 : f32
  } -> !hidden
  %rows = tensor.collapse_shape %sum [[0, 1], [2]] : !hidden into !rows
  %normal = call @layer_norm(%rows, %norm_w, %norm_b) : (!rows, tensor<384xf32>, tensor<384xf32>) -> !rows
  %h = tensor.expand_shape %normal [[0, 1], [2]] output_shape [%B, %L, 384] : !rows into !hidden
  return %h : !hidden
}

// What is added to the scores of each key: 0 where the mask is 1, the least
// finite number where it is 0.
func.func private @mask_bias(
    %mask: !ids {symshape.shape = #symshape.shape<[B, L]>})
    -> (!bias {symshape.shape = #symshape.shape<[B, L]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %least = arith.constant -3.40282347E+38 : f32
  %B = tensor.dim %mask, %c0 : !ids
  %L = tensor.dim %mask, %c1 : !ids
  %empty = tensor.empty(%B, %L) : !bias
  %bias = linalg.generic {indexing_maps = [#rc, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%mask : !ids) outs(%empty : !bias) {
  ^bb0(%m: i64, %out: f32):
    %kept = arith.sitofp %m : i64 to f32
    %dropped = arith.subf %one, %kept : f32
    %0 = arith.mulf %dropped, %least : f32
    linalg.yield %0 : f32
  } -> !bias
  return %bias : !bias
}

// Scores to weights: scaled by 1/sqrt(32), masked, softmax over the keys.
func.func private @attention_weights(
    %scores: !scores {symshape.shape = #symshape.shape<[B, 12, L, L]>},
    %bias: !bias {symshape.shape = #symshape.shape<[B, L]>})
    -> (!scores {symshape.shape = #symshape.shape<[B, 12, L, L]>}) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32 // minus infinity
  %factor = arith.constant 0.176776695 : f32
  %B = tensor.dim %scores, %c0 : !scores
  %L = tensor.dim %scores, %c2 : !scores
  %empty = tensor.empty(%B, %L, %L) : !scores
  %query = tensor.empty(%B, %L) : !per_query
  %masked = linalg.generic {indexing_maps = [#bhqk, #b__k, #bhqk],
                            iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scores, %bias : !scores, !bias) outs(%empty : !scores) {
  ^bb0(%s: f32, %m: f32, %out: f32):
    %0 = arith.mulf %s, %factor : f32
    %1 = arith.addf %0, %m : f32
    linalg.yield %1 : f32
  } -> !scores
  %lowests = linalg.fill ins(%lowest : f32) outs(%query : !per_query) -> !per_query
  %max = linalg.generic {indexing_maps = [#bhqk, #bhq_],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%masked : !scores) outs(%lowests : !per_query) {
  ^bb0(%s: f32, %acc: f32):
    %0 = arith.maximumf %acc, %s : f32
    linalg.yield %0 : f32
  } -> !per_query
  %exp = linalg.generic {indexing_maps = [#bhqk, #bhq_, #bhqk],
                         iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%masked, %max : !scores, !per_query) outs(%empty : !scores) {
  ^bb0(%s: f32, %m: f32, %out: f32):
    %0 = arith.subf %s, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> !scores
  %zeros = linalg.fill ins(%zero : f32) outs(%query : !per_query) -> !per_query
  %sum = linalg.generic {indexing_maps = [#bhqk, #bhq_],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%exp : !scores) outs(%zeros : !per_query) {
  ^bb0(%e: f32, %acc: f32):
    %0 = arith.addf %acc, %e : f32
    linalg.yield %0 : f32
  } -> !per_query
  %weights = linalg.generic {indexing_maps = [#bhqk, #bhq_, #bhqk],
                             iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%exp, %sum : !scores, !per_query) outs(%empty : !scores) {
  ^bb0(%e: f32, %s: f32, %out: f32):
    %0 = arith.divf %e, %s : f32
    linalg.yield %0 : f32
  } -> !scores
  return %weights : !scores
}

// Twelve heads of width 32 and the output projection, added to the input.
func.func private @attention(
    %x: !hidden {symshape.shape = #symshape.shape<[B, L, 384]>},
    %bias: !bias {symshape.shape = #symshape.shape<[B, L]>},
    %query_w: tensor<384x384xf32>, %query_b: tensor<384xf32>,
    %key_w: tensor<384x384xf32>, %key_b: tensor<384xf32>,
    %value_w: tensor<384x384xf32>, %value_b: tensor<384xf32>,
    %out_w: tensor<384x384xf32>, %out_b: tensor<384xf32>)
    -> (!rows {symshape.shape = #symshape.shape<[B * L, 384]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant 0.0 : f32
  %B = tensor.dim %x, %c0 : !hidden
  %L = tensor.dim %x, %c1 : !hidden
  %N = arith.muli %B, %L : index
  %BH = arith.muli %B, %c12 : index
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : !hidden into !rows
  %empty = tensor.empty(%N) : !rows
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : !rows) -> !rows
  %empty_w = tensor.empty() : tensor<384x384xf32>
  %empty_heads = tensor.empty(%B, %L) : !heads
  %empty_heads_t = tensor.empty(%B, %L) : !heads_t

  // Queries, [B, 12, L, 32].
  %query_t = linalg.transpose ins(%query_w : tensor<384x384xf32>)
      outs(%empty_w : tensor<384x384xf32>) permutation = [1, 0]
  %query_0 = linalg.matmul ins(%rows, %query_t : !rows, tensor<384x384xf32>) outs(%zeros : !rows) -> !rows
  %query_1 = linalg.generic {indexing_maps = [#rc, #c, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%query_0, %query_b : !rows, tensor<384xf32>) outs(%empty : !rows) {
  ^bb0(%v: f32, %b: f32, %out: f32):
    %0 = arith.addf %v, %b : f32
    linalg.yield %0 : f32
  } -> !rows
  %query_2 = tensor.expand_shape %query_1 [[0, 1], [2, 3]] output_shape [%B, %L, 12, 32] : !rows into !split
  %query = linalg.transpose ins(%query_2 : !split) outs(%empty_heads : !heads) permutation = [0, 2, 1, 3]

  // Keys, transposed: [B, 12, 32, L].
  %key_t = linalg.transpose ins(%key_w : tensor<384x384xf32>)
      outs(%empty_w : tensor<384x384xf32>) permutation = [1, 0]
  %key_0 = linalg.matmul ins(%rows, %key_t : !rows, tensor<384x384xf32>) outs(%zeros : !rows) -> !rows
  %key_1 = linalg.generic {indexing_maps = [#rc, #c, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%key_0, %key_b : !rows, tensor<384xf32>) outs(%empty : !rows) {
  ^bb0(%v: f32, %b: f32, %out: f32):
    %0 = arith.addf %v, %b : f32
    linalg.yield %0 : f32
  } -> !rows
  %key_2 = tensor.expand_shape %key_1 [[0, 1], [2, 3]] output_shape [%B, %L, 12, 32] : !rows into !split
  %key = linalg.transpose ins(%key_2 : !split) outs(%empty_heads_t : !heads_t) permutation = [0, 2, 3, 1]

  // Values, [B, 12, L, 32].
  %value_t = linalg.transpose ins(%value_w : tensor<384x384xf32>)
      outs(%empty_w : tensor<384x384xf32>) permutation = [1, 0]
  %value_0 = linalg.matmul ins(%rows, %value_t : !rows, tensor<384x384xf32>) outs(%zeros : !rows) -> !rows
  %value_1 = linalg.generic {indexing_maps = [#rc, #c, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%value_0, %value_b : !rows, tensor<384xf32>) outs(%empty : !rows) {
  ^bb0(%v: f32, %b: f32, %out: f32):
    %0 = arith.addf %v, %b : f32
    linalg.yield %0 : f32
  } -> !rows
  %value_2 = tensor.expand_shape %value_1 [[0, 1], [2, 3]] output_shape [%B, %L, 12, 32] : !rows into !split
  %value = linalg.transpose ins(%value_2 : !split) outs(%empty_heads : !heads) permutation = [0, 2, 1, 3]

  // Scores of all pairs of tokens, as one batch of B * 12 products.
  %query_i = tensor.collapse_shape %query [[0, 1], [2], [3]] : !heads into !items
  %key_i = tensor.collapse_shape %key [[0, 1], [2], [3]] : !heads_t into !items_t
  %value_i = tensor.collapse_shape %value [[0, 1], [2], [3]] : !heads into !items
  %empty_pairs = tensor.empty(%BH, %L, %L) : !pairs
  %zero_pairs = linalg.fill ins(%zero : f32) outs(%empty_pairs : !pairs) -> !pairs
  %pairs = linalg.batch_matmul ins(%query_i, %key_i : !items, !items_t) outs(%zero_pairs : !pairs) -> !pairs
  %scores = tensor.expand_shape %pairs [[0, 1], [2], [3]] output_shape [%B, 12, %L, %L] : !pairs into !scores
  %weights = call @attention_weights(%scores, %bias) : (!scores, !bias) -> !scores

  // The weighted values, back to rows.
  %weights_i = tensor.collapse_shape %weights [[0, 1], [2], [3]] : !scores into !pairs
  %empty_items = tensor.empty(%BH, %L) : !items
  %zero_items = linalg.fill ins(%zero : f32) outs(%empty_items : !items) -> !items
  %context_0 = linalg.batch_matmul ins(%weights_i, %value_i : !pairs, !items) outs(%zero_items : !items) -> !items
  %context_1 = tensor.expand_shape %context_0 [[0, 1], [2], [3]] output_shape [%B, 12, %L, 32] : !items into !heads
  %empty_split = tensor.empty(%B, %L) : !split
  %context_2 = linalg.transpose ins(%context_1 : !heads) outs(%empty_split : !split) permutation = [0, 2, 1, 3]
  %context = tensor.collapse_shape %context_2 [[0, 1], [2, 3]] : !split into !rows

  // The output projection and the residual.
  %out_t = linalg.transpose ins(%out_w : tensor<384x384xf32>)
      outs(%empty_w : tensor<384x384xf32>) permutation = [1, 0]
  %out_0 = linalg.matmul ins(%context, %out_t : !rows, tensor<384x384xf32>) outs(%zeros : !rows) -> !rows
  %y = linalg.generic {indexing_maps = [#rc, #c, #rc, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%out_0, %out_b, %rows : !rows, tensor<384xf32>, !rows) outs(%empty : !rows) {
  ^bb0(%v: f32, %b: f32, %residual: f32, %out: f32):
    %0 = arith.addf %v, %b : f32
    %1 = arith.addf %0, %residual : f32
    linalg.yield %1 : f32
  } -> !rows
  return %y : !rows
}

// Up to width 1536, GELU by the error function, back down, added to the input.
func.func private @feed_forward(
    %x: !rows {symshape.shape = #symshape.shape<[N, 384]>},
    %up_w: tensor<1536x384xf32>, %up_b: tensor<1536xf32>,
    %down_w: tensor<384x1536xf32>, %down_b: tensor<384xf32>)
    -> (!rows {symshape.shape = #symshape.shape<[N, 384]>}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %sqrt_half = arith.constant 0.707106769 : f32
  %N = tensor.dim %x, %c0 : !rows
  %empty = tensor.empty(%N) : !rows
  %empty_wide = tensor.empty(%N) : !wide
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : !rows) -> !rows
  %zeros_wide = linalg.fill ins(%zero : f32) outs(%empty_wide : !wide) -> !wide
  %empty_up = tensor.empty() : tensor<384x1536xf32>
  %up_t = linalg.transpose ins(%up_w : tensor<1536x384xf32>)
      outs(%empty_up : tensor<384x1536xf32>) permutation = [1, 0]
  %up = linalg.matmul ins(%x, %up_t : !rows, tensor<384x1536xf32>) outs(%zeros_wide : !wide) -> !wide
  %gelu = linalg.generic {indexing_maps = [#rc, #c, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%up, %up_b : !wide, tensor<1536xf32>) outs(%empty_wide : !wide) {
  ^bb0(%v: f32, %b: f32, %out: f32):
    %0 = arith.addf %v, %b : f32
    %1 = arith.mulf %0, %sqrt_half : f32
    %2 = math.erf %1 : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.mulf %0, %half : f32
    %5 = arith.mulf %4, %3 : f32
    linalg.yield %5 : f32
  } -> !wide
  %empty_down = tensor.empty() : tensor<1536x384xf32>
  %down_t = linalg.transpose ins(%down_w : tensor<384x1536xf32>)
      outs(%empty_down : tensor<1536x384xf32>) permutation = [1, 0]
  %down = linalg.matmul ins(%gelu, %down_t : !wide, tensor<1536x384xf32>) outs(%zeros : !rows) -> !rows
  %y = linalg.generic {indexing_maps = [#rc, #c, #rc, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%down, %down_b, %x : !rows, tensor<384xf32>, !rows) outs(%empty : !rows) {
  ^bb0(%v: f32, %b: f32, %residual: f32, %out: f32):
    %0 = arith.addf %v, %b : f32
    %1 = arith.addf %0, %residual : f32
    linalg.yield %1 : f32
  } -> !rows
  return %y : !rows
}

// One encoder layer: attention, norm, feed-forward, norm.
func.func private @layer(
    %x: !hidden {symshape.shape = #symshape.shape<[B, L, 384]>},
    %bias: !bias {symshape.shape = #symshape.shape<[B, L]>},
    %query_w: tensor<384x384xf32>, %query_b: tensor<384xf32>,
    %key_w: tensor<384x384xf32>, %key_b: tensor<384xf32>,
    %value_w: tensor<384x384xf32>, %value_b: tensor<384xf32>,
    %out_w: tensor<384x384xf32>, %out_b: tensor<384xf32>,
    %norm1_w: tensor<384xf32>, %norm1_b: tensor<384xf32>,
    %up_w: tensor<1536x384xf32>, %up_b: tensor<1536xf32>,
    %down_w: tensor<384x1536xf32>, %down_b: tensor<384xf32>,
    %norm2_w: tensor<384xf32>, %norm2_b: tensor<384xf32>)
    -> (!hidden {symshape.shape = #symshape.shape<[B, L, 384]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %B = tensor.dim %x, %c0 : !hidden
  %L = tensor.dim %x, %c1 : !hidden
  %0 = call @attention(%x, %bias, %query_w, %query_b, %key_w, %key_b, %value_w, %value_b, %out_w, %out_b)
      : (!hidden, !bias, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>,
         tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>) -> !rows
  %1 = call @layer_norm(%0, %norm1_w, %norm1_b) : (!rows, tensor<384xf32>, tensor<384xf32>) -> !rows
  %2 = call @feed_forward(%1, %up_w, %up_b, %down_w, %down_b)
      : (!rows, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>) -> !rows
  %3 = call @layer_norm(%2, %norm2_w, %norm2_b) : (!rows, tensor<384xf32>, tensor<384xf32>) -> !rows
  %y = tensor.expand_shape %3 [[0, 1], [2]] output_shape [%B, %L, 384] : !rows into !hidden
  return %y : !hidden
}

// The mean over the tokens that the mask keeps, scaled to length 1.
func.func private @pooling(
    %h: !hidden {symshape.shape = #symshape.shape<[B, L, 384]>},
    %mask: !ids {symshape.shape = #symshape.shape<[B, L]>})
    -> (!sentences {symshape.shape = #symshape.shape<[B, 384]>}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %least_count = arith.constant 1.0e-9 : f32
  %least_norm = arith.constant 1.0e-12 : f32
  %B = tensor.dim %h, %c0 : !hidden
  %empty = tensor.empty(%B) : !sentences
  %item = tensor.empty(%B) : !per_item
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : !sentences) -> !sentences
  %zero_items = linalg.fill ins(%zero : f32) outs(%item : !per_item) -> !per_item
  %sum = linalg.generic {indexing_maps = [#blc, #bl_, #b_c],
                         iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%h, %mask : !hidden, !ids) outs(%zeros : !sentences) {
  ^bb0(%v: f32, %m: i64, %acc: f32):
    %kept = arith.sitofp %m : i64 to f32
    %0 = arith.mulf %v, %kept : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> !sentences
  %count = linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%mask : !ids) outs(%zero_items : !per_item) {
  ^bb0(%m: i64, %acc: f32):
    %kept = arith.sitofp %m : i64 to f32
    %0 = arith.addf %acc, %kept : f32
    linalg.yield %0 : f32
  } -> !per_item
  %mean = linalg.generic {indexing_maps = [#rc, #r, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%sum, %count : !sentences, !per_item) outs(%empty : !sentences) {
  ^bb0(%s: f32, %n: f32, %out: f32):
    %safe = arith.maximumf %n, %least_count : f32
    %0 = arith.divf %s, %safe : f32
    linalg.yield %0 : f32
  } -> !sentences
  %squares = linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%mean : !sentences) outs(%zero_items : !per_item) {
  ^bb0(%v: f32, %acc: f32):
    %square = arith.mulf %v, %v : f32
    %0 = arith.addf %acc, %square : f32
    linalg.yield %0 : f32
  } -> !per_item
  %unit = linalg.generic {indexing_maps = [#rc, #r, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%mean, %squares : !sentences, !per_item) outs(%empty : !sentences) {
  ^bb0(%v: f32, %q: f32, %out: f32):
    %norm = math.sqrt %q : f32
    %safe = arith.maximumf %norm, %least_norm : f32
    %0 = arith.divf %v, %safe : f32
    linalg.yield %0 : f32
  } -> !sentences
  return %unit : !sentences
}

// The entry: token ids and mask in, one unit vector per sentence out.
func.func @encode(
    %ids: !ids {symshape.shape = #symshape.shape<[B, L]>},
    %mask: !ids {symshape.shape = #symshape.shape<[B, L]>},
    %word: tensor<30522x384xf32> {symshape.weight = "embeddings.word_embeddings.weight"},
    %position: tensor<512x384xf32> {symshape.weight = "embeddings.position_embeddings.weight"},
    %type: tensor<2x384xf32> {symshape.weight = "embeddings.token_type_embeddings.weight"},
    %norm_w: tensor<384xf32> {symshape.weight = "embeddings.LayerNorm.weight"},
    %norm_b: tensor<384xf32> {symshape.weight = "embeddings.LayerNorm.bias"},
    %l0_query_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.0.attention.self.query.weight"},
    %l0_query_b: tensor<384xf32> {symshape.weight = "encoder.layer.0.attention.self.query.bias"},
    %l0_key_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.0.attention.self.key.weight"},
    %l0_key_b: tensor<384xf32> {symshape.weight = "encoder.layer.0.attention.self.key.bias"},
    %l0_value_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.0.attention.self.value.weight"},
    %l0_value_b: tensor<384xf32> {symshape.weight = "encoder.layer.0.attention.self.value.bias"},
    %l0_out_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.0.attention.output.dense.weight"},
    %l0_out_b: tensor<384xf32> {symshape.weight = "encoder.layer.0.attention.output.dense.bias"},
    %l0_norm1_w: tensor<384xf32> {symshape.weight = "encoder.layer.0.attention.output.LayerNorm.weight"},
    %l0_norm1_b: tensor<384xf32> {symshape.weight = "encoder.layer.0.attention.output.LayerNorm.bias"},
    %l0_up_w: tensor<1536x384xf32> {symshape.weight = "encoder.layer.0.intermediate.dense.weight"},
    %l0_up_b: tensor<1536xf32> {symshape.weight = "encoder.layer.0.intermediate.dense.bias"},
    %l0_down_w: tensor<384x1536xf32> {symshape.weight = "encoder.layer.0.output.dense.weight"},
    %l0_down_b: tensor<384xf32> {symshape.weight = "encoder.layer.0.output.dense.bias"},
    %l0_norm2_w: tensor<384xf32> {symshape.weight = "encoder.layer.0.output.LayerNorm.weight"},
    %l0_norm2_b: tensor<384xf32> {symshape.weight = "encoder.layer.0.output.LayerNorm.bias"},
    %l1_query_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.1.attention.self.query.weight"},
    %l1_query_b: tensor<384xf32> {symshape.weight = "encoder.layer.1.attention.self.query.bias"},
    %l1_key_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.1.attention.self.key.weight"},
    %l1_key_b: tensor<384xf32> {symshape.weight = "encoder.layer.1.attention.self.key.bias"},
    %l1_value_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.1.attention.self.value.weight"},
    %l1_value_b: tensor<384xf32> {symshape.weight = "encoder.layer.1.attention.self.value.bias"},
    %l1_out_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.1.attention.output.dense.weight"},
    %l1_out_b: tensor<384xf32> {symshape.weight = "encoder.layer.1.attention.output.dense.bias"},
    %l1_norm1_w: tensor<384xf32> {symshape.weight = "encoder.layer.1.attention.output.LayerNorm.weight"},
    %l1_norm1_b: tensor<384xf32> {symshape.weight = "encoder.layer.1.attention.output.LayerNorm.bias"},
    %l1_up_w: tensor<1536x384xf32> {symshape.weight = "encoder.layer.1.intermediate.dense.weight"},
    %l1_up_b: tensor<1536xf32> {symshape.weight = "encoder.layer.1.intermediate.dense.bias"},
    %l1_down_w: tensor<384x1536xf32> {symshape.weight = "encoder.layer.1.output.dense.weight"},
    %l1_down_b: tensor<384xf32> {symshape.weight = "encoder.layer.1.output.dense.bias"},
    %l1_norm2_w: tensor<384xf32> {symshape.weight = "encoder.layer.1.output.LayerNorm.weight"},
    %l1_norm2_b: tensor<384xf32> {symshape.weight = "encoder.layer.1.output.LayerNorm.bias"},
    %l2_query_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.2.attention.self.query.weight"},
    %l2_query_b: tensor<384xf32> {symshape.weight = "encoder.layer.2.attention.self.query.bias"},
    %l2_key_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.2.attention.self.key.weight"},
    %l2_key_b: tensor<384xf32> {symshape.weight = "encoder.layer.2.attention.self.key.bias"},
    %l2_value_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.2.attention.self.value.weight"},
    %l2_value_b: tensor<384xf32> {symshape.weight = "encoder.layer.2.attention.self.value.bias"},
    %l2_out_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.2.attention.output.dense.weight"},
    %l2_out_b: tensor<384xf32> {symshape.weight = "encoder.layer.2.attention.output.dense.bias"},
    %l2_norm1_w: tensor<384xf32> {symshape.weight = "encoder.layer.2.attention.output.LayerNorm.weight"},
    %l2_norm1_b: tensor<384xf32> {symshape.weight = "encoder.layer.2.attention.output.LayerNorm.bias"},
    %l2_up_w: tensor<1536x384xf32> {symshape.weight = "encoder.layer.2.intermediate.dense.weight"},
    %l2_up_b: tensor<1536xf32> {symshape.weight = "encoder.layer.2.intermediate.dense.bias"},
    %l2_down_w: tensor<384x1536xf32> {symshape.weight = "encoder.layer.2.output.dense.weight"},
    %l2_down_b: tensor<384xf32> {symshape.weight = "encoder.layer.2.output.dense.bias"},
    %l2_norm2_w: tensor<384xf32> {symshape.weight = "encoder.layer.2.output.LayerNorm.weight"},
    %l2_norm2_b: tensor<384xf32> {symshape.weight = "encoder.layer.2.output.LayerNorm.bias"},
    %l3_query_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.3.attention.self.query.weight"},
    %l3_query_b: tensor<384xf32> {symshape.weight = "encoder.layer.3.attention.self.query.bias"},
    %l3_key_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.3.attention.self.key.weight"},
    %l3_key_b: tensor<384xf32> {symshape.weight = "encoder.layer.3.attention.self.key.bias"},
    %l3_value_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.3.attention.self.value.weight"},
    %l3_value_b: tensor<384xf32> {symshape.weight = "encoder.layer.3.attention.self.value.bias"},
    %l3_out_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.3.attention.output.dense.weight"},
    %l3_out_b: tensor<384xf32> {symshape.weight = "encoder.layer.3.attention.output.dense.bias"},
    %l3_norm1_w: tensor<384xf32> {symshape.weight = "encoder.layer.3.attention.output.LayerNorm.weight"},
    %l3_norm1_b: tensor<384xf32> {symshape.weight = "encoder.layer.3.attention.output.LayerNorm.bias"},
    %l3_up_w: tensor<1536x384xf32> {symshape.weight = "encoder.layer.3.intermediate.dense.weight"},
    %l3_up_b: tensor<1536xf32> {symshape.weight = "encoder.layer.3.intermediate.dense.bias"},
    %l3_down_w: tensor<384x1536xf32> {symshape.weight = "encoder.layer.3.output.dense.weight"},
    %l3_down_b: tensor<384xf32> {symshape.weight = "encoder.layer.3.output.dense.bias"},
    %l3_norm2_w: tensor<384xf32> {symshape.weight = "encoder.layer.3.output.LayerNorm.weight"},
    %l3_norm2_b: tensor<384xf32> {symshape.weight = "encoder.layer.3.output.LayerNorm.bias"},
    %l4_query_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.4.attention.self.query.weight"},
    %l4_query_b: tensor<384xf32> {symshape.weight = "encoder.layer.4.attention.self.query.bias"},
    %l4_key_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.4.attention.self.key.weight"},
    %l4_key_b: tensor<384xf32> {symshape.weight = "encoder.layer.4.attention.self.key.bias"},
    %l4_value_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.4.attention.self.value.weight"},
    %l4_value_b: tensor<384xf32> {symshape.weight = "encoder.layer.4.attention.self.value.bias"},
    %l4_out_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.4.attention.output.dense.weight"},
    %l4_out_b: tensor<384xf32> {symshape.weight = "encoder.layer.4.attention.output.dense.bias"},
    %l4_norm1_w: tensor<384xf32> {symshape.weight = "encoder.layer.4.attention.output.LayerNorm.weight"},
    %l4_norm1_b: tensor<384xf32> {symshape.weight = "encoder.layer.4.attention.output.LayerNorm.bias"},
    %l4_up_w: tensor<1536x384xf32> {symshape.weight = "encoder.layer.4.intermediate.dense.weight"},
    %l4_up_b: tensor<1536xf32> {symshape.weight = "encoder.layer.4.intermediate.dense.bias"},
    %l4_down_w: tensor<384x1536xf32> {symshape.weight = "encoder.layer.4.output.dense.weight"},
    %l4_down_b: tensor<384xf32> {symshape.weight = "encoder.layer.4.output.dense.bias"},
    %l4_norm2_w: tensor<384xf32> {symshape.weight = "encoder.layer.4.output.LayerNorm.weight"},
    %l4_norm2_b: tensor<384xf32> {symshape.weight = "encoder.layer.4.output.LayerNorm.bias"},
    %l5_query_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.5.attention.self.query.weight"},
    %l5_query_b: tensor<384xf32> {symshape.weight = "encoder.layer.5.attention.self.query.bias"},
    %l5_key_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.5.attention.self.key.weight"},
    %l5_key_b: tensor<384xf32> {symshape.weight = "encoder.layer.5.attention.self.key.bias"},
    %l5_value_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.5.attention.self.value.weight"},
    %l5_value_b: tensor<384xf32> {symshape.weight = "encoder.layer.5.attention.self.value.bias"},
    %l5_out_w: tensor<384x384xf32> {symshape.weight = "encoder.layer.5.attention.output.dense.weight"},
    %l5_out_b: tensor<384xf32> {symshape.weight = "encoder.layer.5.attention.output.dense.bias"},
    %l5_norm1_w: tensor<384xf32> {symshape.weight = "encoder.layer.5.attention.output.LayerNorm.weight"},
    %l5_norm1_b: tensor<384xf32> {symshape.weight = "encoder.layer.5.attention.output.LayerNorm.bias"},
    %l5_up_w: tensor<1536x384xf32> {symshape.weight = "encoder.layer.5.intermediate.dense.weight"},
    %l5_up_b: tensor<1536xf32> {symshape.weight = "encoder.layer.5.intermediate.dense.bias"},
    %l5_down_w: tensor<384x1536xf32> {symshape.weight = "encoder.layer.5.output.dense.weight"},
    %l5_down_b: tensor<384xf32> {symshape.weight = "encoder.layer.5.output.dense.bias"},
    %l5_norm2_w: tensor<384xf32> {symshape.weight = "encoder.layer.5.output.LayerNorm.weight"},
    %l5_norm2_b: tensor<384xf32> {symshape.weight = "encoder.layer.5.output.LayerNorm.bias"})
    -> (!sentences {symshape.shape = #symshape.shape<[B, 384]>}) {
  %h0 = call @embeddings(%ids, %word, %position, %type, %norm_w, %norm_b)
      : (!ids, tensor<30522x384xf32>, tensor<512x384xf32>, tensor<2x384xf32>, tensor<384xf32>, tensor<384xf32>) -> !hidden
  %bias = call @mask_bias(%mask) : (!ids) -> !bias
  %h1 = call @layer(%h0, %bias,
      %l0_query_w, %l0_query_b, %l0_key_w, %l0_key_b, %l0_value_w, %l0_value_b, %l0_out_w, %l0_out_b,
      %l0_norm1_w, %l0_norm1_b, %l0_up_w, %l0_up_b, %l0_down_w, %l0_down_b, %l0_norm2_w, %l0_norm2_b)
      : (!hidden, !bias, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>) -> !hidden
  %h2 = call @layer(%h1, %bias,
      %l1_query_w, %l1_query_b, %l1_key_w, %l1_key_b, %l1_value_w, %l1_value_b, %l1_out_w, %l1_out_b,
      %l1_norm1_w, %l1_norm1_b, %l1_up_w, %l1_up_b, %l1_down_w, %l1_down_b, %l1_norm2_w, %l1_norm2_b)
      : (!hidden, !bias, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>) -> !hidden
  %h3 = call @layer(%h2, %bias,
      %l2_query_w, %l2_query_b, %l2_key_w, %l2_key_b, %l2_value_w, %l2_value_b, %l2_out_w, %l2_out_b,
      %l2_norm1_w, %l2_norm1_b, %l2_up_w, %l2_up_b, %l2_down_w, %l2_down_b, %l2_norm2_w, %l2_norm2_b)
      : (!hidden, !bias, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>) -> !hidden
  %h4 = call @layer(%h3, %bias,
      %l3_query_w, %l3_query_b, %l3_key_w, %l3_key_b, %l3_value_w, %l3_value_b, %l3_out_w, %l3_out_b,
      %l3_norm1_w, %l3_norm1_b, %l3_up_w, %l3_up_b, %l3_down_w, %l3_down_b, %l3_norm2_w, %l3_norm2_b)
      : (!hidden, !bias, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>) -> !hidden
  %h5 = call @layer(%h4, %bias,
      %l4_query_w, %l4_query_b, %l4_key_w, %l4_key_b, %l4_value_w, %l4_value_b, %l4_out_w, %l4_out_b,
      %l4_norm1_w, %l4_norm1_b, %l4_up_w, %l4_up_b, %l4_down_w, %l4_down_b, %l4_norm2_w, %l4_norm2_b)
      : (!hidden, !bias, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>) -> !hidden
  %h6 = call @layer(%h5, %bias,
      %l5_query_w, %l5_query_b, %l5_key_w, %l5_key_b, %l5_value_w, %l5_value_b, %l5_out_w, %l5_out_b,
      %l5_norm1_w, %l5_norm1_b, %l5_up_w, %l5_up_b, %l5_down_w, %l5_down_b, %l5_norm2_w, %l5_norm2_b)
      : (!hidden, !bias, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<1536x384xf32>, tensor<1536xf32>, tensor<384x1536xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>) -> !hidden
  %sentences = call @pooling(%h6, %mask) : (!hidden, !ids) -> !sentences
  return %sentences : !sentences
}
