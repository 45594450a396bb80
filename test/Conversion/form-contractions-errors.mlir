// RUN: symshape-opt %s --symshape-form-contractions=vector-bits=100 --verify-diagnostics

// expected-error @below {{expected vector-bits to be a power of two of at least 64, but got 100}}
module {}
