import { afterEach, expect, test } from 'vitest'
import { createCrewFixture, specLanes } from '../scenarios/world/crew.ts'
import { call, type Fixture } from '../scenarios/world/fixture.ts'
import { codebaseReport } from '../scenarios/world/reports.ts'
import { sharedBrowser } from './browser.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
afterEach(() => fixture.remove())

test('a plan shows the order of its stories, is found by them, and is edited and built from there', async () => {
  fixture = await createCrewFixture()
  const model = await fixture.replay(specLanes('one', { id: 'two', depends_on: ['one'] }))
  const planned = await fixture.drydock('plan', '# Make the files\n\nOne, then two.', '--json', '--model', model)
  expect(planned.exitCode, planned.stderr).toBe(0)
  const { page, problems } = await browser.open((await serveApart(fixture, '--port', '0', '--no-own')).link)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search and go' }).fill('make two')
  await page
    .locator('.palette')
    .getByRole('option', { name: /^Make two/ })
    .click()
  await page.locator('#plan-two:focus').getByText('needs one').waitFor()
  await page.getByRole('region', { name: 'Dependencies of the stories' }).getByText('Make one').waitFor()
  expect(await page.getByRole('navigation', { name: 'This run' }).getByRole('link').allTextContents()).toEqual([
    ...['Plan', 'Agents', 'Chat', 'Activity', 'Figures', 'Report'],
  ])
  await page.getByRole('link', { name: 'Edit or build it' }).click()
  await page.getByRole('button', { name: 'Build these stories' }).waitFor()
  expect(problems).toEqual([])
})

test('a question to a scout shows the answer and the calls that led to it', async () => {
  fixture = await createCrewFixture()
  const model = await fixture.replay({ 'scout/codebase/task/1.1': [call('submit_report', codebaseReport)] })
  const asked = await fixture.drydock('scout', 'codebase', 'Where is the value?', '--json', '--model', model)
  expect(asked.exitCode, asked.stderr).toBe(0)
  const { page, problems } = await browser.open((await serveApart(fixture, '--port', '0', '--no-own')).link)
  await page.locator('.run-line').click()
  const answer = page.getByRole('region', { name: 'Where is the value?', exact: true })
  await answer.getByText('holds the value').waitFor()
  await page.locator('.entry-kind', { hasText: 'submit_report' }).waitFor()
  expect(problems).toEqual([])
})
