import { basename } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { createCrewFixture, specLanes } from '../scenarios/world/crew.ts'
import { play } from '../scenarios/world/crew-script.ts'
import { createFixture, type Fixture } from '../scenarios/world/fixture.ts'
import { violationsOf } from './axe.ts'
import { sharedBrowser } from './browser.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
let other: Fixture
afterEach(() => Promise.all([fixture.remove(), other.remove()]))

/** Two repositories of one user: in the second one stories wait for approval. */
async function serveTwo() {
  fixture = await createFixture()
  other = await createCrewFixture({ env: fixture.env })
  const asked = await play(other, { lanes: specLanes('one') }, '--review-stories')
  expect(asked.exitCode, asked.stderr).toBe(6)
  const serving = await serveApart(fixture, '--port', '0')
  // The servers that it has started end cleanly with it.
  onTestFinished(async () => {
    serving.child.kill('SIGTERM')
    await serving.ended
  })
  return { ...serving, run: String(asked.events[0]?.run) }
}

test('a question of another repository is answered in the one inbox, and the page leads to that repository and its run', async () => {
  const { link, run } = await serveTwo()
  const name = basename(other.repo)
  const { page, base } = await browser.open(link)
  await page.getByRole('link', { name: 'Questions' }).click()
  const asked = page.getByRole('article', { name: `Question in ${name}` })
  await asked.getByText('Shall these stories be built?').waitFor()
  await asked.getByRole('textbox').fill('stop')
  await asked.getByRole('button', { name: 'Answer' }).click()
  await asked.getByText('Your answer is stored. No process works on').waitFor()
  await asked.getByRole('button', { name: /^Look at it in/ }).click()
  // The other repository's own server was started, at another port, and takes the answer.
  await page.waitForURL((url) => url.origin !== base && url.hash === `#/runs/${run}`)
  await page.getByText('It was cancelled.').first().waitFor()
  expect(page.url()).not.toContain('token')
})

test('the switcher leads from one repository to the other, and the list of all shows their runs side by side', async () => {
  const { link } = await serveTwo()
  const { page, base, problems } = await browser.open(link)
  await page.getByRole('link', { name: 'Repositories' }).click()
  const card = page.getByRole('region', { name: basename(other.repo) }).filter({ hasText: other.repo })
  await card.getByRole('rowheader', { name: 'Make the files' }).waitFor()
  await card.getByText('1 question').waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await violationsOf(page), `${colorScheme} ${width}`).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/repositories-${colorScheme}-${width}.png`, fullPage: true })
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  const picker = page.getByRole('combobox', { name: /^Repository/ })
  await picker.selectOption({ index: 1 })
  await page.waitForURL((url) => url.origin !== base)
  await page
    .getByRole('link', { name: /Make the files/ })
    .first()
    .waitFor()
  await expect.poll(() => page.title()).toContain(basename(other.repo))
  expect(problems).toEqual([])
})
