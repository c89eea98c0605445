import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeVerifierWorld, type VerifierInput, type VerifierWorld } from '../verifier-world.ts'

const nodeTest = 'node --test --test-reporter=spec test/add.test.js'

const files = {
  'package.json': '{ "type": "module" }\n',
  'src/one.js': 'export const one = 1\n',
  'src/register.js': 'globalThis.registered = true\n',
  'test/add.test.js':
    "import test from 'node:test'\nimport assert from 'node:assert'\nimport { one } from '../src/one.js'\ntest('adds', () => {\n  assert.equal(one + 2, 3)\n})\n",
}

let world: VerifierWorld
beforeAll(async () => {
  world = await makeVerifierWorld(files)
})
afterAll(() => world.close())

async function verifyChange(
  change: Readonly<Record<string, string>>,
  more: Partial<VerifierInput> & Pick<VerifierInput, 'steps'>,
) {
  const commit = await world.commitChange(change)
  const response = await world.ask({ purpose: 'change', refactor: true, assurance: 'fast', commit, ...more })
  expect([response.status, response.status === 'PASS' ? '' : response.tail_log]).toEqual(['PASS', ''])
  return response
}

describe('knowledge about the steps', () => {
  const preloaded = `node --import ./src/register.js ${nodeTest.slice(5)}`

  test('is inherited by a merged commit, so that its steps need not run again', async () => {
    const asked = { steps: [{ command: preloaded }] }
    const merged = await verifyChange({ 'src/one.js': 'export const one = 2 - 1\n' }, { ...asked, purpose: 'merge' })
    const base = merged.manifest?.commit_sha ?? ''
    const commit = await world.commitOf({ 'src/register.js': 'globalThis.registered = 1\n' }, base)
    const { manifest, artifact_paths } = await world.ask({ ...asked, purpose: 'change', refactor: true, base, commit })
    expect(manifest?.integrity?.findings).toMatchObject([{ kind: 'configuration', file: 'src/register.js' }])
    expect(manifest?.tracing).toEqual({ status: 'traced' })
    expect(artifact_paths).not.toContain('logs/base.log')
  })

  test('without strace files decide where commands and settings name them, and the manifest says why', async () => {
    const whyNotTraced = async () => 'strace is not installed there'
    const steps = [{ name: 'unit', command: preloaded }]
    const asked = { steps, sandbox: { ...world.sandbox, whyNotTraced } }
    const changed = { 'src/register.js': 'globalThis.registered = 1\n', 'src/one.js': 'export const one = 2 - 1\n' }
    const { manifest } = await verifyChange(changed, asked)
    expect(manifest?.integrity?.findings).toMatchObject([{ kind: 'configuration', file: 'src/register.js' }])
    expect(manifest?.tracing).toEqual({ status: 'not_traced', reason: 'strace is not installed there' })
    // Once the tracer is installed, the same base commit is traced.
    const { manifest: later } = await verifyChange(changed, { ...asked, sandbox: world.sandbox })
    expect(later?.tracing).toEqual({ status: 'traced' })
  })

  test('a step that fails when it is traced counts as it ends without, and the manifest says so', async () => {
    // A process can have only one tracer.
    const command = `strace -o /dev/null true && ${nodeTest}`
    const { manifest } = await verifyChange({ 'src/one.js': 'export const one = 2 - 1\n' }, { steps: [{ command }] })
    expect(manifest?.base).toMatchObject({ status: 'PASS', tests: { passed: 1 } })
    const reason = 'the step test fails when it is traced, and not without'
    expect(manifest?.tracing).toEqual({ status: 'not_traced', reason })
  })

  test('background processes of a traced step do not hold it up', async () => {
    const command = `sleep 1000 & ${nodeTest}`
    const { manifest } = await verifyChange({ 'src/one.js': 'export const one = 2 - 1\n' }, { steps: [{ command }] })
    expect([manifest?.tracing, manifest?.base?.status]).toEqual([{ status: 'traced' }, 'PASS'])
  })
})
