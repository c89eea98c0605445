import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { greenStory, specLanes } from '../../scenarios/world/crew.ts'
import { ask, lane, question, spec } from '../../scenarios/world/interview.ts'
import { calling } from '../../server/spoken-model.ts'
import { type Browser, journeyWorld, look } from './world.ts'

/** A text without a place to break the line. */
const long = 'x'.repeat(150)

/** From a vague idea through an interview to a plan, which is edited and built. */
export async function planWork(browser: Browser): Promise<void> {
  let isVague = true
  const vague = { reason: 'Nobody could tell what is **better**.', missing: ['What is bad today'] }
  const world = await journeyWorld({
    steps: [{ name: 'test', command: 'true' }],
    speak: async ({ lane }, _, play) =>
      isVague && lane === 'architect/SCOPING' ? calling('too_vague', vague) : play(),
  })
  const { fixture } = world
  const model = await fixture.replay({
    ...specLanes('one', { id: 'two', depends_on: ['one'] }, { id: 'three', depends_on: ['two'] }),
    ...greenStory('one'),
    ...greenStory('four'),
    [lane]: [
      ask(question('Which value?'), question('Which case?'), question('Which file?', { options: [long, 'short'] })),
      spec(),
    ],
  })
  await world.own()
  const { page, base, problems } = await browser.open((await world.serve({ overSocket: true, model })).link)
  await page.goto(`${base}/#/start`)
  await page.getByPlaceholder('# What to build').fill('Make it better')
  await page.getByRole('button', { name: 'Build it' }).click()
  await page.locator('.page-head').locator('[data-state="TOO_VAGUE"]').waitFor()
  await page.getByText('What is bad today').waitFor()
  isVague = false
  await page.getByRole('button', { name: 'Ask me questions' }).click()
  await page.getByRole('button', { name: long }).waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  expect(await look(page, 'interview')).toEqual([])
  await page.setViewportSize({ width: 1_280, height: 900 })
  const asked = (text: string) => page.getByRole('article').filter({ hasText: text })
  await asked('Which value?').getByRole('button', { name: 'Another way. recommended' }).click()
  await asked('Which value?').waitFor({ state: 'detached' })
  await asked('Which case?').getByRole('button', { name: 'You decide' }).click()
  await asked('Which case?').waitFor({ state: 'detached' })
  await asked('Which file?').getByPlaceholder('Or in your own words').fill('value.txt')
  await asked('Which file?').getByRole('button', { name: 'Reply' }).click()
  await page.locator('.page-head').locator('[data-state="DONE"]').waitFor()
  const written = page.getByRole('region', { name: 'Spec' })
  await written.getByRole('heading', { name: 'Acceptance criteria' }).waitFor()
  await written.getByRole('button', { name: 'Edit it first' }).click()
  await written.getByRole('textbox').fill('# Say new\n\nEdited')

  const planned = await fixture.drydock('plan', '# Make the files\n\nOne, then two.', '--json', '--model', model)
  expect(planned.exitCode, planned.stderr + planned.stdout).toBe(0)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search and go' }).fill('make two')
  await page
    .locator('.palette')
    .getByRole('option', { name: /^Make two/ })
    .click()
  await page.locator('#plan-two:focus').getByText('needs one').waitFor()
  await page.getByRole('region', { name: 'Dependencies of the stories' }).getByText('Make one').waitFor()
  expect(await page.getByRole('navigation', { name: 'This run' }).getByRole('link').allTextContents()).toEqual([
    'Plan',
    'Agents',
    'Chat',
    'Activity',
    'Figures',
    'Report',
  ])
  expect(await look(page, 'plan')).toEqual([])
  await page.getByRole('link', { name: 'Edit or build it' }).click()
  await page.getByText('No estimate yet').waitFor()

  // If two people edit the plan at once, the second one is told, keeps every word, and applies the
  // edits on top.
  const other = await page.context().newPage()
  await other.goto(page.url())
  const title = (of: Page, name: string) => of.getByRole('region', { name }).getByLabel('Title', { exact: true })
  const save = (of: Page) => of.getByRole('button', { name: 'Save the plan' })
  await title(other, 'Make one').fill('Make one, said better')
  await title(page, 'Make three').fill('Make three, as I want it')
  await save(page).click()
  await page.getByText('Saved.').waitFor()
  const told = other.getByRole('alert')
  await told.getByText('Somebody has changed three. What you wrote is still here.').waitFor()
  expect(await save(other).isDisabled()).toBe(true)
  await other.getByRole('button', { name: 'Put my changes on top' }).click()
  await save(other).click()
  await other.getByText('Saved.').waitFor()
  await expect.poll(() => title(page, 'Make one, said better').inputValue()).toBe('Make one, said better')
  expect(await title(page, 'Make three, as I want it').inputValue()).toBe('Make three, as I want it')
  await other.close()

  // Dependents of a dropped story are relinked, and errors are shown next to their fields.
  const two = page.getByRole('region', { name: 'Make two' })
  const three = page.getByRole('region', { name: 'Make three, as I want it' })
  await two.getByRole('button', { name: 'Drop' }).click()
  await page.getByRole('dialog').getByText('three needs it. Then one is needed in its place.').waitFor()
  await page.getByRole('button', { name: 'Drop and relink' }).click()
  await three.getByText('Needs one; 0 files named').waitFor()
  await three.getByRole('button', { name: 'Drop' }).click()
  await page.getByRole('button', { name: 'Add a story' }).click()
  await page.getByRole('region', { name: 'story-2' }).getByLabel('Id', { exact: true }).fill('four')
  await page.getByRole('region', { name: 'four' }).getByLabel('Title', { exact: true }).fill('Make four')
  await save(page).click()
  const made = page.getByRole('region', { name: 'Make four' })
  await made.getByText('Story "four" has no acceptance criterion.').waitFor()
  expect(await made.getByLabel('Done when').getAttribute('aria-invalid')).toBe('true')
  expect(await look(page, 'plan-edit')).toEqual([])

  // Only by keyboard from here on; typed text survives a reload.
  await made.getByLabel('Done when').focus()
  await page.keyboard.type('four.txt is there')
  await page.reload()
  await expect.poll(() => made.getByLabel('Done when').inputValue()).toBe('four.txt is there')
  await save(page).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Saved.').waitFor()
  await page.getByRole('button', { name: 'Build these stories' }).focus()
  await page.keyboard.press('Enter')
  for (const story of ['four', 'one']) await page.locator(`[data-story="${story}"] [data-state="DONE"]`).waitFor()
  expect(await page.locator('[data-story]').count()).toBe(2)
  expect(problems).toEqual([])
}
