import { describe, expect, test } from 'vitest'
import {
  exampleFolder,
  filesNamedIn,
  guardedBy,
  isPackageManifest,
  isSetUpUnlessTests,
} from '../../../src/domain/gate/guarded-file.ts'
import { isTestFile } from '../../../src/domain/story/plan.ts'
import { expectSoon } from '../expect-soon.ts'

/** Files of real projects, by the process that they configure. */
const guarded: Readonly<Record<string, string>> = {
  'continuous integration':
    '.github/workflows/ci.yml .github/actions/setup/action.yml .github/CODEOWNERS .gitlab-ci.yml .gitlab/ci/test.yml .travis.yml .circleci/config.yml .buildkite/pipeline.yml azure-pipelines.yml Jenkinsfile Jenkinsfile.release bitbucket-pipelines.yml .drone.yml .cirrus.star',
  verification: '.drydock/config.json .gitattributes src/.gitattributes .gitmodules',
  'lint and format':
    'eslint.config.js eslint.config.mjs .eslintrc .eslintrc.json packages/a/.eslintrc.cjs .eslintignore .prettierrc .prettierrc.yaml prettier.config.js .prettierignore biome.json biome.jsonc .stylelintrc.json tslint.json .oxlintrc.json ruff.toml .ruff.toml .flake8 .pylintrc pylintrc .golangci.yml .golangci.toml clippy.toml .clippy.toml rustfmt.toml .rustfmt.toml deny.toml .rubocop.yml .rubocop_todo.yml .editorconfig .pre-commit-config.yaml lefthook.yml .husky/pre-commit .swiftlint.yml phpcs.xml phpcs.xml.dist .php-cs-fixer.php .php-cs-fixer.dist.php checkstyle.xml config/checkstyle/checkstyle.xml detekt.yml .scalafmt.conf .clang-tidy .credo.exs cspell.json .markdownlint.json .markdownlint-cli2.jsonc commitlint.config.js .lintstagedrc lint-staged.config.js .dependency-cruiser.js knip.json .shellcheckrc sonar-project.properties',
  'type checking':
    'tsconfig.json tsconfig.base.json packages/a/tsconfig.build.json jsconfig.json mypy.ini .mypy.ini pyrightconfig.json phpstan.neon phpstan.neon.dist phpstan-baseline.neon psalm.xml sorbet/config',
  coverage:
    '.nycrc .nycrc.json .c8rc.json .coveragerc codecov.yml .codecov.yml .coveralls.yml .simplecov tarpaulin.toml',
  'locked dependencies':
    'package-lock.json packages/a/package-lock.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml bun.lock bun.lockb deno.lock poetry.lock uv.lock Pipfile Pipfile.lock requirements.txt requirements-dev.txt requirements/test.txt constraints.txt Cargo.lock Gemfile Gemfile.lock composer.lock go.mod go.sum go.work .npmrc .yarnrc.yml .nvmrc .python-version .tool-versions rust-toolchain.toml gradle.lockfile gradle/libs.versions.toml Package.swift Package.resolved packages.lock.json mix.lock pubspec.lock',
  'installed dependencies':
    'node_modules/a/index.js web/node_modules/a.js vendor/github.com/a/b.go .venv/x.py .pnp.cjs .yarn/releases/yarn.cjs',
  'build and scripts':
    'Makefile makefile GNUmakefile Makefile.am build/rules.mk justfile Taskfile.yml Rakefile lib/tasks/a.rake CMakeLists.txt build.gradle build.gradle.kts settings.gradle gradle.properties gradle/wrapper/gradle-wrapper.properties gradlew pom.xml build.xml build.sbt turbo.json nx.json packages/a/project.json lerna.json .cargo/config.toml build.rs setup.py tasks.py mix.exs App.csproj Directory.Build.props BUILD.bazel WORKSPACE meson.build deno.json bunfig.toml gulpfile.js angular.json',
  'the test runner':
    'vitest.config.ts vitest.unit.config.ts vitest.config.e2e.ts vitest.workspace.ts vite.config.js jest.config.js jest.config.unit.cjs jest-preset.js jest.preset.js karma.conf.js wdio.conf.ts playwright.config.ts cypress.config.ts cypress.json .mocharc.json .mocharc.cjs .taprc babel.config.js .babelrc .swcrc .jasmine.json spec/support/jasmine.json pytest.ini .pytest.ini tox.ini noxfile.py setup.cfg phpunit.xml phpunit.xml.dist .rspec nextest.toml .config/nextest.toml testng.xml behat.yml codeception.yml sitecustomize.py pytest.py unittest/__init__.py .env.test',
  'shared test set-up':
    'conftest.py tests/conftest.py spec/spec_helper.rb spec/rails_helper.rb test/test_helper.rb test/test_helper.exs spec/support/db.rb features/support/env.rb cypress/support/e2e.ts jest.setup.ts vitest.setup.ts vitest-setup.ts setupTests.ts src/setupTests.js setup-jest.ts test-setup.ts global-setup.ts globalSetup.ts globalTeardown.js test/setup.ts tests/setup/db.ts test/hooks.js tests/bootstrap.php tests/TestCase.php tests/Pest.php tests/common/mod.rs __mocks__/fs.js src/__mocks__/a.ts',
}

const ordinary =
  'src/setup.ts docs/ci.md src/hooks/useX.ts src/hooks.ts test/data/package-lock.json test/fixtures/a/package-lock.json test/fixtures/Makefile testdata/go.mod src/remark.ts src/prettier.ts src/avatar-config.ts src/bundle.config.ts src/config.ts src/app.config.ts src/ci/index.ts docs/setup.md specs/hooks.md docs/specs/setup.md src/tests-setup-wizard.tsx tests/test_setup.py tests/test_env.py src/setup-env.ts app/tasks.py locales/global.json src/requirements.md README.md .gitignore src/coverage.ts src/vite-plugin.ts src/standard.ts src/build.ts src/main.ts main.go cmd/root.go src/lib.rs app/models/user.rb src/jest.ts src/lock.ts db/schema.rb src/package.ts sub/.circleci/config.yml sub/.github/workflows/ci.yml .github/ISSUE_TEMPLATE/bug.yml .github/FUNDING.yml .github/PULL_REQUEST_TEMPLATE.md CHANGELOG.md docs/eslint.md model.pth src/vendor/index.ts src/patches/a.ts src/flow.ts src/tap.ts src/karma/index.ts LICENSE test/a.test.ts tests/test_a.py src/mocha.css src/buf.rs src/c8.ts lib/credo.rb src/pint.ts src/Makefile.ts'

describe('a file that decides about the gate', () => {
  test.each(Object.entries(guarded).flatMap(([what, paths]) => paths.split(' ').map((path) => [path, what] as const)))(
    'is %s: %s',
    (path, what) => {
      expect(guardedBy(path, [])).toBe(what)
    },
  )

  test.each(ordinary.split(' '))('is not %s', (path) => {
    expect(guardedBy(path, [])).toBe(null)
  })

  test('is a test file where it is set-up by nothing but its name or place, and declares tests', () => {
    const named =
      'tests/main.js test/hooks.ts test/setup.js spec/support/add.spec.ts tests/common/mod.rs e2e/bootstrap.ts src/setup.test.ts jest.setup.ts features/support/env.rb'
    const loaded =
      'conftest.py tests/conftest.py spec/spec_helper.rb src/setupTests.js __mocks__/fs.js tests/Pest.php vitest.config.ts package-lock.json src/main.ts'
    expect(named.split(' ').filter((path) => !isSetUpUnlessTests(path, []))).toEqual([])
    expect(loaded.split(' ').filter((path) => isSetUpUnlessTests(path, []))).toEqual([])
    expect(isSetUpUnlessTests('test/setup.js', ['test'])).toBe(false)
  })

  test('is whatever dependencies are installed from, also in folders of fixtures', () => {
    const inputs = ['test/fixtures/app/package-lock.json', 'patched/']
    expect(guardedBy('test/fixtures/app/package-lock.json', inputs)).toBe('installed dependencies')
    expect(guardedBy('patched/a.diff', inputs)).toBe('installed dependencies')
    expect(guardedBy('patched-up/a.diff', inputs)).toBe(null)
  })

  test('is not one of an example, unless that is among tests, installed packages or hidden folders', () => {
    expect(['examples/a/jest.config.js', 'packages/a/docs/package.json'].map(exampleFolder)).toEqual([
      'examples',
      'docs',
    ])
    const others = [
      'test/examples/conftest.py',
      'node_modules/a/docs/package.json',
      '.github/actions/demo/action.yml',
      'docs',
      'src/a.ts',
    ]
    expect(others.map(exampleFolder)).toEqual(others.map(() => null))
  })

  test('is a manifest in its parts only', () => {
    const paths = ['package.json', 'packages/a/package.json', 'pyproject.toml', 'crates/a/Cargo.toml', 'composer.json']
    expect(paths.every(isPackageManifest)).toBe(true)
    expect(['test/fixtures/a/package.json', 'src/package.json.ts', 'my-package.json'].some(isPackageManifest)).toBe(
      false,
    )
  })

  test('is told soon, however long a path is', () => {
    for (const part of ['/', '.', 'tests/', 'a', '.github/', '-', 'vitest.', 'config.', 'fixtures/', '_'])
      expectSoon(() => [
        guardedBy(part.repeat(262_144), []),
        isTestFile(part.repeat(40_000)),
        isPackageManifest(part.repeat(262_144)),
      ])
  })
})

test.each([
  ['sh ./scripts/test.sh && node tools/check.js --all', ['scripts/test.sh', 'tools/check.js']],
  ['CI=1 bash -c "ci/run.sh; ./ci//lint.sh"', ['ci/run.sh', 'ci/lint.sh']],
  ['{"scripts":{"test":"node test/all.js","lint":"./lint.sh"}}', ['test/all.js', 'lint.sh']],
  ['make test -C sub', []],
])('the files that %s names', (command, files) => {
  expect(filesNamedIn(command)).toEqual(files)
})
