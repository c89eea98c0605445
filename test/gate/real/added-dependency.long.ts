import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createBubblewrap } from '../../../src/adapters/sandbox/bubblewrap.ts'
import { hostPath, npmMounts, serve } from '../../adapters/egress/egress-world.ts'
import { makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'

const manifest = (dependencies: object) => `${JSON.stringify({ type: 'module', dependencies })}\n`
/** Creates each package in the manifest, like a package manager. */
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
      purpose: 'change',
      assurance: 'full',
      commit,
      prepare: [{ command: 'node install.cjs', inputs: ['package.json', 'install.cjs'], outputs: ['node_modules'] }],
      steps: [{ command: 'node --test --test-reporter=spec test/*.test.js' }],
    })
    expect(answer).toMatchObject({ status: 'PASS', manifest: { hybrid: { status: 'held', with_dependencies: true } } })
    expect(answer.artifact_paths?.filter((path) => path === 'logs/hybrid.log')).toHaveLength(1)
  },
)

describe('a dependency that npm gets from a registry', () => {
  const install = {
    command: 'npm install --no-audit --no-fund --ignore-scripts --cache "$TMPDIR/cache" --fetch-retries=0',
    inputs: ['package.json'],
    outputs: ['node_modules'],
    network: ['registry'],
  }

  /** The answer to a change with these dependencies; the base has none. */
  async function askedFor(url: string, dependencies: object) {
    const sandbox = createBubblewrap({ hostPath, packageManagers: { env: { NPM_CONFIG_REGISTRY: url } } })
    const plain = await makeVerifierWorld({ 'package.json': manifest({}) })
    onTestFinished(() => plain.close())
    const commit = await plain.commitChange({ 'package.json': manifest(dependencies) })
    const prepare = [{ ...install, command: `${install.command} && mkdir -p node_modules` }]
    const steps = [{ command: 'test -d node_modules' }]
    return plain.ask({
      commit,
      sandbox,
      prepare,
      steps,
      purpose: 'change',
      assurance: 'fast',
      readOnlyPaths: npmMounts().map(({ path }) => path),
    })
  }

  test('is told to be missing when the registry does not have it', async () => {
    const registry = await serve(() => '{}', 404)
    const answer = await askedFor(registry.url, { 'left-padd': '^1.0.0' })
    expect(answer).toMatchObject({ status: 'FAIL' })
    expect(answer.tail_log).toContain(`404 Not Found - GET ${registry.url}/left-padd`)
    expect(answer.tail_log).toMatch(/correct what the log names in package\.json$/)
  })

  test('is told to be out of reach when its URL names another host', async () => {
    const registry = await serve(() => '{}', 404)
    const answer = await askedFor(registry.url, { one: 'https://files.exampel.invalid/one.tgz' })
    expect(answer).toMatchObject({ status: 'FAIL' })
    expect(answer.tail_log).toContain(
      '[drydock] network: files.exampel.invalid:443 is not among the hosts that may be reached',
    )
    expect(answer.tail_log).toMatch(/correct what the log names in package\.json$/)
  })

  test('blames nobody while the registry is away, and names it', async () => {
    const gone = 'http://127.0.0.1:9'
    const answer = await askedFor(gone, { planted: '^1.0.0' })
    expect(answer).toMatchObject({ status: 'INFRA_ERROR', error_type: 'prepare_failed' })
    expect(answer.error_message).toContain('had no connection to 127.0.0.1:9')
  })
})
