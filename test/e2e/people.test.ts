import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  build,
  createCrewFixture,
  greenStory,
  needsChanges,
  specLanes,
  submit,
  writeFile,
} from '../scenarios/world/crew.ts'
import type { Fixture } from '../scenarios/world/fixture.ts'
import { type Served, serveHere } from '../server/served.ts'
import { violationsOf } from './axe.ts'
import { type Opened, sharedBrowser } from './browser.ts'
import { pagesOf } from './pages.ts'

const browser = sharedBrowser()
let fixture: Fixture
let run: string
let served: Served

/** One story is done, one asks a human, and one waits for it. */
beforeAll(async () => {
  fixture = await createCrewFixture({ config: { editor: { review_rounds: 1 } } })
  const stopped = await build(fixture, {
    ...specLanes('good', 'asks', { id: 'waits', depends_on: ['asks'] }),
    ...greenStory('good'),
    'editor/good/CODING': [writeFile('good.ts', '// Says good.\nexport const good = 1\n'), submit('good')],
    ...greenStory('asks'),
    'architect/REQUEST/code/asks/1': [needsChanges('Not like **this**.')],
  })
  run = String(stopped.events[0]?.run)
  served = await serveHere(fixture)
})
afterAll(async () => {
  await served.close()
  await fixture.remove()
})

async function show(options: Parameters<typeof browser.open>[1] = {}): Promise<Opened> {
  const { events } = await fixture.drydock('serve', '--json')
  return browser.open(String(events[0]?.link), options)
}

async function go({ page, base }: Opened, path: string): Promise<void> {
  await page.goto(`${base}/${path}`)
  await page.locator('.loading').waitFor({ state: 'detached' })
}

/**
 * How wide the page is once it has settled: what is drawn to a width, such as a chart, follows a
 * frame or two after the screen.
 */
async function narrowest(page: Page): Promise<number> {
  let width = 0
  for (let frames = 0; frames < 60; frames += 1) {
    width = await page.evaluate<number>(
      'new Promise((seen) => requestAnimationFrame(() => seen(document.documentElement.scrollWidth)))',
    )
    if (width <= 390) break
  }
  return width
}

describe('people can use every page', () => {
  test('on each axe finds nothing, light or dark, on a screen and on a phone, where nothing is wider', async () => {
    const opened = await show({ width: 1_440 })
    const { page } = opened
    const found: string[] = []
    for (const path of pagesOf(run, 'asks')) {
      await go(opened, path)
      for (const width of [1_440, 390]) {
        await page.setViewportSize({ width, height: 900 })
        if (width === 390 && (await narrowest(page)) > width) found.push(`${path} is wider`)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          found.push(...(await violationsOf(page)).map((what) => `${path}, ${width}, ${colorScheme}: ${what}`))
        }
      }
    }
    expect({ found, problems: opened.problems }).toEqual({ found: [], problems: [] })
  })

  test('on a phone the menu leads everywhere', async () => {
    const { page, problems } = await show({ width: 390, height: 844 })
    await page.locator('.run-line').click()
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Figures' }).click()
    await page.getByRole('heading', { level: 1, name: 'Figures' }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(problems).toEqual([])
  })

  test('with the keyboard alone: j and k walk, Enter opens, r replies, ? explains', async () => {
    const opened = await show()
    const { page } = opened
    await go(opened, `#/runs/${run}`)
    const focused = () => page.evaluate<string>('document.activeElement.dataset.story')
    await page.locator('[data-story]').first().waitFor()
    await page.keyboard.press('j')
    const first = await focused()
    await page.keyboard.press('j')
    const second = await focused()
    await page.keyboard.press('k')
    expect([await focused(), second]).toEqual([first, expect.not.stringMatching(`^${first}$`)])
    await page.keyboard.press('r')
    await page.locator('textarea:focus').waitFor()
    await page.keyboard.press('?')
    expect(await page.locator('textarea:focus').inputValue()).toBe('?')
    await page.locator('[data-story]').first().focus()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator(`[data-story="${first}"]`).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: `Make ${first}` }).waitFor()
    await expect.poll(() => page.evaluate<string>('document.activeElement.id')).toBe('main')
  })

  test('a tab that is older than the server gets the parts of its pages by being loaded again', async () => {
    const opened = await show()
    const { page } = opened
    await page.evaluate('window.loaded = "once"')
    const parts = '**/assets/diff-review-*.js'
    await page.route(parts, (route) => route.fulfill({ status: 404 }))
    const loaded = page.waitForEvent('load')
    await go(opened, `#/runs/${run}/diff`)
    await loaded
    await page.unroute(parts)
    await page.reload()
    await page.locator('.diff-code-insert', { hasText: 'Says good' }).waitFor()
    expect(await page.evaluate('window.loaded')).toBe(undefined)
  })

  test('the scripts and styles of a page are sent compressed', async () => {
    const { page } = await show()
    const sizes = `performance.getEntriesByType('resource')
      .filter(({ name, decodedBodySize }) => /\\.(?:js|css)$/.test(name) && decodedBodySize > 10_000)
      .map(({ encodedBodySize, decodedBodySize }) => encodedBodySize / decodedBodySize)`
    const shares = await page.evaluate<readonly number[]>(sizes)
    expect(shares.length).toBeGreaterThan(1)
    expect(Math.max(...shares)).toBeLessThan(0.6)
  })

  test('a browser without a session is told how to get one', async () => {
    const { page } = await browser.open(new URL(served.link).origin, { signedIn: false })
    await page.getByRole('heading', { name: 'Open the link that Drydock prints' }).waitFor()
  })
})
