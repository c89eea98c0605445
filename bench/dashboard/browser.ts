import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import type { Fixture } from '../../test/scenarios/world/fixture.ts'

const bin = fileURLToPath(new URL('../../bin/drydock', import.meta.url))

export interface Looking {
  readonly browser: Browser
  /** Signed in, and showing the list of all Runs. */
  readonly page: Page
}

/** Serves a fixture by `drydock serve`, and opens it in headless Chromium. */
export async function withPage<Result>(
  { repo, env }: Fixture,
  more: readonly string[],
  look: (looking: Looking) => Promise<Result>,
): Promise<Result> {
  const flags = ['--repo', repo, '--json', '--port', '0', ...more]
  const child = spawn(bin, ['serve', ...flags], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const closed = once(child, 'close')
  try {
    const { value: line } = await createInterface(child.stdout)[Symbol.asyncIterator]().next()
    const { link } = JSON.parse(String(line)) as { readonly link: string }
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
    try {
      const page = await (await browser.newContext({ viewport: { width: 1_440, height: 900 } })).newPage()
      await page.goto(link)
      await page.locator('.shell').waitFor()
      return await look({ browser, page })
    } finally {
      await browser.close()
    }
  } finally {
    child.kill('SIGINT')
    await closed
  }
}

/** Sends a request with the page's session; a body makes it a command, with a fresh token. */
export function ask<Answer>(page: Page, path: string, body?: object): Promise<Answer> {
  return page.evaluate<Answer>(`(async () => {
    const { session, key } = JSON.parse(localStorage.getItem('drydock.session'))
    const headers = { Authorization: 'Bearer ' + session, 'Content-Type': 'application/json' }
    const get = (path, init) => fetch(path, { headers, ...init }).then(async (answer) => {
      if (!answer.ok) throw new Error(path + ': ' + await answer.text())
      return answer.json()
    })
    const body = ${JSON.stringify(body) ?? 'undefined'}
    if (body === undefined) return get(${JSON.stringify(path)})
    const post = (path, told, more) =>
      get(path, { method: 'POST', body: JSON.stringify(told), headers: { ...headers, ...more } })
    const { token } = await post('/api/session/token', { key })
    return post(${JSON.stringify(path)}, body, { 'Drydock-Token': token })
  })()`)
}
