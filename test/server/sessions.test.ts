import { chmod, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bare, serveBare } from './bare-server.ts'
import { ask, type Page, signIn } from './browser.ts'

let bare: Bare
beforeAll(async () => {
  bare = await serveBare()
})
afterAll(() => bare.remove())

describe('a link', () => {
  const exchange = (token: string) =>
    ask(bare.port, '/session', {
      method: 'POST',
      headers: { Origin: bare.url, 'Content-Type': 'application/json' },
      body: JSON.stringify({ token }),
    })

  test('works once, and gives a session that is in no cookie', async () => {
    const other = await bare.again()
    const token = new URL(other.link).hash.replace('#token=', '')
    // The order of two connections is not fixed.
    const answers = await Promise.all([exchange(token), exchange(token)])
    const [taken, ...refused] = answers.toSorted((a, b) => a.status - b.status)
    expect([taken?.status, taken?.headers['set-cookie'], taken?.headers['cache-control']]).toEqual([
      200,
      undefined,
      'no-store',
    ])
    expect([...refused, await exchange(token)].map(({ status }) => status)).toEqual([401, 401])
  })

  test('cannot be guessed, changed, or taken from an earlier start', async () => {
    const [nonce = '', signature = ''] = new URL((await bare.again()).link).hash.replace('#token=', '').split('.')
    for (const token of [
      'x',
      '.',
      `${nonce}.`,
      `${nonce}x.${signature}`,
      `${nonce}.${signature.slice(1)}`,
      '__proto__.x',
    ]) {
      expect((await exchange(token)).status).toBe(401)
    }
    const ended = await serveBare()
    const { link } = ended
    await ended.close()
    const next = await ended.again()
    await expect(signIn(`${next.url}/${new URL(link).hash}`)).rejects.toThrow('401')
    await next.close()
    await ended.remove()
  })

  test('is made from a secret in a separate file that only its user can read, and the address is beside the state', async () => {
    const modes = [join(bare.installation, 'dashboard-secret'), join(bare.state, 'dashboard.json')]
    for (const file of modes) expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600')
  })

  /** The status that a session gets at a later start. */
  async function statusAt(later: Bare, { headers }: Page, more: Parameters<Bare['again']>[0] = {}): Promise<number> {
    const { url, close } = await later.again(more)
    const { status } = await ask(Number(new URL(url).port), '/api/runs', { headers })
    await close()
    return status
  }

  test('leads to a session that outlives the server, until others could have read its secret', async () => {
    const first = await serveBare()
    const signed = await signIn(first.link)
    await first.close()
    expect(await statusAt(first, signed)).toBe(200)
    await chmod(join(first.installation, 'dashboard-secret'), 0o644)
    expect(await statusAt(first, signed)).toBe(401)
    await first.remove()
  })

  test('leads to a session of its state alone, which is over after twelve hours', async () => {
    const first = await serveBare()
    const signed = await signIn(first.link)
    await first.close()
    const state = join(first.installation, 'other')
    await mkdir(state)
    expect(await statusAt(first, signed, { state })).toBe(401)
    for (const [hours, status] of [
      [11.9, 200],
      [12.1, 401],
    ] as const) {
      const now = () => new Date(Date.now() + hours * 3_600_000)
      expect([hours, await statusAt(first, signed, { now })]).toEqual([hours, status])
    }
    await first.remove()
  })

  test('leads to a token that acts for five minutes', async () => {
    const first = await serveBare()
    const headers = await (await signIn(first.link)).acting()
    await first.close()
    for (const [minutes, status] of [
      [4.9, 202],
      [5.1, 403],
    ] as const) {
      const later = await first.again({ now: () => new Date(Date.now() + minutes * 60_000) })
      const asking = { method: 'POST', headers, body: '{}' }
      const port = Number(new URL(later.url).port)
      // A page of the same name and port.
      const self = { Host: `127.0.0.1:${port}`, Origin: `http://127.0.0.1:${port}` }
      const { status: found } = await ask(port, '/api/runs/a/cancel', { ...asking, headers: { ...headers, ...self } })
      expect([minutes, found]).toEqual([minutes, status])
      await later.close()
    }
    await first.remove()
  })

  test('and its session are worth nothing after signing out, here or at another server of the installation', async () => {
    const first = await serveBare()
    const signed = await signIn(first.link)
    const stream = await signed.events()
    await stream.untilOwned(false)
    const unused = (await first.again()).link
    const asking = { method: 'POST', headers: await signed.acting(), body: '{}' }
    expect((await ask(first.port, '/api/session/end', asking)).status).toBe(204)
    await stream.ended
    expect((await ask(first.port, '/api/runs', { headers: signed.headers })).status).toBe(401)
    await expect(signIn(unused)).rejects.toThrow('401')

    const next = await signIn((await first.again()).link)
    expect((await ask(first.port, '/api/runs', { headers: next.headers })).status).toBe(200)
    await first.again({ endSessions: true })
    expect((await ask(first.port, '/api/runs', { headers: next.headers })).status).toBe(401)
    await first.remove()
  })
})

test('a browser is told to forget the cookie of an earlier version, which opens nothing', async () => {
  const Cookie = 'a=b; drydock_0123456789ab=1.x; drydock_theme=dark'
  const { headers } = await ask(bare.port, '/', { headers: { Cookie } })
  expect(headers['set-cookie']).toEqual(['drydock_0123456789ab=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict'])
  expect((await ask(bare.port, '/api/runs', { headers: { Cookie } })).status).toBe(401)
})
