import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import type { EventList } from '../../src/api/events.ts'
import { approve, createCrewFixture, greenStory, type Lanes, needsChanges, specLanes } from '../scenarios/world/crew.ts'
import { createFixture, type Fixture } from '../scenarios/world/fixture.ts'
import { findGate, gatedLanes, launch } from '../scenarios/world/process.ts'
import { sharedBrowser } from './browser.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
afterEach(() => fixture.remove())

/** The first story asks a human about its change; the second one waits for it. */
const lanes: Lanes = {
  ...specLanes('one', { id: 'two', depends_on: ['one'] }),
  ...greenStory('one'),
  ...greenStory('two'),
  'architect/REQUEST/code/one/1': [needsChanges('Not like **this**.')],
  'architect/REQUEST/code/one/2': [approve({ accepted: ['c1'] })],
}

const oneRound = { config: { editor: { review_rounds: 1 } } }

async function startSpec(page: Page, model: string): Promise<void> {
  await page.getByRole('link', { name: 'Start' }).first().click()
  await page.getByRole('textbox', { name: /^Spec/ }).fill('# Make the files\n\nOne, then two.')
  await page.getByText('Options').click()
  await page.getByLabel('Model').fill(model)
  await page.getByRole('button', { name: 'Build it' }).click()
}

const card = (page: Page, story: string, state: string) =>
  page.locator(`[data-story="${story}"]`).locator(`[data-state="${state}"]`).waitFor()

test('a server that is killed and comes back finds the page waiting, which then misses nothing', async () => {
  fixture = await createCrewFixture(oneRound)
  const first = await serveApart(fixture, '--port', '0')
  const { page, base } = await browser.open(first.link)
  await startSpec(page, await fixture.replay(lanes))
  await card(page, 'one', 'ESCALATED')
  const run = /runs\/([^/]+)/.exec(page.url())?.[1] ?? ''

  await page.getByRole('link', { name: 'Activity' }).click()
  await page.locator('[data-event]').first().waitFor()

  first.child.kill('SIGKILL')
  await first.ended
  await page.getByText('The connection to Drydock is lost').waitFor()
  await fixture.drydock('reply', '1', 'Take it as it is.')
  const done = await fixture.drydock('resume', '--json', '--no-wait')
  expect(done.exitCode, done.stderr).toBe(0)

  await serveApart(fixture, '--port', first.port, '--no-own')
  await page.getByText('The connection to Drydock is lost').waitFor({ state: 'detached' })
  const { session } = JSON.parse(await page.evaluate<string>("localStorage.getItem('drydock.session')"))
  const asking = { headers: { Authorization: `Bearer ${session}` } }
  const answer = await fetch(`${base}/api/runs/${run}/events?limit=5`, asking)
  const { events } = (await answer.json()) as EventList
  const newest = events.map(({ id }) => String(id))
  await page.locator(`[data-event="${newest[0]}"]`).waitFor()
  const ids = `[...document.querySelectorAll('[data-event]')].map((row) => row.dataset.event)`
  const shown = await page.evaluate<readonly string[]>(ids)
  expect(shown.slice(0, 5)).toEqual(newest)
  await page.getByRole('link', { name: 'Board' }).click()
  await card(page, 'two', 'DONE')
  await page.locator('.question').waitFor({ state: 'detached' })
})

test('a page of a command that ends well shows the end calmly, and continues with the next server', async () => {
  fixture = await createFixture()
  const model = await fixture.replay(gatedLanes)
  const env = { env: fixture.env }
  const running = launch(['task', 'say new', '--repo', fixture.repo, '--ui', '--model', model], env)
  const [link = ''] = /http:\S+/.exec(await running.line(/Dashboard: http/)) ?? []
  const { page, problems } = await browser.open(link)
  await page.locator('.run-line').click()
  const gate = await findGate(join((await fixture.open()).state, 'workspaces', 'coder-001'))
  await page.locator('.connection.live').waitFor()
  await gate.open()
  expect((await running.ended).exitCode).toBe(0)
  await page.getByText('The command that showed this page has ended').waitFor()
  await page.locator('.page-head [data-state="DONE"]').waitFor()
  await card(page, 'task', 'DONE')
  expect(await page.locator('.bar.bad').count()).toBe(0)
  expect((await running.ended).stderr).toContain('drydock serve')

  await serveApart(fixture, '--port', new URL(link).port, '--no-own')
  await page.locator('.bar').waitFor({ state: 'detached' })
  await page.locator('.connection.live').waitFor()
  expect(problems).toEqual([])
})
