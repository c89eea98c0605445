import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createFixture, type Fixture } from '../../world/fixture.ts'
import { memoryNode } from '../../world/node.ts'
import { criterion, doubling, hiddenTests, honest, onlyTwo, testOf, write } from '../world/acceptance.ts'
import { build, greenStory, type Lanes, specLanes, storyPlan, submit } from '../world/crew.ts'
import { resultOf } from '../world/fixture.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture({ programs: { node: memoryNode }, ...doubling, config: { acceptance: 'crew' } })
})
afterEach(() => fixture.remove())

const of = (id: string, ...turns: readonly object[]): Lanes => ({
  ...greenStory(id),
  [`editor/${id}/PLANNING`]: [storyPlan(id)],
  [`editor/${id}/CODING`]: turns,
})

const lanes = {
  ...specLanes({ id: 'double', acceptance_criteria: [criterion] }),
  ...of(
    'double',
    onlyTwo,
    write('two.test.js', testOf('two is doubled', 2)),
    submit('double'),
    honest,
    submit('double'),
  ),
}

describe('a story of a spec', () => {
  test('gets acceptance tests as a rule, which its editor meets before it is reviewed, and which hold at its merge', async () => {
    const done = await build(fixture, { ...lanes, ...hiddenTests('double') })
    expect(resultOf(done), done.stderr + done.stdout).toMatchObject({ status: 'DONE' })
    const states = done.events.filter(({ type, story }) => type === 'state' && story === 'double').map(({ to }) => to)
    expect(states.slice(-6)).toEqual(['VERIFYING', 'CODING', 'VERIFYING', 'CODE_REVIEW', 'MERGING', 'DONE'])
    const records = (await fixture.open()).openRecords()
    const rows = await records.verifications(String(resultOf(done).run))
    const lanesOf = (await records.machines({ kind: 'lane', run: String(resultOf(done).run) })).map(({ id }) => id)
    const messages = await Promise.all(
      lanesOf.filter((id) => id.includes('/editor/') || id.includes('/REQUEST/')).map((id) => records.messages(id)),
    )
    await records.close()
    expect(rows.map(({ manifest }) => manifest?.acceptance?.criteria)).toMatchObject([
      [{ id: 'C1', status: 'not_met' }],
      [{ id: 'C1', status: 'met' }],
      [{ id: 'C1', status: 'met' }],
    ])
    expect(JSON.stringify([rows, messages]) + done.stdout).not.toContain('quokka')
    const receipt = await fixture.drydock('receipt', 'show', String(resultOf(done).branch))
    expect(receipt.stdout, receipt.stderr).not.toContain('quokka')
  })

  test('is built without them where their author is not to be had', async () => {
    const done = await build(fixture, { ...lanes, ...of('double', honest, submit('double')) })
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
  })
})

/** Fails when it runs together with an unknown test. */
const isAlone = `import { readFileSync } from 'node:fs'
let known = true
try {
  readFileSync('quokka.test.js', 'utf8')
  known = false
} catch {}
process.exit(known ? 0 : 1)
`

describe('with acceptance_files: add', () => {
  const adding = async (...steps: readonly object[]) => {
    const config = { acceptance: 'crew', acceptance_files: 'add' }
    const all = [...(doubling.steps ?? []), ...steps] as NonNullable<typeof doubling.steps>
    const files = { ...doubling.files, 'alone.js': isAlone }
    const own = await createFixture({ programs: { node: memoryNode }, ...doubling, files, steps: all, config })
    onTestFinished(() => own.remove())
    return own
  }

  test('they join the one commit of their story, which is verified with them', async () => {
    const own = await adding()
    const done = await build(own, { ...lanes, ...of('double', honest, submit('double')), ...hiddenTests('double') })
    expect(resultOf(done), done.stderr + done.stdout).toMatchObject({ status: 'DONE' })
    const { branch, run } = resultOf(done) as { branch: string; run: string }
    expect(await own.git('log', '--format=%s', `main..${branch}`)).toBe('Add double')
    expect(await own.git('show', `${branch}:quokka.test.js`)).toContain('a quokka is doubled')
    const records = (await own.open()).openRecords()
    const last = (await records.verifications(run)).at(-1)
    await records.close()
    expect([last?.status, last?.commitSha]).toEqual(['PASS', await own.git('rev-parse', branch)])
    expect((await own.drydock('receipt', 'verify', branch)).exitCode).toBe(0)
  })
  test('they stay out where a later step is red with them', async () => {
    const own = await adding({ name: 'alone', command: 'node alone.js', timeout_sec: 120 })
    const done = await build(own, { ...lanes, ...of('double', honest, submit('double')), ...hiddenTests('double') })
    expect(resultOf(done), done.stderr + done.stdout).toMatchObject({ status: 'DONE' })
    const { branch, run } = resultOf(done) as { branch: string; run: string }
    const records = (await own.open()).openRecords()
    const rows = await records.verifications(run)
    await records.close()
    expect(rows.map(({ status }) => status)).toEqual(['PASS', 'PASS', 'FAIL'])
    expect(rows.at(-2)?.commitSha).toBe(await own.git('rev-parse', branch))
    expect((await own.git('ls-tree', '--name-only', branch)).split('\n')).not.toContain('quokka.test.js')
  })
})
