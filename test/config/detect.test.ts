import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Detection } from '../../src/config/detect/detect-config.ts'
import type { Machine } from '../../src/config/detect/project.ts'
import { parseRepositoryConfig } from '../../src/config/load.ts'
import { detect, type Files } from './shapes/shape.ts'

type DetectedConfig = Extract<Detection, { config: object }>

function found(files: Files, machine?: Partial<Machine>): DetectedConfig {
  const detection = detect(files, machine)
  if (detection.config === null) throw new Error(detection.reason)
  return detection
}

function verification(files: Files, machine?: Partial<Machine>) {
  return found(files, machine).config.verification ?? {}
}

function steps(files: Files): Record<string, string> {
  return Object.fromEntries((verification(files).steps ?? []).map(({ name, command }) => [name, command]))
}

function prepare(files: Files, machine?: Partial<Machine>) {
  const [step, ...others] = verification(files, machine).prepare ?? []
  expect(others).toEqual([])
  return step
}

const manifest = (scripts: object, rest: object = {}) => JSON.stringify({ scripts, ...rest })
const vitest = { devDependencies: { vitest: '^4' } }

describe('of a package.json', () => {
  test('the scripts that check something are steps, the quick ones first', () => {
    const text = manifest({
      test: 'x',
      build: 'tsc',
      start: 'node .',
      lint: 'biome check',
      'type-check': 'tsc --noEmit',
    })
    expect(Object.entries(steps({ 'package.json': text }))).toEqual([
      ['lint', 'npm run lint'],
      ['type-check', 'npm run type-check'],
      ['build', 'npm run build'],
      ['test', 'npm test'],
    ])
  })

  test('the test script that npm init writes is none', () => {
    const files = { 'package.json': manifest({ test: 'echo "Error: no test specified" && exit 1' }) }
    expect(detect(files)).toEqual({
      config: null,
      reason: 'No command that builds or tests was found in package.json.',
      folders: [],
    })
  })

  test('a build without tests is worth a note', () => {
    expect(found({ 'package.json': manifest({ build: 'tsc' }) }).notes).toContainEqual(
      expect.stringMatching(/no script "test"/),
    )
  })

  const junit = 'junit="$ARTIFACT_DIR/logs/junit.xml"'
  test.each([
    ['vitest', {}, `npm test -- --reporter=default --reporter=junit --outputFile.${junit}`],
    [
      'tsc --noEmit && cross-env A=1 vitest run --pool=forks',
      {},
      expect.stringMatching(/^npm test -- --reporter=default/),
    ],
    ['vitest run | tee log', {}, null],
    [
      'c8 jest',
      { 'jest-junit': '16' },
      expect.stringMatching(/^JEST_JUNIT_OUTPUT_FILE="\$ARTIFACT_DIR\/logs\/junit.xml" npm test -- /),
    ],
    ['mocha', { 'mocha-junit-reporter': '2' }, expect.stringContaining(' mochaFile="$ARTIFACT_DIR/logs/junit.xml"')],
    [
      'node --test "test/*.js"',
      {},
      expect.stringMatching(/^NODE_OPTIONS="--test-reporter=spec .*\/logs\/junit.xml\\"" npm test$/),
    ],
    ['npm run unit && npm run lint', {}, expect.stringMatching(/^NODE_OPTIONS=/)],
    ['vitest run && tsd', {}, expect.stringMatching(/^npm exec -c 'vitest run --reporter=default .* && tsd'$/)],
    ['node --test a && node --test b', {}, null],
    ['node --test --test-reporter=tap', {}, null],
    ['tape test/*.js', {}, null],
  ])('the runner in %j %j writes a report, if it can', (script, devDependencies, command) => {
    const text = manifest({ test: script, unit: 'node --test' }, { devDependencies })
    const step = verification({ 'package.json': text }).steps?.at(-1)
    const expected = command === null ? { command: 'npm test' } : { command, junit: 'logs/junit.xml' }
    expect(step).toEqual({ name: 'test', ...expected })
  })

  test.each<[string, unknown]>([
    [
      'mocha --reporter spec "test/@(a|b).js"',
      'npm exec -c \'npm run pretest && mocha "test/@(a|b).js" --reporter tap\'',
    ],
    ['mocha "test/@(a|b).js"', 'npm test -- --reporter tap'],
    ['nyc --reporter lcov mocha', 'npm test -- --reporter tap'],
    ['node_modules/.bin/c8 mocha', 'npm test -- --reporter tap'],
    ['./node_modules/.bin/nyc mocha test', 'npm test -- --reporter tap'],
    ['node_modules/.bin/cross-env A=1 jest', 'npm test -- --verbose'],
    ['node node_modules/nyc/bin/nyc.js mocha', 'npm test -- --reporter tap'],
    ['node node_modules/.bin/c8 node_modules/mocha/bin/mocha.js', 'npm test -- --reporter tap'],
    ['mocha --bail test', 'npm test -- --no-bail --reporter tap'],
    ['node -r esm ./node_modules/.bin/_mocha', 'npm test -- --reporter tap'],
    ['xo && ava', 'npm test -- --tap'],
    ["xo && c8 ava 'a.js' && tsd", "npm exec -c 'npm run pretest && xo && c8 ava '\\''a.js'\\'' --tap && tsd'"],
    ['cross-env CI=1 jest', 'npm test -- --verbose'],
    ['react-scripts build && react-scripts test', 'npm test -- --verbose'],
    ['npm run u', "npm exec -c 'npm run pretest && npm run u -- --reporter tap'"],
    ['yarn lint && yarn u', "npm exec -c 'npm run pretest && yarn lint && npm run u -- --reporter tap'"],
    ['run-s lint u:*', "npm exec -c 'npm run pretest && npm run lint && npm run u:a -- --verbose'"],
    ['npm run both', "npm exec -c 'npm run pretest && npm run prehard && mocha --reporter tap && tsd'"],
    ['tape a.js | tap-spec', "npm exec -c 'npm run pretest && tape a.js'"],
    ['vitest run -p a && vitest run -p b', expect.stringMatching(/-p a --reporter=verbose && vitest run -p b --rep/)],
    ['vitest run && node --test a', "npm exec -c 'npm run pretest && vitest run --reporter=verbose && node --test a'"],
    ['node --test a && jest', 'npm test -- --verbose'],
    [
      'node --import tsx --test a && npm run u',
      "npm exec -c 'npm run pretest && node --import tsx --test a && npm run u -- --reporter tap'",
    ],
    [
      'node ./node_modules/vitest/dist/cli-wrapper.js run && node --test a',
      expect.stringContaining('cli-wrapper.js run --reporter=verbose && node --test a'),
    ],
    ...['eslint mocha', 'mocha -- a', 'mocha || true', 'tap-dot < a', 'npm run test', 'nx test'].map(
      (plain) => [plain, 'npm test'] as [string, string],
    ),
  ])('the script %j is run so that it prints its tests', (test, command) => {
    const scripts = { pretest: 'x', test, lint: 'y', u: 'mocha', 'u:a': 'jest', both: 'npm run hard' }
    const text = manifest({ ...scripts, prehard: 'z', hard: 'mocha && tsd' })
    expect(verification({ 'package.json': text }).steps?.at(-1)).toEqual({ name: 'test', command })
  })

  test('a file of tests that node runs takes the options of mocha, where that is installed', () => {
    const scripts = { lint: 'x', test: 'npm run lint && npm run unit', unit: 'nyc node test.js' }
    const text = (devDependencies: object) => manifest(scripts, { devDependencies })
    expect(steps({ 'package.json': text({ mocha: '1' }) }).test).toBe(
      "npm exec -c 'npm run lint && npm run unit -- --reporter tap'",
    )
    expect(steps({ 'package.json': text({ tape: '1' }) }).test).toBe('npm test')
  })

  test('scripts that call each other in a circle are resolved', () => {
    const scripts = { test: 'npm run a', a: 'npm run test && mocha' }
    expect(steps({ 'package.json': manifest(scripts) }).test).toBe("npm exec -c 'npm run a -- --reporter tap'")
  })

  test('a script that rewrites what it should check is left out, which is said; the tests stay', () => {
    const scripts = { lint: 'eslint . --fix', build: 'node build.js', pretest: 'x', test: 'jest -u' }
    const { config, notes } = found({ 'package.json': manifest(scripts) })
    expect(config.verification?.steps?.map(({ name }) => name)).toEqual(['build', 'test'])
    expect(notes).toContain(
      'The script "lint" is left out: it rewrites what it should check (--fix). Add a step that only checks.',
    )
  })

  test.each([
    [{ test: 'vitest run', lint: 'eslint .', typecheck: 'tsc --noEmit -p . && vue-tsc --noEmit' }, undefined],
    [{ test: 'vitest run > /dev/null 2>&1' }, undefined],
    [{ build: 'tsc --noEmit' }, undefined],
    [{ build: 'node build.js' }, 'overlay'],
    [{ typecheck: 'tsc -b' }, 'overlay'],
    [{ test: 'npm run compile && mocha', compile: 'NODE_ENV=test tsc' }, 'overlay'],
    [{ test: 'run-s "test:*"', 'test:a': 'x', 'test:b': 'rm -rf out && x' }, 'overlay'],
    [{ pretest: 'mkdir -p out', test: 'mocha' }, 'overlay'],
    [{ test: 'vitest run --coverage' }, 'overlay'],
    [{ test: 'c8 mocha' }, 'overlay'],
    [{ lint: 'eslint --cache .' }, 'overlay'],
    [{ test: 'mocha > out.txt' }, 'overlay'],
  ])('%j can be written into a tree: %s', (scripts, writes) => {
    const { config, notes } = found({ 'package.json': manifest({ test: 'x', ...scripts }) })
    expect(config.verification?.writes).toBe(writes)
    expect(notes.some((note) => note.includes('"writes" is "overlay"'))).toBe(writes === 'overlay')
  })
})

describe('packages are installed', () => {
  const npmrc = { '.npmrc': '', 'patches/': '' }

  test('by npm ci, from the lockfile and what else decides', () => {
    const files = { 'package.json': manifest({ test: 'x' }, vitest), 'package-lock.json': '{}', ...npmrc }
    expect(prepare(files)).toEqual({
      name: 'install',
      command: 'npm ci --no-audit --no-fund',
      inputs: ['package.json', 'package-lock.json', '.npmrc', 'patches'],
      outputs: ['node_modules'],
      network: ['registry'],
    })
    expect(found(files).notes).toEqual([])
  })

  test('by npm without a lockfile, with a note', () => {
    const files = { 'package.json': manifest({ test: 'x' }, vitest) }
    expect(prepare(files)).toMatchObject({
      command: expect.stringMatching(/^npm install --no-save --no-package-lock /),
    })
    expect(found(files).notes).toEqual([expect.stringMatching(/no package-lock.json/)])
  })

  test('not at all where there are none', () => {
    expect(prepare({ 'package.json': manifest({ test: 'x' }), 'package-lock.json': '{}' })).toBeUndefined()
    expect(prepare({ 'package.json': manifest({ test: 'x' }), 'yarn.lock': '' })).toBeUndefined()
    expect(
      prepare({ 'package.json': manifest({ test: 'x' }), 'pnpm-lock.yaml': "lockfileVersion: '9.0'" }),
    ).toBeUndefined()
  })

  test('for the workspaces of npm, also where a package has some of its own', () => {
    const packages = { '': {}, 'node_modules/a': {}, 'packages/a': {}, 'packages/a/node_modules/ms/node_modules/b': {} }
    const files = {
      'package.json': manifest({ test: 'x' }, { workspaces: ['packages/*'] }),
      'package-lock.json': JSON.stringify({ packages }),
      'packages/a/package.json': '{}',
      'packages/b/package.json': '{}',
      'examples/c/package.json': '{}',
    }
    expect(prepare(files)).toMatchObject({
      command: 'npm ci --no-audit --no-fund && mkdir -p packages/a/node_modules',
      inputs: ['package.json', 'packages/a/package.json', 'packages/b/package.json', 'package-lock.json'],
      outputs: ['node_modules', 'packages/a/node_modules'],
    })
  })

  const pnpmLock =
    "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      a:\n        version: 1\n\n  packages/b: {}\n\npackages:\n\n  a@1:\n"

  test.each(['a; touch b', '../a', '.git', "a'b"])('without a folder %j of a lockfile in any command', (folder) => {
    const locked = { [`${folder}/node_modules/a`]: {}, 'b/node_modules/a': {} }
    const text = manifest({ test: 'x' }, vitest)
    const npm = prepare({ 'package.json': text, 'package-lock.json': JSON.stringify({ packages: locked }) })
    expect(npm?.outputs).toEqual(['node_modules', 'b/node_modules'])
    const lockfile = `lockfileVersion: '9.0'\nimporters:\n\n  ${folder}:\n\n  b: {}\n\npackages:\n`
    const pnpm = prepare({ 'package.json': text, 'pnpm-lock.yaml': lockfile })
    expect(pnpm?.outputs).toEqual(['node_modules', 'b/node_modules'])
    expect(`${npm?.command} ${pnpm?.command}`).not.toContain(folder)
  })

  test('by the pnpm that packageManager names, with a store that the layer does not need', () => {
    const files = {
      'package.json': manifest({ test: 'x' }, { ...vitest, packageManager: 'pnpm@9.15.9+sha512.abc' }),
      'pnpm-lock.yaml': pnpmLock,
      'pnpm-workspace.yaml': '',
    }
    expect(prepare(files)).toEqual({
      name: 'install',
      command:
        'npx --yes --package pnpm@9.15.9 pnpm install --frozen-lockfile --store-dir "$TMPDIR/store" --package-import-method copy && mkdir -p node_modules packages/b/node_modules',
      inputs: ['package.json', 'packages/b/package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'],
      outputs: ['node_modules', 'packages/b/node_modules'],
      network: ['registry'],
    })
    expect(steps(files)).toEqual({ test: 'npm test' })
  })

  test.each([
    ['5.4', 'pnpm@7'],
    ["'6.0'", 'pnpm@8'],
    ["'9.0'", 'pnpm@9'],
  ])('by the pnpm that writes lockfiles of version %s', (version, spec) => {
    const files = {
      'package.json': manifest({ test: 'x' }, vitest),
      'pnpm-lock.yaml': `lockfileVersion: ${version}\n\npackages:\n`,
    }
    expect(prepare(files)?.command).toContain(`--package ${spec} pnpm install`)
  })

  test('together with the package manager itself where scripts call it', () => {
    const files = { 'package.json': manifest({ test: 'pnpm -r test' }, vitest), 'pnpm-lock.yaml': pnpmLock }
    expect(prepare(files)).toMatchObject({
      command: expect.stringMatching(
        /^npm install .* --prefix \.drydock\/tools pnpm@9 && \.drydock\/tools\/node_modules\/\.bin\/pnpm install /,
      ),
      outputs: ['node_modules', 'packages/b/node_modules', '.drydock/tools'],
    })
    expect(steps(files)).toEqual({ test: 'PATH="$PWD/.drydock/tools/node_modules/.bin:$PATH" npm test' })
  })

  test('by the first generation of yarn, from where its lockfile says', () => {
    const resolved = '  resolved "https://packages.example.com/a/-/a-1.tgz#abc"\n'
    const files = {
      'package.json': manifest({ test: 'x' }, { ...vitest, workspaces: { packages: ['./packages/*/'] } }),
      'packages/a/package.json': '{}',
      'yarn.lock': `# yarn lockfile v1\n\na@1:\n  version "1"\n${resolved}\nb@1:\n${resolved}`,
    }
    expect(prepare(files)).toEqual({
      name: 'install',
      command:
        'npx --yes --package yarn@1 yarn install --frozen-lockfile --non-interactive && mkdir -p node_modules packages/a/node_modules',
      inputs: ['package.json', 'packages/a/package.json', 'yarn.lock'],
      outputs: ['node_modules', 'packages/a/node_modules'],
      network: ['registry', 'packages.example.com'],
    })
  })

  test('by the later generations of yarn into node_modules, by the release in the repository', () => {
    const files = {
      'package.json': manifest({ test: 'yarn lint && x', lint: 'x' }, vitest),
      'yarn.lock': '__metadata:\n  version: 8\n',
      '.yarnrc.yml': 'yarnPath: .yarn/releases/yarn-4.1.0.cjs\n',
    }
    expect(prepare(files)).toMatchObject({
      command: expect.stringMatching(
        /@yarnpkg\/cli-dist@4\.1\.0 && export YARN_NODE_LINKER=node-modules .* install --immutable /,
      ),
      inputs: ['package.json', 'yarn.lock', '.yarnrc.yml'],
    })
    expect(steps(files).test).toMatch(/^YARN_NODE_LINKER=node-modules YARN_INSTALL_STATE_PATH=\S+ PATH=\S+ npm test$/)
  })
})

describe('a cargo project', () => {
  test.each([
    ['[dependencies]\na = "1"\n', true],
    ['[target.x.dev-dependencies]\na = { version = "1" }\n', true],
    ['[dependencies.a]\nversion = "1"\n', true],
    ['[dependencies]\na = { path = "../a" }\n[features]\nb = ["a"]\n', false],
    ['[package]\nname = "a"\n', false],
  ])('without a lockfile %j says whether, and the tree is an overlay', (text, fetched) => {
    const { prepare: made, steps: [first] = [], writes } = verification({ 'Cargo.toml': text })
    expect([made !== undefined, first?.command.endsWith('cargo build'), writes]).toEqual([fetched, true, 'overlay'])
  })
})

describe('a repository', () => {
  test('with two build systems has them in the names of its steps, and a report of each', () => {
    const text = manifest({ test: 'vitest' }, vitest)
    const { prepare: made, steps: all } = verification({ 'package.json': text, 'pytest.ini': '' })
    expect(made?.map(({ name }) => name)).toEqual(['node-install', 'python-packages'])
    expect(all).toEqual([
      {
        name: 'node-test',
        command:
          'npm test -- --reporter=default --reporter=junit --outputFile.junit="$ARTIFACT_DIR/logs/node-junit.xml"',
        junit: 'logs/node-junit.xml',
      },
      {
        name: 'python-test',
        command: '.venv/bin/python -m pytest --junitxml="$ARTIFACT_DIR/logs/python-junit.xml"',
        junit: 'logs/python-junit.xml',
      },
    ])
  })

  test('with one project in a folder has that as its package, and paths from the root', () => {
    const files = {
      'README/': '',
      'apps/web/package.json': manifest({ test: 'x' }, vitest),
      'apps/web/package-lock.json': '{}',
      'apps/web/examples/a/package.json': manifest({ test: 'x' }),
    }
    const detection = found(files)
    expect(detection.from).toEqual(['apps/web/package.json'])
    expect(detection.config.verification).toMatchObject({
      package: 'apps/web',
      prepare: [
        { inputs: ['apps/web/package.json', 'apps/web/package-lock.json'], outputs: ['apps/web/node_modules'] },
      ],
      steps: [{ command: 'npm test' }],
    })
  })

  test('with several projects in folders has no configuration, and the reason names them', () => {
    expect(detect({ 'a/go.mod': '', 'b/Cargo.toml': '' })).toEqual({
      config: null,
      reason: 'There are several projects, but none at the root: a, b.',
      folders: ['a', 'b'],
    })
  })

  test('with several projects has that of the folder that the user stands in', () => {
    const files = {
      'package.json': '{}',
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n\nimporters:\n\n  library:\n    a: 1\n\npackages:\n",
      'library/package.json': manifest({ test: 'vitest' }, vitest),
      'other/go.mod': 'module a\n',
    }
    const { config } = detect(files, {}, { standing: 'library/src' }) as DetectedConfig
    expect(config.verification).toMatchObject({
      package: 'library',
      prepare: [
        {
          command: expect.stringMatching(
            /^cd \.\. && npx .* pnpm install .* && mkdir -p node_modules library\/node_modules$/,
          ),
          inputs: ['package.json', 'library/package.json', 'pnpm-lock.yaml'],
          outputs: ['node_modules', 'library/node_modules'],
        },
      ],
      steps: [{ junit: 'logs/junit.xml' }],
    })
    expect(detect(files, {}, { standing: '' })).toMatchObject({ folders: ['library', 'other'] })
    expect(detect(files, {}, { standing: 'lib' }).config).toBeNull()
    expect(detect(files, {}, { standing: 'library', named: 'other' })).toMatchObject({ from: ['other/go.mod'] })
  })

  test('with none of it has no configuration, and a short reason', () => {
    const { config, reason } = detect({}) as Extract<Detection, { config: null }>
    expect(config).toBeNull()
    expect(reason.length).toBeLessThan(100)
  })

  test('has a valid configuration whatever its files hold', () => {
    const paths = [
      'package.json',
      'package-lock.json',
      'pnpm-lock.yaml',
      'yarn.lock',
      '.yarnrc.yml',
      'Cargo.toml',
      'Cargo.lock',
      'CMakeLists.txt',
      'meson.build',
      'pom.xml',
      'settings.gradle',
      'gradlew',
      'configure.ac',
      'Makefile.am',
      'bun.lock',
      'pnpm-workspace.yaml',
      'nx.json',
      'project.json',
      'turbo.json',
      'deno.json',
      'go.work',
      'tox.ini',
      'noxfile.py',
      'hatch.toml',
      'Pipfile',
      'poetry.lock',
      'uv.lock',
      'a b.txt',
      'mix.exs',
      'go.mod',
      'pyproject.toml',
      'setup.py',
      'setup.cfg',
      'requirements.txt',
      'requirements/dev.txt',
      'Makefile',
    ]
    const name = fc.oneof(fc.string(), fc.constantFrom('../a', '.git', 'a b', 'packages/a', '.', "a'b"))
    const contents = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom('add_test(a)', "test('a')"),
      fc.constantFrom('test:\n', '[project]\ndependencies = ["a"]', 'import pytest', '[dependencies]\na = "1"'),
      fc.json().map((value) => `{"scripts":${value},"dependencies":{"a":"1"}}`),
      fc.constant('{"scripts":{"test":"vitest"},"workspaces":["**"],"packageManager":"yarn@1"}'),
      name.map((path) => `lockfileVersion: '9.0'\nimporters:\n\n  ${path}:\n\npackages:\n`),
      name.map((path) => `  resolved "https://${path}/a"\n`),
      name.map((path) => `{"packages":{${JSON.stringify(`${path}/node_modules/x`)}:{}}}`),
      name.map((path) => `-r ${path}\npytest`),
      name.map((path) => `use ${path}\nuse (\n${path}\n)\npackages:\n  - ${path}\n`),
      name.map((path) => `[testenv]\ndeps =\n    pytest ${path}\n    -r${path}\n`),
      name.map((key) => `[project.optional-dependencies]\n${JSON.stringify(key)} = ["pytest"]\n`),
      name.map((key) => `[tool.poetry.group.${JSON.stringify(key)}]\noptional = true\ndependencies = {pytest = "1"}\n`),
      name.map(
        (key) => `[tool.hatch.envs.${JSON.stringify(key)}]\ndependencies = ["pytest", ${JSON.stringify(key)}]\n`,
      ),
    )
    const path = fc.oneof(
      fc.constantFrom(...paths),
      fc.tuple(fc.constantFrom('a b', 'packages/a', "a'b"), fc.constantFrom(...paths)).map((parts) => parts.join('/')),
    )
    fc.assert(
      fc.property(fc.dictionary(path, contents), (files) => {
        const { config } = detect(files)
        if (config === null) return
        const parsed = parseRepositoryConfig(JSON.stringify(config), 'config.json')
        expect(parsed.verification.steps.length).toBeGreaterThan(0)
        const commands = [...parsed.verification.prepare, ...parsed.verification.steps].map(({ command }) => command)
        expect(commands.join('\n')).not.toMatch(/(?<![\w"'])(?:a b|\.git)(?![\w"'])/)
      }),
      { numRuns: 500 },
    )
  })
})
