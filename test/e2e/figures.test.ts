import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { sqliteFile } from '../../src/adapters/store/database.ts'
import { createSqliteStore } from '../../src/adapters/store/sqlite-store.ts'
import {
  alwaysGreen,
  build,
  createCrewFixture,
  greenStory,
  specLanes,
  submit,
  writeFile,
} from '../scenarios/world/crew.ts'
import { call, type Fixture } from '../scenarios/world/fixture.ts'
import { findGate, gateCommand } from '../scenarios/world/process.ts'
import { createBudgetWorld, using } from '../scenarios/world/wire-budget.ts'
import { sharedBrowser } from './browser.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let world: { remove(): Promise<void> }
afterEach(() => world.remove())

/** Opens the board of the only Run, which nobody works on. */
async function openEnded(fixture: Fixture) {
  const opened = await browser.open((await serveApart(fixture, '--port', '0', '--no-own')).link)
  await opened.page.locator('.run-line').click()
  await opened.page.locator('[data-story="one"] [data-state="DONE"]').waitFor()
  return opened
}

/** How long things took, without how long ago something was. */
async function lengths(page: Page): Promise<readonly string[]> {
  const all = await page.locator('main time').allTextContents()
  return all.filter((text) => !/ ago$|^just now$/.test(text))
}

/** Fulfilled when what the clock has changed is on the screen: React draws in a message of its own. */
const drawn = `new Promise((seen) => {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => seen()
  port2.postMessage(null)
})`

const green = { ...specLanes('one'), ...greenStory('one') }

test('the time of what has ended goes on nowhere: on the board, in the list, on the pages of a story and of the agents', async () => {
  const fixture = await createCrewFixture()
  world = fixture
  const built = await build(fixture, green)
  expect(built.exitCode, built.stderr).toBe(0)
  const { page, base, problems } = await openEnded(fixture)
  const run = page.url().split('/').at(-1) ?? ''
  await page.clock.install()
  for (const [place, isThere] of [
    [`#/runs/${run}`, '.story-card'],
    ['#/', '.run-line'],
    [`#/runs/${run}/stories/one`, '.page-head [data-state="DONE"]'],
    [`#/runs/${run}/agents/one`, '.moves'],
  ]) {
    await page.goto(`${base}/${place}`)
    await page.reload()
    await page
      .locator(isThere ?? '')
      .first()
      .waitFor()
    const before = await lengths(page)
    expect(before.length, place).toBeGreaterThan(0)
    await page.clock.runFor(20 * 60_000)
    await page.evaluate(drawn)
    expect(await lengths(page), place).toEqual(before)
  }
  expect(problems).toEqual([])
})

test('the board and the chart say the same cost', async () => {
  const usage = { input: 20_000, output: 1_000 }
  const made = await createBudgetWorld(using(green, usage), { steps: [alwaysGreen] })
  world = made
  const flags = ['--model', made.model, '--json', '--no-wait']
  expect((await made.fixture.drydock('run', 'Make the files', ...flags)).exitCode).toBe(0)
  const { page, problems } = await openEnded(made.fixture)
  const dollars = (text: string | null) => Number(/\$([\d.]+)/.exec(text ?? '')?.[1])
  const ofBoard = dollars(await page.locator('.stats > div', { hasText: 'Cost' }).locator('dd').textContent())
  expect(ofBoard).toBeGreaterThan(0.1)
  await page.getByRole('link', { name: 'Figures' }).click()
  const chart = page.locator('.card.wide .recharts-wrapper')
  const { width = 0 } = (await chart.boundingBox()) ?? {}
  await chart.hover({ position: { x: width - 12, y: 100 } })
  const roles = page.locator('.card.wide .recharts-tooltip-item-value')
  await roles.first().waitFor()
  const ofChart = (await roles.allTextContents()).map(dollars).reduce((all, each) => all + (each || 0), 0)
  // Each of the two roles is rounded to a cent.
  expect(Math.abs(ofChart - ofBoard)).toBeLessThan(0.011)
  expect(problems).toEqual([])
})

test('of a story that was done long before the newest moves of its run, its own are listed', async () => {
  const fixture = await createCrewFixture()
  world = fixture
  const built = await build(fixture, green)
  expect(built.exitCode, built.stderr).toBe(0)
  const run = String(built.events[0]?.run)
  const { state, clock } = await fixture.open()
  const store = await createSqliteStore({ file: sqliteFile(state), clock })
  await store.transact(async (tx) => {
    for (let moves = 0; moves < 150; moves += 1) {
      const data = { from: 'CODING', event: 'change_submitted', to: 'VERIFYING' } as const
      await tx.appendEvent({ run, story: 'other', type: 'state', data })
    }
  })
  await store.close()
  const { page, base, problems } = await openEnded(fixture)
  await page.goto(`${base}/#/runs/${run}/agents/one`)
  await page.locator('.moves').locator('[data-state="DONE"]').waitFor()
  expect(await page.getByText('It has not moved yet').count()).toBe(0)
  expect(problems).toEqual([])
})

test('the second attempt is called the second while it is under way, on the board and on the page of the story', async () => {
  const fixture = await createCrewFixture({ steps: [{ name: 'test', command: '! grep -qs bad one.txt' }] })
  world = fixture
  const model = await fixture.replay({
    ...green,
    'editor/one/CODING': [
      ...[writeFile('one.txt', 'bad\n'), submit('one')],
      ...[call('run_command', { command: gateCommand }), writeFile('one.txt', 'good\n'), submit('one')],
    ],
  })
  const { page, problems } = await browser.open((await serveApart(fixture, '--port', '0')).link)
  const building = fixture.drydock('run', 'Make the files', '--model', model, '--json', '--no-wait')
  await page.locator('.run-line').click()
  const card = page.locator('[data-story="one"]')
  await card.getByText('attempt 2', { exact: true }).waitFor()
  const gate = await findGate(join((await fixture.open()).state, 'workspaces', 'coder-001'))
  await card.locator('[data-state="CODING"]').waitFor()
  await card.getByText('attempt 2', { exact: true }).waitFor()
  await card.click()
  await page.locator('.page-head').getByText('attempt 2', { exact: true }).waitFor()
  await gate.open()
  expect((await building).exitCode).toBe(0)
  expect(problems).toEqual([])
})
