import { describe, expect, test } from 'vitest'
import { localToken } from '../../forge/forge-model.ts'
import { expectGood } from '../../forge/watch-world.ts'
import { createMemoryWatchWorld, type MemoryWatchWorld } from '../../world/forge.ts'
import { change, type Fixture, greenLanes, plan, type Turns, write } from '../world/fixture.ts'

const fate = (id: string) => ({ id, settled: true, reply: `Did ${id}.` })

/** Follow-up number `n` settles these remarks. */
const followUp = (n: number, ...ids: readonly string[]): Readonly<Record<string, Turns>> => ({
  [`editor/review-${n}/PLANNING`]: [plan()],
  [`editor/review-${n}/CODING`]: [write(`new ${n}\n`), change(`Settle ${n}`, { remarks: ids.map(fate) })],
})

async function opened(kind: Parameters<typeof createMemoryWatchWorld>[0], lanes: Readonly<Record<string, Turns>>) {
  const world = await createMemoryWatchWorld(kind, { lanes: { ...greenLanes, ...lanes } })
  world.ask({})
  expectGood(await world.watch())
  const { number = 0, head = '' } = world.forge.changes[0] ?? {}
  return { ...world, number, head, tip: () => world.forge.commitOf(head) }
}

const answersTo = ({ forge }: MemoryWatchWorld, number: number) =>
  forge.comments.filter(({ on, author }) => on === number && author === 'drydock-bot')

/** The remarks that no process has stored yet. */
async function handedIn({ open }: Fixture) {
  const records = (await open()).openRecords()
  const commands = (await records.pendingCommands().finally(() => records.close())).map(({ command }) => command)
  return commands.flatMap((command) => (command.kind === 'review' ? [command.remarks] : []))
}

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

test('red checks become a remark with the end of their log, in three rounds, and then one question', async () => {
  const world = await opened('github', { ...followUp(1, 'F-1'), ...followUp(2, 'F-2'), ...followUp(3, 'F-3') })
  const { forge, fixture, number, tip } = world
  const log = `${'a line of the log\n'.repeat(10_000)}the token is ${localToken}\nassertion failed: round `
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
    expect(data.text).not.toContain(localToken)
    expect(data.text.length).toBeLessThan(15_000)
  }
})

test('comments of a million characters, of none, and many at once keep no other from being heard', async () => {
  const world = await opened('github', {})
  const { fixture, forge, number } = world
  const line = { path: 'value.txt', number: 1 }
  world.say(number, 'ada', 'drydock review \u0007\u202e')
  world.say(number, 'ada', '\u0007', line)
  for (let i = 0; i < 7; i += 1) world.say(number, 'ada', `${i}${'x'.repeat(i === 0 ? 1_000_000 : 100_000)}`, line)
  world.say(number, 'grace', 'drydock review Say which one.')
  expectGood(await world.poll())
  const batches = await handedIn(fixture)
  const heard = batches.flat().map(({ text }) => text.slice(0, 3))
  expect(heard.toSorted()).toEqual([...[...'0123456'].map((i) => `${i}xx`), 'Say'])
  expect(batches.length).toBeGreaterThan(1)
  // Edited or requested again, the remarks stay the same.
  forge.comments.forEach((each, i) => {
    if (each.text.length > 1_000)
      forge.comments[i] = { ...each, text: `${each.text}, edited`, at: new Date().toISOString() }
  })
  expectGood(await world.poll())
  expect(await handedIn(fixture)).toHaveLength(batches.length)
})

test('a remark whose comment was deleted is answered on the change, and the others where they stand', async () => {
  const world = await opened('github', followUp(1, 'F-1', 'F-2'))
  const { forge, number, tip } = world
  world.say(number, 'ada', 'Say which one.', { path: 'value.txt', number: 1 })
  world.say(number, 'grace', 'Say more.', { path: 'value.txt', number: 1 })
  expectGood(await world.poll())
  const gone = forge.comments.findIndex(({ author }) => author === 'ada')
  forge.comments.splice(gone, 1)
  expectGood(await world.watch())
  const after = await tip()
  expect(answersTo(world, number)).toMatchObject([
    {
      line: null,
      text: expect.stringMatching(new RegExp(`^\`F-1, a remark by ada on value.txt:1\`: Settled by ${after}`)),
    },
    { line: { path: 'value.txt', number: 1 }, text: expect.stringContaining(`Settled by ${after}`) },
  ])
  expectGood(await world.watch())
  expect(answersTo(world, number)).toHaveLength(2)
})

test('a red check is noticed among many and under any name; one on somebody else’s commit is ignored', async () => {
  const world = await opened('github', followUp(1, 'F-1'))
  const { forge, fixture, number, head, tip } = world
  const ours = (await tip()) ?? ''
  const by = ['-c', 'user.name=Ada', '-c', 'user.email=ada@localhost']
  const theirs = await forge.git(...by, 'commit-tree', `${ours}^{tree}`, '-p', ours, '-m', 'By hand')
  const name = 'n'.repeat(300)
  for (const sha of [ours, theirs]) {
    for (let id = 1; id <= 60; id += 1) forge.jobs.push({ id, sha, name: `job ${id}`, state: 'success', log: '' })
    forge.jobs.push({ id: 61, sha, name, state: 'failure', log: 'red\n' })
  }
  await forge.git('update-ref', `refs/heads/${head}`, theirs)
  expectGood(await world.poll())
  expect(await handedIn(fixture)).toEqual([])
  await forge.git('update-ref', `refs/heads/${head}`, ours)
  expectGood(await world.poll())
  expect(await handedIn(fixture)).toMatchObject([[{ text: expect.stringContaining('red') }]])
  // Follow-up work is not pushed over somebody else's commit, and the forge is told so.
  await forge.git('update-ref', `refs/heads/${head}`, theirs)
  expectGood(await world.watch())
  expect(await tip()).toBe(theirs)
  expect(world.told(7)).toEqual([expect.stringMatching(/Remarks: 1 SETTLED[\s\S]*not handed over/)])
  expect(answersTo(world, number)).toEqual([])
})

test('comments of a change that was closed are not heard, also where somebody opens another one for its branch', async () => {
  const world = await opened('github', {})
  const { fixture, forge, number } = world
  const [own] = forge.changes
  if (own === undefined) throw new Error('no change')
  forge.changes.splice(0, 1, { ...own, state: 'closed' }, { ...own, number: 2, title: 'By hand' })
  world.say(number, 'ada', 'drydock review: say which one')
  world.say(2, 'ada', 'drydock review: say which one')
  expectGood(await world.poll())
  expect(await handedIn(fixture)).toEqual([])
})

test('a change that people have landed is watched, too, and no more once it is merged', async () => {
  const world = await createMemoryWatchWorld('github', { lanes: { ...greenLanes, ...followUp(1, 'F-1') } })
  const { fixture, forge } = world
  expect((await fixture.drydock('task', 'Say new', '--model', world.model, '--json')).exitCode).toBe(0)
  await world.land()
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
