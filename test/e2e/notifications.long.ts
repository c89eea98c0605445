import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { approve, createCrewFixture, greenStory, needsChanges, specLanes } from '../scenarios/world/crew.ts'
import { counts, sharedBrowser } from './browser.ts'
import { shownNotifications, watchNotifications } from './notified.ts'
import { serveApart } from './serving.ts'
import { nameModel } from './starting.ts'

const browser = sharedBrowser()
let world: { remove(): Promise<void> }
afterEach(() => world.remove())

const oneRound = { config: { editor: { review_rounds: 1 } } }
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

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
  await nameModel(page, model)
  await press(page, 'Build it')
  await counts(page, 2)

  first.child.kill('SIGKILL')
  await first.ended
  await page.getByText('The connection to Drydock is lost').waitFor()
  await page.getByPlaceholder('Your answer').fill('Take it as it is.')
  await press(page, 'Reply')
  await page.getByRole('alert').waitFor()
  await serveApart(fixture, '--port', first.port)
  await page.getByText('The connection to Drydock is lost').waitFor({ state: 'detached' })
  // The failure of the time without a server is forgotten; the words of the answer stay.
  await page.getByRole('alert').waitFor({ state: 'detached' })
  expect(await page.getByPlaceholder('Your answer').inputValue()).toBe('Take it as it is.')
  await press(page, 'Reply')
  await counts(page, 1)

  const shown = await shownNotifications(page)
  expect(shown.toSorted()).toEqual([
    ['Drydock asks you', expect.stringContaining('The code of one'), expect.stringMatching(/^drydock-\d+$/)],
    ['Drydock asks you', expect.stringContaining('The code of two'), expect.stringMatching(/^drydock-\d+$/)],
  ])
  expect(new Set(shown.map(([, , tag]) => tag)).size).toBe(2)
  expect(problems).toEqual([])
})
