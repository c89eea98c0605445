import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { approve, createCrewFixture, greenStory, needsChanges, specLanes } from '../scenarios/world/crew.ts'
import type { Fixture } from '../scenarios/world/fixture.ts'
import { using } from '../scenarios/world/wire-budget.ts'
import { counts, type OpenPage, sharedBrowser } from './browser.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let world: { remove(): Promise<void> }
afterEach(() => world.remove())

const oneRound = { config: { editor: { review_rounds: 1 } } }
const usage = { input: 20_000, output: 1_000 }
const _green = using({ ...specLanes('one'), ...greenStory('one') }, usage)

/** Opens the board of the only Run, in a browser whose page is never reloaded. */
async function _openBoard(fixture: Fixture, options: Parameters<typeof browser.open>[1] = {}): Promise<OpenPage> {
  const opened = await browser.open((await serveApart(fixture, '--port', '0')).link, options)
  await opened.page.locator('.run-line').click()
  return opened
}

const _said = 'Keep the ~~new~~ **old** names.\n\n| a | b |\n| - | - |\n| one | two |\n\n- [ ] say so'

const _isIn = (page: Page, state: string) => page.locator('.page-head').locator(`[data-state="${state}"]`).waitFor()
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** Records the notifications that the page shows, and still shows them. */
const watchNotifications = `
  window.shown = []
  window.Notification = class extends window.Notification {
    constructor(title, options) {
      super(title, options)
      window.shown.push([title, options.body, options.tag])
    }
  }`

test('where notifications are allowed each question is told once, also after the connection was lost', async () => {
  const fixture = await createCrewFixture(oneRound)
  world = fixture
  const asks = (story: string) => ({
    ...greenStory(story),
    [`architect/REQUEST/code/${story}/1`]: [needsChanges('Not like this.')],
    [`architect/REQUEST/code/${story}/2`]: [approve({ accepted: ['c1'] })],
  })
  const model = await fixture.replay({ ...specLanes('one', 'two'), ...asks('one'), ...asks('two') })
  const first = await serveApart(fixture, '--port', '0')
  const { page, problems } = await browser.open(first.link, { notifications: true })
  await page.evaluate(watchNotifications)
  await page.getByRole('link', { name: 'Start' }).first().click()
  await page.getByRole('textbox', { name: /^Spec/ }).fill('Make the files')
  await page.getByText('Options').click()
  await page.getByLabel('Model').fill(model)
  await press(page, 'Build it')
  await counts(page, 2)

  first.child.kill('SIGKILL')
  await first.ended
  await page.getByText('The connection to Drydock is lost').waitFor()
  await serveApart(fixture, '--port', first.port)
  await page.getByText('The connection to Drydock is lost').waitFor({ state: 'detached' })
  await page.getByPlaceholder('Your answer').fill('Take it as it is.')
  await press(page, 'Reply')
  await counts(page, 1)

  const shown = await page.evaluate<readonly (readonly string[])[]>('window.shown')
  expect(shown.toSorted()).toEqual([
    ['Drydock asks you', expect.stringContaining('The code of one'), expect.stringMatching(/^drydock-\d+$/)],
    ['Drydock asks you', expect.stringContaining('The code of two'), expect.stringMatching(/^drydock-\d+$/)],
  ])
  expect(new Set(shown.map(([, , tag]) => tag)).size).toBe(2)
  expect(problems).toEqual([])
})
