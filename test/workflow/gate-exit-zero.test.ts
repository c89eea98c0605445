import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyFailed } from '../../src/domain/verification/why-failed.ts'
import { type Asked, makeVerifierWorld, type VerifierWorld } from './verifier-world.ts'

const source = 'export const add = (a, b) => a + b\n'
const testOf = (name: string, line: string) =>
  `import test from 'node:test'\nimport assert from 'node:assert'\ntest('${name}', () => { ${line} })\n`
const broken = testOf('broken', 'assert.equal(1, 2)')
/** Ends with 0 whatever the tests say. */
const steps = [{ command: 'node --test --test-reporter=spec || true' }]

let world: VerifierWorld
beforeAll(async () => {
  world = await makeVerifierWorld({
    'package.json': '{ "type": "module" }\n',
    'src/add.js': source,
    'test/old.test.js': testOf('old', 'assert.equal(1, 2)'),
    'test/good.test.js': testOf('good', 'assert.ok(Date.now())'),
  })
})
afterAll(() => world.close())

async function verifyChange(change: Readonly<Record<string, string>>, more: Partial<Asked> = {}) {
  const commit = await world.commitChange(change)
  return world.ask({ steps, purpose: 'change', commit, ...more })
}

describe('a step that ends with 0 while it names failing tests', () => {
  test('is a FAIL that says so', async () => {
    const response = await verifyChange({ 'test/broken.test.js': broken }, { allowFailing: ['old'] })
    const { status, manifest, tail_log } = response
    expect([status, manifest?.pre_existing, manifest?.integrity]).toEqual(['FAIL', ['old'], undefined])
    expect(manifest?.commands_executed).toMatchObject([{ exit_code: 0, tests: { failed: 2 } }])
    expect(tail_log).toContain('[drydock] test: exit code 0, but 2 tests failed: broken, old')
    expect(whyFailed(response)).toBe('test: exit code 0, but 2 tests failed: broken, old')
  })

  test('is a FAIL also when the same tests fail with 0 on the base commit', async () => {
    const { status, manifest } = await verifyChange({ 'src/add.js': `${source}\n` })
    expect([status, manifest?.pre_existing]).toEqual(['FAIL', ['old']])
    expect(manifest?.base).toMatchObject({ status: 'FAIL', failing: ['old'] })
  })

  test('is green where the configuration allows each of these tests', async () => {
    const { status, manifest } = await verifyChange({ 'src/add.js': `${source}\n` }, { allowFailing: ['old'] })
    expect([status, manifest?.pre_existing, manifest?.integrity?.findings]).toEqual(['PASS', ['old'], []])
  })
})
