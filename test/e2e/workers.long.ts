import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { reachGate, resultOf, twiceWaitingLanes, workerWorld } from '../hub/worker-world.ts'
import { violationsOf } from './axe.ts'
import { sharedBrowser } from './browser.ts'

const browser = sharedBrowser()
const themes = ['light', 'dark'] as const

async function enter(page: Page, token: string): Promise<void> {
  await page.getByLabel('Your personal token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.shell').waitFor()
}

test('the page of workers shows what each machine does, and an operator drains one', async () => {
  const world = await workerWorld(twiceWaitingLanes)
  const one = await world.worker('one', '--coders', '2')
  const run = await world.build()
  const gate = await reachGate(one)
  const tokenOf = async (name: string, role: string) =>
    (await world.fixture.drydock('hub', 'token', 'add', name, '--role', role)).stdout.trim()
  const url = `http://127.0.0.1:${world.port}`
  const { page, problems } = await browser.open(url, { signedIn: false })
  await enter(page, await tokenOf('bea', 'operator'))
  await page.getByRole('link', { name: 'Workers' }).click()
  const row = page.getByRole('listitem').filter({ hasText: one.host })
  await row.getByText('1 of 2 slots in use').waitFor()
  await row.getByText(/^Drydock \d/).waitFor()
  expect(await row.getByRole('link', { name: 'alpha' }).getAttribute('href')).toBe(`#/runs/${run}/stories/alpha`)
  for (const width of [1_440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme })
      expect(await violationsOf(page)).toEqual([])
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${width}-${theme}.png` })
    }
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  }

  const viewer = await browser.open(url, { signedIn: false })
  await enter(viewer.page, await tokenOf('vic', 'viewer'))
  await viewer.page.goto(`${url}/#/workers`)
  await viewer.page.getByText(one.host).waitFor()
  expect(await viewer.page.getByRole('button', { name: /Drain/ }).count()).toBe(0)

  await row.getByRole('button', { name: /^Drain one-/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Drain it' }).click()
  await row.getByText('Draining').waitFor()
  await world.hub.line(/audit .*"what":"worker_drained","by":"bea","worker":"one\/one-/)
  const two = await world.worker('two', '--coders', '1')
  await one.line(/The hub wants this worker to end/)
  await gate.open()
  expect(await one.ended).toMatchObject({ exitCode: 0 })
  const second = await reachGate(two)
  await page.getByText('1 of 1 slots in use').waitFor()
  await second.open()
  await vi.waitUntil(async () => (await row.count()) === 0, 60_000)
  expect(await resultOf(world, run)).toMatchObject({ status: 'DONE' })
  expect([...problems, ...viewer.problems]).toEqual([])
})
