// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows times a matrix by the ops of llama.cpp (ggml), as a contestant of
// bench_codes.py. Matrices of Q4_0 are laid out anew as llama.cpp does when it
// loads a model.

#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml-cpu.h"

#include <stdlib.h>
#include <string.h>

// Bytes of a context beside those of its tensors.
#define SLACK (1 << 20)

typedef struct {
  struct ggml_cgraph *graph;
  struct ggml_tensor *result;
  struct ggml_cplan plan;
} Product;

static void ignore(enum ggml_log_level level, const char *text, void *data) {}

static struct ggml_context *make_context(size_t size, bool no_alloc) {
  struct ggml_init_params params = {size + SLACK, NULL, no_alloc};
  return ggml_init(params);
}

static ggml_backend_buffer_type_t layout_of(enum ggml_type type) {
  ggml_backend_reg_t cpu = ggml_backend_cpu_reg();
  ggml_backend_dev_get_extra_bufts_t get =
      (ggml_backend_dev_get_extra_bufts_t)ggml_backend_reg_get_proc_address(
          cpu, "ggml_backend_dev_get_extra_bufts");
  ggml_backend_buffer_type_t *each =
      type == GGML_TYPE_Q4_0 ? get(ggml_backend_reg_dev_get(cpu, 0)) : NULL;
  for (; each && *each; ++each)
    if (!strcmp(ggml_backend_buft_name(*each), "CPU_REPACK"))
      return *each;
  return ggml_backend_cpu_buffer_type();
}

// [M, K] of f32 times [N, K] of `type`, whose bytes are `weights`; NULL if
// they are not `size`. Never freed.
Product *product_new(int type, const void *weights, size_t size,
                     const float *rows, int64_t m, int64_t n, int64_t k,
                     int threads) {
  ggml_log_set(ignore, NULL);
  ggml_cpu_init();
  struct ggml_context *constants = make_context(0, /*no_alloc=*/true);
  struct ggml_context *values =
      make_context(sizeof(float) * m * (n + k), /*no_alloc=*/false);
  struct ggml_tensor *matrix = ggml_new_tensor_2d(constants, type, k, n);
  struct ggml_tensor *x = ggml_new_tensor_2d(values, GGML_TYPE_F32, k, m);
  if (ggml_nbytes(matrix) != size)
    return NULL;
  ggml_backend_alloc_ctx_tensors_from_buft(constants, layout_of(type));
  ggml_backend_tensor_set(matrix, weights, 0, size);
  memcpy(ggml_get_data(x), rows, ggml_nbytes(x));

  Product *product = malloc(sizeof(Product));
  product->result = ggml_mul_mat(values, matrix, x);
  product->graph = ggml_new_graph(values);
  ggml_build_forward_expand(product->graph, product->result);
  struct ggml_threadpool_params params =
      ggml_threadpool_params_default(threads);
  product->plan =
      ggml_graph_plan(product->graph, threads, ggml_threadpool_new(&params));
  product->plan.work_data = malloc(product->plan.work_size);
  return product;
}

void product_run(Product *product) {
  ggml_graph_compute(product->graph, &product->plan);
}

const float *product_result(Product *product) {
  return ggml_get_data_f32(product->result);
}
