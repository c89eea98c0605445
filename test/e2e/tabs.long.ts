import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { sqliteFile } from '../../src/adapters/store/database.ts'
import { createSqliteStore } from '../../src/adapters/store/sqlite-store.ts'
import { createFixture, type Fixture } from '../scenarios/world/fixture.ts'
import { sharedBrowser } from './browser.ts'
import { connectionsTo, serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
afterEach(() => fixture.remove())

/**
 * Simulates the browser's treatment of a tab in the background, which does not happen without a
 * screen.
 */
const put = (page: Page, where: 'behind' | 'front') =>
  page.evaluate(`{
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${where === 'behind'} })
    document.dispatchEvent(new Event('visibilitychange'))
  }`)

const isLive = (page: Page) => page.locator('.sidebar .connection.live').waitFor()

test('twenty tabs are live by one stream, which ends while nobody looks at any of them and misses nothing', async () => {
  fixture = await createFixture()
  const { link, port } = await serveApart(fixture, '--port', '0', '--no-own', '--model', await fixture.replay({}))
  const { page, base, problems } = await browser.open(link)
  const tabs = [page]
  for (let more = 1; more < 20; more += 1) {
    const tab = await page.context().newPage()
    await tab.goto(base)
    tabs.push(tab)
  }
  for (const tab of tabs) await isLive(tab)
  await expect.poll(() => connectionsTo(port)).toBe(1)

  for (const tab of tabs) await put(tab, 'behind')
  await expect.poll(() => connectionsTo(port)).toBe(0)
  const task = await fixture.drydock('task', 'Say new', '--no-wait', '--json', '--model', await fixture.replay({}))
  const [first, , , last] = tabs
  for (const tab of [first, last]) {
    if (tab === undefined) throw new Error('there are twenty tabs')
    await put(tab, 'front')
    await tab.locator('.run-line', { hasText: 'Say new' }).waitFor()
    await isLive(tab)
  }
  await expect.poll(() => connectionsTo(port)).toBe(1)

  // The first tab watches the run and the second watches nothing, so only the first is notified at
  // once.
  const [, second] = tabs
  const run = String(task.events[0]?.run)
  if (second) await put(second, 'front')
  for (const tab of [first, second]) {
    await tab?.goto(`${base}/#/runs/${run}/activity`)
    await tab?.locator('[data-event]').first().waitFor()
  }
  if (second) await put(second, 'behind')
  const { state, clock } = await fixture.open()
  const store = await createSqliteStore({ file: sqliteFile(state), clock })
  const reason = 'the disk was full'
  await store.transact((tx) => tx.appendEvent({ run, story: null, type: 'unkept', data: { reason } }))
  await store.close()
  await first?.locator('[data-event]', { hasText: reason }).waitFor()
  if (second) await put(second, 'front')
  await second?.locator('[data-event]', { hasText: reason }).waitFor()
  await first?.close()
  await last?.locator('.connection.live').waitFor()
  expect(problems).toEqual([])
})
