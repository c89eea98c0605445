import { describe, expect, test } from 'vitest'
import { freshFixture } from '../world/fixture.ts'
import { conversationOf } from './world/conversation.ts'
import { call, change, greenLanes, plan, resultOf, type Turns, write } from './world/fixture.ts'
import { buildReport } from './world/reports.ts'

const talk: Turns = Array.from({ length: 4 }, (_, i) => ({ text: `Thinking of ${i}.` }))
const short = { config: { editor: { planning_iterations: 3, coding_iterations: 7 } } }

describe.concurrent('retry', () => {
  test('starts from the stuck report, the guidance and the last attempt, with all counters at zero', async ({
    onTestFinished,
  }) => {
    const fixture = await freshFixture(onTestFinished, short)
    const fails = (then: string) => [change('One', { hypothesis: 'the spelling is wrong' }), write(then), change('Two')]
    const model = await fixture.replay({
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [...fails('half\n'), ...talk],
      'editor/task@2/PLANNING': [
        {
          calls: ['value.txt', 'agent/context_latest.md'].map((path) => ({ tool: 'read_file', input: { path } })),
        },
        call('ask_scout', { scout: 'build', question: 'how is it tested?' }),
        plan(),
      ],
      'scout/build/task@2/1.1': [call('submit_report', buildReport)],
      'editor/task@2/CODING': [...fails('less\n'), write('odd\n'), change('Three', { hypothesis: 'the letters' })],
      'editor/task@2/PLANNING/2': [plan({ hypothesis: 'the letters', slices: ['another way'] })],
      'editor/task@2/CODING/2': [write('new\n'), change()],
    })
    const stuck = await fixture.drydock('task', 'say new', '--constraint', 'be brief', '--json', '--model', model)
    expect(stuck.exitCode).toBe(3)
    const [story] = resultOf(stuck).stories as { stuck_report: string }[]
    expect(story?.stuck_report).toContain('the spelling is wrong')

    const swallowed = await fixture.drydock('retry', '--architect-model', model)
    expect(swallowed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--architect-model has no effect') })
    const done = await fixture.drydock('retry', '--guidance', 'look at the letters', '--json')
    expect(done.exitCode, done.stderr).toBe(0)
    expect(done.events[0]).toEqual({ type: 'run', run: conversationOf(fixture, stuck).run })
    const conversation = conversationOf(fixture, done)
    expect((await conversation.lanes()).slice(2)).toEqual([
      'editor/task@2/PLANNING',
      'scout/build/task@2/1.1',
      'editor/task@2/CODING',
      'editor/task@2/PLANNING/2',
      'editor/task@2/CODING/2',
    ])
    const prompt = await conversation.prompt('editor/task@2/PLANNING')
    expect(prompt).toContain(`<stuck_report>\n${story?.stuck_report}\n</stuck_report>`)
    expect(prompt).toMatch(/<guidance from="human" key="\w{16}">\nlook at the letters\n<\/guidance>/)
    expect(prompt).toContain('- be brief')
    expect(prompt).toContain('-old\n+half')
    expect(prompt).not.toContain('three times in a row')
    const [seen, context] = await conversation.results('editor/task@2/PLANNING')
    expect(seen?.output).toBe('1\thalf')
    expect(context?.output).toContain('Milestone: stuck')
    const replanned = await conversation.prompt('editor/task@2/PLANNING/2')
    expect(replanned).toContain('three times in a row')
    expect(replanned).not.toContain('<stuck_report>')
    for (const lane of ['PLANNING/2', 'CODING', 'CODING/2'])
      expect(await conversation.prompt(`editor/task@2/${lane}`)).toContain('look at the letters')
    expect(resultOf(done)).toMatchObject({ status: 'DONE', branch: 'drydock/say-new', stories: [{ attempts: 6 }] })
    expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
  })

  test('of a retry is the third of its kind, and the stuck work stays on record', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished, short)
    const model = await fixture.replay({
      'editor/task/PLANNING': talk,
      'editor/task@2/PLANNING': talk,
      'editor/task@3/PLANNING': [plan()],
      'editor/task@3/CODING': [write('new\n'), change()],
    })
    expect((await fixture.drydock('task', 'say new', '--model', model)).exitCode).toBe(3)
    expect((await fixture.drydock('retry')).exitCode).toBe(3)
    const done = await fixture.drydock('retry', '--json')
    expect(done.exitCode, done.stderr).toBe(0)
    const conversation = conversationOf(fixture, done)
    expect((await conversation.messages('editor/task/PLANNING')).length).toBeGreaterThan(3)
    expect(await conversation.prompt('editor/task@3/PLANNING')).not.toContain('<guidance from')
  })

  test('of a cancelled run says so instead of speaking of failures', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished)
    const model = await fixture.replay({
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [write('half\n')],
      'editor/task@2/PLANNING': [plan()],
      'editor/task@2/CODING': [write('new\n'), change()],
    })
    expect((await fixture.drydock('task', 'say new', '--model', model)).exitCode).toBe(1)
    const cancelled = await fixture.drydock('cancel', '--json')
    expect(cancelled.exitCode).toBe(5)
    const done = await fixture.drydock('retry', String(resultOf(cancelled).run), '--json')
    expect(done.exitCode, done.stderr).toBe(0)
    const prompt = await conversationOf(fixture, done).prompt('editor/task@2/PLANNING')
    expect(prompt).toContain('An earlier attempt at this task ended before it was done.')
    expect(prompt).not.toContain('failed three times')
    expect(prompt).toContain('-old\n+half')
  })

  test('of finished work is refused', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished)
    await fixture.drydock('task', 'say new', '--model', await fixture.replay(greenLanes))
    const refused = await fixture.drydock('retry')
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toContain('cannot be retried: it is DONE')
  })
})
