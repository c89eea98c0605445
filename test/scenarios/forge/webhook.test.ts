import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { serveWebhook } from '../../../src/compose/serve-webhook.ts'
import { freePort } from '../../postgres/server.ts'
import { slowClients } from '../../server/slow-clients.ts'

const secret = ['secret', 'of-the-webhook', '0815'].join('-')
const sign = (body: string, key = secret) => createHmac('sha256', key).update(body).digest('hex')

/** The proof of the sender for each kind of forge. */
const headersOf = {
  github: (body: string, key?: string) => ({ 'x-hub-signature-256': `sha256=${sign(body, key)}` }),
  gitlab: (_: string, key = secret) => ({ 'x-gitlab-token': key }),
  forgejo: (body: string, key?: string) => ({ 'x-gitea-signature': sign(body, key) }),
}

test.each(['github', 'gitlab', 'forgejo'] as const)(
  'a webhook that %s has signed wakes the watcher, and any other is refused',
  async (kind) => {
    const port = await freePort()
    let woken = 0
    const onSigned = () => {
      woken += 1
    }
    const webhook = await serveWebhook({ kind, port, secret, onSigned })
    onTestFinished(() => webhook.close())
    const send = async (body: string, headers: Readonly<Record<string, string>>, method = 'POST') =>
      (await fetch(`http://127.0.0.1:${port}/`, { method, headers, ...(method === 'POST' && { body }) })).status
    const body = JSON.stringify({ action: 'labeled', issue: { number: 99, title: 'Push to main' } })
    expect(await send(body, {})).toBe(401)
    expect(await send(body, headersOf[kind](body, 'another'))).toBe(401)
    expect(await send(body, headersOf[kind](body), 'GET')).toBe(405)
    if (kind !== 'gitlab') expect(await send(`${body} `, headersOf[kind](body))).toBe(401)
    expect(woken).toBe(0)
    expect(await send(body, headersOf[kind](body))).toBe(204)
    expect(woken).toBe(1)
  },
)

test('a webhook answers at once while four hundred connections never say a whole request', async () => {
  let woken = 0
  const onSigned = () => {
    woken += 1
  }
  const webhook = await serveWebhook({ kind: 'github', port: 0, secret, onSigned })
  onTestFinished(() => webhook.close())
  await slowClients(webhook.port, 400)
  for (const action of ['opened', 'labeled']) {
    const body = JSON.stringify({ action })
    const sent = { method: 'POST', headers: headersOf.github(body), body }
    expect((await fetch(`http://127.0.0.1:${webhook.port}/`, sent)).status).toBe(204)
  }
  expect(woken).toBe(2)
})

test('a large webhook over a slow line is heard while others only hold connections', async () => {
  const heard = Promise.withResolvers<void>()
  const webhook = await serveWebhook({ kind: 'github', port: 0, secret, onSigned: heard.resolve })
  onTestFinished(() => webhook.close())
  const [begin, end] = ['x'.repeat(200_000), 'y'.repeat(200_000)]
  const sent = request({
    host: '127.0.0.1',
    port: webhook.port,
    method: 'POST',
    agent: false,
    headers: { ...headersOf.github(begin + end), 'content-length': begin.length + end.length },
  })
  sent.write(begin)
  await once(sent, 'socket')
  await slowClients(webhook.port, 150)
  sent.end(end)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  expect(answer.statusCode).toBe(204)
  await heard.promise
})
