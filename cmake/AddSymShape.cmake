# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How this project makes libraries, tools, and TableGen outputs. Everything
# links exactly the shared libraries MLIR and LLVM; layers below the dialect link LLVM
# alone, for its Support, and the engine also the static library of upstream's simplex.

add_library(SymShapeSupport INTERFACE)
target_link_libraries(SymShapeSupport INTERFACE LLVM)
target_include_directories(SymShapeSupport SYSTEM INTERFACE
  "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>")
target_include_directories(SymShapeSupport INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}/include>"
  "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")

# symshape_install(target library|dev|tools): into the place of its kind, as the target
# SymShape::<target> of the CMake package, in the named component of the packages. A
# library that is linked when programs are built has its link in dev.
set(SYMSHAPE_MODULES "${CMAKE_INSTALL_LIBDIR}" CACHE STRING
  "Where libraries that are loaded by their path are installed")
function(symshape_install target component)
  set(libraries "${CMAKE_INSTALL_LIBDIR}")
  if(component STREQUAL tools)
    set(libraries "${SYMSHAPE_MODULES}")
  endif()
  install(TARGETS ${target} EXPORT SymShapeTargets
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT ${component}
    LIBRARY DESTINATION "${libraries}" COMPONENT ${component} NAMELINK_COMPONENT dev
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${component})
endfunction()
add_library(SymShapeDeps INTERFACE)
target_link_libraries(SymShapeDeps INTERFACE SymShapeSupport MLIR)
find_library(SYMSHAPE_PRESBURGER MLIRPresburger PATHS "${LLVM_LIBRARY_DIR}" NO_DEFAULT_PATH REQUIRED)
add_library(SymShapePresburger INTERFACE)
target_link_libraries(SymShapePresburger INTERFACE "${SYMSHAPE_PRESBURGER}" SymShapeSupport)
symshape_install(SymShapeSupport dev)
symshape_install(SymShapeDeps dev)
symshape_install(SymShapePresburger dev)

# symshape_precompile(name PRIVATE HEADER... | REUSE_FROM other): `name` and those
# that reuse from it parse these headers once. A build without (the presets dev and
# tidy) shows what a source forgets to include.
function(symshape_precompile name)
  if(SYMSHAPE_PRECOMPILE AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_precompile_headers(${name} ${ARGN})
    # The same bytes each time, or a cache of compilations would not know them.
    target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()
set(SYMSHAPE_PRECOMPILED
  <mlir/Dialect/Affine/IR/AffineOps.h> <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Arith/Utils/Utils.h> <mlir/Dialect/Bufferization/IR/Bufferization.h>
  <mlir/Dialect/ControlFlow/IR/ControlFlowOps.h> <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/GPU/IR/GPUDialect.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>
  <mlir/Dialect/Linalg/IR/Linalg.h> <mlir/Dialect/Linalg/Transforms/Transforms.h>
  <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/Tensor/IR/Tensor.h>
  <mlir/Dialect/Tosa/IR/TosaOps.h> <mlir/Dialect/Vector/IR/VectorOps.h>
  <mlir/IR/PatternMatch.h> <mlir/Pass/Pass.h> <mlir/Pass/PassManager.h>
  <mlir/Transforms/Passes.h>)

# add_symshape_library(name SOURCES file... [DEPENDS tablegen-target...] [LINK lower-layer...]
# [SUPPORT_ONLY]): with SUPPORT_ONLY, without libMLIR; utils/check_layers.py says where.
function(add_symshape_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "SUPPORT_ONLY" "" "SOURCES;DEPENDS;LINK")
  set(deps SymShapeDeps)
  if(ARG_SUPPORT_ONLY)
    set(deps SymShapeSupport)
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} ${deps})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter)
  if(name STREQUAL SymShapeIR)
    symshape_precompile(${name} PRIVATE ${SYMSHAPE_PRECOMPILED})
  elseif(TARGET SymShapeIR) # not the layers below, which see no MLIR
    symshape_precompile(${name} REUSE_FROM SymShapeIR)
  endif()
  symshape_install(${name} dev)
  set_property(GLOBAL APPEND PROPERTY SYMSHAPE_LIBRARIES ${name})
endfunction()

# add_symshape_tool(name SOURCES file... LINK library...): with what these link.
function(add_symshape_tool name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;LINK")
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  symshape_install(${name} tools)
endfunction()

# symshape_tablegen(output.h.inc args...): mlir_tablegen with our include path.
macro(symshape_tablegen output)
  mlir_tablegen(${output} ${ARGN}
    EXTRA_INCLUDES "${PROJECT_SOURCE_DIR}/include" ${MLIR_INCLUDE_DIRS})
endmacro()

# symshape_doc(td-stem page args...): a page made from <td-stem>.td, by the target
# symshape-doc, in docs/symshape/ of the build folder.
function(symshape_doc stem page)
  add_mlir_doc(${stem} ${page} symshape/ ${ARGN}
    EXTRA_INCLUDES "${PROJECT_SOURCE_DIR}/include" ${MLIR_INCLUDE_DIRS})
  if(NOT TARGET symshape-doc)
    add_custom_target(symshape-doc ALL)
  endif()
  add_dependencies(symshape-doc ${page}DocGen)
endfunction()
