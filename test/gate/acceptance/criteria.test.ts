import { describe, expect, test } from 'vitest'
import type { WrittenTests } from '../../../src/domain/acceptance/acceptance-tests.ts'
import type { Criterion } from '../../../src/domain/acceptance/criteria.ts'
import { makeMemoryGate } from '../memory-gate.ts'
import type { VerifierInput } from '../verifier-world.ts'

const asserts = "import assert from 'node:assert'\nimport { test } from 'node:test'\n"
const importing = "import { double, half } from './double.js'\n\n"
const testOf = (name: string, call: string, expected: number) =>
  `test('${name}', () => assert.equal(${call}, ${expected}))\n`
const base = {
  'package.json': '{ "type": "module" }\n',
  'double.js': 'export const double = () => 0\nexport const half = (n) => n / 2\n',
  'other.test.js': `${asserts}\ntest('other', () => {})\n`,
}
const steps = [{ name: 'test', command: 'node --test --test-reporter=spec' }]
const file = (path: string, text: string) => ({ path, content: Buffer.from(text).toString('base64') })

const doubled = testOf('a quokka is doubled', 'double(37)', 74)
const halved = testOf('a numbat is halved', 'half(12)', 6)

const tests: WrittenTests = {
  files: [file('quokka.test.js', `${asserts}${importing}${doubled}${halved}`)],
  stub: [],
  criteria: [
    { id: 'C1', tests: ['a quokka is doubled'], behaviour: 'new' },
    { id: 'C2', tests: ['a numbat is halved'], behaviour: 'old' },
  ],
  problems: [],
}

const criteria: readonly Criterion[] = [
  { id: 'C1', text: 'numbers are doubled', state: 'tested', behaviour: 'new' },
  { id: 'C2', text: 'numbers are halved', state: 'tested', behaviour: 'old' },
]

function verified(source: string, more: Partial<VerifierInput> = {}, known = criteria) {
  const gate = makeMemoryGate(base)
  const visible = `${asserts}import { double } from './double.js'\n\n${testOf('two', 'double(2)', 4)}`
  const commit = gate.commitChange({ 'double.js': source, 'double.test.js': visible })
  const asked = { steps, commit, base: gate.tip, purpose: 'change', criteria: { tests, criteria: known } } as const
  return gate.ask({ ...asked, ...more })
}

const half = 'export const half = (n) => n / 2\n'
const honest = `export const double = (n) => n * 2\n${half}`
const onlyTwo = `export const double = (n) => (n === 2 ? 4 : 0)\n${half}`

describe('tests of criteria', () => {
  test('say of each whether it is met', async () => {
    const { status, manifest } = await verified(honest)
    expect([status, manifest?.integrity?.findings]).toEqual(['PASS', []])
    expect(manifest?.acceptance).toMatchObject({
      status: 'met',
      criteria: [
        { id: 'C1', status: 'met' },
        { id: 'C2', status: 'met' },
      ],
    })
  })

  test('make a finding of one that is not, which names the criterion and nothing of its test', async () => {
    const { status, manifest, tail_log, artifact_paths } = await verified(onlyTwo)
    const [finding, ...others] = manifest?.integrity?.findings ?? []
    expect([status, others]).toEqual(['PASS', []])
    expect(finding).toMatchObject({
      kind: 'acceptance',
      severity: 'major',
      claim: 'Acceptance criterion C1 is not met: numbers are doubled',
    })
    expect(manifest?.acceptance?.criteria).toEqual([
      { id: 'C1', status: 'not_met', finding: finding?.id },
      { id: 'C2', status: 'met' },
    ])
    expect(JSON.stringify({ manifest, tail_log, artifact_paths })).not.toMatch(/quokka|numbat/)
  })

  test('fail the change once a person has confirmed them', async () => {
    const confirmed = criteria.map((each) => ({ ...each, confirmed: true as const }))
    const { status, manifest } = await verified(onlyTwo, {}, confirmed)
    expect([status, manifest?.acceptance?.criteria?.[0]]).toEqual(['FAIL', { id: 'C1', status: 'not_met' }])
    expect((await verified(honest, {}, confirmed)).status).toBe('PASS')
  })

  test('are not met by a change that ends their file before its end', async () => {
    const ends = `export const double = (n) => (n === 2 ? 4 : process.exit(0))\n${half}`
    const { manifest } = await verified(ends)
    expect(manifest?.acceptance?.criteria?.map(({ status }) => status)).toEqual(['not_met', 'not_met'])
  })

  test('are not asked about a slice, nor behind a red step', async () => {
    expect((await verified(onlyTwo, { purpose: 'slice' })).manifest?.acceptance).toBeUndefined()
    const red = await verified(`export const double = () => 1\n${half}`)
    expect([red.status, red.manifest?.acceptance]).toEqual(['FAIL', undefined])
  })

  test('are asked about a claim that nothing needs to change, and about a merge', async () => {
    const gate = makeMemoryGate(base)
    const asked = { steps, purpose: 'change', criteria: { tests, criteria } } as const
    const claim = await gate.ask({ ...asked, commit: gate.tip })
    expect(claim.manifest?.integrity?.findings.map(({ kind }) => kind)).toEqual(['acceptance'])
    expect((await verified(onlyTwo, { purpose: 'merge' })).manifest?.integrity?.findings).toHaveLength(1)
  })
})

describe('tests that are tried on the base', () => {
  const tried = (given: Partial<WrittenTests>) => makeMemoryGate(base).tryOnBase({ ...tests, ...given }, { steps })

  test('hold if those of new behaviour fail, and those of old behaviour pass', async () => {
    expect(await tried({})).toEqual([])
  })

  test('may need a stub that throws', async () => {
    const text = `${asserts}import { third } from './third.js'\n\n${testOf('a quokka is a third', 'third(9)', 3)}`
    const given: WrittenTests = {
      files: [file('quokka.test.js', text)],
      problems: [],
      stub: [file('third.js', "export const third = () => {\n  throw new Error('not built yet')\n}\n")],
      criteria: [{ id: 'C1', tests: ['a quokka is a third'], behaviour: 'new' }],
    }
    expect(await tried(given)).toEqual([])
    expect(await tried({ ...given, stub: [] })).toMatchObject([{ id: 'C1', problem: /did not run/ }])
  })

  const only = (text: string, behaviour: 'new' | 'old', name = 'a quokka'): Partial<WrittenTests> => ({
    files: [file('quokka.test.js', `${asserts}${importing}${text}`)],
    criteria: [{ id: 'C1', tests: [name], behaviour }],
  })

  test.each<readonly [string, Partial<WrittenTests>, RegExp]>([
    ['passes although it is of new behaviour', only(testOf('a quokka', 'half(2)', 1), 'new'), /passes on the base/],
    ['fails although it is of old behaviour', only(testOf('a quokka', 'double(2)', 4), 'old'), /fails on the base/],
    ['is broken itself', only(testOf('a quokka', 'doubel(2)', 4), 'new'), /fails neither by an assertion nor/],
    ['is not there', only(testOf('a numbat', 'double(2)', 4), 'new'), /did not run/],
    [
      'has the name of a test of the repository',
      only(testOf('other', 'double(2)', 4), 'new', 'other'),
      /is called "other" already/,
    ],
    [
      'is in a file that ends early',
      only(`${testOf('a quokka', 'half(2)', 1)}process.exit(0)\n`, 'old'),
      /did not run|does not run to its end/,
    ],
  ])('does not hold if it %s', async (_what, given, says) => {
    const [found, ...others] = await tried(given)
    expect([found?.id, others]).toEqual(['C1', []])
    expect(found?.problem).toMatch(says)
  })
})
