import { afterEach, expect, test } from 'vitest'
import { createCrewFixture, greenStory, specLanes } from '../scenarios/world/crew.ts'
import type { Fixture } from '../scenarios/world/fixture.ts'
import { violationsOf } from './axe.ts'
import { sharedBrowser } from './browser.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
afterEach(() => fixture.remove())

/** A plan of three stories in a row, served with a crew that can build `one` and `four`. */
async function servePlan() {
  fixture = await createCrewFixture()
  const model = await fixture.replay({
    ...specLanes('one', { id: 'two', depends_on: ['one'] }, { id: 'three', depends_on: ['two'] }),
    ...greenStory('one'),
    ...greenStory('four'),
  })
  const planned = await fixture.drydock('plan', 'Make the files', '--json', '--model', model)
  expect(planned.exitCode, planned.stderr).toBe(0)
  return serveApart(fixture, '--port', '0', '--model', model)
}

test('a plan is edited and built in the page: what is wrong stands beside its field, and what is dropped is relinked', async () => {
  const { page, problems } = await browser.open((await servePlan()).link)
  await page.locator('.run-line').click()
  await page.getByRole('link', { name: 'Edit or build it' }).click()
  await page.getByText('No estimate yet').waitFor()
  const [two, three] = [
    page.getByRole('region', { name: 'Make two' }),
    page.getByRole('region', { name: 'Make three' }),
  ]
  await two.getByRole('button', { name: 'Drop' }).click()
  await page.getByRole('dialog').getByText('three needs it. Then one is needed in its place.').waitFor()
  await page.getByRole('button', { name: 'Drop and relink' }).click()
  await three.getByText('Needs one; 0 files named').waitFor()
  await three.getByRole('button', { name: 'Drop' }).click()

  await page.getByRole('button', { name: 'Add a story' }).click()
  const added = page.getByRole('region', { name: 'story-2' })
  await added.getByLabel('Id', { exact: true }).fill('four')
  const four = page.getByRole('region', { name: 'four' })
  await four.getByLabel('Title', { exact: true }).fill('Make four')
  const save = page.getByRole('button', { name: 'Save the plan' })
  await save.click()
  const made = page.getByRole('region', { name: 'Make four' })
  await made.getByText('Story "four" has no acceptance criterion.').waitFor()
  expect(await made.getByLabel('Done when').getAttribute('aria-invalid')).toBe('true')

  // By keys alone from here on, and what was typed outlasts a new load.
  await made.getByLabel('Done when').focus()
  await page.keyboard.type('four.txt is there')
  await page.reload()
  await expect.poll(() => made.getByLabel('Done when').inputValue()).toBe('four.txt is there')
  await save.focus()
  await page.keyboard.press('Enter')
  await page.getByText('Saved.').waitFor()
  await page.getByRole('button', { name: 'Build these stories' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('[data-story="four"] [data-state="DONE"]').waitFor()
  await page.locator('[data-story="one"] [data-state="DONE"]').waitFor()
  expect(await page.locator('[data-story]').count()).toBe(2)
  expect(problems).toEqual([])
})

test('of two people who edit a plan at once the second is told, keeps every word, and puts it on top', async () => {
  const serving = await servePlan()
  const { page, base } = await browser.open(serving.link)
  await page.locator('.run-line').click()
  await page.getByRole('link', { name: 'Edit or build it' }).click()
  const other = await page.context().newPage()
  await other.goto(page.url().replace(/^[^#]*/, `${base}/`))
  const title = (of: typeof page, name: string) => of.getByRole('region', { name }).getByLabel('Title', { exact: true })
  await title(other, 'Make one').fill('Make one, said better')
  await title(page, 'Make three').fill('Make three, as I want it')
  await page.getByRole('button', { name: 'Save the plan' }).click()
  await page.getByText('Saved.').waitFor()
  const told = other.getByRole('alert')
  await told.getByText('Somebody has changed three. What you wrote is still here.').waitFor()
  expect(await other.getByRole('button', { name: 'Save the plan' }).isDisabled()).toBe(true)
  await other.getByRole('button', { name: 'Put my changes on top' }).click()
  await other.getByRole('button', { name: 'Save the plan' }).click()
  await other.getByText('Saved.').waitFor()
  await expect.poll(() => title(page, 'Make one, said better').inputValue()).toBe('Make one, said better')
  expect(await title(page, 'Make three, as I want it').inputValue()).toBe('Make three, as I want it')
})

test('the page to edit a plan is in order for axe on a screen and on a phone, by day and by night', async () => {
  const serving = await servePlan()
  const { page } = await browser.open(serving.link)
  await page.locator('.run-line').click()
  await page.getByRole('link', { name: 'Edit or build it' }).click()
  const one = page.getByRole('region', { name: 'Make one' })
  await one.locator('summary').click()
  await one.getByLabel('Done when').fill('')
  await page.getByRole('button', { name: 'Save the plan' }).click()
  await page.getByText('has no acceptance criterion').waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await violationsOf(page), `${colorScheme} ${width}`).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${width}`).toBe(true)
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/plan-${colorScheme}-${width}.png`, fullPage: true })
    }
  }
})
