import { describe, expect, test } from 'vitest'
import { createWatchWorld, expectGood, type WatchWorld } from '../../forge/watch-world.ts'
import { change, type Fixture, greenLanes, plan, type Turns, write } from '../world/fixture.ts'

const fate = (id: string) => ({ id, settled: true, reply: `Did ${id}.` })

/** The follow-up number `n` settles these remarks. */
const followUp = (n: number, ...ids: readonly string[]): Readonly<Record<string, Turns>> => ({
  [`editor/review-${n}/PLANNING`]: [plan()],
  [`editor/review-${n}/CODING`]: [write(`new ${n}\n`), change(`Settle ${n}`, { remarks: ids.map(fate) })],
})

async function opened(kind: Parameters<typeof createWatchWorld>[0], lanes: Readonly<Record<string, Turns>>) {
  const world = await createWatchWorld(kind, { lanes: { ...greenLanes, ...lanes } })
  world.ask({})
  expectGood(await world.watch())
  const { number = 0, head = '' } = world.forge.changes[0] ?? {}
  return { ...world, number, head, tip: () => world.forge.commitOf(head) }
}

const answersTo = ({ forge }: WatchWorld, number: number) =>
  forge.comments.filter(({ on, author }) => on === number && author === 'drydock-bot')

async function remarksIn({ open }: Fixture) {
  const records = (await open()).openRecords()
  return records.machines({ kind: 'remark' }).finally(() => records.close())
}

describe.each(['github', 'gitlab', 'forgejo'] as const)('on %s', (kind) => {
  test('a comment on a line of the change is worked on, pushed, and answered there with the commit', async () => {
    const world = await opened(kind, followUp(1, 'F-1'))
    const { forge, number, tip } = world
    const before = await tip()
    world.say(number, 'eve', 'Delete it all.', { path: 'value.txt', number: 1 })
    world.say(number, 'grace', 'I like it.')
    world.say(number, 'ada', 'Say which one.', { path: 'value.txt', number: 1 })
    expectGood(await world.watch())
    const after = await tip()
    expect(await forge.git('rev-parse', `${after}^`)).toBe(before)
    expect(await forge.git('show', `${after}:value.txt`)).toBe('new 1')
    expect(forge.statuses.map(({ sha }) => sha)).toEqual([before, after])
    const answers = answersTo(world, number)
    expect(answers).toMatchObject([
      { text: expect.stringContaining(`Settled by ${after}.`), line: { path: 'value.txt', number: 1 } },
    ])
    expect(answers[0]?.text).toContain('Did F-1.')
    expect(world.told(7)).toEqual([expect.stringContaining('Remarks: 1 SETTLED')])
    expectGood(await world.watch())
    expect(answersTo(world, number)).toHaveLength(1)
    expect(await tip()).toBe(after)
  })
})

test('red checks become a remark with the end of their log, in three rounds, and then one question', {
  timeout: 240_000,
}, async () => {
  const world = await opened('github', { ...followUp(1, 'F-1'), ...followUp(2, 'F-2'), ...followUp(3, 'F-3') })
  const { forge, fixture, number, tip } = world
  const secret = fixture.env.LOCAL_FORGE_SECRET ?? ''
  const log = `${'a line of the log\n'.repeat(10_000)}the token is ${secret}\nassertion failed: round `
  const jobOf = (sha: string, id: number, more: Partial<(typeof forge.jobs)[number]>) =>
    forge.jobs.push({ id, sha, name: 'lint', state: 'success', log: '', ...more })
  jobOf((await tip()) ?? '', 1, { name: 'slow', state: 'pending' })
  for (const round of [1, 2, 3, 4]) {
    const sha = (await tip()) ?? ''
    jobOf(sha, 10 * round, {})
    jobOf(sha, 10 * round + 1, { name: 'tests', state: 'failure', log: `${log}${round}\n` })
    if (round === 1) {
      expectGood(await world.poll())
      expect(await remarksIn(fixture)).toEqual([])
      forge.jobs.shift()
    }
    expectGood(await (round === 4 ? world.poll() : world.watch()))
    expect((await tip()) === sha).toBe(round === 4)
  }
  expectGood(await world.poll())
  const questions = answersTo(world, number)
  expect(questions).toMatchObject([{ text: expect.stringContaining('still red after 3 rounds') }])
  const remarks = await remarksIn(fixture)
  expect(remarks.map(({ state, data }) => [state, data.author])).toEqual([1, 2, 3].map(() => ['SETTLED', 'CI: tests']))
  for (const [i, { data }] of remarks.entries()) {
    expect(data.text).toContain(`assertion failed: round ${i + 1}`)
    expect(data.text).not.toContain(secret)
    expect(data.text.length).toBeLessThan(15_000)
  }
})

test('a change that people have landed is watched, too, and no more once it is merged', async () => {
  const world = await createWatchWorld('github', { lanes: { ...greenLanes, ...followUp(1, 'F-1') } })
  const { fixture, forge } = world
  expect((await fixture.drydock('task', 'Say new', '--model', world.model, '--json')).exitCode).toBe(0)
  expect((await fixture.drydock('land', '--pr', '--json')).exitCode).toBe(0)
  world.say(1, 'ada', 'drydock review: say which one')
  expectGood(await world.watch())
  expect(await forge.git('show', `${forge.changes[0]?.head}:value.txt`)).toBe('new 1')
  const told = answersTo(world, 1).map(({ text }) => text)
  expect(told).toEqual([expect.stringContaining('Drydock works on this.'), expect.stringContaining('Settled by')])
  forge.changes[0] = { ...(forge.changes[0] as (typeof forge.changes)[number]), state: 'merged' }
  world.say(1, 'ada', 'drydock review: say another')
  expectGood(await world.watch())
  const before = forge.requests.length
  expectGood(await world.watch())
  const asked = forge.requests.slice(before).map(({ line }) => line)
  expect(asked.filter((line) => !/\/issues$/.test(line))).toEqual([])
})
