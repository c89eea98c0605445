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
import { type ServedDrydock, serveHere } from '../server/served.ts'
import { violationsOf } from './axe.ts'
import { type OpenPage, sharedBrowser } from './browser.ts'
import { pagesOf } from './pages.ts'

const browser = sharedBrowser()
let fixture: Fixture
let run: string
let served: ServedDrydock

/** One story is done, one asks a human, and one waits for the story that asks. */
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

async function show(options: Parameters<typeof browser.open>[1] = {}): Promise<OpenPage> {
  const { events } = await fixture.drydock('serve', '--json')
  return browser.open(String(events[0]?.link), options)
}

async function go({ page, base }: OpenPage, path: string): Promise<void> {
  await page.goto(`${base}/${path}`)
  await page.locator('.loading').waitFor({ state: 'detached' })
}

/**
 * The width of the page once it has settled: a chart, for example, follows the screen's width a
 * frame or two later.
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
})
