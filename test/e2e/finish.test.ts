import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { createLandingWorld } from '../forge/landing-world.ts'
import {
  approve,
  build,
  createCrewFixture,
  finding,
  greenStory,
  needsChanges,
  specLanes,
} from '../scenarios/world/crew.ts'
import { call, change, createFixture, type Fixture, greenLanes, write } from '../scenarios/world/fixture.ts'
import { findGate, gateCommand } from '../scenarios/world/process.ts'
import { faults } from './axe.ts'
import { type Opened, sharedBrowser } from './browser.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
afterEach(() => fixture.remove())

const panel = (page: Page) => page.locator('.finish')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function commit(files: Readonly<Record<string, string>>): Promise<string> {
  await fixture.write(files)
  await fixture.git('add', '-A')
  await fixture.git('commit', '-qm', 'Meanwhile')
  return fixture.git('rev-parse', 'HEAD')
}

async function open(...flags: readonly string[]): Promise<Opened> {
  return browser.open((await serveApart(fixture, '--port', '0', ...flags)).link)
}

test('a task that is done shows its proof, and lands by a button while somebody watches, over a reload and a killed owner', async () => {
  fixture = await createFixture()
  expect((await fixture.drydock('task', 'Say new', '--model', await fixture.replay(greenLanes))).exitCode).toBe(0)
  const meanwhile = await commit({ 'other.txt': 'other\n' })
  const first = await serveApart(fixture, '--port', '0', '--no-own')
  const { page, problems } = await browser.open(first.link)
  await page.locator('.run-line').click()
  await panel(page).getByText('See the changes').waitFor()
  await panel(page).locator('[data-signature="good"]').waitFor()
  await button(page, 'Verify now').click()
  await panel(page).getByText('Checked').waitFor()
  expect(await faults(page)).toEqual([])

  await button(page, 'Merge into main').click()
  await page.locator('[data-landing="REQUESTED"]').waitFor()
  await expect.poll(() => button(page, 'Merge into main').isDisabled()).toBe(true)
  await page.reload()
  await page.locator('[data-landing="REQUESTED"]').waitFor()
  expect(await fixture.git('rev-parse', 'main')).toBe(meanwhile)

  first.child.kill('SIGKILL')
  await first.ended
  await serveApart(fixture, '--port', first.port)
  await page.locator('[data-landing="LANDED"]').getByText('Merged into main').waitFor()
  await page.getByRole('heading', { name: 'Landed on main' }).waitFor()
  const parents = await fixture.git('log', '-1', '--format=%P', 'main')
  expect(parents.split(' ')[0]).toBe(meanwhile)
  expect(await faults(page)).toEqual([])
  expect(problems).toEqual([])
})

test('the panel of a run that ends while somebody watches comes below its stories and moves none of them', async () => {
  fixture = await createCrewFixture()
  const two = greenStory('two')
  const held = [call('run_command', { command: gateCommand }), ...(two['editor/two/CODING'] ?? [])]
  const lanes = { ...specLanes('one', { id: 'two', depends_on: ['one'] }), ...greenStory('one'), ...two }
  const { page, problems } = await open('--model', await fixture.replay({ ...lanes, 'editor/two/CODING': held }))
  await page.getByRole('link', { name: 'Start' }).first().click()
  await page.getByRole('textbox', { name: /^Spec/ }).fill('# Make the files')
  await button(page, 'Build it').click()
  const done = page.locator('[data-story="one"]')
  await done.locator('[data-state="DONE"]').waitFor()
  const gate = await findGate(join((await fixture.open()).state, 'workspaces', 'coder-001'))
  // The focus stays on a card that moves to another column.
  await page.locator('[data-story="two"]').focus()
  const before = await done.boundingBox()
  await gate.open()
  await panel(page).getByRole('heading', { name: 'Built and ready' }).waitFor()
  await page.locator('.page-head [data-state="DONE"]').waitFor()
  expect(await done.boundingBox()).toEqual(before)
  await page.locator('[data-story="two"]:focus').locator('[data-state="DONE"]').waitFor()
  const [lowest, top] = [await page.locator('.columns').boundingBox(), await panel(page).boundingBox()]
  expect(top?.y).toBeGreaterThanOrEqual((lowest?.y ?? 0) + (lowest?.height ?? 0))
  // Who comes later finds it first.
  await page.reload()
  await panel(page).waitFor()
  expect((await panel(page).boundingBox())?.y).toBeLessThan((await done.boundingBox())?.y ?? 0)
  expect(problems).toEqual([])
})

test('findings that hold a task come first; once each is accepted, it lands; what is refused says why', async () => {
  const scripts = (script: string) => `${JSON.stringify({ name: 'median', scripts: { test: script } })}\n`
  fixture = await createFixture({ files: { 'package.json': scripts('node --test') } })
  const weaker = call('write_file', { path: 'package.json', content: scripts('true') })
  const lanes = { ...greenLanes, 'editor/task/CODING': [write('new\n'), weaker, change()] }
  expect((await fixture.drydock('task', 'Say new', '--model', await fixture.replay(lanes))).exitCode).toBe(3)
  const { page, problems } = await open()
  await page.locator('.run-line .pill.attention', { hasText: /^Done, \d findings? to accept$/ }).waitFor()
  await page.locator('.run-line').click()
  await page.locator('.page-head .pill.attention', { hasText: /^Done, \d findings? to accept$/ }).waitFor()
  expect(await page.locator('.pill.done').count()).toBe(0)
  await page.getByRole('heading', { name: /holds? it$/ }).waitFor()
  expect(await button(page, 'Merge into main').isDisabled()).toBe(true)
  expect(await faults(page)).toEqual([])
  const held = page.locator('.finish-findings > li')
  for (let left = await held.count(); left > 0; left -= 1) {
    await held.first().getByRole('button', { name: 'Accept' }).click()
    await expect.poll(() => held.count()).toBe(left - 1)
  }
  await panel(page).getByText('by a person', { exact: false }).first().waitFor()
  await fixture.write({ 'value.txt': 'mine\n' })
  await button(page, 'Merge into main').click()
  await page.locator('[data-landing="REFUSED"]').getByText('uncommitted changes').waitFor()
  await button(page, 'Apply to your files').click()
  await page.locator('[data-landing="REFUSED"]').first().getByText('Not applied').waitFor()
  expect(await fixture.git('show', ':value.txt')).toBe('old')
  await fixture.git('checkout', '-q', 'value.txt')
  await button(page, 'Apply to your files').click()
  await page.locator('[data-landing="LANDED"]').getByText('2 files of your working tree', { exact: false }).waitFor()
  expect(await fixture.git('status', '--porcelain')).toContain('M value.txt')
  await fixture.git('checkout', '-q', '.')
  await button(page, 'Merge into main').click()
  await page.locator('[data-landing="LANDED"]', { hasText: 'Merged into main' }).waitFor()
  expect(await fixture.git('show', 'main:value.txt')).toBe('new')
  expect(problems).toEqual([])
})

test('where the remote leads to a forge, a change is opened there, with its link', async () => {
  const world = await createLandingWorld('github')
  fixture = { ...world.fixture, remove: async () => {} }
  const { page, problems } = await open()
  await page.locator('.run-line').click()
  await button(page, 'Open a change').click()
  const landed = page.locator('[data-landing="LANDED"]')
  await landed.getByRole('link', { name: 'Change 1' }).waitFor()
  expect(world.forge.changes).toMatchObject([{ state: 'open', head: world.branch }])
  await button(page, 'Bring it up to date').waitFor()
  expect(problems).toEqual([])
})

test('the receipts of a repository are listed with the state of each, filtered, verified and downloaded', async () => {
  fixture = await createFixture()
  const { page, problems, base } = await open('--no-own')
  await page.getByRole('link', { name: 'Receipts' }).click()
  await page.getByRole('heading', { name: 'No commit here has a receipt yet' }).waitFor()
  expect(await faults(page)).toEqual([])

  const task = await fixture.drydock('task', 'Say new', '--model', await fixture.replay(greenLanes), '--json')
  const sha = await fixture.git('rev-parse', String(task.events.at(-1)?.branch))
  const copied = await commit({ 'other.txt': 'other\n' })
  await fixture.git('notes', '--ref=refs/notes/drydock', 'copy', '-f', sha, copied)
  await page.goto(`${base}/#/`)
  await page.getByRole('link', { name: 'Receipts' }).click()
  await page.locator(`[data-receipt="${copied}"] [data-signature="broken"]`).waitFor()
  const good = page.locator(`[data-receipt="${sha}"]`)
  await good.locator('[data-signature="good"]').waitFor()
  await button(page, 'Verify all in view').click()
  await page.getByText('Verified 2 again: 1 proven').waitFor()
  const loading = page.waitForEvent('download')
  await good.getByRole('button', { name: /^Download/ }).click()
  const note = await fixture.git('notes', '--ref=refs/notes/drydock', 'show', sha)
  expect((await readFile(await (await loading).path(), 'utf8')).trim()).toBe(note.trim())
  await good.getByRole('button', { name: /^More of/ }).click()
  await good.getByText(`"commit": "${sha}"`).waitFor()
  expect(await faults(page)).toEqual([])

  await page.getByLabel('Find').fill('say new')
  await page.getByText('1 of 2 commits').waitFor()
  await page.reload()
  await page.getByText('1 of 2 commits').waitFor()
  expect(await page.getByLabel('Find').inputValue()).toBe('say new')
  await page.getByLabel('Find').fill('nothing like it')
  await page.getByRole('heading', { name: 'No receipt matches' }).waitFor()
  expect(problems).toEqual([])
})

test('of the findings that a question is about, each is accepted or insisted on, with the evidence beside', async () => {
  fixture = await createCrewFixture({ config: { editor: { review_rounds: 1 } } })
  const found = [
    finding({ id: 'c1', claim: 'The name is wrong.' }),
    finding({ id: 'c2', claim: 'The case is missing.' }),
  ]
  const stopped = await build(fixture, {
    ...specLanes('one'),
    ...greenStory('one'),
    'architect/REQUEST/code/one/1': [needsChanges('Not like this.', found)],
    'architect/REQUEST/code/one/2': [approve({ accepted: ['c2'] })],
  })
  expect(stopped.exitCode, stopped.stderr).toBe(6)
  const { page, problems } = await open()
  await page.locator('.run-line').click()
  const fates = page.getByRole('region', { name: 'Findings to decide about' })
  const asked = page.getByRole('article', { name: 'Question of the architect' })
  await asked.getByText('Not like this.').waitFor()
  expect(await asked.innerText()).not.toContain('drydock')
  await fates
    .getByRole('group', { name: /The name is wrong/ })
    .getByLabel('Accept it as it is')
    .check()
  await fates.getByText('1 finding to decide about').waitFor()
  await page.getByText('The diff', { exact: true }).click()
  await page.locator('.question .evidence-part').getByText('one.txt').first().waitFor()
  expect(await faults(page)).toEqual([])
  await fates
    .getByRole('group', { name: /The case is missing/ })
    .getByLabel('Insist on it')
    .check()
  await button(page, 'Accept 1, insist on 1').click()
  await page.locator('.page-head').locator('[data-state="DONE"]').waitFor()
  await page.getByRole('link', { name: 'Chat' }).click()
  await page.locator('.message.human', { hasText: 'I insist on these findings' }).waitFor()
  expect(problems).toEqual([])
})
