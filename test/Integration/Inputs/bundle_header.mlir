// A program whose header in C has each kind of type.
func.func @each.kind(%a: i1, %b: i8, %c: i16, %d: i32, %e: i64, %f: f16, %g: bf16, %h: f32, %i: f64, %j: index,
                     %k: tensor<f32>, %l: tensor<?x4x?xi1>, %m: tensor<2xbf16>, %n: tensor<?xui8>,
                     %w: tensor<3xf64> {symshape.weight = "a/*b*/"}, %s: f32 {symshape.weight = "s"})
    -> (i1, tensor<2xbf16>, index, tensor<f32>) {
  return %a, %m, %j, %k : i1, tensor<2xbf16>, index, tensor<f32>
}
