import { describe, expect, test } from 'vitest'
import { freshFixture } from '../world/fixture.ts'
import { conversationOf } from './world/conversation.ts'
import { stories } from './world/crew.ts'
import { call, change, greenLanes, plan, write } from './world/fixture.ts'
import { buildReport, codebaseReport } from './world/reports.ts'

const question = 'where is\nthe value?'

const lanes = {
  'editor/task/PLANNING': [
    { text: 'First a look around.', ...call('ask_scout', { scout: 'codebase', question }) },
    {
      calls: [
        { tool: 'read_file', input: { path: 'value.txt' } },
        { tool: 'read_file', input: { path: 'none.txt' } },
      ],
    },
    plan({ hypothesis: 'it was never written', slices: ['change it', 'look at it'] }),
  ],
  'scout/codebase/task/1.1': [call('submit_report', codebaseReport)],
  'editor/task/CODING': [
    call('run_command', { command: 'echo one; echo two; exit 3' }),
    write('new\n'),
    change('Say new', { hypothesis: 'the file decides' }),
  ],
}

describe.concurrent('the result of a run', () => {
  test('of a task is told in log as its agents said and did it, short and complete', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished)
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
    expect(done.exitCode, done.stderr).toBe(0)
    const lines = (await fixture.drydock('log')).stdout.split('\n').map((line) => line.slice(17))
    const told = [
      'editor: First a look around.',
      'ask_scout codebase: where is the value?',
      'read_file value.txt → 1 line',
      'read_file none.txt → failed: There is no such file',
      'submit_plan',
      '  changes: value.txt says new',
      '  criterion: value.txt says new',
      '  slice: change it',
      '  slice: look at it',
      '  file: value.txt',
      '  hypothesis: it was never written',
      'run_command echo one; echo two; exit 3 → (exit code 3)',
      'write_file value.txt → Replaced value.txt.',
      'submit_change',
      '  summary: Say new',
      '  hypothesis: the file decides',
    ]
    expect(lines.filter((line) => told.some((each) => line.startsWith(each)))).toEqual(told)
    const moves = ['scout scout=codebase query=1 state=ASKED', 'run_state from=MONITORING event=done to=DONE']
    expect(lines.filter((line) => / \w+=\w+/.test(line))).toEqual([])
    const all = (await fixture.drydock('log', '-v')).stdout.split('\n').map((line) => line.slice(17))
    expect(all).toEqual(expect.arrayContaining(moves))
    const whole = (await fixture.drydock('log', '--verbose', '--lane', 'editor/task/CODING')).stdout
    expect(whole).toContain('one\n                   two\n                   (exit code 3)')
    expect(whole).toContain('  "hypothesis": "the file decides"')
    expect(whole).not.toContain('First a look around.')
    const { run } = conversationOf(fixture, done)
    expect((await fixture.drydock('log', '-v', `${run}/editor/task/CODING`)).stdout).toBe(whole)
    const json = await fixture.drydock('log', '-v', '--json', '--lane', 'scout')
    expect(json.events.find(({ type }) => type === 'tool')).toMatchObject({ said: [{ name: 'result' }] })
    expect(await fixture.drydock('log', '--lane', 'editor/other')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('It has: editor/task/PLANNING, '),
    })
  })

  test('of a task is reported with its title, state, branch and plan, and what to do next', async ({
    onTestFinished,
  }) => {
    const fixture = await freshFixture(onTestFinished)
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
    const { run } = conversationOf(fixture, done)
    const { stdout } = await fixture.drydock('report')
    expect(stdout).toMatch(
      new RegExp(
        `^# say new\n\n- Run: ${run}\n- State: DONE. The change is verified, but no test results were read.\n- Branch: drydock/say-new\n- Base: \\w{12}\n- Verified: PASS, run_id run_`,
      ),
    )
    for (const part of [
      '## Summary\n\nSay new\n\n## Files\n- value.txt (modified; source)',
      '## Plan\n\nvalue.txt says new',
      'Slices:\n- change it\n- look at it',
      '- Take it: git merge drydock/say-new\n',
    ])
      expect(stdout).toContain(part)
    expect((await fixture.drydock('report', '--json')).events).toMatchObject([
      { title: 'say new', branch: 'drydock/say-new', state: 'DONE' },
    ])
    const stuck = await fixture.drydock('task', 'say new again', '--model', await fixture.replay(dull))
    expect(stuck.exitCode).toBe(3)
    const report = (await fixture.drydock('report')).stdout
    expect(report).toContain('- Branch: none, it ended STUCK')
    expect(report).toMatch(/- Start again from this report: drydock retry say-new-again-\w+ --guidance/)
  })

  test('of a verification, a scout and a plan is written for people', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished)
    expect((await fixture.drydock('verify')).exitCode).toBe(3)
    const verified = (await fixture.drydock('report')).stdout
    for (const part of [
      '# verify the working tree\n\n- Run: ',
      '- Verdict: FAIL, run_id run_',
      '- Why: test ended with exit code 1, and printed nothing\n',
      '## Steps\n\n- test: `grep -q new value.txt`: exit code 1, ',
      'The whole log: drydock log run_',
    ])
      expect(verified).toContain(part)
    const model = await fixture.replay({
      'scout/codebase/task/1.1': [call('submit_report', codebaseReport)],
      'scout/build/task/1.1': [call('submit_report', buildReport)],
      'architect/SCOPING': [call('submit_reply', { response: 'One part.' })],
      'architect/STORY_GENERATION': [stories('one')],
    })
    const answered = await fixture.drydock('scout', 'codebase', 'where is it?', '--model', model)
    expect(answered.stdout).toContain('## Files\n\n- value.txt: primary: holds the value\n\n## Where to change')
    const scouted = (await fixture.drydock('report')).stdout
    expect(scouted).toContain('# scout codebase: where is it?')
    expect(scouted).toContain(answered.stdout.trim())
    const built = await fixture.drydock('scout', 'build', 'how is it tested?', '--model', model)
    expect(built.stdout).toContain('## How to verify\n\n- all: `grep -q new value.txt`')
    expect(built.stdout).not.toContain('{')
    expect((await fixture.drydock('plan', 'Make the files', '--model', model)).exitCode).toBe(0)
    const planned = (await fixture.drydock('report')).stdout
    expect(planned).toContain('- Stories: 1, planned only')
    expect(planned).toContain('### one: Make one\n\nWrite one.txt.\n\n- one.txt is there')
  })

  test('is said at the end of each command as status says it', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished)
    const ended = async (...args: string[]) => {
      const { stdout, stderr } = await fixture.drydock(...args)
      const [line] = `${stdout}\n${stderr}`.match(/^Outcome: .*$/m) ?? []
      const runs = (await fixture.drydock('status', '--json')).events
      const { code, sentence } = (runs.at(-1)?.outcome ?? {}) as { code?: string; sentence?: string }
      expect([args[0], line]).toEqual([args[0], `Outcome:   ${code}. ${sentence}`])
      return code
    }
    const none = call('no_change', { reason: 'it says old', evidence: 'value.txt' })
    const unchanged = await fixture.replay({ ...greenLanes, 'editor/task/CODING': [none] })
    expect(await ended('task', 'say old', '--model', unchanged)).toBe('NO_CHANGE')
    const model = await fixture.replay({
      ...greenLanes,
      'scout/codebase/task/1.1': [call('submit_report', codebaseReport)],
      'architect/SCOPING': [call('submit_reply', { response: 'One part.' })],
      'architect/STORY_GENERATION': [stories('one')],
    })
    expect(await ended('task', 'say new', '--model', model)).toBe('DONE')
    expect(await ended('task', 'say new', '--dry-run', '--model', model)).toBe('DONE')
    expect(await ended('verify')).toBe('FAIL')
    expect(await ended('scout', 'codebase', 'where is it?', '--model', model)).toBe('DONE')
    expect(await ended('plan', 'Make the files', '--model', model)).toBe('DONE')
    expect(await ended('run', 'Make more files', '--review-stories', '--no-wait', '--model', model)).toBe(
      'WAITS_FOR_YOU',
    )
    expect(await ended('cancel')).toBe('CANCELLED')
  })

  test('as a question is said once, with the line that answers it', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished)
    const model = await fixture.replay({
      'architect/SCOPING': [call('submit_reply', { response: 'One part.' })],
      'architect/STORY_GENERATION': [stories('one')],
    })
    const asked = await fixture.drydock('run', 'Make files', '--review-stories', '--no-wait', '--model', model)
    expect(asked.exitCode).toBe(6)
    const { events } = await fixture.drydock('log', '--json')
    const { question = '', id } = (events.find(({ type }) => type === 'escalation') ?? {}) as Record<string, string>
    const [sentence = ''] = question.split('\n')
    expect(sentence.length).toBeGreaterThan(10)
    expect(asked.stderr.split(sentence)).toHaveLength(2)
    expect(asked.stderr).toMatch(new RegExp(`drydock reply ${id} "…"\n.*Outcome:.*\nAnswer as shown above`, 's'))
    // A later follower has not seen the sentence yet.
    const later = await fixture.drydock('watch', '--no-wait')
    expect(later.stderr.split(sentence)).toHaveLength(2)
  })
})

const dull = {
  ...greenLanes,
  'editor/task/CODING': Array.from({ length: 6 }, () => call('read_file', { path: 'value.txt' })),
}
