import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { canaries } from '../../scenarios/world/canaries.ts'
import { greenStory, specLanes, submit, writeFile } from '../../scenarios/world/crew.ts'
import { call } from '../../scenarios/world/fixture.ts'
import { createGates } from '../../world/gates.ts'
import { recordStates } from '../browser.ts'
import { connectionsTo } from '../serving.ts'
import { nameModel } from '../starting.ts'
import { type Browser, journeyWorld, look, redWhenBad } from './world.ts'

const secret = canaries.find(({ family }) => family === 'GitHub ghp')
const words = `I look at the file first, with ${secret?.text} in mind, and then I change what it says. `
const gate = (name: string) => call('run_command', { command: `gate ${name}` })
const list = () => call('list_files', { pattern: '*' })

/** Sums up the layout shift of the page. */
const watchShift = `{
  window.shift = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value
  }).observe({ type: 'layout-shift', buffered: false })
}`

/** Puts a tab behind another one, which does not happen without a screen. */
const put = (page: Page, where: 'behind' | 'front') =>
  page.evaluate(`{
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${where === 'behind'} })
    document.dispatchEvent(new Event('visibilitychange'))
  }`)

const card = (page: Page, story: string, state: string) =>
  page.locator(`[data-story="${story}"]`).locator(`[data-state="${state}"]`).waitFor()

export async function watchRun(browser: Browser): Promise<void> {
  const gates = createGates()
  const half = Promise.withResolvers<void>()
  const world = await journeyWorld({
    steps: [{ name: 'test', command: 'check' }],
    gates,
    programs: { check: redWhenBad('one.txt') },
    contextWindow: 200_000,
    async speak({ lane, turn }, hear, play) {
      if (lane === 'editor/one/CODING' && turn === 0) {
        hear({ kind: 'text', text: words.repeat(12) })
        await half.promise
      }
      return play()
    },
  })
  const { fixture } = world
  const model = await fixture.replay({
    ...specLanes('one', { id: 'two', depends_on: ['one'] }),
    ...greenStory('one'),
    ...greenStory('two'),
    'editor/one/CODING': [
      gate('speaks'),
      writeFile('one.txt', 'bad\n'),
      list(),
      gate('writes'),
      list(),
      list(),
      gate('lists'),
      submit('one'),
      gate('again'),
      writeFile('one.txt', 'good\n'),
      submit('one'),
    ],
    'editor/two/CODING': [gate('two'), writeFile('two.txt', 'two\n'), submit('two')],
  })
  await world.own()
  const served = await world.serve({ overSocket: true })
  const { port } = new URL(served.url)
  const { page, problems, base } = await browser.open(served.link)
  await page.evaluate('window.loaded = "once"')
  await page.getByRole('link', { name: 'Start' }).first().click()
  await page.getByRole('textbox', { name: /^Spec/ }).fill('# Make the files\n\nOne, then two.')
  await nameModel(page, model)
  expect(await look(page, 'start')).toEqual([])
  await page.getByRole('button', { name: 'Build it' }).click()

  // Words appear as they arrive, without secrets.
  const said = page.locator('.now-line', { hasText: 'Make one' }).locator('.now-words', { hasText: 'change what it' })
  await said.waitFor()
  expect(await said.textContent()).toContain('[redacted by drydock]')
  expect(await said.textContent()).not.toContain(secret?.needles[0]?.slice(0, 8))
  await page.getByText('which it needs').waitFor()
  expect(await page.getByRole('meter', { name: 'Context of editor/one/CODING' }).count()).toBe(1)
  expect(await look(page, 'watch-board')).toEqual([])
  const run = page.url().split('/').at(-1) ?? ''

  // All tabs share one stream, which closes while nobody looks.
  const tab = await page.context().newPage()
  await tab.goto(`${base}/#/runs/${run}/activity`)
  await tab.locator('[data-event]').first().waitFor()
  await expect.poll(() => connectionsTo(port)).toBe(1)
  // A browser draws a background tab only once a second.
  await page.bringToFront()
  for (const each of [page, tab]) await put(each, 'behind')
  await expect.poll(() => connectionsTo(port)).toBe(0)
  await put(page, 'front')
  await page.locator('.sidebar .connection.live').waitFor()
  await expect.poll(() => connectionsTo(port)).toBe(1)

  // The page of a story: its words, the running command, its present files, its timeline.
  await page.locator('[data-story="one"]').click()
  await page.locator('.now-story .now-words', { hasText: 'change what it' }).waitFor()
  half.resolve()
  const running = page.locator('.now-story .now-tools', { hasText: 'gate speaks' })
  const seconds = () => running.locator('.running').textContent()
  const first = await seconds()
  await expect.poll(seconds).not.toBe(first)
  expect(await look(page, 'watch-story')).toEqual([])
  gates.open('speaks')
  await gates.reached('writes')
  await page.getByRole('link', { name: 'Diff', exact: true }).click()
  await page.locator('.diff-code-insert', { hasText: 'bad' }).waitFor()
  await page.getByText('the workspace as it is now').waitFor()
  await page.getByRole('checkbox', { name: 'Viewed: one.txt' }).check()
  await page.getByText('1 of 1 file viewed').waitFor()
  await page.getByRole('link', { name: 'Timeline' }).click()
  const entry = page.locator('.entry', { has: page.getByText('list_files') }).last()
  await page.locator('.entry-head').first().getByText('gate writes').waitFor()
  await entry.locator('.entry-head').click()
  await entry.getByRole('heading', { name: 'Out' }).waitFor()
  const placeOf = async () => (await entry.boundingBox())?.y ?? 0
  let before = Number.NaN
  await expect
    .poll(async () => {
      const last = before
      before = await placeOf()
      return before - last
    })
    .toBe(0)
  gates.open('writes')
  await page.getByRole('button', { name: '6 new', exact: true }).waitFor()
  await expect.poll(async () => Math.abs((await placeOf()) - before)).toBeLessThan(2)
  await page.getByRole('button', { name: /new$/ }).click()
  await page.getByRole('button', { name: /new$/ }).waitFor({ state: 'detached' })
  await page.locator('.entry-head').first().getByText('run_command').waitFor()

  // The story's first verification is red; the second attempt has its number while it runs.
  await page.locator('.back').click()
  const states = await recordStates(page, 'two')
  gates.open('lists')
  const one = page.locator('[data-story="one"]')
  await one.getByText('attempt 2', { exact: true }).waitFor()
  await one.locator('[data-state="CODING"]').waitFor()
  await page.evaluate(watchShift)
  await gates.reached('again')
  gates.open('again')
  await card(page, 'one', 'DONE')
  await card(page, 'two', 'CODING')
  await gates.reached('two')
  await page.locator('[data-story="two"]').focus()
  const place = await one.boundingBox()
  gates.open('two')

  // The result replaces the panel at the top, and moves no story.
  const panel = page.locator('.finish')
  await panel.getByRole('heading', { name: 'Built and ready' }).waitFor()
  await page.locator('.page-head [data-state="DONE"]').waitFor()
  expect(await one.boundingBox()).toEqual(place)
  await page.locator('[data-story="two"]:focus').locator('[data-state="DONE"]').waitFor()
  const result = page.locator('.now-result')
  const [lowest, top] = [await page.locator('.columns').boundingBox(), await result.boundingBox()]
  expect(lowest?.y).toBeGreaterThanOrEqual((top?.y ?? 0) + (top?.height ?? 0))
  expect(await page.evaluate<number>('window.shift')).toBeLessThan(0.05)
  const seen = await states()
  expect([seen[0], seen.at(-1)]).toEqual(['QUEUED', 'DONE'])
  expect(seen).toContain('CODING')
  expect(await page.title()).toBe('Board · Make the files · repo · Drydock')
  expect(await look(page, 'watch-done')).toEqual([])
  await page.getByRole('button', { name: 'Show all of the result' }).click()
  await panel.getByRole('button', { name: 'Merge into main', exact: true }).waitFor()

  // A tab in the background has missed nothing.
  await put(tab, 'front')
  await tab.locator('[data-event]', { hasText: 'two was merged' }).waitFor()

  // The server shuts down cleanly, which the page reports calmly, and the page continues with the
  // next server.
  await served.close()
  await page.getByText('The command that showed this page has ended').waitFor()
  expect(await page.locator('.bar.bad').count()).toBe(0)
  // Nobody would take what a person asks for now.
  const merge = panel.getByRole('button', { name: 'Merge into main', exact: true })
  expect(await merge.isDisabled()).toBe(true)
  const reason = 'the disk was full'
  await fixture.machine.store.transact((tx) => tx.appendEvent({ run, story: null, type: 'unkept', data: { reason } }))
  await world.serve({ overSocket: true, port: Number(port) })
  await page.locator('.sidebar .connection.live').waitFor()
  await expect.poll(() => merge.isDisabled()).toBe(false)
  await tab.locator('[data-event]', { hasText: reason }).waitFor()
  const ids = `[...document.querySelectorAll('[data-event]')].map((row) => Number(row.dataset.event))`
  const shown = await tab.evaluate<readonly number[]>(ids)
  expect(shown).toEqual([...new Set(shown)].toSorted((a, b) => b - a))
  expect(await page.evaluate('window.loaded')).toBe('once')
  // A later visitor finds the panel first.
  await page.reload()
  await panel.waitFor()
  expect((await panel.boundingBox())?.y).toBeLessThan((await one.boundingBox())?.y ?? 0)
  expect(problems).toEqual([])
}
