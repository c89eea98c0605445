import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHostsWorld, type HostsWorld } from './hosts-world.ts'
import { usage } from './model.ts'
import { type PersonRecord, untilOver } from './person.ts'
import {
  booksOf,
  branch,
  commitsOf,
  damage,
  refsForGood,
  turnsNotOnce,
  unreadableLogs,
  withRecords,
} from './remains.ts'
import { drawFaults, weather } from './weather.ts'
import { writesOfHosts } from './zombie-watch.ts'

/** `STORM_SEED` repeats the same faults; `STORM_FAULTS` is their number. */
const seed = Number(process.env.STORM_SEED ?? Date.now() % 100_000)
const count = Number(process.env.STORM_FAULTS ?? 60)
const stories = Math.max(3, Math.ceil(count / 3))

let world: HostsWorld
let asked: PersonRecord
/** Number of faults before the run was over. */
let inTime: number

beforeAll(async () => {
  const tell = (line: string) => process.stderr.write(`${line}\n`)
  let [struck, isCalm] = [0, false]
  const isAhead = (built: number) => !isCalm && built / stories > (struck - 1) / count
  world = await createHostsWorld({ stories, isAhead })
  tell(`STORM_SEED=${seed} STORM_FAULTS=${count}: ${stories} stories on three hosts`)
  const drawn = drawFaults(seed, count)
  const over = untilOver(world, tell).finally(() => {
    inTime = struck
  })
  await weather(world, {
    seed,
    drawn,
    tell(line) {
      if (!line.includes('is over')) struck += 1
      tell(line)
    },
  })
  isCalm = true
  asked = await over
  const kinds = Object.entries(Object.groupBy(drawn, (fault) => fault)).map(([kind, all]) => `${all?.length} ${kind}`)
  tell(`${kinds.join(', ')}; ${asked.questions.length} questions; ${JSON.stringify(await booksOf(world))}`)
})

afterAll(() => world?.close())

test('every story is built once, and its file is as its editor has handed it in', async () => {
  const states = await withRecords(world, (records) => records.machines({ kind: 'story', run: world.run }))
  expect(Object.fromEntries(states.map(({ story, state }) => [story, state]))).toEqual(
    Object.fromEntries(world.names.map((name) => [name, 'DONE'])),
  )
  expect((await commitsOf(world)).map(({ story }) => story).toSorted()).toEqual(world.names)
  const files = (await world.fixture.git('ls-tree', '--name-only', branch)).split('\n')
  // Files of an interrupted command may remain, and its editor is told so.
  const whole = files.filter((file) => !file.startsWith('noise-'))
  expect(whole).toEqual(['.drydock', ...world.names.map((name) => `${name}.txt`), 'value.txt'])
  for (const name of world.names) expect(await world.fixture.git('show', `${branch}:${name}.txt`)).toBe(name)
})

test('every commit is the one that was verified, and its receipt is valid', async () => {
  for (const { sha, verifiedBy } of await commitsOf(world)) {
    const verification = await withRecords(world, (records) => records.verification(verifiedBy))
    expect(verification).toMatchObject({ run: world.run, status: 'PASS', commitSha: sha })
    const verified = await world.fixture.drydock('receipt', 'verify', sha)
    expect(verified.exitCode, verified.stderr).toBe(0)
  }
})

test('every turn of a conversation was stored once', async () => {
  expect(await turnsNotOnce(world)).toEqual([])
})

test('the budget is exact: it contains answered calls and calls whose end nobody saw', async () => {
  const books = await booksOf(world)
  const price = usage.input + usage.output
  expect(books).toMatchObject({ spent: books.called + books.lost, reserved: 0, called: books.calls * price })
  // Every request is in the books, and the books contain nothing else.
  expect(books.asked, JSON.stringify(books)).toBeLessThanOrEqual(books.calls + books.losses)
})

test('no row was written by a worker that was given up', () => {
  expect(writesOfHosts(world.server)).toEqual({ ofZombies: [], hosts: world.hosts.length })
})

test('every hidden ref of the hub is of a story, and goes with it', async () => {
  expect(await refsForGood(world)).toEqual([])
})

test('the logs of what was merged, and all that machines have kept in the bucket, can be read', async () => {
  expect(await unreadableLogs(world)).toEqual([])
})

test('nothing is left to do, and nothing is held', async () => {
  const left = await withRecords(world, async (records) => {
    const stories = await records.machines({ kind: 'story', run: world.run })
    const holders = stories.filter(({ data }) => data.slot !== null).map(({ id }) => id)
    return { isIdle: await records.isIdle(world.run), commands: await records.pendingCommands(), holders }
  })
  expect(left).toEqual({ isIdle: true, commands: [], holders: [] })
})

test('no fault of one machine has stopped the run', () => {
  expect(asked.errors).toEqual([])
})

test('all faults struck while something was built', () => {
  expect(inTime).toBeGreaterThanOrEqual(count - world.hosts.length)
})

test('the repository of the hub is whole', async () => {
  expect(await damage(world)).toEqual([])
})

test('no process has ended with a bug, or because another one took the state from it', () => {
  const exits = [world.hub, ...world.hosts.map(({ worker }) => worker)].flatMap(({ exits }) => exits)
  const wrong = /this is a bug|has become the owner/
  expect(exits.filter(({ said }) => wrong.test(said)).map(({ said }) => said)).toEqual([])
})
