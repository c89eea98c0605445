import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { mostWatched } from '../../dashboard/data/now-told.ts'
import { limits } from '../../src/domain/limits.ts'
import { canaries } from '../scenarios/world/canaries.ts'
import { createCrewFixture, greenStory, specLanes } from '../scenarios/world/crew.ts'
import { call, type Fixture } from '../scenarios/world/fixture.ts'
import { startWireCrew, type WireCrew } from '../scenarios/world/wire-crew.ts'
import { faults } from './axe.ts'
import { sharedBrowser } from './browser.ts'
import { connectionsTo, serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
let crew: WireCrew
afterEach(async () => {
  await crew.close()
  await fixture.remove()
})

const secret = canaries.find(({ family }) => family === 'GitHub ghp')
const _words = `I look at the file first, with ${secret?.text} in mind, and then I change what it says. `
const untilTold = 'until [ -e go ]; do sleep 0.05; done; rm go'

test('eight windows that show it share one connection; nothing is told while nobody looks, and when the panel is closed', async () => {
  fixture = await createCrewFixture()
  const lanes = { ...specLanes('one'), ...greenStory('one') }
  const held = {
    ...lanes,
    'editor/one/CODING': [call('run_command', { command: untilTold }), ...(lanes['editor/one/CODING'] ?? [])],
  }
  crew = await startWireCrew(fixture, held)
  const { link, port } = await serveApart(fixture, '--port', '0', '--model', crew.model)
  const { page } = await browser.open(link)
  await page.getByRole('link', { name: 'Start' }).first().click()
  await page.getByRole('textbox', { name: /^Spec/ }).fill('# Make the files')
  await page.getByRole('button', { name: 'Build it' }).click()
  const tool = (of: Page) => of.locator('.now-tools', { hasText: 'until [ -e go ]' })
  await tool(page).waitFor()
  const windows = await Promise.all(Array.from({ length: 7 }, () => page.context().newPage()))
  for (const [i, each] of windows.entries()) await each.goto(i % 2 === 0 ? page.url() : `${page.url()}/stories/one`)
  for (const each of windows) await tool(each).waitFor()
  await expect.poll(() => connectionsTo(port)).toBe(1)
  for (const each of windows) await each.close()

  // A page without a shared worker opens its own stream, which the test can see among its requests.
  await page.addInitScript('delete window.SharedWorker')
  const open = new Map<object, string>()
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname === '/api/events') open.set(request, url.searchParams.get('now') ?? '')
  })
  page.on('requestfailed', (request) => open.delete(request))
  page.on('requestfinished', (request) => open.delete(request))
  await page.reload()
  await tool(page).waitFor()
  const run = page.url().split('/').at(-1)
  const streams = () => [...open.values()]
  await expect.poll(streams).toEqual([run])
  await page.evaluate(`{
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })
    document.dispatchEvent(new Event('visibilitychange'))
  }`)
  await expect.poll(streams).toEqual([])
  await page.evaluate(`{
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => false })
    document.dispatchEvent(new Event('visibilitychange'))
  }`)
  await expect.poll(streams).toEqual([run])
  await page.locator('.now > summary').click()
  await expect.poll(streams).toEqual([''])
  await page.locator('.connection.live').waitFor()
})

test('a window beyond the limit of twenty says so, and is updated once another closes', async () => {
  expect(mostWatched).toBe(limits.live.followed)
  fixture = await createCrewFixture()
  const waiting = Array.from({ length: mostWatched - 1 }, (_, i) => `s${i + 2}`)
  const held = { 'editor/s1/PLANNING': [call('run_command', { command: untilTold })] }
  crew = await startWireCrew(fixture, {
    ...specLanes('s1', ...waiting.map((id) => ({ id, depends_on: ['s1'] }))),
    ...held,
  })
  const { link } = await serveApart(fixture, '--port', '0', '--model', crew.model)
  const { page, problems } = await browser.open(link)
  await page.getByRole('link', { name: 'Start' }).first().click()
  await page.getByRole('textbox', { name: /^Spec/ }).fill('# Make the files')
  await page.getByRole('button', { name: 'Build it' }).click()
  const tool = (of: Page) => of.locator('.now-tools', { hasText: 'until [ -e go ]' })
  await tool(page).waitFor()
  const board = page.url()
  const open = async (name: string) => {
    const window = await page.context().newPage()
    await window.goto(`${board}/stories/${name}`)
    await window.locator('.now-story').getByText('It waits for s1, which it needs.').waitFor()
    return window
  }
  // The board is the first window, and the omitted one is not listed.
  const windows: Page[] = []
  for (const name of waiting) windows.push(await open(name))
  const working = await page.context().newPage()
  await working.goto(`${board}/stories/s1`)
  const said = working.locator('.now-story').getByText('Other windows show 20 runs and stories already')
  await said.waitFor()
  expect(await faults(working)).toEqual([])
  await windows.at(-1)?.close()
  await tool(working).waitFor()
  expect(await said.count()).toBe(0)
  expect(await tool(page).count()).toBe(1)
  expect(problems).toEqual([])
})
