import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'

const manifest = (dependencies: object) => `${JSON.stringify({ type: 'module', dependencies })}\n`
/** Makes each package that the manifest names, as a package manager would. */
const install = `const { mkdirSync, readFileSync, writeFileSync } = require('node:fs')
mkdirSync('node_modules', { recursive: true })
for (const [name, version] of Object.entries(JSON.parse(readFileSync('package.json', 'utf8')).dependencies)) {
  mkdirSync('node_modules/' + name, { recursive: true })
  writeFileSync('node_modules/' + name + '/index.js', 'module.exports = ' + version)
}
`
const testOf = (...lines: readonly string[]) =>
  [
    "import test from 'node:test'",
    "import assert from 'node:assert'",
    "import { sum } from '../src/sum.js'",
    ...lines,
    '',
  ].join('\n')
const sums = "test('sums', () => assert.equal(sum(1, 2), 3))"

let world: VerifierWorld
beforeAll(async () => {
  world = await makeVerifierWorld({
    'package.json': manifest({ one: '1' }),
    'install.cjs': install,
    'src/sum.js': "import one from 'one'\nexport const sum = (a, b) => (a + b) * one\n",
    'test/sum.test.js': testOf(sums),
  })
})
afterAll(() => world.close())

test.each([
  ['added', { one: '1', two: '2' }, "import two from 'two'\nexport const sum = (a, b, by = two / 2) => (a + b) * by\n"],
  ['raised', { one: '2' }, "import one from 'one'\nexport const sum = (a, b, by = one / 2) => (a + b) * by\n"],
])(
  'a dependency that is %s is verified to its end, and the old tests run with what the change installs',
  async (_, dependencies, source) => {
    const commit = await world.commitChange({
      'package.json': manifest(dependencies),
      'src/sum.js': source,
      'test/sum.test.js': testOf(sums, "test('multiplies', () => assert.equal(sum(1, 2, 3), 9))"),
    })
    const answer = await world.ask({
      ...{ purpose: 'change', assurance: 'full', commit },
      prepare: [{ command: 'node install.cjs', inputs: ['package.json', 'install.cjs'], outputs: ['node_modules'] }],
      steps: [{ command: 'node --test --test-reporter=spec test/*.test.js' }],
    })
    expect(answer).toMatchObject({ status: 'PASS', manifest: { hybrid: { status: 'held', with_dependencies: true } } })
    expect(answer.artifact_paths?.filter((path) => path === 'logs/hybrid.log')).toHaveLength(1)
  },
)
