import { describe } from 'vitest'
import { type Files, json, junit, type Shape, testShapes } from './shape.ts'

const manifest = (scripts: object, rest: object = {}): string => json({ scripts, ...rest })
const needs = (...names: string[]) => ({ devDependencies: Object.fromEntries(names.map((name) => [name, '*'])) })
const report = '--outputFile.junit="$ARTIFACT_DIR/logs/junit.xml"'
const vitest = [`npm test -- --reporter=default --reporter=junit ${report}`, junit] as const
const nodeTest = [
  'NODE_OPTIONS="--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=\\"$ARTIFACT_DIR/logs/junit.xml\\"" npm test',
  junit,
] as const

const npmCi = 'npm ci --no-audit --no-fund'
const pnpmInstall = (flags = '--frozen-lockfile') =>
  `install ${flags} --store-dir "$TMPDIR/store" --package-import-method copy`
const npxPnpm = (version: string, folders: string, flags?: string) =>
  `npx --yes --package pnpm@${version} pnpm ${pnpmInstall(flags)} && mkdir -p ${folders}`
const kept = (spec: string, rest: string) =>
  `npm install --no-save --no-package-lock --no-audit --no-fund --prefix .drydock/tools ${spec} && ${rest}`
const path = 'PATH="$PWD/.drydock/tools/node_modules/.bin:$PATH"'
const pnpmLock = (...folders: string[]) =>
  `lockfileVersion: '9.0'\n\nimporters:\n\n${['.', ...folders].map((folder) => `  ${folder}:\n    a: 1\n\n`).join('')}packages:\n`

/** One package, locked by npm. */
const npm = (scripts: object, ...names: string[]): Files => ({
  'package.json': manifest(scripts, needs(...names)),
  'package-lock.json': '{}',
})
const npmPrepare = { install: [npmCi, ['package.json', 'package-lock.json'], ['node_modules']] } as const

const runners: Readonly<Record<string, Shape>> = {
  'vitest, with a linter and a compiler that only checks': {
    files: npm({ test: 'vitest', lint: 'eslint .', typecheck: 'tsc --noEmit', dev: 'vite' }, 'vitest'),
    right: { prepare: npmPrepare, steps: { lint: 'npm run lint', typecheck: 'npm run typecheck', test: vitest } },
  },
  'jest, and a build that writes': {
    files: npm({ test: 'jest', build: 'tsc -p .' }, 'jest'),
    right: {
      prepare: npmPrepare,
      steps: { build: 'npm run build', test: 'npm test -- --verbose' },
      writes: 'overlay',
    },
  },
  'mocha behind a coverage report': {
    files: npm({ test: 'nyc mocha' }, 'mocha', 'nyc'),
    right: { prepare: npmPrepare, steps: { test: 'npm test -- --reporter tap' }, writes: 'overlay' },
  },
  'mocha with a reporter of its own, which may be named once': {
    files: npm({ test: 'nyc --reporter=text mocha --reporter spec -O "a b" --check-leaks test/' }, 'mocha', 'nyc'),
    right: {
      prepare: npmPrepare,
      steps: { test: "npm exec -c 'nyc --reporter=text mocha --check-leaks test/ --reporter tap'" },
      writes: 'overlay',
    },
  },
  'jest with reporters of its own': {
    files: npm(
      { test: 'npm run unit', unit: 'jest --ci --reporters=jest-dot --reporters other --verbose=false' },
      'jest',
    ),
    right: { prepare: npmPrepare, steps: { test: "npm exec -c 'jest --ci --verbose'" } },
  },
  'tap with a reporter of its own': {
    files: npm({ test: 'tap -R spec --jobs 2 test/*.js' }, 'tap'),
    right: { prepare: npmPrepare, steps: { test: "npm exec -c 'tap --jobs 2 test/*.js --reporter=tap'" } },
  },
  'the runner of Node, without packages': {
    files: { 'package.json': manifest({ test: 'node --test' }) },
    right: { steps: { test: nodeTest } },
  },
  ava: {
    files: npm({ test: 'xo && ava' }, 'ava', 'xo'),
    right: { prepare: npmPrepare, steps: { test: 'npm test -- --tap' } },
  },
  'tape with a formatter': {
    files: npm({ test: 'tape test/*.js | tap-spec' }, 'tape', 'tap-spec'),
    right: { prepare: npmPrepare, steps: { test: "npm exec -c 'tape test/*.js'" } },
  },
  uvu: {
    files: npm({ test: 'uvu -r esm test' }, 'uvu', 'esm'),
    right: { prepare: npmPrepare, steps: { test: 'npm test' } },
  },
  'tests that are not called test': {
    files: npm({ 'test:unit': 'vitest', 'test:e2e': 'playwright test', build: 'vite build' }, 'vitest'),
    right: {
      prepare: npmPrepare,
      steps: {
        build: 'npm run build',
        test: [`npm run test:unit -- --reporter=default --reporter=junit ${report}`, junit],
      },
      writes: 'overlay',
    },
  },
  'no tests': {
    files: npm({ lint: 'eslint .' }, 'eslint'),
    right: {
      prepare: npmPrepare,
      steps: { lint: 'npm run lint' },
      notes: ['package.json has no script "test": the gate does not run any test.'],
    },
  },
  'nothing but a start': {
    files: npm({ start: 'node .', test: 'echo "Error: no test specified" && exit 1' }, 'express'),
    right: 'No command that builds or tests was found in package.json, package-lock.json.',
  },
  'a package.json that is none': {
    files: { 'package.json': '{"scripts": {' },
    right: 'No command that builds or tests was found in package.json.',
  },
}

const managers: Readonly<Record<string, Shape>> = {
  'npm without a lockfile': {
    files: { 'package.json': manifest({ test: 'vitest' }, needs('vitest')) },
    right: {
      prepare: {
        install: ['npm install --no-save --no-package-lock --no-audit --no-fund', ['package.json'], ['node_modules']],
      },
      steps: { test: vitest },
      notes: ['There is no package-lock.json'],
    },
  },
  'pnpm in the version that package.json names': {
    files: {
      'package.json': manifest({ test: 'vitest' }, { ...needs('vitest'), packageManager: 'pnpm@9.15.9+sha512.abc' }),
      'pnpm-lock.yaml': pnpmLock(),
      '.npmrc': 'auto-install-peers=true\n',
    },
    right: {
      prepare: {
        install: [npxPnpm('9.15.9', 'node_modules'), ['package.json', 'pnpm-lock.yaml', '.npmrc'], ['node_modules']],
      },
      steps: { test: vitest },
    },
  },
  'pnpm that is named, without a lockfile': {
    files: { 'package.json': manifest({ test: 'vitest' }, { ...needs('vitest'), packageManager: 'pnpm@10.1.0' }) },
    right: {
      prepare: { install: [npxPnpm('10.1.0', 'node_modules', '--no-lockfile'), ['package.json'], ['node_modules']] },
      steps: { test: vitest },
      notes: ['There is no pnpm-lock.yaml'],
    },
  },
  'the manager that is named, where two have a lockfile': {
    files: {
      'package.json': manifest({ test: 'vitest' }, { ...needs('vitest'), packageManager: 'npm@10.0.0' }),
      'package-lock.json': '{}',
      'yarn.lock': '',
    },
    right: { prepare: npmPrepare, steps: { test: vitest } },
  },
  'the first yarn, from where its lockfile says': {
    files: {
      'package.json': manifest({ test: 'vitest' }, needs('vitest')),
      'yarn.lock':
        '# yarn lockfile v1\n\na@1:\n  version "1"\n  resolved "https://packages.example.com/a/-/a-1.tgz#abc"\n',
    },
    right: {
      prepare: {
        install: [
          'npx --yes --package yarn@1 yarn install --frozen-lockfile --non-interactive && mkdir -p node_modules',
          ['package.json', 'yarn.lock'],
          ['node_modules'],
          'packages.example.com',
        ],
      },
      steps: { test: vitest },
    },
  },
  'a later yarn, whose scripts call it': {
    files: {
      'package.json': manifest({ test: 'yarn lint && vitest run', lint: 'eslint .' }, needs('vitest', 'eslint')),
      'yarn.lock': '__metadata:\n  version: 8\n',
      '.yarnrc.yml': 'yarnPath: .yarn/releases/yarn-4.1.0.cjs\n',
    },
    right: {
      prepare: {
        install: [
          kept(
            '@yarnpkg/cli-dist@4.1.0',
            'export YARN_NODE_LINKER=node-modules YARN_INSTALL_STATE_PATH="$PWD/node_modules/.yarn-install-state.gz" YARN_GLOBAL_FOLDER="$TMPDIR/yarn" && .drydock/tools/node_modules/.bin/yarn install --immutable && mkdir -p node_modules',
          ),
          ['package.json', 'yarn.lock', '.yarnrc.yml'],
          ['node_modules', '.drydock/tools'],
        ],
      },
      steps: {
        lint: `YARN_NODE_LINKER=node-modules YARN_INSTALL_STATE_PATH="$PWD/node_modules/.yarn-install-state.gz" ${path} npm run lint`,
        test: [
          `YARN_NODE_LINKER=node-modules YARN_INSTALL_STATE_PATH="$PWD/node_modules/.yarn-install-state.gz" ${path} ${vitest[0]}`,
          junit,
        ],
      },
    },
  },
  'bun and its own tests': {
    files: { 'package.json': manifest({ test: 'bun test' }, needs('@types/bun')), 'bun.lock': '{}' },
    right: {
      prepare: {
        install: [
          kept(
            'bun@1',
            '.drydock/tools/node_modules/.bin/bun install --frozen-lockfile --cache-dir "$TMPDIR/bun" && mkdir -p node_modules',
          ),
          ['package.json', 'bun.lock'],
          ['node_modules', '.drydock/tools'],
        ],
      },
      steps: {
        test: [`${path} npm test -- --reporter=junit --reporter-outfile="$ARTIFACT_DIR/logs/junit.xml"`, junit],
      },
    },
  },
  'bun only as what installs': {
    files: { 'package.json': manifest({ test: 'vitest' }, needs('vitest')), 'bun.lockb': '' },
    right: {
      prepare: {
        install: [
          'npx --yes --package bun@1 bun install --frozen-lockfile --cache-dir "$TMPDIR/bun" && mkdir -p node_modules',
          ['package.json', 'bun.lockb'],
          ['node_modules'],
        ],
      },
      steps: { test: vitest },
    },
  },
  'deno with tasks': {
    files: {
      'deno.json': json({ tasks: { test: 'deno test --allow-read', lint: 'deno lint', start: 'deno run a.ts' } }),
      'deno.lock': '{}',
    },
    right: {
      prepare: {
        modules: [
          kept(
            'deno@2',
            `export DENO_DIR="$PWD/.drydock/deno" ${path} && deno install --frozen && mkdir -p .drydock/deno`,
          ),
          ['deno.json', 'deno.lock'],
          ['.drydock/tools', '.drydock/deno'],
          'jsr.io',
          'npm.jsr.io',
          'deno.land',
          'esm.sh',
        ],
      },
      steps: {
        lint: `cp -R .drydock/deno "$TMPDIR/deno" && DENO_DIR="$TMPDIR/deno" ${path} deno task lint`,
        test: [
          `cp -R .drydock/deno "$TMPDIR/deno" && DENO_DIR="$TMPDIR/deno" ${path} deno task test --junit-path="$ARTIFACT_DIR/logs/junit.xml"`,
          junit,
        ],
      },
    },
  },
  'deno without tasks, and with comments': {
    files: { 'deno.jsonc': '{\n  // what it is\n  "imports": { "a": "jsr:@std/assert" },\n}\n' },
    right: {
      prepare: {
        modules: [
          kept('deno@2', `export DENO_DIR="$PWD/.drydock/deno" ${path} && deno install && mkdir -p .drydock/deno`),
          ['deno.jsonc'],
          ['.drydock/tools', '.drydock/deno'],
          'jsr.io',
          'npm.jsr.io',
          'deno.land',
          'esm.sh',
        ],
      },
      steps: {
        test: [
          `cp -R .drydock/deno "$TMPDIR/deno" && DENO_DIR="$TMPDIR/deno" ${path} deno test --junit-path="$ARTIFACT_DIR/logs/junit.xml"`,
          junit,
        ],
      },
      notes: ['There is no deno.lock'],
    },
  },
  'a package of npm that is published for deno, too': {
    files: { ...npm({ test: 'vitest' }, 'vitest'), 'deno.json': json({ name: '@a/b', exports: './a.ts' }) },
    right: { prepare: npmPrepare, steps: { test: vitest } },
  },
}

const packages = {
  'packages/a/package.json': manifest({ test: 'vitest', build: 'tsc' }, needs('vitest')),
  'packages/b/package.json': manifest({ test: 'jest' }),
}
const manifests = ['package.json', 'packages/a/package.json', 'packages/b/package.json']
const modules = ['node_modules', 'packages/a/node_modules', 'packages/b/node_modules']

const workspaces: Readonly<Record<string, Shape>> = {
  'of npm, with scripts at the root': {
    files: {
      ...packages,
      'package.json': manifest({ test: 'npm test --workspaces' }, { workspaces: ['packages/*'] }),
      'package-lock.json': json({ packages: { 'packages/a/node_modules/ms': {} } }),
    },
    right: {
      prepare: {
        install: [
          `${npmCi} && mkdir -p packages/a/node_modules`,
          [...manifests, 'package-lock.json'],
          ['node_modules', 'packages/a/node_modules'],
        ],
      },
      steps: { test: 'npm test' },
    },
  },
  'of npm, without scripts at the root': {
    files: { ...packages, 'package.json': json({ workspaces: ['packages/*'] }), 'package-lock.json': '{}' },
    right: {
      prepare: { install: [npmCi, [...manifests, 'package-lock.json'], ['node_modules']] },
      steps: {
        build: 'npm run build --workspaces --if-present',
        test: 'npm run test --workspaces --if-present',
      },
      writes: 'overlay',
    },
  },
  'of pnpm, without scripts at the root': {
    files: {
      'package.json': '{}',
      'packages/a/package.json': manifest({ test: 'vitest' }, needs('vitest')),
      'pnpm-workspace.yaml': "packages:\n  - 'packages/*'\n",
      'pnpm-lock.yaml': pnpmLock('packages/a'),
    },
    right: {
      prepare: {
        install: [
          kept(
            'pnpm@9',
            `.drydock/tools/node_modules/.bin/pnpm ${pnpmInstall()} && mkdir -p node_modules packages/a/node_modules`,
          ),
          ['package.json', 'packages/a/package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'],
          ['node_modules', 'packages/a/node_modules', '.drydock/tools'],
        ],
      },
      steps: { test: `${path} pnpm -r --if-present run test` },
    },
  },
  'of pnpm without a lockfile, of which one folder is excluded': {
    files: {
      ...packages,
      'package.json': manifest({ test: 'pnpm -r test' }),
      'pnpm-workspace.yaml': "packages:\n  # all\n  - packages/*\n  - '!packages/b'\ncatalog:\n  a: 1\n",
    },
    right: {
      prepare: {
        install: [
          kept(
            'pnpm@10',
            `.drydock/tools/node_modules/.bin/pnpm ${pnpmInstall('--no-lockfile')} && mkdir -p node_modules packages/a/node_modules`,
          ),
          ['package.json', 'packages/a/package.json', 'pnpm-workspace.yaml'],
          ['node_modules', 'packages/a/node_modules', '.drydock/tools'],
        ],
      },
      steps: { test: `${path} npm test` },
      notes: ['There is no pnpm-lock.yaml'],
    },
  },
  'of the first yarn': {
    files: {
      ...packages,
      'package.json': manifest({ test: 'vitest' }, { workspaces: { packages: ['./packages/*/'] } }),
      'yarn.lock': '# yarn lockfile v1\n',
    },
    right: {
      prepare: {
        install: [
          `npx --yes --package yarn@1 yarn install --frozen-lockfile --non-interactive && mkdir -p ${modules.join(' ')}`,
          [...manifests, 'yarn.lock'],
          modules,
        ],
      },
      steps: { test: vitest },
    },
  },
  'of bun, without scripts at the root': {
    files: { ...packages, 'package.json': json({ workspaces: ['packages/*'] }), 'bun.lock': '{}' },
    right: {
      prepare: {
        install: [
          `npx --yes --package bun@1 bun install --frozen-lockfile --cache-dir "$TMPDIR/bun" && mkdir -p ${modules.join(' ')}`,
          [...manifests, 'bun.lock'],
          modules,
        ],
      },
      steps: {
        build: 'npm run build --workspaces --if-present',
        test: 'npm run test --workspaces --if-present',
      },
      writes: 'overlay',
    },
  },
  'of turbo, which calls pnpm for each package': {
    files: {
      ...packages,
      'package.json': manifest({ test: 'turbo run test' }, needs('turbo')),
      'pnpm-lock.yaml': pnpmLock('packages/a', 'packages/b'),
      'turbo.json': json({ tasks: { test: {} } }),
    },
    right: {
      prepare: {
        install: [
          kept('pnpm@9', `.drydock/tools/node_modules/.bin/pnpm ${pnpmInstall()} && mkdir -p ${modules.join(' ')}`),
          [...manifests, 'pnpm-lock.yaml'],
          [...modules, '.drydock/tools'],
        ],
      },
      steps: { test: `${path} npm test` },
      writes: 'overlay',
    },
  },
  'of nx, whose root has no scripts': {
    files: {
      'package.json': manifest({}, needs('nx')),
      'package-lock.json': '{}',
      'nx.json': '{}',
      'apps/a/project.json': json({ targets: { lint: {}, test: {}, serve: {} } }),
      'libs/b/project.json': json({ targets: { test: {} } }),
    },
    right: {
      prepare: npmPrepare,
      steps: { lint: 'NX_DAEMON=false npx nx run-many -t lint', test: 'NX_DAEMON=false npx nx run-many -t test' },
      writes: 'overlay',
    },
  },
  'of lerna': {
    files: {
      ...packages,
      'package.json': manifest({ test: 'lerna run test' }, { ...needs('lerna'), workspaces: ['packages/*'] }),
      'package-lock.json': '{}',
      'lerna.json': '{}',
    },
    right: {
      prepare: { install: [npmCi, [...manifests, 'package-lock.json'], ['node_modules']] },
      steps: { test: 'npm test' },
      writes: 'overlay',
    },
  },
  'a package that is named, below the workspace of npm': {
    files: { ...packages, 'package.json': json({ workspaces: ['packages/*'] }), 'package-lock.json': '{}' },
    place: { named: 'packages/b' },
    right: {
      package: 'packages/b',
      prepare: { install: [`cd ../.. && ${npmCi}`, [...manifests, 'package-lock.json'], ['node_modules']] },
      steps: { test: 'npm test -- --verbose' },
    },
  },
  'a package whose workspace of pnpm is neither at the root nor beside it': {
    files: {
      'README.md': '',
      'server/go.mod': 'module a\n',
      'web/package.json': '{}',
      'web/pnpm-workspace.yaml': 'packages:\n  - packages/*\n',
      'web/pnpm-lock.yaml': pnpmLock('packages/a'),
      'web/packages/a/package.json': manifest({ test: 'vitest' }, needs('vitest')),
    },
    place: { named: 'web/packages/a' },
    right: {
      package: 'web/packages/a',
      prepare: {
        install: [
          `cd ../.. && ${npxPnpm('9', 'node_modules packages/a/node_modules')}`,
          ['web/package.json', 'web/packages/a/package.json', 'web/pnpm-lock.yaml', 'web/pnpm-workspace.yaml'],
          ['web/node_modules', 'web/packages/a/node_modules'],
        ],
      },
      steps: { test: vitest },
    },
  },
  'a package whose workspace is not in the repository': {
    files: {
      'package.json': manifest({ test: 'vitest' }, { devDependencies: { vitest: 'catalog:', '@a/b': 'workspace:*' } }),
    },
    right: {
      prepare: {
        install: ['npm install --no-save --no-package-lock --no-audit --no-fund', ['package.json'], ['node_modules']],
      },
      steps: { test: vitest },
      notes: [
        'There is no package-lock.json',
        'package.json takes vitest, @a/b from a workspace that is not in this repository',
      ],
    },
  },
}

describe('Node, by runner:', () => testShapes(runners))
describe('Node, by package manager:', () => testShapes(managers))
describe('Node, a workspace:', () => testShapes(workspaces))
