// An embedding bag over ragged rows, and how far its predictions are from what
// was asked for. A batch of bags is one list of tokens: `tokens` and the bag that
// each is in have room for the longest batch, and the first `count` of them are
// this one's. What a bag holds is the sum of the rows of its tokens, 0 where it
// is empty; its prediction is the product of that with `head`.

func.func @loss(%table: tensor<?x?xf32> {symshape.shape = #symshape.shape<["tokens", "width"]>},
                %head: tensor<?xf32> {symshape.shape = #symshape.shape<["width"]>},
                %tokens: tensor<?xi64> {symshape.shape = #symshape.shape<["capacity"]>},
                %bag_of: tensor<?xi64> {symshape.shape = #symshape.shape<["capacity"]>},
                %count: i64,
                %wanted: tensor<?xf32> {symshape.shape = #symshape.shape<["bags"]>}) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %width = tensor.dim %table, %c1 : tensor<?x?xf32>
  %num_bags = tensor.dim %wanted, %c0 : tensor<?xf32>

  // The rows of this batch's tokens: a data-dependent extent from here on.
  %all = symshape.gather promise_in_bounds %table[%tokens] slice_sizes [1, %width]
      {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
       start_index_map = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x?xf32>[tensor<?xi64>] to tensor<?x?xf32>
  %rows = symshape.dynamic_truncate %all, %count axis 0 : tensor<?x?xf32>, i64 to tensor<?x?xf32>
  %bags = symshape.dynamic_truncate %bag_of, %count axis 0 : tensor<?xi64>, i64 to tensor<?xi64>

  %empty = tensor.empty(%num_bags, %width) : tensor<?x?xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sums = symshape.scatter add promise_in_bounds %rows into %none[%bags]
      {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
       scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64}
      : tensor<?x?xf32> into tensor<?x?xf32>[tensor<?xi64>]

  %empty_predictions = tensor.empty(%num_bags) : tensor<?xf32>
  %no_predictions = linalg.fill ins(%zero : f32) outs(%empty_predictions : tensor<?xf32>) -> tensor<?xf32>
  %predictions = linalg.matvec ins(%sums, %head : tensor<?x?xf32>, tensor<?xf32>)
      outs(%no_predictions : tensor<?xf32>) -> tensor<?xf32>

  // Half the sum of squares.
  %half = arith.constant 0.5 : f32
  %scalar = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>, affine_map<(b) -> ()>],
                          iterator_types = ["reduction"]}
      ins(%predictions, %wanted : tensor<?xf32>, tensor<?xf32>) outs(%start : tensor<f32>) {
  ^bb0(%p: f32, %w: f32, %sum: f32):
    %error = arith.subf %p, %w : f32
    %square = arith.mulf %error, %error : f32
    %part = arith.mulf %square, %half : f32
    %next = arith.addf %sum, %part : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %result = tensor.extract %loss[] : tensor<f32>
  return %result : f32
}
