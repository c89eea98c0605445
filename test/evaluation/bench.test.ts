import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AttemptKey } from '../../src/domain/bench/attempt-record.ts'
import { setUpArm } from '../../src/evaluation/attempt/arm-setup.ts'
import { makeBaseRepository } from '../../src/evaluation/attempt/base-repository.ts'
import { attemptKeys } from '../../src/evaluation/run-bench.ts'
import { readSuite } from '../../src/evaluation/suite/read-suite.ts'
import { createBenchWorld } from './bench-world.ts'

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

test('an unusable model is reported before a folder is created', async () => {
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

test('with and without acceptance tests a task is attempted in pairs, and by the bare loop once', async () => {
  const world = await createBenchWorld()
  const { tasks } = await readSuite(world.suite, world.env.PATH)
  const keys = attemptKeys(tasks, {
    arms: ['task', 'solo'],
    acceptance: ['with', 'without'],
    repeats: 2,
    play: null,
  })
  const one = (repeat: number) => [`task with ${repeat}`, `task without ${repeat}`, `solo null ${repeat}`]
  const saidOf = ({ arm, acceptance, repeat }: AttemptKey) => `${arm} ${acceptance} ${repeat}`
  expect(keys.map(saidOf)).toEqual([...one(1), ...one(2)])
  const plain = attemptKeys(tasks, { arms: null, acceptance: null, repeats: 1, play: null })
  expect(plain.map(saidOf)).toEqual(['task null 1'])
})

test('an attempt without acceptance tests has none, one with them has them, and else the configuration decides', async () => {
  const world = await createBenchWorld()
  const { tasks } = await readSuite(world.suite, world.env.PATH)
  const [task] = tasks
  if (task === undefined) throw new Error('no task')
  const setUp = async (how: Pick<AttemptKey, 'arm' | 'acceptance'>, isPlayed = false) => {
    const config = JSON.stringify({ ...JSON.parse(task.config ?? ''), acceptance: 'always' })
    const codingIterations = isPlayed ? 9 : null
    const args = await setUpArm({ task, config, folder: world.folder, codingIterations, ...how })
    const written = JSON.parse(await readFile(join(world.folder, 'config.json'), 'utf8'))
    return [args[0], args.includes('--acceptance'), written.acceptance]
  }
  expect(await setUp({ arm: 'crew', acceptance: 'with' })).toEqual(['run', false, 'always'])
  expect(await setUp({ arm: 'crew', acceptance: 'without' })).toEqual(['run', false, 'off'])
  expect(await setUp({ arm: 'task', acceptance: 'with' })).toEqual(['task', true, 'always'])
  expect(await setUp({ arm: 'task', acceptance: 'without' })).toEqual(['task', false, 'off'])
  expect(await setUp({ arm: 'task', acceptance: null })).toEqual(['task', false, 'always'])
  // Nothing but the bare loop, and no lane that would write tests.
  expect(await setUp({ arm: 'solo', acceptance: null })).toEqual(['task', false, 'off'])
  expect(await setUp({ arm: 'crew', acceptance: null }, true)).toEqual(['run', false, 'off'])
})

test('an arm that cannot be compared with and without acceptance tests is refused', async () => {
  const world = await createBenchWorld()
  for (const [args, why] of [
    [['--acceptance', 'with,maybe'], '--acceptance does not know maybe. It takes: with, without'],
    [['--acceptance', 'with', '--arms', 'solo'], 'The arm solo has no gate'],
    [['--acceptance', 'with', '--play', 'gold'], '--acceptance'],
    [['--acceptance', 'with', '--self-test'], '--acceptance'],
  ] as const) {
    const { exitCode, stderr } = await world.bench(...args)
    expect([exitCode, stderr.replaceAll('\n', ' ')]).toEqual([2, expect.stringContaining(why)])
  }
  expect(existsSync(world.out)).toBe(false)
})
