import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { createFixture, type Fixture } from '../scenarios/world/fixture.ts'
import { ask } from '../server/browser.ts'
import { sharedBrowser } from './browser.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
afterEach(() => fixture.remove())

interface Neighbour {
  readonly port: number
  readonly heard: readonly IncomingHttpHeaders[]
}

/**
 * Another web server on this machine, such as an app under test: it records everything that a
 * browser sends, and its page tries to reach the dashboard.
 */
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

/** Requests a task on the page, and waits for the server's answer. */
async function startTask(page: Page): Promise<void> {
  const answered = page.waitForResponse((answer) => answer.url().endsWith('/api/tasks'))
  await page.getByRole('link', { name: 'Start' }).first().click()
  await page.getByText('One task').click()
  await page.getByRole('textbox', { name: /^Task/ }).fill('Say new')
  await page.getByRole('button', { name: 'Start the task' }).click()
  expect((await answered).status()).toBe(202)
}

const isOpen = (page: Page) => page.locator('.shell').waitFor()
const hasEnded = (page: Page) => page.getByRole('heading', { name: 'Your session has ended' }).waitFor()

test('all tabs have one session; each says when it has ended, and a new link in one of them opens all', async () => {
  fixture = await createFixture()
  const model = await fixture.replay({})
  const { link, port } = await serveApart(fixture, '--port', '0', '--no-own', '--model', model)
  const { page, base, problems } = await browser.open(link)
  const tab = await page.context().newPage()
  await tab.goto(`${base}/#/settings`)
  await isOpen(tab)
  await startTask(page)

  const { events } = await fixture.drydock('serve', '--end-sessions', '--json')
  // Any request of the page reveals the end, unless the page has noticed it already.
  await page.evaluate("location.hash = '#/settings'")
  await Promise.all([hasEnded(page), hasEnded(tab)])
  await page.getByText('drydock serve').waitFor()

  await page.evaluate('window.loaded = "once"')
  await page.goto(String(events[0]?.link))
  await Promise.all([isOpen(page), isOpen(tab)])
  expect([page.url(), await page.evaluate('window.loaded')]).toEqual([`${base}/#/`, 'once'])
  await startTask(page)

  const { session } = JSON.parse(await page.evaluate<string>("localStorage.getItem('drydock.session')"))
  await tab.getByRole('button', { name: 'Sign out' }).click()
  await tab.getByRole('button', { name: 'End all sessions' }).click()
  await Promise.all([hasEnded(page), hasEnded(tab)])
  expect(await page.evaluate("localStorage.getItem('drydock.session')")).toBe(null)
  const headers = { Authorization: `Bearer ${session}` }
  expect((await ask(Number(port), '/api/runs', { headers })).status).toBe(401)
  await page.goto(String(events[0]?.link))
  await expect.poll(() => page.url()).toBe(`${base}/#/`)
  await page.goto(base)
  await page.getByRole('heading', { name: 'Open the link that Drydock prints' }).waitFor()
  expect(problems).toEqual([])
})

test('a page whose session ends while nobody touches it says so, and does not look for the server for ever', async () => {
  fixture = await createFixture()
  const first = await serveApart(fixture, '--port', '0', '--no-own')
  const { page } = await browser.open(first.link)
  first.child.kill('SIGKILL')
  await first.ended
  await page.getByText('The connection to Drydock is lost').waitFor()
  await serveApart(fixture, '--port', first.port, '--no-own', '--end-sessions')
  await hasEnded(page)
})
