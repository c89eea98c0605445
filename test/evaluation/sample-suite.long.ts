import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { createFixture, runHere } from '../scenarios/world/fixture.ts'

test('the sample suite tests itself: gold, empty, broken neighbours and returns from the merge queue', async () => {
  const { env, folder, remove } = await createFixture()
  const suite = resolve(import.meta.dirname, '../../examples/suite')
  const out = join(folder, 'out')
  const { exitCode, events } = await runHere(
    ['bench', suite, '--self-test', '--jobs', '2', '--out', out, '--json'],
    env,
  )
  const lines = events.find(({ type }) => type === 'self_test')?.lines as readonly { ok: boolean; observed: string }[]
  expect(lines.filter(({ ok }) => !ok)).toEqual([])
  expect(lines.map(({ observed }) => observed)).toEqual([
    'resolved',
    'blocked',
    'blocked',
    'false_pass',
    'false_block',
    'resolved, 1 returned',
    'blocked',
    'blocked, 1 returned',
  ])
  expect(exitCode).toBe(0)
  await remove()
})
