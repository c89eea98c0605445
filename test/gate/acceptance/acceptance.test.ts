import { describe, expect, test } from 'vitest'
import type { AcceptanceTests } from '../../../src/domain/acceptance/acceptance-tests.ts'
import { makeMemoryGate } from '../memory-gate.ts'
import type { VerifierInput } from '../verifier-world.ts'

const asserts = "import assert from 'node:assert'\nimport { test } from 'node:test'\n"
const visible = `${asserts}import { double } from './double.js'\n\ntest('doubles two', () => assert.equal(double(2), 4))\n`
const hidden = `${asserts}import { double } from './double.js'\n\ntest('doubles a quokka', () => assert.equal(double(37), 74))\n`
const base = {
  'package.json': '{ "type": "module" }\n',
  'double.js': 'export const double = () => 0\n',
  'other.test.js': `${asserts}\ntest('other', () => {})\n`,
}
const steps = [{ name: 'test', command: 'node --test --test-reporter=spec' }]

const filesOf = (files: Readonly<Record<string, string>>): AcceptanceTests => ({
  files: Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text).toString('base64') })),
})

function verified(
  change: Readonly<Record<string, string | null>>,
  files: Readonly<Record<string, string>> = { 'hidden.test.js': hidden },
  more: Partial<VerifierInput> = {},
) {
  const gate = makeMemoryGate(base)
  const commit = gate.commitChange(change)
  const asked = { steps, commit, base: gate.tip, purpose: 'change', acceptance: filesOf(files), ...more } as const
  return gate.ask(asked)
}

const honest = { 'double.js': 'export const double = (n) => n * 2\n', 'double.test.js': visible }
const hardCoded = { 'double.js': 'export const double = (n) => (n === 2 ? 4 : 0)\n', 'double.test.js': visible }

describe('tests that no editor sees', () => {
  test('let a change pass that does what they ask for', async () => {
    const { status, manifest, tail_log } = await verified(honest)
    expect([status, tail_log?.includes('doubles a quokka')]).toEqual(['PASS', false])
    expect(manifest?.acceptance).toEqual({ status: 'met', files: 1, digest: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(manifest?.trees?.map(({ name }) => name)).toEqual(expect.arrayContaining(['acceptance']))
  })

  test('fail one that is right for the visible tests alone, and say nothing of what they ask', async () => {
    const { status, manifest, tail_log, artifact_paths } = await verified(hardCoded)
    expect([status, manifest?.acceptance?.status]).toEqual(['FAIL', 'not_met'])
    const said = JSON.stringify({ manifest, tail_log, artifact_paths })
    expect(said).toContain('the acceptance tests of this work did not')
    for (const word of ['quokka', 'hidden']) expect(said).not.toContain(word)
  })

  test('fail one that ends their file before its end', async () => {
    const ends = 'export const double = (n) => (n === 2 ? 4 : process.exit(0))\n'
    const { status, manifest } = await verified({ ...honest, 'double.js': ends })
    expect([status, manifest?.acceptance?.status]).toEqual(['FAIL', 'not_met'])
  })

  test.each(['slice', 'change', 'merge', 'alone'] as const)(
    'are asked about a %s only if it is whole',
    async (purpose) => {
      const { status } = await verified(hardCoded, undefined, { purpose })
      expect(status).toBe(purpose === 'slice' ? 'PASS' : 'FAIL')
    },
  )

  test('do not run behind steps that are red', async () => {
    const red = { 'double.js': 'export const double = () => 1\n', 'double.test.js': visible }
    const { status, manifest } = await verified(red)
    expect([status, manifest?.acceptance]).toEqual(['FAIL', undefined])
  })

  test('that no step runs are nobody’s failure', async () => {
    const { status, error_type } = await verified(honest, { 'hidden.py': 'def test_it():\n    assert False\n' })
    expect([status, error_type]).toEqual(['INFRA_ERROR', 'acceptance_not_run'])
  })

  test('may come with helpers', async () => {
    const files = {
      'helper.js': 'export const answer = 74\n',
      'hidden.test.js': `${hidden.replace('74', 'answer')}import { answer } from './helper.js'\n`,
    }
    const { status } = await verified(honest, files)
    expect(status).toBe('PASS')
  })
})
