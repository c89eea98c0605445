import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { build, createCrewFixture, greenStory, needsChanges, specLanes } from '../scenarios/world/crew.ts'
import type { Fixture } from '../scenarios/world/fixture.ts'
import { type Served, serveHere } from '../server/served.ts'
import { type Opened, sharedBrowser } from './browser.ts'

const browser = sharedBrowser()
let fixture: Fixture
let served: Served
let run: string

/** A crew in which one story is done, one asks and one waits, and a verification besides. */
beforeAll(async () => {
  fixture = await createCrewFixture({ config: { editor: { review_rounds: 1 } } })
  const stopped = await build(fixture, {
    ...specLanes('good', 'asks', { id: 'waits', depends_on: ['asks'] }),
    ...greenStory('good'),
    ...greenStory('asks'),
    'architect/REQUEST/code/asks/1': [needsChanges('Not like **this**.')],
  })
  run = String(stopped.events[0]?.run)
  await fixture.drydock('verify', '--json')
  served = await serveHere(fixture)
})
afterAll(async () => {
  await served.close()
  await fixture.remove()
})

async function show(path = ''): Promise<Opened> {
  const { events } = await fixture.drydock('serve', '--json')
  const opened = await browser.open(String(events[0]?.link))
  if (path !== '') await opened.page.goto(`${opened.base}/${path}`)
  return opened
}

test('the palette finds a story, a file and a message, goes there, and does what the page offers', async () => {
  const { page, problems } = await show()
  const input = page.getByRole('combobox', { name: 'Search and go' })
  const option = (name: string | RegExp) => page.locator('.palette').getByRole('option', { name })
  await page.keyboard.press('Control+k')
  await input.fill('make waits')
  await option(/^Make waits/).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Make waits', level: 1 }).waitFor()

  await page.keyboard.press('Control+k')
  await input.fill('good.txt')
  await option(/good\.txt/)
    .first()
    .click()
  await page.locator('.diff-code-insert', { hasText: 'good' }).waitFor()

  await page.keyboard.press('Control+k')
  await input.fill('sent back once')
  await option(/sent back/)
    .first()
    .click()
  await page.locator('.sought:focus', { hasText: 'sent back once' }).waitFor()

  await page.goto(`${new URL(page.url()).origin}/#/runs/${run}`)
  await page.getByRole('button', { name: 'Raise budget' }).waitFor()
  await page.keyboard.press('Control+k')
  await input.fill('raise')
  await option('Raise budget').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Raise the budget' }).waitFor()
  expect(problems).toEqual([])
})

test('a g and a letter go to a page, a slash to the filter, and Escape gives the focus back', async () => {
  const { page } = await show(`#/runs/${run}`)
  await page.getByRole('heading', { name: 'Make the files' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('v')
  await page.getByRole('heading', { name: 'Verifications' }).waitFor()
  await page.locator('.filter-bar').waitFor()
  await page.keyboard.press('/')
  await page.getByRole('searchbox', { name: 'Filter the verifications by text' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search and go' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.palette').waitFor({ state: 'detached' })
  await page.locator('.filter-text:focus').waitFor()
})

test('filters are in the address, so that going back, loading again and a copied link keep them', async () => {
  const { page, problems } = await show()
  const lines = page.locator('.run-line')
  await expect.poll(() => lines.count()).toBe(2)
  await page.getByLabel('Kind').selectOption('Verification')
  await expect.poll(() => lines.count()).toBe(1)
  expect(page.url()).toMatch(/#\/\?kind=verify$/)
  await lines.click()
  await page.getByRole('heading', { name: 'verify the working tree', exact: true }).waitFor()
  await page.goBack()
  await expect.poll(() => lines.count()).toBe(1)
  await page.reload()
  await page.getByText('1 of 2').waitFor()
  await page.getByRole('searchbox').fill('no run is called this')
  await page.getByText('No run is like that').waitFor()
  expect(page.url()).toMatch(/\?kind=verify&text=no\+run\+is\+called\+this$/)
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect.poll(() => lines.count()).toBe(2)
  expect(await page.getByRole('searchbox').inputValue()).toBe('')

  await page.goto(`${new URL(page.url()).origin}/#/runs/${run}/activity?kind=gate`)
  await page.locator('[data-event]').first().waitFor()
  await expect.poll(() => page.locator('[data-event]:not([data-type="verification"])').count()).toBe(0)
  await page.getByRole('searchbox').fill('no event is like this')
  await page.getByText('No event is like that').waitFor()
  await page.goto(`${new URL(page.url()).origin}/#/runs/${run}?text=good`)
  await expect.poll(() => page.locator('[data-story]').count()).toBe(1)
  expect(problems).toEqual([])
})

test('an event is a sentence, and opens by keyboard to what the log has of it', async () => {
  const { page, problems } = await show(`#/runs/${run}/activity?kind=gate`)
  const event = page.getByRole('button', { name: 'A verification ended with PASS.' }).first()
  await event.focus()
  await page.keyboard.press('Enter')
  const row = page.locator('[data-event]', { has: page.locator('[aria-expanded="true"]') })
  await row.getByText('"status": "PASS"').waitFor()
  // The list scrolls, and not the page, though a bar is above it.
  await page.locator('.bar').waitFor()
  expect(await page.evaluate('document.documentElement.scrollHeight - innerHeight')).toBe(0)
  expect(await row.innerText()).toMatch(/verification, event \d+/)
  await page.keyboard.press('Enter')
  await expect.poll(() => page.locator('[data-event] pre').count()).toBe(0)
  expect(problems).toEqual([])
})

test('a list is downloaded whole, also what the filter hides', async () => {
  const { page } = await show(`#/runs/${run}/activity?kind=gate`)
  await page.locator('[data-event]').first().waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as JSON' }).click(),
  ])
  expect(file.suggestedFilename()).toBe(`drydock-${run}-events.json`)
  const { items } = JSON.parse(await readFile(await file.path(), 'utf8')) as { items: { type: string }[] }
  expect(items.length).toBeGreaterThan(await page.locator('[data-event]').count())
  expect(items.at(-1)?.type).toBe('run')
})

test('a file that a verification has left is downloaded as it is', async () => {
  const { page, problems } = await show(`#/runs/${run}/verifications`)
  await page.locator('summary', { hasText: 'Files' }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download manifest.json' }).click(),
  ])
  const { run_id: id } = JSON.parse(await readFile(await file.path(), 'utf8')) as { run_id: string }
  expect(file.suggestedFilename()).toBe(`${id}-manifest.json`)
  expect(problems).toEqual([])
})

test('the schedule tells by keyboard and in a table why a story waits', async () => {
  const { page, problems } = await show(`#/runs/${run}/schedule`)
  const said = page.locator('.gantt-say')
  const bar = (name: RegExp) => page.getByRole('button', { name })
  await page.getByRole('region', { name: 'Critical path' }).getByText('waits').waitFor()
  await bar(/^Make waits: Waiting.*It waits for asks, which it needs\.$/).hover()
  await said.getByText('It waits for asks, which it needs.').waitFor()
  await bar(/^Make asks: Waits for you/).focus()
  await said.getByText('It waits for your answer.').waitFor()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await page
    .locator('.gantt-span:focus')
    .and(bar(/^Make asks: (?:Planning|Waiting)/))
    .waitFor()
  await page.keyboard.press('+')
  await expect.poll(() => page.url()).toMatch(/\?zoom=2$/)
  await page.getByText('Table').click()
  const row = page.getByRole('row', { name: /Make waits/ })
  await row.getByText('It waits for asks, which it needs.').waitFor()
  await row.getByText('1 span').click()
  await row.getByText(/^Waiting, .* until now$/).waitFor()
  expect(problems).toEqual([])
})
