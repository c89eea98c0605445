import { afterEach, describe, expect, test } from 'vitest'
import { createSystemClock } from '../../../src/adapters/clock/system-clock.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { createCrewFixture, createFixture, createMemoryFixture, type Fixture } from '../../world/fixture.ts'
import { alwaysGreen, greenStory, specLanes, writeFile } from '../world/crew.ts'
import { play, statesOf } from '../world/crew-script.ts'
import { type CommandResult, call, change, greenLanes, plan, resultOf } from '../world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const run = (command: string) => call('run_command', { command })

/**
 * The editor submits a red change, continues, and reaches its limit with another change and an
 * untracked file in the workspace.
 */
const stuckLanes = {
  'editor/task/PLANNING': [plan()],
  'editor/task/CODING': [
    run('echo one > value.txt'),
    change('One'),
    run('echo two > value.txt; echo mine > notes.txt'),
  ],
}

async function stuckTask(): Promise<string> {
  fixture = await createFixture({ config: { editor: { coding_iterations: 3 } } })
  return getStuck()
}

async function getStuck(): Promise<string> {
  const model = await fixture.replay(stuckLanes)
  const result = resultOf(await fixture.drydock('task', 'Say new', '--model', model, '--json'))
  expect(result.status).toBe('STUCK')
  return String(result.run)
}

interface SnapshotList {
  readonly type: string
  readonly snapshots: readonly { readonly n: number; readonly why: string; readonly files: number }[]
  readonly set_aside: readonly string[]
}

const listed = ({ events }: CommandResult) => events.at(-1) as unknown as SnapshotList
const list = async (story: string) => listed(await fixture.drydock('restore', story, '--list', '--json'))

describe('drydock restore', () => {
  test('lists the snapshots of a story, and brings the newest or an earlier one onto a branch without touching anything else', async () => {
    await stuckTask()
    await fixture.write({ 'value.txt': 'my own\n', 'untracked.txt': 'mine\n' })
    const before = [await fixture.git('rev-parse', 'HEAD'), await fixture.git('status', '--porcelain')]

    const { snapshots } = await list('task')
    expect(snapshots).toEqual([
      expect.objectContaining({ n: 1, why: 'milestone: plan', files: 0 }),
      expect.objectContaining({ n: 2, why: 'a change was handed in', files: 1 }),
      expect.objectContaining({ n: 3, why: 'milestone: stuck', files: 2 }),
    ])
    const table = (await fixture.drydock('restore', 'task', '--list')).stdout
    expect(table).toMatch(/^N +TIME \(UTC\) +FILES +WHY\n1 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +0 +milestone: plan\n/)

    const restored = await fixture.drydock('restore', 'task')
    expect(restored).toMatchObject({ exitCode: 0, stderr: '' })
    expect(restored.stdout).toContain('is on the branch drydock/restored/task-3.')
    expect(restored.stdout).toContain('git switch drydock/restored/task-3')
    expect(await fixture.git('show', 'drydock/restored/task-3:notes.txt')).toBe('mine')
    expect(await fixture.git('show', 'drydock/restored/task-3:value.txt')).toBe('two')

    expect((await fixture.drydock('restore', 'task', '--at', '2', '--json')).events).toEqual([
      expect.objectContaining({
        type: 'restore',
        story: 'task',
        n: 2,
        branch: 'drydock/restored/task-2',
        set_aside: [],
      }),
    ])
    expect(await fixture.git('show', 'drydock/restored/task-2:value.txt')).toBe('one')
    expect((await fixture.drydock('restore', 'task', '--at', '2')).stdout).toContain('drydock/restored/task-2-2')
    await fixture.drydock('restore', 'task', '--branch', 'rescue/it')
    expect(await fixture.git('rev-parse', 'rescue/it')).toBe(await fixture.git('rev-parse', 'drydock/restored/task-3'))
    expect([await fixture.git('rev-parse', 'HEAD'), await fixture.git('status', '--porcelain')]).toEqual(before)
  })

  test('works beside the process that owns the state, for an earlier run, and for one that was retried', async () => {
    const first = await stuckTask()
    const model = await fixture.replay(greenLanes)
    const second = resultOf(await fixture.drydock('task', 'Say new', '--model', model, '--json'))
    expect(second.status).toBe('DONE')
    const owner = await (await fixture.open()).own({ coders: 1, onFailure: () => undefined })
    if (owner === null) throw new Error('somebody else owns the state')
    try {
      const newest = await fixture.drydock('restore', 'task', '--json')
      expect(newest.events).toEqual([expect.objectContaining({ run: second.run })])
      const named = await fixture.drydock('restore', 'task', '--run', first, '--branch', 'a', '--json')
      expect(named.events).toEqual([expect.objectContaining({ run: first, n: 3, branch: 'a' })])
      const asPath = await fixture.drydock('restore', `${first}/task`, '--at', '1', '--json')
      expect(asPath.events).toEqual([expect.objectContaining({ run: first, n: 1 })])
    } finally {
      await owner.stop({ drain: false })
    }
    expect(await fixture.git('show', 'a:notes.txt')).toBe('mine')
  })

  test('reports the error and the alternatives', async () => {
    const id = await stuckTask()
    await fixture.git('branch', 'taken')
    const error = async (...args: string[]) => (await fixture.drydock('restore', ...args, '--json')).events.at(-1)
    const none = { type: 'error', code: 'not_found' }
    expect(await error('nobody')).toMatchObject({
      ...none,
      message: 'There is no story "nobody".',
      todo: `There are: ${id}/task`,
    })
    expect(await error('nobody', '--run', id)).toMatchObject({ ...none, message: `${id} has no story "nobody".` })
    expect(await error('task', '--run', 'x')).toMatchObject({ ...none, todo: `The last ones are: ${id}` })
    expect(await error('task', '--at', '9')).toMatchObject({
      ...none,
      message: `${id}/task has no snapshot 9. It has 1 to 3.`,
      todo: `List them: drydock restore ${id}/task --list`,
    })
    expect(await error('task', '--branch', 'taken')).toMatchObject({
      code: 'bad_usage',
      message: 'The branch taken already exists.',
      todo: 'Choose another name, such as --branch taken-2, or leave --branch out.',
    })
    expect(await error('task', '--branch', 'taken/deeper')).toMatchObject({
      message: 'The branch "taken" blocks the name taken/deeper.',
    })
    for (const name of ['a..b', '-x', 'a b', 'a/', 'HEAD', 'x.lock'])
      expect(await error('task', `--branch=${name}`)).toMatchObject({
        message: `"${name}" cannot be the name of a branch.`,
      })
    expect((await fixture.drydock('restore', 'task', '--at', '0')).exitCode).toBe(2)
    expect((await fixture.git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/')).split('\n')).toEqual([
      'main',
      'taken',
    ])
  })

  test('in a repository without runs names the one that was looked at', async () => {
    fixture = await createFixture()
    const { exitCode, events } = await fixture.drydock('restore', 'task', '--json')
    expect(exitCode).toBe(2)
    expect(events.at(-1)).toMatchObject({
      message: `${fixture.repo} has no runs yet, so there is nothing to restore.`,
      todo: expect.stringContaining('--repo DIR'),
    })
  })
})

const crewLanes = {
  ...specLanes('lost', 'other'),
  ...greenStory('lost'),
  ...greenStory('other'),
  'editor/lost/CODING': [writeFile('lost.txt', 'lost\n'), run('echo untracked > beside.txt')],
}

describe('any end of a story', () => {
  test('a crew’s that was cancelled keeps what its editor had not handed in', async () => {
    fixture = await createCrewFixture()
    const built = await play(fixture, { lanes: crewLanes })
    expect(resultOf(built).status).toBe('ERROR')
    expect((await fixture.drydock('cancel', '--json')).exitCode).toBe(5)
    await fixture.drydock('restore', 'lost', '--branch', 'back')
    expect(await fixture.git('ls-tree', '--name-only', 'back')).toContain('beside.txt')
    expect((await list('lost')).snapshots.at(-1)).toMatchObject({ files: 2 })
  })

  test('a task in ERROR whose slot another has used since is restored, resumed and cancelled with its own work', async () => {
    fixture = await createFixture()
    const broken = { ...greenLanes, 'editor/task/CODING': [run('echo mine > value.txt; echo mine > notes.txt')] }
    const [slot, first] = ['--max-coders', '1']
    const failed = await fixture.drydock('task', 'A', '--model', await fixture.replay(broken), '--json', slot, first)
    expect(resultOf(failed).status).toBe('ERROR')
    const id = String(resultOf(failed).run)
    const green = await fixture.replay(greenLanes)
    expect((await fixture.drydock('task', 'B', '--model', green, slot, first)).exitCode).toBe(0)
    const drydock = await fixture.open()
    const records = drydock.openRecords()
    expect((await records?.machine(`${id}/task`))?.data).toMatchObject({ slot: null })
    await records?.close()
    expect((await fixture.drydock('cancel', id, '--json')).exitCode).toBe(5)
    await fixture.drydock('restore', `${id}/task`, '--branch', 'back')
    expect(await fixture.git('show', 'back:notes.txt')).toBe('mine')
    expect(await fixture.git('show', 'back:value.txt')).toBe('mine')
  })
})

/** The system's clock, which can be moved forward by some days. */
function movedClock(): Clock & { later(days: number): void } {
  const clock = createSystemClock()
  let moved = 0
  const later = (days: number) => {
    moved += days * 86_400_000
  }
  return { ...clock, later, now: () => new Date(clock.now().getTime() + moved) }
}

describe('gc', () => {
  const hiddenRefs = async () => (await (await fixture.open()).history.hidden('refs/drydock/')).map(({ ref }) => ref)

  test('never drops the last snapshot of a story that is not merged: stuck it keeps all, given up the last', async () => {
    const clock = movedClock()
    fixture = await createMemoryFixture({ config: { editor: { coding_iterations: 3 } }, clock })
    const id = await getStuck()
    const all = await hiddenRefs()
    clock.later(1_000)
    await fixture.drydock('gc')
    expect(await hiddenRefs()).toEqual(all)
    await fixture.drydock('cancel', id)
    clock.later(1_000)
    await fixture.drydock('gc')
    expect(await hiddenRefs()).toEqual([`refs/drydock/snapshots/${id}/task/3`])
    await fixture.drydock('restore', 'task', '--branch', 'back')
    expect(await fixture.git('show', 'back:notes.txt')).toBe('mine')
  })

  test('drops all that was kept of a merged story once it is old, and says then where its change is', async () => {
    const clock = movedClock()
    fixture = await createMemoryFixture({ steps: [alwaysGreen], clock })
    const built = await play(fixture, { lanes: { ...specLanes('a'), ...greenStory('a') } })
    expect(statesOf(built)).toEqual({ a: 'DONE' })
    const { run: id, branch } = resultOf(built)
    const before = await hiddenRefs()
    await fixture.drydock('gc')
    expect(await hiddenRefs()).toEqual(before)
    clock.later(1_000)
    expect((await fixture.drydock('gc', '--json')).events.at(-1)?.refs).toEqual(before)
    expect(await hiddenRefs()).toEqual([])
    expect((await fixture.drydock('restore', 'a', '--json')).events.at(-1)).toMatchObject({
      message: `The snapshots of ${id}/a no longer exist: its change is on the branch ${branch}.`,
    })
  })

  test('keeps the change that a dry run has shown, which is on no branch', async () => {
    const clock = movedClock()
    fixture = await createMemoryFixture({ clock })
    const model = await fixture.replay(greenLanes)
    expect((await fixture.drydock('task', 'Say new', '--dry-run', '--model', model)).exitCode).toBe(0)
    clock.later(1_000)
    await fixture.drydock('gc')
    await fixture.drydock('restore', 'task', '--branch', 'back')
    expect(await fixture.git('show', 'back:value.txt')).toBe('new')
  })
})
