import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  build,
  createCrewFixture,
  greenStory,
  needsChanges,
  specLanes,
  submit,
  writeFile,
} from '../scenarios/world/crew.ts'
import type { Fixture } from '../scenarios/world/fixture.ts'
import { violationsOf } from './axe.ts'
import { sharedBrowser } from './browser.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
let run: string

/** `one` is merged after a red verification, `asks` waits for a human, and `waits` for `asks`. */
beforeAll(async () => {
  const step = { name: 'test', command: '! grep -qs bad one.txt', timeout_sec: 120 }
  fixture = await createCrewFixture({ steps: [step], config: { editor: { review_rounds: 1 } } })
  const built = await build(fixture, {
    ...specLanes('one', 'asks', { id: 'waits', depends_on: ['asks'] }),
    ...greenStory('one'),
    'editor/one/CODING': [writeFile('one.txt', 'bad\n'), submit('one'), writeFile('one.txt', 'good\n'), submit('one')],
    ...greenStory('asks'),
    'architect/REQUEST/code/asks/1': [needsChanges('Not like this.')],
  })
  run = String(built.events[0]?.run)
})
afterAll(() => fixture.remove())

const open = async (hash: string, viewport = {}) => {
  const opened = await browser.open((await serveApart(fixture, '--port', '0', '--no-own')).link, viewport)
  await opened.page.goto(`${opened.base}/${hash}`)
  return opened
}
const bar = (page: Page) => page.getByRole('region', { name: 'Time travel' })
const stateOf = (page: Page, story: string) =>
  page.locator(`[data-story="${story}"] [data-state]`).getAttribute('data-state')
const line = (within: Locator, text: string) => within.locator('.diff-code-insert', { hasText: text })
const button = (page: Page, name: string) => bar(page).getByRole('button', { name, exact: true })

test('a run is gone through event by event, from mark to mark, and each moment has its board and its files', async () => {
  const { page, problems } = await open(`#/runs/${run}`)
  await page.getByRole('link', { name: 'Go back in time' }).click()
  const slider = bar(page).getByRole('slider', { name: 'Moment' })
  await slider.focus()
  await page.keyboard.press('Home')
  await page.getByText('No story was planned yet').waitFor()
  await page.keyboard.press('v')
  await bar(page)
    .getByText(/^A verification ended/)
    .waitFor()
  // To the red one, whichever story was verified first.
  while (!(await bar(page).getByRole('status').innerText()).includes('FAIL')) await page.keyboard.press('v')
  expect(await stateOf(page, 'one')).toBe('VERIFYING')
  expect(await stateOf(page, 'waits')).toBe('QUEUED')
  const red = Number(await slider.inputValue())
  await page.locator('[data-story="one"]').click()
  const then = page.getByRole('region', { name: 'Make one at that moment' })
  await line(then, 'bad').waitFor()
  expect(await line(then, 'good').count()).toBe(0)

  await page.keyboard.press('.')
  await expect.poll(() => slider.inputValue()).toBe(String(red + 1))
  await button(page, 'Next merge').click()
  await line(then, 'good').waitFor()
  await bar(page).getByText('one was merged.').waitFor()
  await button(page, 'Previous verdict').click()

  // The address holds the moment, and the page can do nothing.
  const at = await bar(page).getAttribute('data-moment')
  await expect.poll(() => page.url()).toContain(`at=${at}&`)
  const what = await bar(page).getByRole('status').innerText()
  await page.reload()
  await expect.poll(() => bar(page).getByRole('status').innerText()).toBe(what)
  for (const name of ['Cancel', 'Pause', 'Resume', 'Retry', 'Reply'])
    expect(await page.locator('#main').getByRole('button', { name, exact: true }).count(), name).toBe(0)
  await button(page, 'Back to now').click()
  await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor()
  expect(await stateOf(page, 'one')).toBe('DONE')
  expect(problems).toEqual([])
})

test('dragging asks the server for nothing, and the schedule ends at the moment', async () => {
  const { page } = await open(`#/runs/${run}/schedule`)
  await page.getByRole('link', { name: 'Go back in time' }).click()
  const slider = bar(page).getByRole('slider', { name: 'Moment' })
  await slider.focus()
  await page.keyboard.press('Home')
  await page.getByText('No story was planned yet').waitFor()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const last = Number(await slider.getAttribute('max'))
  for (let n = 0; n < last; n += 1) await page.keyboard.press('ArrowRight')
  await expect.poll(() => slider.inputValue()).toBe(String(last))
  expect(asked.filter((url) => url.includes('/runs/'))).toEqual([])
  await page.locator('[data-bar^="one "]').first().waitFor()
  await button(page, 'Previous merge').click()
  await page.locator('[data-bar^="waits "]').first().click()
  await page.getByRole('region', { name: 'Make waits at that moment' }).waitFor()
})

test('the past plays by itself: from the start to the end, at any speed, until one pauses it or goes elsewhere', async () => {
  const { page, problems } = await open(`#/runs/${run}`)
  await page.getByRole('link', { name: 'Go back in time' }).click()
  const slider = bar(page).getByRole('slider', { name: 'Moment' })
  const place = async () => Number(await slider.inputValue())
  const last = Number(await slider.getAttribute('max'))
  // At the end it begins again. It asks the server for nothing.
  await page.evaluate(`{
    const slider = document.querySelector('input[type=range]')
    window.seen = []
    new MutationObserver(() => window.seen.push(slider.value)).observe(slider, { attributes: true })
  }`)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await button(page, 'Play').click()
  await expect.poll(place).toBeLessThan(last / 2)
  await button(page, 'Pause').click()
  const paused = await place()
  const at = await bar(page).getAttribute('data-moment')
  await expect.poll(() => page.url()).toContain(`at=${at}`)
  expect(await place()).toBe(paused)

  await bar(page).getByLabel('Speed').selectOption('8')
  await slider.focus()
  await page.keyboard.press('Space')
  await expect.poll(place).toBe(last)
  await button(page, 'Play').waitFor()
  const seen = await page.evaluate<readonly string[]>('window.seen')
  for (const n of [0, paused, last]) expect(seen.map(Number)).toContain(n)
  expect(asked.filter((url) => url.includes('/runs/'))).toEqual([])

  // Going elsewhere stops it.
  await bar(page).getByLabel('Speed').selectOption('1')
  await button(page, 'Play').click()
  await button(page, 'Pause').waitFor()
  await slider.focus()
  await page.keyboard.press('End')
  await button(page, 'Play').waitFor()
  expect(await place()).toBe(last)
  expect(problems).toEqual([])
})

test('the past is in order for axe on a screen and on a phone, by day and by night', async () => {
  const { page } = await open(`#/runs/${run}`)
  await page.getByRole('link', { name: 'Go back in time' }).click()
  await page.locator('[data-story="one"]').click()
  await line(page.getByRole('region', { name: 'Make one at that moment' }), 'good').waitFor()
  const past = /\?.*/.exec(page.url())?.[0] ?? ''
  for (const place of ['', '/schedule']) {
    await page.goto(page.url().replace(/#.*/, `#/runs/${run}${place}${past}`))
    await bar(page).waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 })
        const name = `past${place.replace('/', '-')}-${colorScheme}-${width}`
        expect(await violationsOf(page), name).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), name).toBe(true)
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true })
      }
    }
  }
})
