import { expect, test } from 'vitest'
import { actions, ciWorld, tap } from './ci-world.ts'

const zeros = '0'.repeat(40)

test('a push is compared with what was there before; a new branch with the default branch, the first one with nothing', async () => {
  const world = await ciWorld()
  const { dev } = world
  const before = await dev.git('rev-parse', 'HEAD')
  const after = await dev.commit({ 'test/run.sh': tap('ok 1 - adds', 'ok 2 - subtracts') })
  await dev.git('push', '-q', 'origin', 'main')
  const clone = await world.clone()
  const repository = { default_branch: 'main' }
  const push = async (sha: string, from: string, more: readonly string[] = []) => {
    const event = await world.event({ before: from, after: sha, repository })
    return world.step(
      clone,
      { ...actions, ...event, GITHUB_EVENT_NAME: 'push', GITHUB_SHA: sha },
      'ci',
      '--json',
      ...more,
    )
  }
  const pushed = await push(after, before)
  expect(pushed.events.at(-1), pushed.stderr).toMatchObject({ type: 'ci', base: before, head: after, verified: after })
  const first = await push(after, zeros)
  expect(first.events.at(-1)).toMatchObject({ base: after, head: after, verified: after, outcome: { code: 'PASS' } })
  expect(first.summary).toContain('There is no commit before it to compare with.')

  await clone.git('switch', '-qc', 'side', before)
  const side = await clone.commit({ 'src/value.txt': 'side\n' })
  const fresh = await push(side, zeros)
  expect(fresh.events.at(-1)).toMatchObject({ base: after, head: side })
  const gone = await push(side, 'a'.repeat(40))
  expect(gone.events.at(-1)).toMatchObject({ base: after, head: side })
})
