import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createBenchWorld } from '../evaluation/bench-world.ts'
import { launch } from '../scenarios/world/process.ts'
import { violationsOf } from './axe.ts'
import { sharedBrowser } from './browser.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()

test('a bench is watched while it goes, its attempts are filtered, and one of them shows why it came out as it did', async () => {
  const world = await createBenchWorld()
  await writeFile(join(world.suite, 'other.txt'), 'new\nand more\n')
  // The gate only requires one new line; the hidden test allows no other line.
  await writeFile(join(world.suite, 'check.sh'), 'cat value.txt; test "$(cat value.txt)" = new\n')
  const wrong = { 'too-much': { files: { 'value.txt': 'other.txt' }, expect: 'resolved' } }
  await world.suiteOf({ ...world.task, wrong })
  const { link } = await serveApart(world, '--port', '0')
  const { page, problems } = await browser.open(link)
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await page.getByRole('heading', { name: 'Nothing has been measured yet' }).waitFor()
  const clean = async (name: string) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        expect(await violationsOf(page), `${name} ${colorScheme} ${width}`).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
        const { SHOTS } = process.env
        if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${colorScheme}-${width}.png`, fullPage: true })
      }
    }
  }
  await clean('benches-empty')

  const bench = launch(['bench', world.suite, '--out', world.out, '--self-test', '--json'], { env: world.env })
  await bench.line(/"type":"attempt"/)
  bench.child.kill('SIGSTOP')
  await page.reload()
  await page.getByRole('link', { name: /^suite/ }).click()
  await page.locator('.page-head').getByText('Going').waitFor()
  bench.child.kill('SIGCONT')
  await page.locator('.bench-cell', { hasText: 'gold' }).getByText('Resolved').waitFor()
  // From here on no page is reloaded by hand.
  await page.locator('.bench-cell', { hasText: 'too-much' }).getByText('False PASS, not Resolved').waitFor()
  await page.locator('.page-head').getByText('Self-test failed').waitFor()
  expect((await bench.ended).exitCode).toBe(3)
  await clean('bench')

  await page.getByRole('combobox', { name: 'Verdict' }).selectOption('false_pass')
  await page.getByText('1 of 3').waitFor()
  expect(page.url()).toContain('verdict=false_pass')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as JSON' }).click(),
  ])
  expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toMatchObject({
    items: [{ play: 'gold' }, { play: 'empty' }, { play: 'too-much', result: { verdict: 'false_pass' } }],
  })
  await page.locator('.bench-cell').focus()
  await page.keyboard.press('Enter')
  await page.getByText('The work was handed over, and the hidden tests are red. Expected: Resolved.').waitFor()
  await page.getByRole('region', { name: 'Hidden tests' }).getByText('and more').waitFor()
  await page.getByRole('region', { name: 'Changes' }).getByText('and more').waitFor()
  await page.getByRole('region', { name: 'Events' }).getByText('result').first().waitFor()
  expect(await page.title()).toContain('say-new.task.1.too-much')
  await clean('bench-attempt')
  await page.goBack()
  await page.getByText('1 of 3').waitFor()
  expect(problems).toEqual([])
})
