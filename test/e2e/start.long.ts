import { expect, onTestFinished, test } from 'vitest'
import { createFixture, greenLanes } from '../scenarios/world/fixture.ts'
import { faults } from './axe.ts'
import { sharedBrowser } from './browser.ts'
import { journeyWorld, look } from './journeys/world.ts'
import { serveApart } from './serving.ts'
import { modelList, nameModel } from './starting.ts'

const browser = sharedBrowser()
/** The demo starts a server, sandboxes and real tests. */
const real = { timeout: 600_000 }

/** The distance that things moved since the page was loaded, while nobody touched it. */
const shifted = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) sum += value
  }).observe({ type: 'layout-shift', buffered: true })
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
})`

test('in three steps somebody comes from an empty repository to a verified change on main, and chooses what there is', async () => {
  const world = await journeyWorld({
    user: () => ({ providers: { away: { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:9/v1' } } }),
  })
  const { fixture } = world
  await fixture.git('branch', 'feature')
  const model = await fixture.replay(greenLanes)
  await world.own()
  const { page, problems, base } = await browser.open((await world.serve({ overSocket: true, model })).link)
  const steps = page.getByRole('region', { name: 'Three steps to a verified change' })
  await steps.getByText('A change has to pass').waitFor()
  expect(await steps.getByLabel('Branch to start from').locator('option').allTextContents()).toEqual([
    'main',
    'feature',
  ])
  expect(await modelList(page).locator('option').allTextContents()).toEqual([
    `As configured: ${model}`,
    expect.stringMatching(/^away at 127\.0\.0\.1:9 cannot be reached/),
    'Another one, by its name…',
  ])
  expect(await steps.locator('input').count()).toBe(0)
  expect(await faults(page)).toEqual([])
  expect(await look(page, 'first-run')).toEqual([])
  await steps.getByLabel('Task').fill('Say new')
  await steps.getByRole('button', { name: 'Start the task' }).click()
  await page.getByRole('button', { name: 'Merge into main' }).click()
  await page.getByRole('heading', { name: 'Landed on main' }).waitFor()
  expect(await fixture.git('show', 'main:value.txt')).toBe('new')

  // The page for all the rest asks for nothing in words that there is a list of.
  await page.goto(`${base}/#/start`)
  await page.reload()
  await modelList(page).locator('option').nth(2).waitFor({ state: 'attached' })
  expect(await page.evaluate<number>(shifted)).toBeLessThan(0.05)
  for (const kind of ['Build a spec', 'Write a spec', 'One task']) {
    await page.getByRole('radio', { name: kind }).check({ force: true })
    await modelList(page).locator('option').nth(2).waitFor({ state: 'attached' })
    expect(await page.locator('main input[type=text], main input:not([type])').count()).toBe(0)
    expect(await page.getByRole('combobox', { name: /^Editor/ }).count()).toBe(kind === 'Write a spec' ? 0 : 1)
    expect(await faults(page)).toEqual([])
    expect(await look(page, `start-${kind}`)).toEqual([])
  }
  await nameModel(page, 'away:some')
  expect(problems).toEqual([])
})

test(
  'the demo opens in a repository of its own, asks its question and is built once it is answered',
  real,
  async () => {
    const fixture = await createFixture()
    const serving = await serveApart(fixture, '--port', '0')
    // The server of the demo ends with it in good order.
    onTestFinished(async () => {
      serving.child.kill('SIGTERM')
      await serving.ended
      await fixture.remove()
    })
    const { page, problems, base } = await browser.open(serving.link)
    await page.getByRole('button', { name: 'Start the demo' }).click()
    await page.waitForURL((url) => url.origin !== base, { timeout: 300_000 })
    await page.locator('.run-line').click()
    const question = page.getByRole('article', { name: /^Question of/ })
    await question.getByRole('textbox').fill('Keep two units.')
    await question.getByRole('button', { name: 'Reply' }).click()
    await page.locator('.page-head [data-state="DONE"]').waitFor()
    expect(problems).toEqual([])
  },
)
