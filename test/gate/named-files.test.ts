import { expect, test } from 'vitest'
import { namedIn, namedInCommands, pathsFor } from '../../src/gate/tracing/named-files.ts'

const names = (found: ReturnType<typeof namedIn>) => found.map(({ name, as }) => `${as} ${name}`)

test('a command names what its options load, and the scripts that it runs or sources', () => {
  expect(
    names(
      namedInCommands('node --import ./a.js --env-file=.env -r b --test; sh ci/run.sh && . "$(dirname "$0")/env.inc"'),
    ),
  ).toEqual(
    expect.arrayContaining(['loaded ./a.js', 'loaded .env', 'loaded b', 'script ci/run.sh', 'script ./env.inc']),
  )
  // In other programs the short option has another meaning.
  expect(names(namedInCommands('grep -r pattern src'))).not.toContain('loaded pattern')
})

test('a file names the loads of its settings, its imports and the includes of make', () => {
  expect(names(namedIn('vitest.config.js', "import './base.js'\nexport default { setupFiles: ['./env.js'] }"))).toEqual(
    expect.arrayContaining(['loaded ./env.js', 'imported ./base.js']),
  )
  expect(names(namedIn('conftest.py', 'from app.tools import x\nimport os'))).toEqual([
    'imported app.tools',
    'imported os',
  ])
  expect(names(namedIn('Makefile', '-include a.mk b.mk # c'))).toEqual(['script a.mk', 'script b.mk'])
  // The paths in a package to its own modules are the tested code.
  expect(
    names(namedIn('package.json', '{ "exports": { "import": "./src/a.js" }, "jest": { "setupFiles": ["./b.js"] } }')),
  ).toEqual(['loaded ./b.js'])
})

test('a bare word is a package to JavaScript and a module to Python, and a path may leave out how it ends', () => {
  expect(pathsFor({ name: 'jsdom', as: 'loaded' })).toEqual(['jsdom.py', 'jsdom/__init__.py'])
  expect(pathsFor({ name: '<rootDir>/test/env', as: 'loaded' })).toEqual(
    expect.arrayContaining(['test/env', 'test/env.js', 'test/env.ts', 'test/env/index.js']),
  )
  expect(pathsFor({ name: 'run', as: 'script' })).toContain('run')
})
