import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'

const steps = [
  { name: 'check', command: 'for file in src/*.js; do node --check "$file" || exit 1; done' },
  { command: 'node --test --test-reporter=spec test/area.test.js' },
]
const area =
  'export const area = (side) => side * side\nexport const twice = (n) => n + n\nexport const third = (n) => n / 3\n'
const testOf = (path: string) =>
  `import test from 'node:test'\nimport assert from 'node:assert'\nimport { area } from '${path}'\ntest('squares', () => { assert.equal(area(2), 4) })\n`

let world: VerifierWorld
beforeAll(async () => {
  world = await makeVerifierWorld({
    'package.json': '{ "name": "area", "type": "module" }\n',
    'src/area.js': area,
    'src/index.js': "export * from './area.js'\n",
    'test/area.test.js': testOf('../src/index.js'),
  })
})
afterAll(() => world.close())

async function suppressedBy(change: Readonly<Record<string, string | null>>) {
  const commit = await world.commitChange(change)
  const { status, manifest, tail_log } = await world.ask({ steps, purpose: 'change', refactor: true, commit })
  expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
  expect(manifest?.checkers).toEqual({ status: 'looked_at', steps: ['check'] })
  return manifest?.integrity?.findings.flatMap(({ kind, file }) => (kind === 'suppressed' ? [file] : []))
}

test('a file that moves to where the checker does not look is told, and one that moves beside it is not', async () => {
  const moved = { 'src/area.js': null, 'lib/area.js': area, 'src/index.js': "export * from '../lib/area.js'\n" }
  expect(await suppressedBy(moved)).toEqual(['lib/area.js'])
  const renamed = { 'src/area.js': null, 'src/square.js': area, 'src/index.js': "export * from './square.js'\n" }
  expect(await suppressedBy(renamed)).toEqual([])
})
