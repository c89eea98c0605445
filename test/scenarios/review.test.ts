import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type CommandResult,
  change,
  createFixture,
  type Fixture,
  greenLanes,
  plan,
  resultOf,
  type Turns,
  write,
} from './world/fixture.ts'

/** What people have remarked, as `--json` says it. */
const remarksIn = ({ events }: CommandResult) => events.filter((event) => event.type === 'remark' && 'text' in event)

const fate = (id: string, settled = true, reply = 'Done.') => ({ id, settled, reply })

/** The follow-up number `n`: it writes `content`, and says what became of the remarks. */
const followUp = (n: number, content: string, remarks: readonly object[]): Readonly<Record<string, Turns>> => ({
  [`editor/review-${n}/PLANNING`]: [plan()],
  [`editor/review-${n}/CODING`]: [write(content), change(`Settle ${n}`, { remarks })],
})

async function builtTask(lanes: Readonly<Record<string, Turns>>): Promise<Fixture & { run: string; branch: string }> {
  const fixture = await createFixture()
  onTestFinished(() => fixture.remove())
  const model = await fixture.replay({ ...greenLanes, ...lanes })
  const task = await fixture.drydock('task', 'Say new', '--model', model, '--json')
  expect(task.exitCode, task.stderr).toBe(0)
  const { run, branch } = resultOf(task)
  return { ...fixture, run: String(run), branch: String(branch) }
}

describe('remarks on what is built', () => {
  test('lead to a verified commit on its branch, which has a receipt and settles them; the same again changes nothing', async () => {
    const fixture = await builtTask(followUp(1, 'new, and better\n', [fate('F-1'), fate('F-2', true, 'Both.')]))
    const { run, branch } = fixture
    const before = await fixture.git('rev-parse', branch)
    const comments = ['--comment', 'value.txt:1', 'say better', '--comment', '.', 'be brief']
    const reviewed = await fixture.drydock('review', run, ...comments, '--author', 'Ada', '--json')
    expect(reviewed, reviewed.stderr + reviewed.stdout).toMatchObject({ exitCode: 0 })
    const tip = await fixture.git('rev-parse', branch)
    expect(await fixture.git('rev-parse', `${tip}^`)).toBe(before)
    expect(await fixture.git('show', `${branch}:value.txt`)).toBe('new, and better')
    expect(remarksIn(reviewed)).toMatchObject([
      { id: 'F-1', author: 'Ada', path: 'value.txt', start: 1, end: 1, state: 'SETTLED', commit: tip, reply: 'Done.' },
      { id: 'F-2', path: null, state: 'SETTLED', commit: tip, reply: 'Both.' },
    ])
    const proven = await fixture.drydock('receipt', 'verify', tip)
    expect(proven, proven.stderr).toMatchObject({ exitCode: 0 })

    const again = await fixture.drydock('review', run, ...comments, '--author', 'Ada', '--json')
    expect(again, again.stderr).toMatchObject({ exitCode: 0 })
    expect(remarksIn(again)).toHaveLength(2)
    expect(await fixture.git('rev-parse', branch)).toBe(tip)
  })
})
