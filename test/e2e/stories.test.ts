import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { limits } from '../../src/domain/limits.ts'
import { approve, build, createCrewFixture, greenStory, reject, specLanes } from '../scenarios/world/crew.ts'
import { call, change, createFixture, type Fixture, plan, write } from '../scenarios/world/fixture.ts'
import { findGate, gatedLanes, launch } from '../scenarios/world/process.ts'
import { sharedBrowser } from './browser.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
afterEach(() => fixture.remove())

const isIn = (page: Page, state: string) => page.locator('.page-head').locator(`[data-state="${state}"]`).waitFor()

test('a stuck story of a spec is retried from its page, and half an answer outlasts a look elsewhere', async () => {
  fixture = await createCrewFixture()
  const again = greenStory('one')
  const stuck = await build(fixture, {
    ...specLanes('one'),
    ...again,
    'architect/REQUEST/plan/one/1': [reject('It must not be built like this.')],
    'architect/REQUEST/plan/one@2/1': [approve()],
    'architect/REQUEST/code/one@2/1': [approve()],
    'editor/one@2/PLANNING': again['editor/one/PLANNING'] ?? [],
    'editor/one@2/CODING': again['editor/one/CODING'] ?? [],
  })
  expect(stuck.exitCode, stuck.stderr).toBe(6)
  const { page, problems } = await browser.open((await serveApart(fixture, '--port', '0')).link)
  await page.locator('.run-line').click()
  const words = page.getByLabel('What to do differently')
  await words.fill('mind the')
  await page.locator('.question').getByRole('link', { name: 'diff' }).click()
  await page.locator('.back').click()
  await expect.poll(() => words.inputValue()).toBe('mind the')

  await page.locator('[data-story="one"]').click()
  await isIn(page, 'REJECTED')
  await page.locator('.page-head').getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('dialog').getByLabel('What to do differently').fill('look at the letters')
  await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click()
  await isIn(page, 'DONE')
  expect(problems).toEqual([])
})

/** A command that ends once the test has put a file there. */
const untilTold = 'until [ -e go ]; do sleep 0.05; done; rm go'
const look = () => call('list_files', { pattern: '*' })

test('what is read in a timeline keeps its place while more comes, and a button leads to what is new', async () => {
  fixture = await createFixture()
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [
      ...[look(), look(), call('run_command', { command: untilTold })],
      ...[look(), look(), call('run_command', { command: untilTold }), write('new\n'), change()],
    ],
  })
  const { page, problems } = await browser.open((await serveApart(fixture, '--port', '0')).link)
  const started = fixture.drydock('task', 'Say it', '--json', '--model', model)
  await page.locator('.run-line').click()
  await page.locator('[data-story="task"]').click()
  await page.getByRole('link', { name: 'Timeline' }).click()
  const entry = page.locator('.entry', { has: page.getByText('list_files') }).last()
  await page.locator('.entry-kind', { hasText: 'run_command' }).waitFor()
  await entry.locator('.entry-head').click()
  await entry.getByRole('heading', { name: 'Out' }).waitFor()
  const before = await entry.boundingBox()
  const go = join((await fixture.open()).state, 'workspaces', 'coder-001', 'go')
  await writeFile(go, '')
  await page.getByRole('button', { name: '6 new', exact: true }).waitFor()
  expect(Math.abs(((await entry.boundingBox())?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(2)
  await page.getByRole('button', { name: /new$/ }).click()
  await page.getByRole('button', { name: /new$/ }).waitFor({ state: 'detached' })
  await page.locator('.entry-head').first().getByText('run_command').waitFor()
  await writeFile(go, '')
  expect((await started).exitCode).toBe(0)
  expect(problems).toEqual([])
})

test('of a log that is too long for a page the end is shown, with the numbers that its lines have', async () => {
  fixture = await createFixture({ steps: [{ name: 'count', command: 'seq 1000000' }] })
  expect((await fixture.drydock('verify', '--json')).exitCode).toBe(0)
  const { page, problems } = await browser.open((await serveApart(fixture, '--port', '0', '--no-own')).link)
  await page.locator('.run-line').click()
  await page.getByRole('button', { name: /^count/ }).click()
  await page.getByText(/its first \S+ lines \(\S+ MB\) are not shown here/).waitFor()
  const [number, text] = await page.locator('.log-line').first().locator('span').allTextContents()
  expect(Number(number)).toBeGreaterThan(100_000)
  expect(text).toBe(number)
  expect(problems).toEqual([])
})

test('the logs of a large run are all there while the next one goes on', async () => {
  fixture = await createCrewFixture({ steps: [{ name: 'test', command: 'echo it was verified' }] })
  const names = Array.from({ length: 13 }, (_, i) => `s${i + 1}`)
  const lanes = Object.assign({}, specLanes(...names), ...names.map((name) => greenStory(name)))
  const built = await build(fixture, lanes)
  expect(built.exitCode, built.stderr).toBe(0)
  const run = String(built.events[0]?.run)
  const verified = built.events.filter(({ type }) => type === 'verification')
  expect(verified.length).toBeGreaterThan(limits.artifactRuns)
  expect((await fixture.drydock('gc')).exitCode).toBe(0)
  const next = launch(['task', 'say new', '--repo', fixture.repo, '--model', await fixture.replay(gatedLanes)], fixture)
  const gate = await findGate(join((await fixture.open()).state, 'workspaces', 'coder-001'))
  const { page, base, problems } = await browser.open((await serveApart(fixture, '--port', '0', '--no-own')).link)
  await page.goto(`${base}/#/runs/${run}/verifications/${verified[0]?.run_id}`)
  await page.locator('.log', { hasText: 'it was verified' }).waitFor()
  // The end of a log is among the rows as well; all else is only in the folder of its verification.
  await page.locator('summary', { hasText: 'Files' }).click()
  await page.getByRole('button', { name: 'Download manifest.json' }).waitFor()
  await gate.open()
  expect((await next.ended).exitCode).toBe(0)
  expect(problems).toEqual([])
})

test('a plan that is finished shows its stories', async () => {
  fixture = await createCrewFixture()
  const model = await fixture.replay(specLanes('one', 'two'))
  const planned = await fixture.drydock('plan', 'Make the files', '--json', '--model', model)
  expect(planned.exitCode, planned.stderr).toBe(0)
  const { page, problems } = await browser.open((await serveApart(fixture, '--port', '0', '--no-own')).link)
  await page.locator('.run-line').click()
  await page.getByRole('heading', { name: 'Make one' }).waitFor()
  await page.getByRole('heading', { name: 'Make two' }).waitFor()
  expect(await page.getByText('will appear here').count()).toBe(0)
  expect(problems).toEqual([])
})

test('stories are approved, retried with words, and skipped by buttons', async () => {
  fixture = await createCrewFixture()
  const ends = (story: string) => ({
    ...greenStory(story),
    [`architect/REQUEST/plan/${story}/1`]: [reject('It must not be built like this.')],
  })
  const again = greenStory('one')
  const model = await fixture.replay({
    ...specLanes('one', { id: 'two', depends_on: ['one'] }),
    ...ends('one'),
    ...ends('two'),
    'editor/one@2/PLANNING': again['editor/one/PLANNING'] ?? [],
    'editor/one@2/CODING': again['editor/one/CODING'] ?? [],
    'architect/REQUEST/plan/one@2/1': [approve()],
    'architect/REQUEST/code/one@2/1': [approve()],
  })
  const { page, problems } = await browser.open((await serveApart(fixture, '--port', '0', '--model', model)).link)
  await page.getByRole('link', { name: 'Start' }).first().click()
  await page.getByRole('textbox', { name: /^Spec/ }).fill('Make the files')
  await page.getByText('Ask me before any story starts').click()
  await page.getByRole('button', { name: 'Build it' }).click()
  await page.getByRole('button', { name: 'Build these stories' }).click()

  await page.getByLabel('What to do differently').fill('look at the letters')
  await page.getByRole('button', { name: 'Retry with this' }).click()
  await page.getByRole('button', { name: 'Skip two' }).click()
  await page.locator('.page-head', { hasText: 'Done, 1 skipped' }).waitFor()
  await page.getByRole('region', { name: 'Given up' }).locator('[data-story="two"]').waitFor()
  await page.getByRole('region', { name: 'Done' }).locator('[data-story="one"]').waitFor()
  expect(problems).toEqual([])
})

test('a verification that failed is red and says so, in the list and on its page', async () => {
  fixture = await createFixture({ steps: [{ name: 'test', command: 'false' }] })
  expect((await fixture.drydock('verify', '--json')).exitCode).toBe(3)
  const { page, problems } = await browser.open((await serveApart(fixture, '--port', '0', '--no-own')).link)
  await page.locator('.run-line .pill.attention', { hasText: 'Fail' }).waitFor()
  await page.locator('.run-line').click()
  await page.locator('.page-head .pill.attention', { hasText: 'Fail' }).waitFor()
  await page.getByRole('heading', { name: 'The verification failed. Not ended with 0: test.' }).waitFor()
  expect(await page.locator('.pill.done').count()).toBe(0)
  expect(problems).toEqual([])
})
