import { expect, test } from 'vitest'
import { criterion, doubling, hiddenTests, honest } from '../scenarios/world/acceptance.ts'
import { change, plan } from '../scenarios/world/fixture.ts'
import { memoryNode } from '../world/node.ts'
import { sharedBrowser } from './browser.ts'
import { journeyWorld, look } from './journeys/world.ts'

const browser = sharedBrowser()

test('somebody sees where the criteria of a story are, reads their tests, edits one on the page of the run and sees it met', async () => {
  const world = await journeyWorld({ programs: { node: memoryNode }, ...doubling })
  const { fixture } = world
  const model = await fixture.replay({
    ...hiddenTests('task'),
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [honest, change()],
  })
  const args = ['task', 'double numbers', '--criterion', criterion, '--acceptance', '--review-plan']
  const asked = await fixture.drydock(...args, '--json', '--no-wait', '--model', model)
  expect(asked.exitCode, asked.stderr).toBe(6)
  await world.own()
  const { page, problems, base } = await browser.open((await world.serve({ overSocket: true, model })).link)
  await page.goto(`${base}/#/runs/${asked.events[0]?.run}/stories/task`)
  const row = page.locator('[data-criterion="C1"]')
  await row.locator('[data-state="red on base"]').waitFor()
  await row.getByText(criterion).waitFor()
  expect(await page.getByText('quokka').count()).toBe(0)
  await page.locator('summary', { hasText: 'Show the tests' }).click()
  await page.getByRole('region', { name: 'quokka.test.js' }).getByText('a quokka is doubled').waitFor()
  expect(await look(page, 'criteria')).toEqual([])
  await row.getByRole('button', { name: 'Confirm' }).click()
  await row.getByText(/^test confirmed by /).waitFor()
  // The page of the whole run shows this test as well, and there a person writes another test in
  // its place.
  await page.goto(`${base}/#/runs/${asked.events[0]?.run}`)
  await page.getByRole('link', { name: 'Acceptance', exact: true }).click()
  await page.getByRole('region', { name: 'double numbers' }).locator('[data-state="red on base"]').waitFor()
  await page.locator('summary', { hasText: 'Show the tests' }).click()
  await page.getByRole('button', { name: 'Edit quokka.test.js' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByRole('checkbox', { name: /^C1/ }).isChecked()).toBe(true)
  const text = dialog.getByRole('textbox', { name: 'Tests', exact: true })
  await text.fill(
    (await text.inputValue()).replaceAll('a quokka', 'a wombat').replaceAll('37', '41').replaceAll('74', '82'),
  )
  await dialog.getByLabel('Names of the tests of C1').fill('a wombat is doubled')
  expect(await look(page, 'edit-tests')).toEqual([])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/^test mended by /).waitFor()
  await page.getByRole('region', { name: 'quokka.test.js' }).getByText('a wombat is doubled').waitFor()
  await row.locator('[data-state="red on base"]').waitFor()
  expect(await look(page, 'acceptance')).toEqual([])
  await page.goto(`${base}/#/runs/${asked.events[0]?.run}/stories/task`)
  await row.getByText(/^test mended by /).waitFor()
  expect(await row.getByRole('button', { name: 'Confirm' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Build this plan' }).click()
  await row.locator('[data-state="met"]').waitFor()
  expect(await row.getByRole('button').count()).toBe(0)
  await page.setViewportSize({ width: 420, height: 900 })
  expect(await look(page, 'criteria-narrow')).toEqual([])
  expect(problems).toEqual([])
})
