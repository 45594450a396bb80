# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Packages of Debian, one for each component; utils/make_packages.py makes them.
# Who packs is named as Debian's tools do it, by the environment, unless a variable says so.
set(contact "The maintainers of symshape <symshape@packages.invalid>")
if(DEFINED ENV{DEBEMAIL} AND DEFINED ENV{DEBFULLNAME})
  set(contact "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(SYMSHAPE_CONTACT "" CACHE STRING
  "The maintainer of packages, 'Name <mail>'; empty: DEBFULLNAME and DEBEMAIL of the environment")
if(SYMSHAPE_CONTACT)
  set(contact "${SYMSHAPE_CONTACT}")
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL library dev tools)
set(CPACK_PACKAGE_NAME symshape)
set(CPACK_PACKAGE_VENDOR symshape)
set(CPACK_PACKAGE_CONTACT "${contact}")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SOURCE symshape)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# MLIR is not where ld.so looks, nor is our library, which the module of Python needs;
# LLVM is there as well, by a link of which dpkg-shlibdeps does not always know the package.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${LLVM_LIBRARY_DIR};${SYMSHAPE_OUTPUTS}/lib")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
# symshape_package(component name section "depends" "suggests" "summary" "text")
function(symshape_package component name section depends suggests summary text)
  string(TOUPPER "${component}" COMPONENT)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME "${name}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_SECTION "${section}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_SUGGESTS "${suggests}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${COMPONENT}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  if(SYMSHAPE_BUILD) # a folder that is there to make packages
    install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${name}"
      RENAME copyright COMPONENT ${component})
  endif()
endfunction()
set(llvm "libllvm${LLVM_VERSION_MAJOR}")
symshape_package(library libsymshapec0 libs "${llvm}" ""
  "symbolic shapes for MLIR: the library of the C API"
  "Compiles a tensor program or an ONNX model once, calls it at any shape that is\nvalid, and refuses the others.")
symshape_package(tools symshape-tools devel "${llvm}" "mlir-22-tools"
  "symbolic shapes for MLIR: tools and plug-in"
  "symshape-run, symshape-opt, symshape-report, symshape-prove, symshape-onnx,\nsymshape-bundle-run, symshape-ptx-run, symshape-lsp-server, symshape-reduce, and a\nplug-in for mlir-opt-22.")
symshape_package(dev libsymshape-dev libdevel
  "libsymshapec0 (= ${version}), symshape-tools (= ${version}), libmlir-22-dev, mlir-22-tools, llvm-22-dev" ""
  "symbolic shapes for MLIR: headers and static libraries"
  "What programs that use symshape in C (pkg-config symshape) or in C++ (the CMake\npackage SymShape) are built with.")

# Pages beside the tools, by folders as in the tree, since pages name each other; what
# they run, and programs that use us, beside the headers. utils/make_packages.py makes
# the pages of `man`.
set(SYMSHAPE_MAN "" CACHE PATH "Manual pages of the tools; empty: none")
if(SYMSHAPE_BUILD)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" COMPONENT tools
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/symshape-tools")
  install(FILES "${PROJECT_SOURCE_DIR}/README.md" COMPONENT tools
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/symshape-tools")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" COMPONENT dev
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libsymshape-dev")
endif()
if(SYMSHAPE_MAN)
  install(DIRECTORY "${SYMSHAPE_MAN}/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT tools)
endif()

# What pip has put into a folder, byte-compiled when it is installed.
set(SYMSHAPE_PYTHON "" CACHE PATH "The Python package, for where Debian has those of all its versions of Python 3")
set(SYMSHAPE_PYTHON_VERSION "3.11" CACHE STRING "The version of Python that it was built with")
if(SYMSHAPE_PYTHON)
  install(DIRECTORY "${SYMSHAPE_PYTHON}/" DESTINATION lib/python3/dist-packages COMPONENT python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  string(REGEX REPLACE "^3\\.(.*)$" "\\1" minor "${SYMSHAPE_PYTHON_VERSION}")
  math(EXPR next "${minor} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    "${PROJECT_SOURCE_DIR}/cmake/debian/postinst;${PROJECT_SOURCE_DIR}/cmake/debian/prerm")
  symshape_package(python python3-symshape python
    "libsymshapec0 (= ${version}), symshape-tools (= ${version}), python3 (>= 3.${minor}), python3 (<< 3.${next}~), python3-numpy" ""
    "symbolic shapes for MLIR: the package of Python 3"
    "Compiles a tensor program or an ONNX model once, and calls it with arrays of any\nshape that is valid.")
endif()
include(CPack)
