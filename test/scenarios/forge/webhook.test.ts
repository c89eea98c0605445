import { createHmac } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { serveWebhook } from '../../../src/compose/serve-webhook.ts'
import { freePort } from '../../postgres/server.ts'

const secret = ['secret', 'of-the-webhook', '0815'].join('-')
const sign = (body: string, key = secret) => createHmac('sha256', key).update(body).digest('hex')

/** How each kind of forge proves that it is the sender. */
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
