import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  approve,
  build,
  createCrewFixture,
  greenStory,
  needsChanges,
  specLanes,
  submit,
  writeFile,
} from '../scenarios/world/crew.ts'
import type { Fixture } from '../scenarios/world/fixture.ts'
import { violationsOf } from './axe.ts'
import { sharedBrowser } from './browser.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
let first: string
let second: string

/** The same words twice: the second run has a red verification, a finding, and another story. */
beforeAll(async () => {
  const step = { name: 'test', command: '! grep -qs bad one.txt', timeout_sec: 120 }
  fixture = await createCrewFixture({ steps: [step] })
  const once = await build(fixture, { ...specLanes('one', 'two'), ...greenStory('one'), ...greenStory('two') })
  first = String(once.events[0]?.run)
  const again = await build(
    fixture,
    {
      ...specLanes('one', 'three'),
      ...greenStory('one'),
      ...greenStory('three'),
      'editor/one/CODING': [
        ...[writeFile('one.txt', 'bad\n'), submit('one'), writeFile('one.txt', 'good\nand more\n'), submit('one')],
        ...[writeFile('one.txt', 'better\nand more\n'), submit('one')],
      ],
      'architect/REQUEST/code/one/1': [needsChanges('Say it better.')],
      'architect/REQUEST/code/one/2': [approve()],
    },
    ...['--again', '--budget-usd', '7'],
  )
  second = String(again.events[0]?.run)
  expect([once.exitCode, again.exitCode], again.stderr).toEqual([0, 0])
})
afterAll(() => fixture.remove())

const serve = () => serveApart(fixture, '--port', '0', '--no-own')

test('two runs are chosen in the list, and stand side by side with their stories, verdicts, findings and settings', async () => {
  const { page, problems } = await browser.open((await serve()).link)
  await page.getByRole('button', { name: 'Compare two' }).click()
  for (const run of [first, second]) await page.getByRole('checkbox', { name: new RegExp(`, ${run}$`) }).check()
  await page.getByRole('link', { name: 'Compare them' }).click()
  await expect.poll(() => page.url()).toContain(`#/compare/${first}/${second}`)
  const runs = page.getByRole('region', { name: 'The two runs' })
  const row = (name: string) => runs.getByRole('row', { name: new RegExp(`^${name} `) }).innerText()
  await page.getByText('asked for with the same words, and started from the same commit').waitFor()
  expect((await row('Verifications')).replaceAll(/\s+/g, ' ')).toMatch(/\d green, 0 red \d green, 1 red \+1 red/)
  expect((await row('Findings')).replaceAll(/\s+/g, ' ')).toBe('Findings none 1 settled +1 in all')
  expect((await row('Change')).replaceAll(/\s+/g, ' ')).toBe('Change 2 files, +2 −0 2 files, +3 −0 +1 line')
  const told = page.getByRole('region', { name: 'Differences of models and settings' })
  await told.getByRole('row', { name: /^dollars of the run \d+ 7$/ }).waitFor()
  const one = page.locator('[data-pair="one"] .compare-story')
  expect(await one.nth(0).innerText()).toMatch(/Verdicts\s+Pass\s+Reviews/)
  expect(await one.nth(1).innerText()).toMatch(/Verdicts\s+Fail, Pass, Pass\s+Reviews/)
  await one.nth(1).locator('summary').click()
  await one.nth(1).getByText('a.txt says the wrong thing').waitFor()
  await page.locator('[data-pair="two"]').getByText('It has no such story.').waitFor()
  await page.locator('[data-pair="three"]').getByText('It has no such story.').waitFor()
  const files = page.getByRole('region', { name: 'Changed files of both' })
  await files.getByRole('row', { name: /two\.txt .* not changed/ }).waitFor()

  // The other way round, and from the palette with one run in sight.
  await page.getByRole('link', { name: 'Swap' }).click()
  await expect.poll(() => page.url()).toContain(`#/compare/${second}/${first}`)
  await page.locator('[data-pair="one"] .compare-story').nth(0).getByText('Fail, Pass, Pass').waitFor()
  await page.goto(page.url().replace(/#.*/, `#/runs/${first}`))
  await page.locator('[data-story="one"]').waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('compare with')
  await page.getByRole('option', { name: /Compare with another run/ }).click()
  await page.getByText('Choose two runs').waitFor()
  await page.getByLabel('Second run').selectOption(second)
  await page.locator('[data-pair="one"]').waitFor()
  expect(problems).toEqual([])
})

test('the comparison is in order for axe on a screen and on a phone, by day and by night', async () => {
  const { page, base } = await browser.open((await serve()).link)
  for (const place of [`${first}/${second}`, first]) {
    await page.goto(`${base}/#/compare/${place}`)
    await page.getByText(place === first ? 'Choose two runs' : 'Told differently').waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 })
        const name = `compare-${place === first ? 'one' : 'two'}-${colorScheme}-${width}`
        expect(await violationsOf(page), name).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), name).toBe(true)
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true })
      }
    }
  }
})
