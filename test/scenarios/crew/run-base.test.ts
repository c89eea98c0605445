import { afterEach, expect, test } from 'vitest'
import { createCrewFixture, createMemoryFixture, type Fixture } from '../../world/fixture.ts'
import { memoryNode } from '../../world/node.ts'
import type { Program } from '../../world/sandbox.ts'
import { greenStory, type Lanes, specLanes, submit, writeFile } from '../world/crew.ts'
import { play, statesOf, withRecords } from '../world/crew-script.ts'
import { type CommandResult, resultOf } from '../world/fixture.ts'
import { branch } from '../world/merge-facts.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const head = `import test from 'node:test'\nimport assert from 'node:assert'\n`
const area = (expected: string) =>
  `${head}import { area } from '../src/area.js'\ntest('area', () => { assert.${expected} })\n`
const round = `${head}import { round } from '../src/round.js'\ntest('round', () => { assert.equal(round(2), 8) })\n`
const files = {
  'package.json': '{ "type": "module" }\n',
  'src/area.js': 'export const area = (side) => side * side\n',
  'test/area.test.js': area('equal(area(2), 4)'),
}

const program: Program = (seen) => memoryNode(seen, ['--test'])
const command = 'node --test --test-reporter=spec'
const steps = [{ name: 'test', command, timeout_sec: 30 }]

/** Builds stories that each depend on the previous one, and write their files. */
const built = async (...stories: readonly (readonly [string, Readonly<Record<string, string>>])[]) => {
  const chain = stories.map(([id], i) => ({ id, depends_on: i === 0 ? [] : [stories[i - 1]?.[0] ?? ''] }))
  const coding = ([id, written]: (typeof stories)[number]): Lanes => ({
    ...greenStory(id),
    [`editor/${id}/CODING`]: [...Object.entries(written).map(([path, text]) => writeFile(path, text)), submit(id)],
  })
  const lanes: Lanes = Object.assign({ ...specLanes(...chain) }, ...stories.map(coding))
  const result = await play(fixture, { lanes })
  return { result }
}
const findingsOf = (result: CommandResult) =>
  (
    resultOf(result).stories as {
      id: string
      findings: { id: string; state: string; claim: string; evidence: string }[]
    }[]
  )
    .map(({ id, findings }) => [id, findings] as const)
    .filter(([, findings]) => findings.length > 0)

const weakens = [
  'weakens',
  {
    'src/round.js': 'export const round = (side) => side * 4\n',
    'test/round.test.js': round,
    'test/area.test.js': area('ok(area(2) > 0)'),
  },
] as const
const breaks = ['breaks', { 'src/area.js': 'export const area = (side) => side * 3\n' }] as const
const other = ['other', { 'src/other.js': 'export const other = 1\n' }] as const

const world = (config = {}) => createCrewFixture({ files, steps, config, programs: { [command]: program } })

test('tests that two stories break together are a finding of the story whose merge made the run’s first tests fail, and a person accepts it', async () => {
  fixture = await world({ verification: { assurance: 'standard' } })
  const { result } = await built(weakens, breaks, other)
  expect(statesOf(result)).toEqual({ weakens: 'DONE', breaks: 'DONE', other: 'DONE' })
  expect(result.exitCode, result.stdout + result.stderr).toBe(3)
  const [[story, [found]] = ['', []], ...more] = findingsOf(result)
  expect([story, more]).toEqual(['breaks', []])
  expect(found).toMatchObject({
    state: 'open',
    claim:
      'With the tests of the commit that the run started from, its final sources fail a test that passed there. That is so since breaks was merged.',
    evidence: expect.stringMatching(/area: .*6.*changed by weakens/),
  })
  const { run, outcome } = resultOf(result) as { run: string; outcome: { code: string } }
  expect(outcome.code).toBe('FINDINGS')
  expect((await fixture.drydock('report', run)).stdout).toContain(`${found?.id}`)
  const landing = await fixture.drydock('land', run)
  expect([landing.exitCode, landing.stderr]).not.toEqual([0, expect.anything()])
  const merged = await withRecords(fixture, (records) => records.machines({ kind: 'merge', run }))
  const sha = merged.find((merge) => merge.story === 'breaks')?.data.commit ?? ''
  const receipt = await fixture.drydock('receipt', 'show', sha, '--json')
  expect(receipt.stdout).toContain(`${found?.id}`)
  expect((await fixture.drydock('receipt', 'verify', sha)).exitCode).toBe(0)

  const accepted = await fixture.drydock('accept', run, found?.id ?? '', '--json')
  expect([accepted.exitCode, findingsOf(accepted)]).toEqual([0, [['breaks', [{ ...found, state: 'accepted' }]]]])
  expect(await fixture.git('rev-parse', branch)).toBeTruthy()
})

test('a loss that its own story was told, and that a person accepted there, is not told again', async () => {
  fixture = await world({ verification: { assurance: 'standard' }, editor: { review_rounds: 1 } })
  const changes = ['changes', { ...breaks[1], 'test/area.test.js': area('equal(area(2), 6)') }] as const
  const { result } = await built(changes, other)
  expect(result.exitCode).toBe(6)
  const [story] = await withRecords(fixture, (records) => records.machines({ kind: 'story' }))
  const [held] = story?.data.reviews.code.findings ?? []
  expect(held?.claim).toContain('the new sources fail 1 of 1 tests that passed before')
  expect((await fixture.drydock('accept', story?.id ?? '', held?.id ?? '')).exitCode).toBe(0)
  const done = await fixture.drydock('resume', '--json', '--no-wait')
  expect([done.exitCode, statesOf(done)]).toEqual([0, { changes: 'DONE', other: 'DONE' }])
  expect(findingsOf(done)).toMatchObject([['changes', [{ id: held?.id, state: 'accepted' }]]])
})

test('a run with one story has had the comparison, and pays nothing', async () => {
  fixture = await world({ verification: { assurance: 'standard' } })
  const { result } = await built(other)
  expect(result.exitCode).toBe(0)
  const run = await withRecords(fixture, async (records) => (await records.machines({ kind: 'run' })).at(-1))
  expect(run?.data.baseChecked).toBeUndefined()
})

test('a machine that cannot try them says so, and resume tries them again', async () => {
  let isAway = true
  const away: Program = (seen) => {
    // Only the final sources with the run's first tests contain both features.
    const isAtTheEnd = seen.read('src/other.js') !== null && seen.read('test/round.test.js') === null
    if (isAway && isAtTheEnd) return { exitCode: null, lost: 'the disk is gone' }
    return program(seen, [])
  }
  const config = { verification: { assurance: 'standard' } }
  fixture = await createMemoryFixture({ files, steps, config, programs: { [command]: away } })
  const { result } = await built(weakens, breaks, other)
  expect([result.exitCode, resultOf(result)]).toMatchObject([
    4,
    { status: 'ERROR', error: { code: 'run_base_untried', message: expect.stringContaining('the disk is gone') } },
  ])
  isAway = false
  const resumed = await fixture.drydock('resume', '--json')
  expect(resumed.exitCode, resumed.stderr).toBe(3)
  expect(findingsOf(resumed)).toMatchObject([['breaks', [{ state: 'open' }]]])
})
