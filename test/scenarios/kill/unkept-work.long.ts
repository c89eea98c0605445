import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import {
  call,
  change,
  createFixture,
  type Fixture,
  greenLanes,
  plan,
  resultOf,
  runHere,
  write,
} from '../world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

describe('work that cannot be kept', () => {
  test('stays in its slot, which no other run gets, until it can', async () => {
    fixture = await createFixture()
    const coding = [write('half\n'), call('read_file', { path: 'value.txt' }), write('new\n'), change()]
    const upTo = (turns: number) =>
      fixture.replay({ 'editor/task/PLANNING': [plan()], 'editor/task/CODING': coding.slice(0, turns) })
    const first = await fixture.drydock('task', 'say new', '--json', '--model', await upTo(0))
    const run = resultOf(first).run as string
    const { state, workTrees } = await fixture.open()
    const refs = join(state, 'mirror.git/refs/drydock/snapshots', run, 'task')
    const base = await fixture.git('rev-parse', 'main')
    for (let n = 2; n < 9; n += 1) {
      await rm(join(refs, String(n)), { force: true })
      await mkdir(join(refs, `${n}/in-the-way`), { recursive: true })
      await writeFile(join(refs, `${n}/in-the-way/ref`), `${base}\n`)
    }
    await upTo(1)
    expect((await fixture.drydock('resume', '--json')).exitCode).toBe(1)
    const half = () => readFile(join(workTrees.path('coder-001'), 'value.txt'), 'utf8')
    expect(await half()).toBe('half\n')

    const other = await createFixture()
    const green = await other.replay(greenLanes)
    expect((await fixture.drydock('task', 'another', '--json', '--model', green)).exitCode).toBe(0)
    await other.remove()
    expect(await half()).toBe('half\n')

    for (let n = 2; n < 9; n += 1) await rm(join(refs, String(n)), { recursive: true, force: true })
    await upTo(4)
    expect(resultOf(await fixture.drydock('resume', run, '--json'))).toMatchObject({ status: 'DONE' })
    const records = (await fixture.open()).openRecords()
    const seen = await records?.messages(`${run}/editor/task/CODING`)
    expect(JSON.stringify(seen)).toContain('1\\thalf')
    await records?.close()
  })
})

test('a state inside the repository is refused, and leaves nothing there', async () => {
  fixture = await createFixture()
  const env = { ...fixture.env, DRYDOCK_HOME: `${fixture.repo}/state` }
  const done = await runHere(['verify', '--repo', fixture.repo], env)
  expect(done.exitCode).toBe(2)
  expect(done.stderr).toContain('inside the repository')
  expect(await fixture.git('status', '--porcelain')).toBe('')
})

test('an initial configuration that was not committed is named as that', async () => {
  fixture = await createFixture()
  await fixture.git('rm', '-q', '--cached', '.drydock/config.json')
  await fixture.git('commit', '-qm', 'none')
  const done = await fixture.drydock('task', 'say new', '--model', await fixture.replay(greenLanes))
  expect(done.exitCode).toBe(2)
  expect(done.stderr).toContain('not committed')
  expect(done.stderr).toContain('git add .drydock')
})
