import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeBaseRepository } from '../../src/evaluation/attempt/base-repository.ts'
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
