import type { DetectedSystem, Machine, Project } from './project.ts'
import { reportFile, reportPath } from './project.ts'

const folder = '"$ARTIFACT_DIR/build/cmake"'

/** A project whose CMakeLists.txt adds tests, unless its Makefile runs them. */
export function detectCmake(project: Project, { ctestReports }: Machine): DetectedSystem | null {
  const main = project.files['CMakeLists.txt']
  const texts = Object.entries(project.files).filter(([path]) => /(?:^|\/)CMakeLists\.txt$/.test(path))
  const adds = texts.some(([, text]) =>
    /^\s*(?:add_test|gtest_discover_tests|catch_discover_tests|doctest_discover_tests)\s*\(/im.test(text),
  )
  if (
    main === undefined ||
    !adds ||
    ['GNUmakefile', 'makefile', 'Makefile'].some((name) => /\bctest\b/.test(project.files[name] ?? ''))
  )
    return null
  const options = texts.flatMap(([, text]) => testOptions(text))
  const configure = [`cmake -S . -B ${folder}`, ...new Set(options)].join(' ')
  return {
    system: 'cmake',
    from: 'CMakeLists.txt',
    steps: [
      { name: 'build', command: `${configure} && cmake --build ${folder} --parallel "$(nproc)"` },
      ctestReports
        ? {
            name: 'test',
            command: `ctest --test-dir ${folder} --output-on-failure --no-tests=error --output-junit "${reportPath}"`,
            junit: reportFile,
          }
        : { name: 'test', command: `cd ${folder} && ctest --output-on-failure` },
    ],
    notes: [
      ...(ctestReports ? [] : ['ctest names its tests in a report from version 3.21 on, which is not here.']),
      ...(texts.some(([, text]) => /\b(?:FetchContent_MakeAvailable|ExternalProject_Add)\b/i.test(text))
        ? ['CMakeLists.txt may download something when it is configured, which a step cannot: it has no network.']
        : []),
      ...(/^test\s*::?(?!=)/m.test(project.files.Makefile ?? '')
        ? ['The Makefile has a target test as well, which this gate does not run.']
        : []),
    ],
    programs: ['cmake', 'ctest'],
  }
}

/** Options that are off by default and enable the tests. */
function testOptions(text: string): readonly string[] {
  const options = text.matchAll(
    /^\s*option\s*\(\s*(\w*BUILD\w*TEST\w*|\w*TESTS|ENABLE_\w*TEST\w*)\s+"[^"]*"\s+OFF\b/gim,
  )
  return [...options].map(([, name = '']) => `-D${name}=ON`)
}
