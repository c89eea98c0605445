import { afterEach, describe, expect, test } from 'vitest'
import type { WireTurn } from '../../wire/turn.ts'
import { createBudgetWorld } from '../../world/budget.ts'
import { conversationOf } from '../world/conversation.ts'
import { type CommandResult, call, greenLanes, resultOf } from '../world/fixture.ts'
import { buildReport } from '../world/reports.ts'
import { type BudgetWorld, using } from '../world/wire-budget.ts'

let world: BudgetWorld
afterEach(() => world.remove())

/**
 * Tokens of a call, which equal millionths of a dollar. A reservation is 16,384 for the reply, plus
 * the request.
 */
const usage = { input: 20_000, output: 1_000 }
const lanes = using(greenLanes, usage)
const whole = ['editor/task/PLANNING', 'editor/task/CODING', 'editor/task/CODING']

const task = (...flags: readonly string[]) =>
  world.fixture.drydock('task', 'say new', '--model', world.model, '--json', ...flags)
const ended = (result: CommandResult) => ({ exitCode: result.exitCode, status: resultOf(result).status })

describe('a task whose budget is reached', () => {
  test('is PAUSED before the call that could exceed it, and continues in the same lane after a raise', async () => {
    world = await createBudgetWorld(lanes)
    const paused = await task('--budget-usd', '0.05')
    const { run } = conversationOf(world.fixture, paused)
    expect(paused.exitCode, paused.stdout + paused.stderr).toBe(7)
    expect(resultOf(paused)).toMatchObject({
      status: 'PAUSED',
      branch: null,
      tokens: 42_000,
      cost_usd: 0.042,
      paused: [{ story: 'task', cap: 'run_usd', limit: 0.05, spent: 0.042, left: expect.closeTo(0.008) }],
      stories: [{ id: 'task', state: 'PAUSED' }],
    })
    const [{ needed, raise }] = resultOf(paused).paused as [{ needed: number; raise: number }]
    // 16,384 for the reply, plus the request.
    expect(needed).toBeGreaterThan(0.016384)
    // Plus as many calls as made so far, or a dozen, at the average cost of a call.
    expect(raise).toBeCloseTo(Math.ceil((0.042 + needed + 12 * 0.021 - 0.05) * 100) / 100)
    expect(paused.stderr).toContain(
      `the next call may cost up to $${needed.toPrecision(2)}; $0.008 of the run's $0.05 is left (budget.run_usd)`,
    )
    expect(paused.stderr).toContain(`drydock budget ${run} --raise ${raise}\n`)
    expect(paused.stderr).toContain('drydock resume')
    expect(world.heard()).toEqual(whole.slice(0, 2))

    const again = await world.fixture.drydock('resume', '--json')
    expect(ended(again)).toEqual({ exitCode: 7, status: 'PAUSED' })
    expect(world.heard()).toEqual(whole.slice(0, 2))

    const raised = await world.fixture.drydock('budget', '--raise', String(raise))
    expect(raised.stdout).toBe('Raised. Continue with: drydock resume\n')
    const done = await world.fixture.drydock('resume', '--json')
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE', tokens: 63_000, cost_usd: 0.063 })
    expect(world.heard()).toEqual(whole)
    const log = await conversationOf(world.fixture, paused).events('budget')
    const usd = expect.closeTo(0.05 + raise)
    const tokens = { runTokens: 20_000_000, storyTokens: 15_000_000 }
    expect(log.map(({ data }) => data)).toEqual([{ runUsd: usd, storyUsd: usd, ...tokens }])
  })

  test.each([3, 5, 9])('needs the raise that it advises only once, where %i more calls come', async (more) => {
    const [first = {}, ...rest] = greenLanes['editor/task/CODING'] ?? []
    const looks = Array.from({ length: more - 2 }, (_, n) => call('list_files', { pattern: `${n}*` }))
    world = await createBudgetWorld(using({ ...greenLanes, 'editor/task/CODING': [first, ...looks, ...rest] }, usage))
    const paused = await task('--budget-usd', '0.05')
    expect(ended(paused)).toEqual({ exitCode: 7, status: 'PAUSED' })
    const [amount = ''] = /(?<=--raise )\S+/.exec(paused.stderr) ?? []
    await world.fixture.drydock('budget', '--raise', amount)
    const done = await world.fixture.drydock('resume', '--json')
    expect(ended(done), done.stderr).toEqual({ exitCode: 0, status: 'DONE' })
  })

  test.each([
    { bound: { story_usd: 0.05 }, cap: 'story_usd', spent: 0.042, flag: '--raise' },
    { bound: { run_tokens: 50_000 }, cap: 'run_tokens', spent: 42_000, flag: '--raise-tokens' },
  ])('is PAUSED for $cap, too', async ({ bound, cap, spent, flag }) => {
    world = await createBudgetWorld(lanes, { user: { budget: bound } })
    const paused = await task()
    expect(ended(paused)).toEqual({ exitCode: 7, status: 'PAUSED' })
    const limit = Object.values(bound)[0]
    const left = expect.closeTo(Number(limit) - spent)
    const more = { left, needed: expect.any(Number), raise: expect.any(Number) }
    expect(resultOf(paused).paused).toEqual([{ story: 'task', cap, limit, spent, ...more }])
    // The amount in the printed command is enough.
    const [, amount = ''] = new RegExp(`drydock budget \\S+ ${flag} (\\S+)`).exec(paused.stderr) ?? []
    await world.fixture.drydock('budget', flag, amount)
    expect(ended(await world.fixture.drydock('resume', '--json'))).toEqual({ exitCode: 0, status: 'DONE' })
    expect(world.heard()).toEqual(whole)
  })

  test('before its first call has asked nobody anything', async () => {
    world = await createBudgetWorld(lanes)
    const paused = await task('--budget-usd', '0')
    expect(ended(paused)).toEqual({ exitCode: 7, status: 'PAUSED' })
    expect(paused.events.filter(({ type }) => type === 'state').map(({ to }) => to)).toEqual([
      'SETUP',
      'PLANNING',
      'PAUSED',
    ])
    expect(world.heard()).toEqual([])
  })

  test('in a scout is PAUSED, and the scout continues after a raise', async () => {
    const scouting = {
      ...lanes,
      'editor/task/PLANNING': [
        call('ask_scout', { scout: 'build', question: 'How?' }),
        ...(greenLanes['editor/task/PLANNING'] ?? []),
      ],
      scout: [call('list_files', { pattern: '*' }), call('submit_report', buildReport)],
    }
    world = await createBudgetWorld(using(scouting, usage))
    const paused = await task('--budget-usd', '0.05')
    expect(ended(paused)).toEqual({ exitCode: 7, status: 'PAUSED' })
    expect(world.heard()).toEqual(['editor/task/PLANNING', 'scout'])
    await world.fixture.drydock('budget', '--raise', '1')
    expect(ended(await world.fixture.drydock('resume', '--json'))).toEqual({ exitCode: 0, status: 'DONE' })
    const planning = ['editor/task/PLANNING', 'scout', 'scout', 'editor/task/PLANNING']
    expect(world.heard()).toEqual([...planning, ...whole.slice(1)])
    const { spending } = await costsIn(world)
    expect(spending.map(({ agent, story, calls }) => ({ agent, story, calls }))).toEqual([
      { agent: 'editor', story: 'task', calls: 4 },
      { agent: 'scout', story: 'task', calls: 2 },
    ])
  })

  test('keeps its work when it is cancelled instead', async () => {
    world = await createBudgetWorld(lanes)
    const paused = await task('--budget-usd', '0.05')
    const cancelled = await world.fixture.drydock('cancel', '--json')
    expect(ended(cancelled)).toEqual({ exitCode: 5, status: 'CANCELLED' })
    const { data } = await conversationOf(world.fixture, paused).story()
    const { history } = await world.fixture.open()
    const to = data.snapshot?.sha ?? ''
    expect((await history.diff({ from: data.base, to, maxBytes: 10_000 })).text).toContain('+new')
    expect(ended(await world.fixture.drydock('resume', '--json'))).toEqual({ exitCode: 5, status: 'CANCELLED' })
  })

  test('is told as such by `status` and `budget`, whether anybody works here or not', async () => {
    world = await createBudgetWorld(lanes)
    const paused = await task('--budget-usd', '0.05')
    const { run } = conversationOf(world.fixture, paused)
    const { fixture } = world
    const status = await fixture.drydock('status', '--json')
    expect(status.events[0]).toMatchObject({ run, state: 'PAUSED', tokens: 42_000, cost_usd: 0.042 })
    const { stdout } = await fixture.drydock('status')
    expect(stdout).toMatch(new RegExp(`${run} is PAUSED: the next call may cost up to .*`))
    expect(stdout).toContain(`Allow more:  drydock budget ${run} --raise 0.29`)
    const budget = await fixture.drydock('budget', '--json')
    expect(budget.events).toMatchObject([
      {
        type: 'budget',
        run,
        state: 'PAUSED',
        budget: { run_usd: 0.05, story_usd: 0.05, run_tokens: 20_000_000 },
        spent: { usd: 0.042, tokens: 42_000 },
        reserved: { usd: 0, tokens: 0 },
        left: { usd: expect.closeTo(0.008), tokens: 19_958_000 },
        stories: [{ id: 'task', state: 'PAUSED', cost_usd: 0.042, left_usd: expect.closeTo(0.008) }],
        agents: [{ agent: 'editor', cost_usd: 0.042, calls: 2, failed: 0 }],
      },
    ])
    const shown = (await fixture.drydock('budget')).stdout
    expect(shown).toMatch(/^dollars +\$0.05 +\$0.042 +\$0 +\$0.008 *$/m)
    expect(shown).toMatch(/^task +\$0.05 +\$0.042 +\$0.008 +PAUSED$/m)
    expect(shown).toContain('editor: $0.042, 2 calls, 40.0k tokens in')
  })
})

describe('the cost of a call', () => {
  test('is estimated from its text, when nobody says what it used', async () => {
    world = await createBudgetWorld(greenLanes, {
      answer: (turn, { number }) => (number === 1 ? turn : { ...turn, usage }),
    })
    const done = await task()
    expect(ended(done)).toEqual({ exitCode: 0, status: 'DONE' })
    const { totals, spent } = await costsIn(world)
    const estimated = totals.costMicroUsd - 2 * 21_000
    // Far less than its reservation, which is for the longest reply.
    expect(estimated).toBeGreaterThan(1_000)
    expect(estimated).toBeLessThan(5_000)
    // A token costs a millionth of a dollar here.
    expect(totals).toMatchObject({ calls: 3, tokens: 42_000 + estimated, unpriced: 0 })
    expect(spent).toMatchObject({ microUsd: totals.costMicroUsd, reserved: { microUsd: 0, tokens: 0 }, underWay: 0 })
  })

  test('is nothing when it was refused at once, and it is asked again', async () => {
    const refused: WireTurn = { refusal: { status: 429, headers: { 'retry-after-ms': '10' } } }
    world = await createBudgetWorld(lanes, { answer: (turn, { number }) => (number <= 2 ? refused : turn) })
    const done = await task()
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE', tokens: 63_000, cost_usd: 0.063 })
    const { spending } = await costsIn(world)
    expect(spending).toMatchObject([{ agent: 'editor', calls: 5, failed: 2, microUsd: 63_000, unpriced: 0 }])
  })

  test('is what was reserved for it, when it broke off', async () => {
    world = await createBudgetWorld(lanes, {
      answer: (turn, { number }) => (number === 1 ? { ...turn, fault: 'no_end' } : turn),
    })
    const done = await task()
    expect(ended(done)).toEqual({ exitCode: 0, status: 'DONE' })
    const { totals } = await costsIn(world)
    expect(totals.costMicroUsd).toBeGreaterThan(63_000 + 16_384)
  })

  test('is priced apart where it came out of a cache or went into it, and is told by report', async () => {
    const price = { input: 10, output: 100, cache_read: 1, cache_write: 20 }
    const cached = { input: 10_000, output: 100, cacheRead: 8_000, cacheWrite: 0 }
    world = await createBudgetWorld(using(greenLanes, cached), { user: { prices: { 'wire:crew': price } } })
    const done = await task()
    // 2,000 at 10, 8,000 at 1, 100 at 100, three times.
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE', cost_usd: 0.114 })
    const report = await world.fixture.drydock('report', '--json')
    expect(report.events[0]).toMatchObject({
      cost: { cost_usd: 0.114, agents: [{ agent: 'editor', input_tokens: 30_000, cache_read_tokens: 24_000 }] },
    })
    const told = 'editor: $0.11, 3 calls, 30.0k tokens in (24.0k read from a cache, 0 written to it), 300 out'
    expect((await world.fixture.drydock('report')).stdout).toContain(told)
  })

  test('is unknown where the price is, which the start says, and then tokens alone bound it', async () => {
    world = await createBudgetWorld(lanes, { user: { prices: {}, budget: { run_tokens: 50_000 } } })
    const paused = await task()
    expect(ended(paused)).toEqual({ exitCode: 7, status: 'PAUSED' })
    expect(resultOf(paused)).toMatchObject({ cost_usd: null, tokens: 42_000, paused: [{ cap: 'run_tokens' }] })
    expect(paused.events.filter(({ type }) => type === 'unpriced')).toMatchObject([
      { models: ['wire:crew'], run_tokens: 50_000 },
    ])
    expect((await world.fixture.drydock('log')).stdout).toMatch(/no known price +wire:crew: only tokens limit this run/)
    expect((await world.fixture.drydock('status')).stdout).toMatch(/ 42\.0k +unknown +say new/)
    const shown = await world.fixture.drydock('budget')
    expect(shown.stdout).toMatch(/^dollars +\$20\.00 +unknown +\$0 +unknown *$/m)
    expect(shown.stdout).toMatch(/^task +\$5\.00 +unknown +unknown +PAUSED/m)
    expect((await world.fixture.drydock('budget', '--json')).events[0]).toMatchObject({ left: { usd: null } })
    expect(world.heard()).toEqual(whole.slice(0, 2))
  })

  test('with no known price and no tokens allowed is never found out', async () => {
    world = await createBudgetWorld(lanes, { user: { prices: {}, budget: { run_tokens: 0 } } })
    const refused = await task()
    expect(refused.events).toMatchObject([{ type: 'error', code: 'no_price' }])
    expect(refused.exitCode).toBe(2)
    expect(world.heard()).toEqual([])
  })

  test.each([
    { flags: ['--budget-usd', '0'], budget: {} },
    { flags: ['--budget-usd', '5'], budget: {} },
    { flags: [], budget: { run_usd: 5 } },
  ])('with no known price is refused where dollars were named: $flags $budget', async ({ flags, budget }) => {
    world = await createBudgetWorld(lanes, { user: { prices: {}, budget } })
    const refused = await task(...flags)
    expect(refused.exitCode).toBe(2)
    expect(refused.events).toMatchObject([
      { type: 'error', code: 'no_price', todo: expect.stringContaining('"prices": { "wire:crew"') },
    ])
    expect((await world.fixture.drydock('status')).stdout).toContain('No runs yet')
    expect(world.heard()).toEqual([])
  })

  test('with no known price is refused before its next call, when its model is changed to such a one', async () => {
    world = await createBudgetWorld(lanes)
    expect(ended(await task('--budget-usd', '0.05'))).toEqual({ exitCode: 7, status: 'PAUSED' })
    await world.fixture.drydock('budget', '--raise', '1')
    const refused = await world.fixture.drydock('resume', '--json', '--model', 'wire:other')
    expect(resultOf(refused)).toMatchObject({ status: 'ERROR', error: { code: 'no_price' } })
    expect(refused.exitCode).toBe(2)
    expect(world.heard()).toEqual(whole.slice(0, 2))
  })
})

test('a budget that was named holds, whichever process does the work', async () => {
  world = await createBudgetWorld(lanes)
  const { fixture, model } = world
  const drydock = await fixture.open()
  const request = {
    kind: 'task',
    task: { text: 'say new', constraints: [], non_goals: [], files: [] },
    dryRun: false,
    apply: false,
  } as const
  const models = { architect: null, editor: model, scout: model }
  const start = { kind: 'start', run: 'say-new-000000', request, target: null, configFile: null, models } as const
  await drydock.submit('start', { ...start, budgetUsd: 0.05 })
  const paused = await fixture.drydock('resume', '--json')
  expect(ended(paused)).toEqual({ exitCode: 7, status: 'PAUSED' })
  expect(resultOf(paused).paused).toMatchObject([{ cap: 'run_usd', limit: 0.05 }])
})

test.each([
  [['--raise', 'much']],
  [['--raise', '-1']],
  [['--raise', '']],
  [['--raise-tokens', '1.5']],
  [['--raise-tokens', '0']],
])('`budget %s` is refused', async (flags) => {
  world = await createBudgetWorld(lanes)
  const refused = await world.fixture.drydock('budget', ...flags, '--json')
  expect(refused.exitCode).toBe(2)
  expect(refused.events).toMatchObject([{ type: 'error', code: 'bad_usage' }])
})

async function costsIn({ fixture }: BudgetWorld) {
  const records = (await fixture.open()).openRecords()
  const run = (await records.machines({ kind: 'run' })).at(-1)?.id ?? ''
  const found = {
    totals: await records.totals(run),
    spent: await records.spent(run),
    spending: await records.spending(run),
  }
  await records.close()
  return found
}
