import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { createFixture, type Fixture } from '../scenarios/fixture.ts'
import { ask } from '../server/browser.ts'
import { sharedBrowser } from './browser.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
afterEach(() => fixture.remove())

interface Neighbour {
  readonly port: number
  /** Headers of all that was ever asked. */
  readonly heard: readonly IncomingHttpHeaders[]
}

/** Another web server of this machine, as an app under test is one: it keeps all that a browser tells it, and its page tries the dashboard. */
async function neighbourOf(dashboard: string): Promise<Neighbour> {
  const heard: IncomingHttpHeaders[] = []
  const script = `
    const said = []
    for (const init of [{ credentials: 'include' }, { headers: { Authorization: 'Bearer x' } }])
      await fetch('${dashboard}/api/runs', init).then(({ status }) => said.push(status), () => said.push('refused'))
    document.title = said.join() + ' ' + localStorage.length`
  const server = createServer((request, response) => {
    heard.push(request.headers)
    response.setHeader('Content-Type', 'text/html')
    response.end(`<!doctype html><script type="module">${script}</script>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, heard }
}

test('another web server of this machine that the browser visits is told nothing that opens the dashboard', async () => {
  fixture = await createFixture()
  const { link, port } = await serveApart(fixture, '--port', '0', '--no-own')
  const { page, base } = await browser.open(link)
  const neighbour = await neighbourOf(base)
  for (const host of ['127.0.0.1', 'localhost']) {
    await page.goto(`http://${host}:${neighbour.port}/`)
    await expect.poll(() => page.title()).toBe('refused,refused 0')
  }
  expect(neighbour.heard.length).toBeGreaterThan(1)
  for (const { cookie = '', authorization = '' } of neighbour.heard) {
    expect({ cookie, authorization }).toEqual({ cookie: '', authorization: '' })
    const told = { Cookie: cookie, Authorization: authorization, Origin: base }
    expect((await ask(Number(port), '/api/runs', { headers: told })).status).toBe(401)
  }
  await page.goto(base)
  await page.locator('.shell').waitFor()
})
