import { expect, onTestFinished, test } from 'vitest'
import { giveReview } from '../../../src/app/operations/act/submit-review.ts'
import { createFixture, createMemoryFixture, type Fixture, type WorldOptions } from '../../world/fixture.ts'
import type { Program } from '../../world/sandbox.ts'
import { withRecords } from '../world/crew-script.ts'
import { type CommandResult, call, change, greenLanes, resultOf, write } from '../world/fixture.ts'

const errorOf = ({ exitCode, events }: CommandResult) => ({ exitCode, ...events.at(-1) })

/** A finished task, and main, which may have moved since. */
async function done(
  options: WorldOptions = {},
  create: (options: WorldOptions) => Promise<Fixture> = createFixture,
): Promise<Fixture & { branch: string; run: string }> {
  const fixture = await create(options)
  onTestFinished(() => fixture.remove())
  const task = await fixture.drydock('task', 'Say new', '--model', await fixture.replay(greenLanes), '--json')
  expect(task.exitCode, task.stderr).toBe(0)
  const { branch, run } = resultOf(task)
  return { ...fixture, branch: String(branch), run: String(run) }
}

async function commit(fixture: Fixture, files: Readonly<Record<string, string>>): Promise<string> {
  await fixture.write(files)
  await fixture.git('add', '-A')
  await fixture.git('commit', '-qm', 'Meanwhile')
  return fixture.git('rev-parse', 'HEAD')
}

test('a result goes into the working tree by the command, and nothing of the user is overwritten', async () => {
  const fixture = await done()
  const head = await fixture.git('rev-parse', 'main')
  await fixture.write({ 'value.txt': 'mine\n' })
  expect(errorOf(await fixture.drydock('land', '--apply', '--json'))).toMatchObject({
    exitCode: 2,
    code: 'apply_refused',
  })
  await fixture.git('checkout', '-q', 'value.txt')
  const applied = await fixture.drydock('land', '--apply', '--json')
  expect(applied, applied.stderr).toMatchObject({ exitCode: 0 })
  expect(applied.events.at(-1)).toMatchObject({ type: 'land', files: ['value.txt'] })
  expect(await fixture.git('status', '--porcelain')).toBe('M value.txt')
  expect(await fixture.git('rev-parse', 'main')).toBe(head)
  const both = await fixture.drydock('land', '--apply', '--onto', 'main', '--json')
  expect(errorOf(both)).toMatchObject({ code: 'bad_usage' })
})

test('before work that is applied to a sparse checkout its folders are named, and what will happen', async () => {
  const fixture = await createFixture()
  onTestFinished(() => fixture.remove())
  const model = await fixture.replay(greenLanes)
  const start = (...flags: string[]) => fixture.drydock('task', 'Say new', '--model', model, '--json', ...flags)
  const note = 'sparse checkout'
  expect((await start('--apply')).stderr).not.toContain(note)
  await fixture.git('checkout', '-q', 'value.txt')
  await fixture.git('sparse-checkout', 'set', 'docs', 'web')
  const applied = await start('--apply')
  expect(applied.exitCode, applied.stderr).toBe(0)
  expect(applied.stderr).toContain(
    'Your sparse checkout is limited to docs, web. --apply also writes changed files outside',
  )
  await fixture.git('checkout', '-q', 'value.txt')
  expect((await start()).stderr).not.toContain(note)
})

test('a merge that is red moves nothing', async () => {
  const fixture = await done({ steps: [{ name: 'test', command: 'grep -q new value.txt && ! test -e broken.txt' }] })
  const meanwhile = await commit(fixture, { 'broken.txt': 'it\n' })
  const landed = await fixture.drydock('land', '--onto', 'main', '--json')
  expect(landed.exitCode, landed.stderr).toBe(3)
  expect(await fixture.git('rev-parse', 'main')).toBe(meanwhile)
})

test('a comment that comes while the merge is verified holds it, and nothing moves', async () => {
  let comment = async () => {}
  const check: Program = async (seen) => {
    if (seen.read('other.txt') !== null) await comment()
    return seen.read('value.txt')?.includes('new') ? 0 : 1
  }
  const steps = [{ name: 'test', command: 'check' }]
  const fixture = await done({ steps, programs: { check } }, createMemoryFixture)
  const meanwhile = await commit(fixture, { 'other.txt': 'other\n' })
  comment = async () => {
    const remark = { key: 'a', author: 'Ada', source: { kind: 'dashboard' } as const, place: null, text: 'Not yet.' }
    await giveReview(await fixture.open(), { id: fixture.run, remarks: [remark] })
  }
  const held = await fixture.drydock('land', '--onto', 'main', '--json')
  expect(errorOf(held)).toMatchObject({
    exitCode: 2,
    code: 'not_landable',
    message: expect.stringContaining('1 comment of Ada'),
  })
  expect(await fixture.git('rev-parse', 'main')).toBe(meanwhile)
})

test('a conflict names the files and moves nothing', async () => {
  const fixture = await done()
  const meanwhile = await commit(fixture, { 'value.txt': 'newer\n' })
  const landed = await fixture.drydock('land', '--onto', 'main', '--json')
  expect(errorOf(landed)).toMatchObject({
    exitCode: 3,
    code: 'land_conflict',
    message: expect.stringContaining('value.txt'),
  })
  expect(await fixture.git('rev-parse', 'main')).toBe(meanwhile)
})

test('a checked-out branch with local changes stays, also when the merge is verified; later it lands without another verification', async () => {
  const fixture = await done()
  const meanwhile = await commit(fixture, { 'other.txt': 'other\n' })
  await fixture.write({ 'other.txt': 'mine\n' })
  const refused = await fixture.drydock('land', '--onto', 'main', '--json')
  expect(errorOf(refused)).toMatchObject({
    exitCode: 2,
    code: 'apply_refused',
    todo: expect.stringContaining('git stash'),
  })
  expect(await fixture.git('rev-parse', 'main')).toBe(meanwhile)
  await fixture.git('stash', '-q')
  const landed = await fixture.drydock('land', '--onto', 'main', '--json')
  expect(landed, landed.stderr).toMatchObject({ exitCode: 0 })
  expect(landed.events.map(({ type }) => type)).toEqual(['land'])
  expect(await fixture.git('status', '--porcelain')).toBe('')
})

test('a finding of the gate must be accepted before its run lands; then it holds for the merge, too, and the receipt says who', async () => {
  const scripts = (test: string) => `${JSON.stringify({ name: 'median', scripts: { test } })}\n`
  const fixture = await createFixture({ files: { 'package.json': scripts('node --test') } })
  onTestFinished(() => fixture.remove())
  const weaker = call('write_file', { path: 'package.json', content: scripts('true') })
  const lanes = { ...greenLanes, 'editor/task/CODING': [write('new\n'), weaker, change()] }
  const task = await fixture.drydock('task', 'Say new', '--model', await fixture.replay(lanes), '--json')
  expect(task.exitCode, task.stderr).toBe(3)
  const refused = errorOf(await fixture.drydock('land', '--onto', 'main', '--json'))
  expect(refused).toMatchObject({ exitCode: 2, code: 'not_landable' })
  const { run, stories } = task.events.at(-1) as never as { run: string; stories: [{ findings: { id: string }[] }] }
  const ids = stories[0].findings.map(({ id }) => id)
  expect((await fixture.drydock('accept', run, ...ids)).exitCode).toBe(0)
  await commit(fixture, { 'other.txt': 'other\n' })
  const landed = await fixture.drydock('land', '--onto', 'main', '--json')
  expect(landed, landed.stderr).toMatchObject({ exitCode: 0 })
  const proof = await fixture.drydock('receipt', 'show', 'main', '--json')
  expect(proof.events.at(-1)).toMatchObject({
    receipt: { findings: ids.map((id) => ({ id, state: 'accepted', accepted_by: 'human' })) },
  })
})

test('a finding that only the merge has is refused until it is accepted for the merge', async () => {
  const scripts = (test: string) => `${JSON.stringify({ name: 'median', scripts: { test } })}\n`
  const files = { 'package.json': scripts('node --test'), 'check.sh': 'grep -q new value.txt\n' }
  const fixture = await createFixture({ files })
  onTestFinished(() => fixture.remove())
  // The run changes a script that its tests do not use, and main starts to use it in the meantime.
  const script = call('write_file', { path: 'check.sh', content: 'true\n' })
  const lanes = { ...greenLanes, 'editor/task/CODING': [write('new\n'), script, change()] }
  const task = await fixture.drydock('task', 'Say new', '--model', await fixture.replay(lanes), '--json')
  expect(task.exitCode, task.stderr).toBe(0)
  const meanwhile = await commit(fixture, { 'package.json': scripts('sh check.sh') })
  const refused = await fixture.drydock('land', '--onto', 'main', '--json')
  expect(errorOf(refused)).toMatchObject({ exitCode: 2, code: 'not_landable' })
  expect(await fixture.git('rev-parse', 'main')).toBe(meanwhile)
  const accepted = String(refused.events.at(-1)?.todo).match(/--accept \S+/g) ?? []
  const landed = await fixture.drydock(
    'land',
    '--onto',
    'main',
    ...accepted.flatMap((each) => each.split(' ')),
    '--json',
  )
  expect(landed, landed.stderr).toMatchObject({ exitCode: 0 })
})

test('a process that is killed while it verifies the merge leaves the verification to the next one', async () => {
  const fixture = await done()
  const meanwhile = await commit(fixture, { 'other.txt': 'other\n' })
  const killed = fixture.launch(['land', '--onto', 'main', '--json'])
  await killed.line(/"type":"run_state"/)
  killed.kill('SIGKILL')
  expect((await killed.ended).signal).toBe('SIGKILL')
  expect(await fixture.git('rev-parse', 'main')).toBe(meanwhile)
  const landed = await fixture.drydock('land', '--onto', 'main', '--json')
  expect(landed, landed.stderr).toMatchObject({ exitCode: 0 })
  const runs = await withRecords(fixture, (records) => records.machineCounts({ kind: 'run' }))
  expect([...runs]).toEqual([['DONE', 2]])
})

test('a run that has no verified result, and wrong options, are refused', async () => {
  const fixture = await createFixture()
  onTestFinished(() => fixture.remove())
  expect(errorOf(await fixture.drydock('land', '--onto', 'main', '--json'))).toMatchObject({
    exitCode: 2,
    code: 'not_found',
  })
  expect(errorOf(await fixture.drydock('land', '--json'))).toMatchObject({ exitCode: 2, code: 'bad_usage' })
  const both = await fixture.drydock('land', '--onto', 'main', '--reviewer', 'ada', '--json')
  expect(errorOf(both)).toMatchObject({ exitCode: 2, code: 'bad_usage' })
})
