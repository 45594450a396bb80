func.func @main(%image: tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32> {
  %r = tosa.clamp %image {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32>
  return %r : tensor<?x?x?x3xf32>
}
