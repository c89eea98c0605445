import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { mostWatched } from '../../dashboard/data/now-told.ts'
import { limits } from '../../src/domain/limits.ts'
import { canaries } from '../scenarios/world/canaries.ts'
import { createCrewFixture, greenStory, type Lanes, specLanes } from '../scenarios/world/crew.ts'
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
const words = `I look at the file first, with ${secret?.text} in mind, and then I change what it says. `
const untilTold = 'until [ -e go ]; do sleep 0.05; done; rm go'

test('the words of a reply are seen while they come, then the command that runs, on the board and on the story', async () => {
  fixture = await createCrewFixture()
  const half = Promise.withResolvers<void>()
  const green = greenStory('one')
  const coding = green['editor/one/CODING'] ?? []
  const lanes: Lanes = {
    ...specLanes('one', { id: 'two', depends_on: ['one'] }),
    ...green,
    ...greenStory('two'),
    'editor/one/CODING': [{ text: words.repeat(12), ...call('run_command', { command: untilTold }) }, ...coding],
  }
  let asked = 0
  crew = await startWireCrew(fixture, lanes, ({ lane }) => {
    if (lane !== 'editor/one/CODING') return null
    asked += 1
    return asked === 1 ? ({ ...lanes[lane]?.[0], halfway: half.promise } as never) : null
  })
  const { link } = await serveApart(fixture, '--port', '0')
  const { page, problems } = await browser.open(link)
  await page.evaluate(`{
    window.shift = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value
    }).observe({ type: 'layout-shift', buffered: true })
  }`)
  await page.getByRole('link', { name: 'Start' }).first().click()
  await page.getByRole('textbox', { name: /^Spec/ }).fill('# Make the files\n\nOne, then two.')
  await page.getByText('Options').click()
  await page.getByLabel('Model').fill(crew.model)
  await page.getByRole('button', { name: 'Build it' }).click()
  const said = page
    .locator('.now-seat', { hasText: 'Make one' })
    .locator('.now-words', { hasText: 'change what it says' })
  await said.waitFor()
  expect(await said.textContent()).toContain('[redacted by drydock]')
  expect(await said.textContent()).not.toContain(secret?.needles[0]?.slice(0, 8))
  await page.getByText('which it needs').waitFor()
  expect(await page.getByRole('meter', { name: 'Context of editor/one/CODING' }).count()).toBe(1)
  expect(await faults(page)).toEqual([])
  await page.evaluate('window.shift = 0')

  await page.locator('[data-story="one"]').click()
  await page.locator('.now-story .now-words', { hasText: 'change what it says' }).waitFor()
  half.resolve()
  const running = page.locator('.now-story .now-tools', { hasText: 'until [ -e go ]' })
  await running.waitFor()
  const seconds = () => running.locator('.running').textContent()
  const first = await seconds()
  await expect.poll(seconds).not.toBe(first)
  // What another width moves is not what the page moves by itself.
  const shift = await page.evaluate<number>('window.shift')
  expect(await faults(page)).toEqual([])
  await page.evaluate(`window.shift = ${shift}`)

  await page.goBack()
  await writeFile(join((await fixture.open()).state, 'workspaces', 'coder-001', 'go'), '')
  await page.locator('.page-head [data-state="DONE"]').waitFor()
  expect(await page.evaluate<number>('window.shift')).toBeLessThan(0.1)
  expect(problems).toEqual([])
})

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

  // A page by itself has its stream where its requests are seen.
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

test('a window beyond the twenty that one browser is told of says so, and is told once another closes', async () => {
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
  // The board is the first, and the window that is left out is not one of them.
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
