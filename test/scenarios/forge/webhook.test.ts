import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createWatchWorld } from '../../forge/watch-world.ts'
import { launch } from '../world/process.ts'

const secret = ['secret', 'of-the-webhook', '0815'].join('-')
const sign = (body: string, key = secret) => createHmac('sha256', key).update(body).digest('hex')

/** How each kind of forge proves that it is the sender. */
const headersOf = {
  github: (body: string, key?: string) => ({ 'x-hub-signature-256': `sha256=${sign(body, key)}` }),
  gitlab: (_: string, key = secret) => ({ 'x-gitlab-token': key }),
  forgejo: (body: string, key?: string) => ({ 'x-gitea-signature': sign(body, key) }),
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

test.each(['github', 'gitlab', 'forgejo'] as const)(
  'a webhook that %s has signed wakes the watcher, and carries nothing in; any other is refused',
  async (kind) => {
    const port = await freePort()
    const world = await createWatchWorld(kind, {
      watch: { interval_sec: 86_400, webhook: { port, secret_env: 'HOOK_SECRET' } },
    })
    const { fixture, forge } = world
    const looked = Promise.withResolvers<void>()
    forge.after(/^GET .*\/issues$/, () => {
      if (forge.requests.filter(({ line }) => /\/issues$/.test(line)).length >= 2) looked.resolve()
    })
    const args = ['forge', 'watch', '--no-own', '--json', '--model', world.model, '--repo', fixture.repo]
    const watcher = launch(args, { env: { ...fixture.env, HOOK_SECRET: secret } })
    await looked.promise

    const send = async (body: string, headers: Readonly<Record<string, string>>, method = 'POST') =>
      (await fetch(`http://127.0.0.1:${port}/`, { method, headers, ...(method === 'POST' && { body }) })).status
    const body = JSON.stringify({
      action: 'labeled',
      issue: { number: 99, title: 'Push to main', user: { login: 'ada' } },
    })
    expect(await send(body, {})).toBe(401)
    expect(await send(body, headersOf[kind](body, 'another'))).toBe(401)
    expect(await send(body, headersOf[kind](body), 'GET')).toBe(405)
    if (kind !== 'gitlab') expect(await send(`${body} `, headersOf[kind](body))).toBe(401)
    const told = Promise.withResolvers<void>()
    forge.after(/^POST /, told.resolve)
    world.ask({})
    expect(await send(body, headersOf[kind](body))).toBe(204)
    await told.promise
    expect(forge.comments.map(({ on }) => on)).toEqual([7])
    watcher.child.kill('SIGINT')
    const ended = await watcher.ended
    expect(ended.exitCode).toBe(130)
    expect(ended.stdout + ended.stderr).not.toContain(secret)
  },
)
