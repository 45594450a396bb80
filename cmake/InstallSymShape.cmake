# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs headers, libraries and the CMake package.
include(CMakePackageConfigHelpers)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" "${PROJECT_BINARY_DIR}/include/"
  DESTINATION include FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc")
install(EXPORT SymShapeTargets NAMESPACE SymShape:: DESTINATION lib/cmake/SymShape)
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/SymShapeConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/cmake/SymShapeConfig.cmake"
  INSTALL_DESTINATION lib/cmake/SymShape)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/SymShapeConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/cmake/SymShapeConfig.cmake"
  "${PROJECT_BINARY_DIR}/cmake/SymShapeConfigVersion.cmake"
  DESTINATION lib/cmake/SymShape)
