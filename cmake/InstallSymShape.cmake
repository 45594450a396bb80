# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs headers, the CMake package, and what pkg-config reads of the C API.
include(CMakePackageConfigHelpers)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" "${SYMSHAPE_OUTPUTS}/include/"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)
set(symshape_package "${CMAKE_INSTALL_LIBDIR}/cmake/SymShape")
install(EXPORT SymShapeTargets NAMESPACE SymShape:: DESTINATION "${symshape_package}" COMPONENT dev)
set(SYMSHAPE_INSTALLED_INCLUDES "${CMAKE_INSTALL_INCLUDEDIR}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/SymShapeConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/cmake/SymShapeConfig.cmake"
  INSTALL_DESTINATION "${symshape_package}" PATH_VARS SYMSHAPE_INSTALLED_INCLUDES)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/SymShapeConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/cmake/SymShapeConfig.cmake"
  "${PROJECT_BINARY_DIR}/cmake/SymShapeConfigVersion.cmake"
  DESTINATION "${symshape_package}" COMPONENT dev)

# Completion of options, where shells of Debian look for that of a command.
foreach(tool opt run prove report onnx ptx-run bundle-run lsp-server reduce)
  install(FILES "${PROJECT_SOURCE_DIR}/utils/completion/symshape.bash" COMPONENT tools
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME "symshape-${tool}")
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/utils/completion/_symshape"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions" COMPONENT tools)

# Relative to the file itself, so that what is installed may be moved.
file(RELATIVE_PATH SYMSHAPE_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" SYMSHAPE_PC_PREFIX "${SYMSHAPE_PC_PREFIX}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/symshape.pc.in"
  "${PROJECT_BINARY_DIR}/cmake/symshape.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cmake/symshape.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
