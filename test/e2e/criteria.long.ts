import { expect, test } from 'vitest'
import { criterion, doubling, hiddenTests, honest } from '../scenarios/world/acceptance.ts'
import { change, plan } from '../scenarios/world/fixture.ts'
import { memoryNode } from '../world/node.ts'
import { sharedBrowser } from './browser.ts'
import { journeyWorld, look } from './journeys/world.ts'

const browser = sharedBrowser()

test('somebody sees where the criteria of a story are, reads their tests, confirms one and sees it met', async () => {
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
  expect(await row.getByRole('button', { name: 'Confirm' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Build this plan' }).click()
  await row.locator('[data-state="met"]').waitFor()
  expect(await row.getByRole('button').count()).toBe(0)
  await page.setViewportSize({ width: 420, height: 900 })
  expect(await look(page, 'criteria-narrow')).toEqual([])
  expect(problems).toEqual([])
})
