import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { change, createFixture, type Fixture, greenLanes, plan, resultOf, write } from '../scenarios/world/fixture.ts'
import { launch, processesOf } from '../scenarios/world/process.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await createFixture()
})
afterAll(() => fixture.remove())

test('a task ends with a branch at exactly the commit that the gate verified, and says how', async () => {
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [change('Nothing yet'), write('new\n'), change()],
  })
  const done = await launch(['task', 'say new', '--json', '--model', model, '--repo', fixture.repo], fixture).ended
  expect(done).toMatchObject({ exitCode: 0, signal: null })
  expect(done.events.flatMap(({ type, status }) => (type === 'verification' ? [status] : []))).toEqual(['FAIL', 'PASS'])
  const result = resultOf(done)
  expect(result).toMatchObject({ status: 'DONE', branch: 'drydock/say-new', stories: [{ id: 'task', state: 'DONE' }] })
  const [story] = result.stories as { run_id: string; sha: string; summary: string }[]
  const { run_id = '', sha = '' } = story ?? {}

  expect(await fixture.git('rev-parse', 'drydock/say-new')).toBe(sha)
  expect(await fixture.git('diff', '--name-status', 'main', 'drydock/say-new')).toBe('M\tvalue.txt')
  expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
  expect(await fixture.git('log', '-1', '--format=%B', 'drydock/say-new')).toContain(`Verified-By: ${run_id}`)
  expect(await fixture.git('status', '--porcelain')).toBe('')
  expect(await fixture.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main')

  const { artifacts } = await fixture.open()
  const manifest = JSON.parse(await readFile(join(artifacts, 'runs', run_id, 'manifest.json'), 'utf8'))
  expect(manifest).toMatchObject({
    run_id,
    commit_sha: sha,
    status: 'PASS',
    platform: { sandbox: 'bubblewrap' },
    tree_sha: await fixture.git('rev-parse', `${sha}^{tree}`),
    commands_executed: [{ name: 'test', command: 'grep -q new value.txt', exit_code: 0, timed_out: false }],
  })
  for (const [milestone, file] of [
    ['plan', 'context_001.md'],
    ['success', 'context_latest.md'],
  ])
    expect(await fixture.inSlot('coder-001', `agent/${file}`)).toContain(`Milestone: ${milestone}`)

  expect(story?.summary).toContain(run_id)
  const { stdout: report } = await fixture.drydock('report')
  expect(report).toContain(`PASS, run_id ${run_id}`)
  expect(report).toMatch(/^- Cost of the gate: the steps took [\d.]+ s; beside them: the base commit [\d.]+ s/m)
  expect((await fixture.drydock('diff')).stdout).toContain('-old\n+new')
  expect((await fixture.drydock('log', run_id)).exitCode).toBe(0)
  expect((await fixture.drydock('status')).stdout).toMatch(/ DONE .* drydock\/say-new$/m)
  expect((await fixture.drydock('receipt', 'verify', sha)).exitCode).toBe(0)
  const again = await fixture.drydock('resume', '--json')
  expect(resultOf(again)).toEqual(result)
  expect(await processesOf(fixture.folder)).toEqual([])
})

test('--dry-run prints a diff and writes nothing; --apply leaves the change in the working tree, in the same workspace', async () => {
  const { workTrees } = await fixture.open()
  const before = await stat(workTrees.path('coder-001'))
  const refs = await fixture.git('for-each-ref')
  const model = await fixture.replay(greenLanes)
  const dry = await fixture.drydock('task', '--dry-run', 'say new', '--model', model)
  expect(dry).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^diff --git[\s\S]*-old\n\+new/) })
  expect(await fixture.git('for-each-ref')).toBe(refs)
  expect(await fixture.git('status', '--porcelain')).toBe('')

  const applied = await fixture.drydock('task', '--apply', 'say new', '--json', '--model', model)
  expect(resultOf(applied)).toMatchObject({ status: 'DONE', branch: null, applied: ['value.txt'] })
  expect(await fixture.git('status', '--porcelain')).toBe('M value.txt')
  expect(await fixture.git('branch', '--list', 'drydock/*')).toBe('drydock/say-new')
  expect((await stat(workTrees.path('coder-001'))).ino).toBe(before.ino)
})
