import { expect, test } from 'vitest'
import { createWatchWorld } from '../../forge/watch-world.ts'
import { change, greenLanes, plan, write } from '../world/fixture.ts'
import { launch } from '../world/process.ts'

const lanes = {
  ...greenLanes,
  'editor/review-1/PLANNING': [plan()],
  'editor/review-1/CODING': [
    write('new, and better\n'),
    change('Settle it', { remarks: [{ id: 'F-1', settled: true, reply: 'Done.' }] }),
  ],
}

test('a watcher that is killed at each thing that it does at the forge does nothing twice: comment, change, fix, answer', async () => {
  const world = await createWatchWorld('github', { lanes })
  const { fixture, forge } = world
  const done = new Set<string>()
  let kill = async () => {}
  forge.after(/^(?:POST|PATCH) /, async () => {
    const { line = '' } = forge.requests.at(-1) ?? {}
    // The comment is edited more than once.
    const name = line.startsWith('PATCH') ? `${line} ${forge.statuses.length}` : line
    if (done.has(name)) return
    done.add(name)
    await kill()
  })

  async function watchThroughKills(): Promise<void> {
    for (;;) {
      const args = ['forge', 'watch', '--once', '--json', '--model', world.model, '--repo', fixture.repo]
      const watcher = launch(args, { env: fixture.env })
      kill = async () => {
        watcher.child.kill('SIGKILL')
        await watcher.ended
      }
      const ended = await watcher.ended
      if (ended.signal === 'SIGKILL') continue
      expect(ended, ended.stderr).toMatchObject({ exitCode: 0 })
      return
    }
  }

  world.ask({})
  await watchThroughKills()
  world.say(1, 'ada', 'Say it better.', { path: 'value.txt', number: 1 })
  await watchThroughKills()

  expect([...done].filter((line) => line.startsWith('POST'))).toHaveLength(5)
  expect(world.told(7)).toEqual([expect.stringContaining('Remarks: 1 SETTLED')])
  expect(forge.changes).toHaveLength(1)
  expect(world.told(1)).toEqual([expect.stringContaining('Settled by')])
  const tip = await forge.commitOf(forge.changes[0]?.head ?? '')
  expect(forge.statuses.map(({ sha }) => sha)).toEqual([await forge.git('rev-parse', `${tip}^`), tip])
  expect(await forge.git('show', `${tip}:value.txt`)).toBe('new, and better')
  const status = await fixture.drydock('status', '--json')
  const states = status.events.filter(({ type }) => type === 'status').map(({ state }) => state)
  expect(states).toEqual(['DONE', 'DONE'])
})

test('a separate watcher reports once that its token is refused, keeps others out, and ends with Ctrl-C', async () => {
  const world = await createWatchWorld()
  const { fixture } = world
  const env = { ...fixture.env, LOCAL_FORGE_SECRET: 'revoked' }
  const watcher = launch(
    ['forge', 'watch', '--json', '--interval', '5', '--model', world.model, '--repo', fixture.repo],
    {
      env,
    },
  )
  expect(JSON.parse(await watcher.line(/"what":"problem"/))).toMatchObject({ code: 'forge_refused' })
  expect((await world.poll()).events.at(-1)).toMatchObject({ code: 'already_watched' })
  watcher.child.kill('SIGINT')
  expect((await watcher.ended).exitCode).toBe(130)
})
