# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes text files as C++: cmake -DOUTPUT=page.inc "-DFILES=a.html;b.css" -P EmbedText.cmake
# Each file becomes `static constexpr char NAME[]`, where NAME is kB_css for b.css.
set(all "")
foreach(file IN LISTS FILES)
  file(READ "${file}" text)
  get_filename_component(name "${file}" NAME)
  string(MAKE_C_IDENTIFIER "${name}" name)
  string(SUBSTRING "${name}" 0 1 first)
  string(TOUPPER "${first}" first)
  string(SUBSTRING "${name}" 1 -1 rest)
  string(APPEND all "static constexpr char k${first}${rest}[] = R\"__page__(${text})__page__\";\n")
endforeach()
file(WRITE "${OUTPUT}" "${all}")
