import { expect, test } from 'vitest'
import { createWatchWorld } from '../forge/watch-world.ts'
import { freePort } from '../postgres/server.ts'
import { launch } from '../scenarios/world/process.ts'

test('at GitLab drydock serve watches where the user has configured it, is woken by a webhook, and opens a merge request', async () => {
  const port = await freePort()
  const secret = ['secret', 'of-the-webhook', '0815'].join('-')
  const world = await createWatchWorld('gitlab', {
    watch: { interval_sec: 86_400, webhook: { port, secret_env: 'HOOK_SECRET' } },
  })
  const { fixture, forge } = world
  const looked = Promise.withResolvers<void>()
  forge.after(/^GET .*\/issues$/, looked.resolve)
  const told = Promise.withResolvers<void>()
  forge.after(/^PUT .*\/notes\//, () => void (world.told(7)[0]?.includes('DONE') && told.resolve()))
  const args = ['serve', '--json', '--model', world.model, '--repo', fixture.repo, '--port', '0']
  const server = launch(args, { env: { ...fixture.env, HOOK_SECRET: secret } })
  await looked.promise
  const send = async (token: string) => {
    const headers = { 'x-gitlab-token': token }
    return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: '{}' })).status
  }
  expect(await send('another')).toBe(401)
  world.ask({})
  expect(await send(secret)).toBe(204)
  await told.promise
  expect(forge.changes).toMatchObject([{ title: 'Say new', base: 'main', state: 'open' }])
  expect(await forge.git('show', `${forge.changes[0]?.head}:value.txt`)).toBe('new')
  expect(forge.statuses).toMatchObject([{ context: 'drydock/verified', state: 'success' }])
  server.child.kill('SIGINT')
  const ended = await server.ended
  expect(ended.exitCode).toBe(130)
  expect(ended.stdout + ended.stderr).not.toContain(secret)
})
