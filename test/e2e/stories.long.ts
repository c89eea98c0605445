import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { limits } from '../../src/domain/limits.ts'
import { build, createCrewFixture, greenStory, specLanes } from '../scenarios/world/crew.ts'
import { call, type Fixture } from '../scenarios/world/fixture.ts'
import { findGate, gatedLanes, launch } from '../scenarios/world/process.ts'
import { sharedBrowser } from './browser.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
afterEach(() => fixture.remove())

const _isIn = (page: Page, state: string) => page.locator('.page-head').locator(`[data-state="${state}"]`).waitFor()

/** A command that ends once the test creates a file. */
const _untilTold = 'until [ -e go ]; do sleep 0.05; done; rm go'
const _look = () => call('list_files', { pattern: '*' })

test('the logs of a large run are complete while the next one works', async () => {
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
  // The rows have the end of a log as well; all other files are only in the folder of the
  // verification.
  await page.locator('summary', { hasText: 'Files' }).click()
  await page.getByRole('button', { name: 'Download manifest.json' }).waitFor()
  await gate.open()
  expect((await next.ended).exitCode).toBe(0)
  expect(problems).toEqual([])
})
