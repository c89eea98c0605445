import { describe } from 'vitest'
import { type Files, junit, type Right, type Shape, testShapes } from './shape.ts'

const crates = 'source = "registry+x"\n'
const cargo = (home: string, ...steps: readonly string[]) =>
  Object.fromEntries(steps.map((step) => [step.split(' ')[0] ?? '', `CARGO_HOME="$PWD/${home}" cargo ${step}`]))
const fetched = (inputs: readonly string[], output = '.drydock/cargo', before = '') =>
  ({ crates: [`${before}CARGO_HOME="$PWD/.drydock/cargo" cargo fetch --locked`, inputs, [output]] }) as const
const member = '[package]\nname = "a"\n[dependencies]\nserde = { workspace = true }\n'

const rust: Readonly<Record<string, Shape>> = {
  'one crate that needs no other': {
    files: { 'Cargo.toml': '[package]\nname = "a"\n', 'Cargo.lock': '[[package]]\nname = "a"\n' },
    right: { steps: { build: 'cargo build --locked', test: 'cargo test --locked' } },
  },
  'one crate that needs others': {
    files: { 'Cargo.toml': '[package]\nname = "a"\n[dependencies]\nb = "1"\n', 'Cargo.lock': crates },
    right: {
      prepare: fetched(['Cargo.toml', 'Cargo.lock']),
      steps: cargo('.drydock/cargo', 'build --locked', 'test --locked'),
    },
  },
  'a library without a lockfile': {
    files: { 'Cargo.toml': '[package]\nname = "a"\n[dev-dependencies]\nb = { path = "../b" }\n' },
    right: {
      steps: { build: 'cargo build', test: 'cargo test' },
      writes: 'overlay',
      notes: ['A committed Cargo.lock makes the crates the same everywhere'],
    },
  },
  'a workspace whose root is a crate, too': {
    files: {
      'Cargo.toml': '[package]\nname = "a"\n[workspace]\nmembers = ["crates/*"]\n',
      'Cargo.lock': crates,
      'crates/b/Cargo.toml': '[package]\nname = "b"\n',
    },
    right: {
      prepare: fetched(['Cargo.toml', 'Cargo.lock']),
      steps: cargo('.drydock/cargo', 'build --workspace --locked', 'test --workspace --locked'),
    },
  },
  'a crate that is named, below its workspace': {
    files: {
      'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/c"]\n',
      'Cargo.lock': crates,
      'crates/b/Cargo.toml': member,
    },
    place: { named: 'crates/b' },
    right: {
      package: 'crates/b',
      prepare: fetched(['Cargo.toml', 'Cargo.lock'], '.drydock/cargo', 'cd ../.. && '),
      steps: cargo('../../.drydock/cargo', 'build --locked', 'test --locked'),
    },
  },
  'a crate that its workspace excludes': {
    files: {
      'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\nexclude = ["fuzz"]\n',
      'Cargo.lock': crates,
      'fuzz/Cargo.toml': '[package]\nname = "fuzz"\n',
      'fuzz/Cargo.lock': '',
    },
    place: { named: 'fuzz' },
    right: { package: 'fuzz', steps: { build: 'cargo build --locked', test: 'cargo test --locked' } },
  },
}

const go = (packages: string, before: string): Right['steps'] => ({
  build: `${before}go build ${packages}`,
  vet: `${before}go vet ${packages}`,
  test: `${before}go test -json ${packages}`,
})
const cached = 'GOMODCACHE="$PWD/.drydock/go" '
const download = `${cached}GOFLAGS=-modcacherw go mod download`
const required = 'module a\n\nrequire b v1.0.0\n'

const golang: Readonly<Record<string, Shape>> = {
  'one module that needs no other': { files: { 'go.mod': 'module a\n' }, right: { steps: go('./...', '') } },
  'one module that needs others': {
    files: { 'go.mod': required, 'go.sum': '' },
    right: { prepare: { modules: [download, ['go.mod', 'go.sum'], ['.drydock/go']] }, steps: go('./...', cached) },
  },
  'modules in vendor': {
    files: { 'go.mod': required, 'go.sum': '', 'vendor/b/': '' },
    right: {
      steps: {
        build: 'go build -mod=vendor ./...',
        vet: 'go vet -mod=vendor ./...',
        test: 'go test -json -mod=vendor ./...',
      },
    },
  },
  'a module with gotestsum': {
    files: { 'go.mod': 'module a\nrequire gotest.tools/gotestsum v1.0.0\n' },
    right: {
      prepare: { modules: [download, ['go.mod'], ['.drydock/go']] },
      steps: {
        build: `${cached}go build ./...`,
        vet: `${cached}go vet ./...`,
        test: [`${cached}go run gotest.tools/gotestsum --junitfile "$ARTIFACT_DIR/logs/junit.xml" -- ./...`, junit],
      },
    },
  },
  'a workspace without a module at its root': {
    files: {
      'go.work': 'go 1.24\n\nuse (\n\t./api // the server\n\t./lib\n\t./gone\n)\n',
      'go.work.sum': '',
      'api/go.mod': required,
      'api/go.sum': '',
      'lib/go.mod': 'module lib\n',
    },
    right: {
      prepare: {
        modules: [download, ['go.work', 'go.work.sum', 'api/go.mod', 'api/go.sum', 'lib/go.mod'], ['.drydock/go']],
      },
      steps: go('./api/... ./lib/...', cached),
    },
  },
  'a workspace whose root is a module, too': {
    files: { 'go.work': 'use .\nuse ./tools\n', 'go.mod': 'module a\n', 'tools/go.mod': 'module t\n' },
    right: { steps: go('./... ./tools/...', '') },
  },
  'a module that is named, below its workspace': {
    files: { 'go.work': 'use ./api\n', 'api/go.mod': required, 'api/go.sum': '' },
    place: { named: 'api' },
    right: {
      package: 'api',
      prepare: { modules: [`cd .. && ${download}`, ['go.work', 'api/go.mod', 'api/go.sum'], ['.drydock/go']] },
      steps: go('./...', 'GOMODCACHE="$PWD/../.drydock/go" '),
    },
  },
  'a module that the go.work above it does not name': {
    files: { 'go.work': 'use ./api\n', 'api/go.mod': 'module a\n', 'tools/go.mod': 'module t\n' },
    place: { named: 'tools' },
    right: { package: 'tools', steps: go('./...', 'GOWORK=off ') },
  },
  'modules below a module, which nothing names': {
    files: { 'go.mod': 'module a\n', 'tools/go.mod': 'module t\n', 'x/testdata/m/go.mod': 'module m\n' },
    right: { steps: go('./...', ''), notes: ['The gate does not test the modules in tools.'] },
  },
}

/** A makefile with these targets, each with a recipe. */
const makefile = (...rules: readonly string[]): Files => ({
  Makefile: rules.map((rule) => (/[;\n]|::?=/.test(rule) ? `${rule}\n` : `${rule}\n\ttrue\n`)).join('\n'),
})
const make = (steps: Right['steps']): Right => ({ steps, writes: 'overlay' })

const makes: Readonly<Record<string, Shape>> = {
  'a target test': { files: makefile('test: a.o'), right: make({ test: 'make test' }) },
  'a target check': { files: { GNUmakefile: 'check ::\n\ttrue\n' }, right: make({ check: 'make check' }) },
  'a target test that makes all': { files: makefile('all: lib', 'test: all'), right: make({ test: 'make test' }) },
  'an all that builds, and a test that does not build it': {
    files: makefile('all: lib prog', 'lib:', 'prog:', 'test: lib'),
    right: make({ build: 'make all', test: 'make test' }),
  },
  'an all that runs more tests than test': {
    files: makefile(
      '.PHONY: test testcpp',
      'all: test testcpp collisions',
      'test: a.c',
      'testcpp: a.c',
      'collisions: a.c',
    ),
    right: make({ test: 'make all' }),
  },
  'an all whose tests are in a variable': {
    files: makefile('TESTS := test test-more', 'all: lib \\\n  $(TESTS)', 'test:', 'test-more:', 'lib:'),
    right: make({ test: 'make all' }),
  },
  'test and check that are two things': {
    files: makefile('test:', 'check: lint'),
    right: make({ test: 'make test', check: 'make check' }),
  },
  'a check that calls test': {
    files: makefile('test:', 'check:\n\t$(MAKE) test\n\tcppcheck .\n'),
    right: make({ check: 'make check' }),
  },
  'tests under another name': {
    files: makefile('all: prog', 'run-tests: all'),
    right: make({ 'run-tests': 'make run-tests' }),
  },
  'an all alone': {
    files: makefile('all: prog'),
    right: 'No command that builds or tests was found in Makefile.',
  },
  'a variable test': {
    files: makefile('test := 1', 'all: prog'),
    right: 'No command that builds or tests was found in Makefile.',
  },
}

const cmake = { 'CMakeLists.txt': 'enable_testing()\nadd_subdirectory(tests)\n' }
const ctest = { ...cmake, 'tests/CMakeLists.txt': 'option(MY_TESTS "x" OFF)\n  add_test(NAME a COMMAND a)\n' }
const built =
  'cmake -S . -B "$ARTIFACT_DIR/build/cmake" -DMY_TESTS=ON && cmake --build "$ARTIFACT_DIR/build/cmake" --parallel "$(nproc)"'
const tested = [
  'ctest --test-dir "$ARTIFACT_DIR/build/cmake" --output-on-failure --no-tests=error --output-junit "$ARTIFACT_DIR/logs/junit.xml"',
  junit,
] as const

const builds: Readonly<Record<string, Shape>> = {
  'CMake, beside a Makefile with a demonstration': {
    files: { ...ctest, Makefile: 'test:\n\tdemo\n' },
    right: { steps: { build: built, test: tested }, notes: ['The Makefile has a target test'] },
  },
  'CMake with an old ctest': {
    files: ctest,
    machine: { ctestReports: false },
    right: {
      steps: { build: built, test: 'cd "$ARTIFACT_DIR/build/cmake" && ctest --output-on-failure' },
      notes: ['3.21'],
    },
  },
  'CMake, which the Makefile calls': {
    files: { ...ctest, Makefile: 'test:\n\tctest\n' },
    right: make({ test: 'make test' }),
  },
  'CMake without tests, and a Makefile': {
    files: { ...cmake, Makefile: 'test:\n' },
    right: make({ test: 'make test' }),
  },
  'CMake without tests': {
    files: cmake,
    right: 'No command that builds or tests was found in CMakeLists.txt.',
  },
  Meson: {
    files: { 'meson.build': "project('a')\nsubdir('t')", 't/meson.build': "test('a', exe)\n" },
    right: {
      steps: {
        build: 'meson setup "$ARTIFACT_DIR/build/meson" && meson compile -C "$ARTIFACT_DIR/build/meson"',
        test: [
          'meson test -C "$ARTIFACT_DIR/build/meson" --print-errorlogs',
          'build/meson/meson-logs/testlog.junit.xml',
        ],
      },
    },
  },
  'Meson without tests': {
    files: { 'meson.build': "project('a')" },
    right: 'No command that builds or tests was found in meson.build.',
  },
  Autotools: {
    files: { 'configure.ac': 'AC_INIT', 'Makefile.am': 'SUBDIRS = t\n', 't/Makefile.am': 'TESTS = a.sh\n' },
    right: make({ build: 'autoreconf -i && ./configure && make -j "$(nproc)"', test: 'make check' }),
  },
  'Autotools with a configure that is committed': {
    files: { 'configure.ac': 'AC_INIT', configure: '#!/bin/sh\n', 'Makefile.in': 'check: all\n\t./t\n' },
    right: make({ build: './configure && make -j "$(nproc)"', test: 'make check' }),
  },
}

const joined = (folder: string) =>
  `end=$?; { echo "<testsuites>"; find . -path "*/${folder}/*" -name "TEST-*.xml" -exec sed "s/<?xml[^>]*?>//" {} +; echo "</testsuites>"; } > "$ARTIFACT_DIR/logs/junit.xml"; exit $end`
const maven = 'mvn -B -ntp -Dmaven.repo.local="$PWD/.drydock/m2"'
const central = ['repo.maven.apache.org', 'repo1.maven.org']
const gradleHosts = [
  ...central,
  'services.gradle.org',
  'plugins.gradle.org',
  'plugins-artifacts.gradle.org',
  'downloads.gradle.org',
]
const gradle = (program: string, inputs: readonly string[]): Right => ({
  prepare: {
    packages: [
      `${program} -g .drydock/gradle --no-daemon --no-build-cache testClasses && { ${program} -g .drydock/gradle --no-daemon --no-build-cache --continue test || true; }`,
      inputs,
      ['.drydock/gradle'],
      ...gradleHosts,
    ],
  },
  steps: {
    test: [
      `cp -R .drydock/gradle "$TMPDIR/gradle" && ${program} -g "$TMPDIR/gradle" --offline --no-daemon --no-build-cache test; ${joined('test-results')}`,
      junit,
    ],
  },
  writes: 'overlay',
})

const jvm: Readonly<Record<string, Shape>> = {
  'Maven with modules': {
    files: { 'pom.xml': '<modules/>', 'core/pom.xml': '' },
    right: {
      prepare: {
        packages: [
          `${maven} -Dmaven.test.failure.ignore=true test`,
          ['pom.xml', 'core/pom.xml'],
          ['.drydock/m2'],
          ...central,
        ],
      },
      steps: { test: [`${maven} -o test; ${joined('surefire-reports')}`, junit] },
      writes: 'overlay',
    },
  },
  'the Gradle of the machine': { files: { 'build.gradle': '' }, right: gradle('gradle', ['build.gradle']) },
  'Kotlin with the Gradle that it brings, and a catalogue': {
    files: {
      gradlew: '',
      'settings.gradle.kts': '',
      'app/build.gradle.kts': 'plugins { kotlin("jvm") }',
      'gradle/libs.versions.toml': '',
      'gradle/wrapper/gradle-wrapper.properties': '',
    },
    right: gradle('sh ./gradlew', [
      'settings.gradle.kts',
      'app/build.gradle.kts',
      'gradle/libs.versions.toml',
      'gradle/wrapper/gradle-wrapper.properties',
    ]),
  },
}

describe('Rust:', () => testShapes(rust))
describe('Go:', () => testShapes(golang))
describe('make:', () => testShapes(makes))
describe('C and C++:', () => testShapes(builds))
describe('the JVM:', () => testShapes(jvm))
