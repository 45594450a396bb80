// Kernels for nvptx64, and the functions in them for the host as well: check_programs.py
// compares the two. None is about speed; each has another shape of code.

#if defined(__NVPTX__)
#define KERNEL __attribute__((device_kernel, used)) void
#define SHARED __attribute__((address_space(3)))
#define tid __nvvm_read_ptx_sreg_tid_x()
#define tid_y __nvvm_read_ptx_sreg_tid_y()
#define threads __nvvm_read_ptx_sreg_ntid_x()
#define block __nvvm_read_ptx_sreg_ctaid_x()
#define block_y __nvvm_read_ptx_sreg_ctaid_y()
#define barrier() __nvvm_bar_sync(0)
#endif

static unsigned bits(float x) {
  unsigned u;
  __builtin_memcpy(&u, &x, 4);
  return u;
}
static float number(unsigned u) {
  float x;
  __builtin_memcpy(&x, &u, 4);
  return x;
}

// e^x by a polynomial on the rest after a power of two.
float exponential(float x) {
  if (x > 88.7f)
    return __builtin_inff();
  if (x < -103.9f || x != x)
    return x != x ? x : 0.0f;
  float n = __builtin_rintf(x * 1.44269504f);
  float r = __builtin_fmaf(n, -0.693359375f, x);
  r = __builtin_fmaf(n, 2.12194440e-4f, r);
  float p = 1.9875691e-4f;
  p = __builtin_fmaf(p, r, 1.3981999e-3f);
  p = __builtin_fmaf(p, r, 8.3334519e-3f);
  p = __builtin_fmaf(p, r, 4.1665795e-2f);
  p = __builtin_fmaf(p, r, 1.6666665e-1f);
  p = __builtin_fmaf(p, r, 0.5f);
  p = __builtin_fmaf(p, r * r, r + 1.0f);
  int half = (int)n / 2;
  return p * number((unsigned)(half + 127) << 23) * number((unsigned)((int)n - half + 127) << 23);
}

// Integers of many widths, a division, a switch and a loop whose length differs.
unsigned long mix(unsigned x) {
  unsigned long h = 1469598103934665603ul;
  for (unsigned k = 0; k <= (x & 7); ++k) {
    unsigned char byte = (unsigned char)(x >> (k * 3));
    switch (byte % 5) {
    case 0:
      h = h * 1099511628211ul + byte;
      break;
    case 1:
      h ^= (unsigned long)(signed char)byte << 17;
      break;
    case 2:
      h = h / (byte + 1u) + __builtin_popcount(x);
      break;
    case 3:
      h += (unsigned long)__builtin_clz(x | 1) * (short)(x * 31);
      break;
    default:
      h = (unsigned long)((unsigned __int128)h * x >> 32) + (h % 1000003ul);
    }
  }
  return h;
}

// f64, with its square root, quotient and conversions.
double measure(double a, double b) {
  double root = __builtin_sqrt(a * a + b * b);
  long whole = (long)(root < 1e15 ? root * 16.0 : 3.0);
  return root / (b == 0.0 ? 1.0 : b) + (double)(whole & 255) + (float)a;
}

#if defined(__NVPTX__)

KERNEL elementwise(const float *x, float *y, unsigned long *h, double *m, int n) {
  int i = block * threads + tid;
  if (i >= n)
    return;
  y[i] = exponential(x[i]);
  h[i] = mix(bits(x[i]));
  m[i] = measure(x[i], y[i]);
}

// One block per row; lanes by shuffles, warps through shared memory.
KERNEL rowsum(const float *x, float *sums, int n) {
  static SHARED float parts[8];
  float sum = 0;
  for (int i = tid; i < n; i += threads)
    sum += x[(long)block * n + i];
  for (int by = 16; by > 0; by /= 2)
    sum += __nvvm_shfl_sync_bfly_f32(-1, sum, by, 31);
  if (tid % 32 == 0)
    parts[tid / 32] = sum;
  barrier();
  if (tid < 8) {
    sum = parts[tid];
    for (int by = 4; by > 0; by /= 2)
      sum += __nvvm_shfl_sync_bfly_f32(255, sum, by, 31);
    if (tid == 0)
      sums[block] = sum;
  }
}

// Tiles of 32 by 32, of which 8 rows at a time, through shared memory with a column to spare.
KERNEL transpose(const float *x, float *y, int rows, int columns) {
  static SHARED float tile[32][33];
  int column = block * 32 + tid, row = block_y * 32 + tid_y;
  for (int k = 0; k < 32; k += 8)
    if (column < columns && row + k < rows)
      tile[tid_y + k][tid] = x[(long)(row + k) * columns + column];
  barrier();
  column = block_y * 32 + tid;
  row = block * 32 + tid_y;
  for (int k = 0; k < 32; k += 8)
    if (column < rows && row + k < columns)
      y[(long)(row + k) * rows + column] = tile[tid][tid_y + k];
}

// C = A * B in tiles of 16 by 16, with zeros past the ends.
KERNEL product(const float *a, const float *b, float *c, int m, int n, int k) {
  static SHARED float left[16][16], right[16][16];
  int row = block_y * 16 + tid_y, column = block * 16 + tid;
  float sum = 0;
  for (int step = 0; step < k; step += 16) {
    left[tid_y][tid] = row < m && step + tid < k ? a[(long)row * k + step + tid] : 0;
    right[tid_y][tid] = step + tid_y < k && column < n ? b[(long)(step + tid_y) * n + column] : 0;
    barrier();
    for (int t = 0; t < 16; ++t)
      sum = __builtin_fmaf(left[tid_y][t], right[t][tid], sum);
    barrier();
  }
  if (row < m && column < n)
    c[(long)row * n + column] = sum;
}

// How often each value occurs: atomics in shared and in global memory.
KERNEL histogram(const unsigned char *x, unsigned *counts, int n) {
  static SHARED unsigned own[256];
  own[tid] = 0;
  barrier();
  for (int i = block * 256 + tid; i < n; i += 512)
    __atomic_fetch_add((unsigned *)&own[x[i]], 1, __ATOMIC_RELAXED);
  barrier();
  __atomic_fetch_add(&counts[tid], own[tid], __ATOMIC_RELAXED);
}

#endif
