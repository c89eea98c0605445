import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { createLandingWorld } from '../forge/landing-world.ts'
import { createFixture, type Fixture, greenLanes } from '../scenarios/world/fixture.ts'
import { faults } from './axe.ts'
import { type OpenPage, sharedBrowser } from './browser.ts'
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

async function open(...flags: readonly string[]): Promise<OpenPage> {
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

test('if the remote leads to a forge, a change is opened there, with its link', async () => {
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
