import { fileParts } from './file-parts.ts'

/** The path of the canary's program, beside its test; no glob of test files matches the name. */
export function canaryText(path: string, token: string): string {
  return `${fileParts(path).folder}${token}.canary`
}

/** Properties that define the build and link of a program. */
const properties = [
  'INCLUDE_DIRECTORIES',
  'SYSTEM_INCLUDE_DIRECTORIES',
  'COMPILE_DEFINITIONS',
  'COMPILE_OPTIONS',
  'COMPILE_FLAGS',
  'COMPILE_FEATURES',
  'LINK_LIBRARIES',
  'LINK_OPTIONS',
  'LINK_FLAGS',
  'LINK_DIRECTORIES',
  'LINKER_LANGUAGE',
  'C_STANDARD',
  'C_STANDARD_REQUIRED',
  'C_EXTENSIONS',
  'CXX_STANDARD',
  'CXX_STANDARD_REQUIRED',
  'CXX_EXTENSIONS',
  'POSITION_INDEPENDENT_CODE',
  'EXCLUDE_FROM_ALL',
  'RUNTIME_OUTPUT_DIRECTORY',
  'BUILD_RPATH',
  'ENABLE_EXPORTS',
]

const testProperties = ['LABELS', 'WORKING_DIRECTORY', 'ENVIRONMENT', 'FIXTURES_REQUIRED', 'RESOURCE_LOCK', 'TIMEOUT']

/**
 * A CMakeLists.txt with an addition at its end that looks for the program made from a test file: by
 * then CMake has resolved loops, patterns and functions. The program gets a sister with the
 * canary's text instead of the file, and a test that runs it.
 */
export function cmakeCanary({
  lists,
  text,
  path,
  token,
}: {
  /** Path of the CMakeLists.txt, beside the test file or above it. */
  readonly lists: string
  readonly text: string
  /** Path of the test file. */
  readonly path: string
  readonly token: string
}): string {
  const { folder, stem, end } = fileParts(path)
  const v = `${token}_`
  const from = (other: string) => `\${CMAKE_CURRENT_SOURCE_DIR}/${other.slice(fileParts(lists).folder.length)}`
  const ref = (name: string) => `\${${v}${name}}`
  return `${text.trimEnd()}

if(NOT TARGET ${token})
  get_property(${v}targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  get_filename_component(${v}file "${from(path)}" ABSOLUTE)
  get_filename_component(${v}folder "${from(folder)}" ABSOLUTE)
  foreach(${v}target IN LISTS ${v}targets)
    get_target_property(${v}type ${ref('target')} TYPE)
    get_target_property(${v}sources ${ref('target')} SOURCES)
    set(${v}others)
    set(${v}is_it FALSE)
    foreach(${v}source IN LISTS ${v}sources)
      get_filename_component(${v}whole "${ref('source')}" ABSOLUTE)
      if(${v}whole STREQUAL ${v}file)
        set(${v}is_it TRUE)
      else()
        list(APPEND ${v}others "${ref('source')}")
      endif()
    endforeach()
    if(${v}type STREQUAL "EXECUTABLE" AND ${v}is_it AND NOT TARGET ${token})
      set(${v}text "\${CMAKE_CURRENT_BINARY_DIR}/${token}${end}")
      configure_file("${from(canaryText(path, token))}" "${ref('text')}" COPYONLY)
      add_executable(${token} "${ref('text')}" ${ref('others')})
      foreach(${v}property ${properties.join(' ')})
        get_target_property(${v}value ${ref('target')} ${ref('property')})
        if(NOT ${v}value MATCHES "NOTFOUND$")
          set_property(TARGET ${token} PROPERTY ${ref('property')} "${ref('value')}")
        endif()
      endforeach()
      set_target_properties(${token} PROPERTIES C_CLANG_TIDY "" CXX_CLANG_TIDY "" C_CPPCHECK "" CXX_CPPCHECK "")
      target_include_directories(${token} BEFORE PRIVATE "${ref('folder')}")
      get_target_property(${v}value ${ref('target')} MANUALLY_ADDED_DEPENDENCIES)
      if(${v}value)
        add_dependencies(${token} ${ref('value')})
      endif()
      add_dependencies(${ref('target')} ${token})
      get_property(${v}tests DIRECTORY PROPERTY TESTS)
      set(${v}name ${ref('target')})
      foreach(${v}test IN LISTS ${v}tests)
        if(${v}test STREQUAL ${v}target OR "${stem}" MATCHES "^(.*[-_])?${ref('test')}([-_].*)?$")
          set(${v}name ${ref('test')})
        endif()
      endforeach()
      add_test(NAME "${ref('name')}_${token}" COMMAND ${token})
      foreach(${v}property ${testProperties.join(' ')})
        if("${ref('name')}" IN_LIST ${v}tests)
          get_test_property("${ref('name')}" ${ref('property')} ${v}value)
          if(NOT ${v}value MATCHES "NOTFOUND$")
            set_property(TEST "${ref('name')}_${token}" PROPERTY ${ref('property')} "${ref('value')}")
          endif()
        endif()
      endforeach()
    endif()
  endforeach()
endif()
`
}
