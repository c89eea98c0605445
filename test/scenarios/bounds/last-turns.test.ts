import { describe, expect, test } from 'vitest'
import { call, change, plan, write } from '../world/fixture.ts'
import { coding, plays, times } from './world.ts'

const read = (path = 'value.txt', offset = 1) => call('read_file', { path, offset })
const modules = (count: number) =>
  Object.fromEntries(times(count, () => ({})).map((_, i) => [`src/${i}.txt`, `${i}\n`]))
/** Calls that show nothing new after the first of each. */
const known = [
  read(),
  call('list_files', { pattern: '*' }),
  call('search_files', { pattern: 'old' }),
  call('get_diff', {}),
]
const idle = (count: number) => times(count, (i) => known[i % known.length] ?? read())

describe.concurrent('the turns of a lane', () => {
  test('are 160 while it plans: who reads one new file a turn for 120 turns can plan', async ({ onTestFinished }) => {
    const reads = times(120, (i) => read(`src/${i}.txt`))
    const lanes = { ...coding(write('new\n'), change()), 'editor/task/PLANNING': [...reads, plan()] }
    expect(await plays(onTestFinished, { files: modules(120), lanes })).toMatchObject({ status: 'DONE', requests: 123 })
  })

  test('bring nothing new 40 times at most while it plans, however they are mixed', async ({ onTestFinished }) => {
    const mixed = times(120, (i) => (i % 3 === 0 ? read(`src/${i}.txt`) : (known[i % known.length] ?? read())))
    const ended = await plays(onTestFinished, { files: modules(120), lanes: { 'editor/task/PLANNING': mixed } })
    expect(ended.status).toBe('STUCK')
    expect(ended.report).toContain('40 of its turns brought nothing new')
    expect(ended.requests).toBeLessThan(70)
  })

  test('end with two in which only the terminal call is accepted, and it is told so', async ({ onTestFinished }) => {
    const config = { editor: { planning_iterations: 6 } }
    const reads = times(6, (i) => read(`src/${i}.txt`))
    const ended = await plays(onTestFinished, { config, files: modules(6), lanes: { 'editor/task/PLANNING': reads } })
    expect(ended).toMatchObject({ status: 'STUCK', requests: 6 })
    const results = await ended.conversation.results('editor/task/PLANNING')
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true, false, false])
    const told = (await ended.conversation.messages('editor/task/PLANNING')).flatMap((message) =>
      message.role === 'user' && message.text.startsWith('<iteration_limit>') ? [message.text] : [],
    )
    expect(told).toEqual([
      expect.stringContaining('2 turns are left. Every call except `submit_plan` is now refused.'),
      expect.stringContaining('this is your last turn. Every call except `submit_plan` is now refused.'),
    ])
  })

  test('end so as well when nothing is new, and who hands in then has a verdict', async ({ onTestFinished }) => {
    const ended = await plays(onTestFinished, { lanes: coding(write('new\n'), ...idle(28), change()) })
    expect(ended.status).toBe('DONE')
    const results = await ended.conversation.results('editor/task/CODING')
    expect(results.filter(({ ok }) => !ok)).toEqual([
      expect.objectContaining({ output: expect.stringContaining('Only `submit_change` is accepted now') }),
    ])
  })

  test('from an old configuration keep their meaning', async ({ onTestFinished }) => {
    const config = { editor: { planning_iterations: 40, coding_iterations: 2 } }
    const lanes = coding(write('new\n'), change())
    expect(await plays(onTestFinished, { config, lanes })).toMatchObject({ status: 'DONE', requests: 3 })
  })
})
