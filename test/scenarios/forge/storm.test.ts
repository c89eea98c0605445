import { expect, test } from 'vitest'
import { createWatchWorld } from '../../forge/watch-world.ts'
import { launch } from '../world/process.ts'

test('a watcher that is killed at each thing that it does at the forge does nothing twice', {
  timeout: 300_000,
}, async () => {
  const world = await createWatchWorld()
  const { fixture, forge } = world
  world.ask({})
  const seen = new Set<string>()
  let kill: ((line: string) => Promise<void>) | null = null
  forge.after(/^(?:POST|PATCH) /, async () => {
    const line = forge.requests.at(-1)?.line ?? ''
    if (!seen.has(line)) await kill?.(line)
  })
  let kills = 0
  for (;;) {
    const args = ['forge', 'watch', '--once', '--json', '--model', world.model, '--repo', fixture.repo]
    const watcher = launch(args, { env: fixture.env })
    kill = async (line) => {
      seen.add(line)
      kills += 1
      watcher.child.kill('SIGKILL')
      await watcher.ended
    }
    const ended = await watcher.ended
    if (ended.signal === 'SIGKILL') continue
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0 })
    break
  }
  expect(kills).toBeGreaterThanOrEqual(4)
  expect(forge.comments).toHaveLength(1)
  expect(world.told(7)).toEqual([expect.stringContaining('State: **DONE**')])
  expect(forge.changes).toHaveLength(1)
  expect(forge.statuses).toHaveLength(1)
  const status = await fixture.drydock('status', '--json')
  expect(status.events.filter(({ type }) => type === 'status')).toMatchObject([{ state: 'DONE' }])
})
