import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeBaseRepository } from '../../src/evaluation/attempt/base-repository.ts'
import { createBenchWorld } from './bench-world.ts'

/** Long enough for a machine that does other work. */
const minutes = 180_000

test(
  'the gold solution is resolved by a crew and a task, the empty one is not, and a bench is resumed with the same settings alone',
  async () => {
    const world = await createBenchWorld()
    const gold = await world.bench('--play', 'gold', '--arms', 'crew,task', '--jobs', '2', '--json')
    expect(gold.exitCode).toBe(0)
    const records = await world.records()
    expect(records.map(({ arm, verdict, delivered }) => ({ arm, verdict, delivered }))).toEqual(
      ['crew', 'task'].map((arm) => ({ arm, verdict: 'resolved', delivered: true })),
    )
    const report = await readFile(join(world.out, 'report.md'), 'utf8')
    expect(report).toContain('| resolved | 100.0 % (1 of 1; 20.7–100.0) |')
    expect(report).toContain('| false block | 0.0 % (0 of 1; 0.0–79.3) | 0.0 % (0 of 1; 0.0–79.3) |')
    const [line] = (await readFile(join(world.out, 'predictions-task-1.jsonl'), 'utf8')).trim().split('\n')
    const prediction = JSON.parse(line ?? '')
    expect(prediction).toMatchObject({ instance_id: 'say-new', model_name_or_path: 'drydock-task-played-gold' })
    expect(prediction.model_patch).toMatch(/^diff --git a\/value.txt b\/value.txt\n(?:.*\n)*-old\n\+new\n$/)
    expect(existsSync(join(world.out, 'work'))).toBe(false)

    // What is finished is not repeated, and nothing of another suite or other models goes into it.
    const first = join(world.out, 'attempts', 'say-new.crew.1.gold.json')
    const { mtimeMs } = await stat(first)
    const same = ['--play', 'gold', '--arms', 'crew,task']
    expect((await world.bench(...same)).stderr).toContain('holds a bench already')
    expect((await world.bench(...same, '--resume')).exitCode).toBe(0)
    expect((await stat(first)).mtimeMs).toBe(mtimeMs)
    expect((await world.bench('--play', 'empty', '--arms', 'crew,task', '--resume')).stderr).toContain('other settings')
    await world.suiteOf({ ...world.task, timeout_sec: 60 })
    expect((await world.bench(...same, '--resume')).stderr).toContain('other settings: the files of the suite')
    await world.suiteOf(world.task)

    const empty = join(world.folder, 'empty')
    await world.bench('--play', 'empty', '--arms', 'task', '--out', empty)
    const { arms } = JSON.parse(await readFile(join(empty, 'report.json'), 'utf8'))
    expect(arms).toMatchObject([{ resolved: { hits: 0, of: 1 } }])
  },
  2 * minutes,
)

test('the repository of an attempt holds no object that its base does not reach', async () => {
  const world = await createBenchWorld()
  const commit = await world.git('rev-parse', 'HEAD')
  await world.write({ 'later.txt': 'later\n' })
  await world.git('add', '-A')
  await world.git('commit', '-qm', 'after the base')
  await world.git('tag', '-a', 'v1', '-m', 'a tag on the base', commit)
  const source = { kind: 'git', path: world.repo, commit } as const
  const { git } = await makeBaseRepository(source, join(world.folder, 'made'), world.env.PATH)
  const objects = await git(['cat-file', '--batch-all-objects', '--batch-check=%(objectname)'])
  const reached = await git(['rev-list', '--objects', '--no-object-names', commit])
  expect(objects.split('\n').toSorted()).toEqual(reached.split('\n').toSorted())
  expect(await git(['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main')
})

test('a model that cannot be used is told of before there is a folder', async () => {
  const world = await createBenchWorld()
  for (const [model, why] of [
    ['nope:x', '"nope"'],
    ['openai:gpt-none', 'OPENAI_API_KEY is not set.'],
    ['replay:none.json', 'none.json'],
  ] as const) {
    const { exitCode, stderr } = await world.bench('--model', model)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(why)])
  }
  expect(existsSync(world.out)).toBe(false)
})
