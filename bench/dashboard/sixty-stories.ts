import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { planned } from '../../test/scenarios/world/crew.ts'
import type { Fixture } from '../../test/scenarios/world/fixture.ts'
import type { Move } from './moves-process.ts'
import { type CardChange, watching } from './watching.ts'

const ids = Array.from({ length: 60 }, (_, n) => `story-${n + 1}`)
const run = 'sixty-000000'
const moves = fileURLToPath(new URL('moves-process.ts', import.meta.url))
/** Milliseconds of watched moves: by one tab, and by the first of twenty. */
const span = 8_000

/** Stores a Run of sixty stories that have not started. */
export async function storeSixty(fixture: Fixture): Promise<void> {
  const drydock = await fixture.open()
  const model = await fixture.replay({})
  const models = { architect: model, editor: model, scout: model }
  const stories = ids.map((id) => planned({ id, depends_on: [] }))
  const spec = { text: 'Make sixty files', source: 'text' }
  const request = { kind: 'spec', spec, planOnly: false, reviewStories: false, stories } as never
  await drydock.submit('start', { kind: 'start', run, request, target: null, configFile: null, models })
  const owner = await drydock.own({
    coders: 0,
    onFailure(error) {
      throw error
    },
  })
  const records = drydock.openRecords()
  while ((await records.machines({ kind: 'story', run })).length < ids.length) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await owner?.stop({ drain: true })
  await records.close()
}

export interface WatchFigures {
  /** Milliseconds from each stored move of a story to the frame that shows it. */
  readonly alone: readonly number[]
  /** Milliseconds in the tab in front, with twenty tabs open. */
  readonly amongTwenty: readonly number[]
  /**
   * Milliseconds until the slowest of the other tabs showed the last state, once it came to the
   * front.
   */
  readonly slowestTab: number
}

/**
 * Watches sixty moving stories on the board: in one tab, then with nineteen other tabs behind it.
 */
export async function watchSixty(page: Page, fixture: Fixture): Promise<WatchFigures> {
  const { state } = await fixture.open()
  const child = spawn(process.execPath, [moves, state, run], { stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const move = async (ms: number): Promise<readonly Move[]> => {
    child.stdin.write(`${ms}\n`)
    return JSON.parse(String((await said.next()).value))
  }
  try {
    await said.next()
    await page.evaluate(`location.hash = '#/runs/${run}'`)
    await page.locator('[data-story]').first().waitFor()
    await page.evaluate(watching)
    // Moves until all stories are working.
    await move(3_200)
    const alone = await during(page, () => move(span))
    const others: Page[] = []
    for (let tab = 1; tab < 20; tab += 1) others.push(await openBehind(page))
    await page.bringToFront()
    const amongTwenty = await during(page, () => move(span))
    const waits: number[] = []
    for (const tab of others) waits.push(await comeToFront(tab))
    return { alone, amongTwenty, slowestTab: Math.max(...waits) }
  } finally {
    child.stdin.end()
    await closed
  }
}

/**
 * The delays of the moves that the page showed; a state that ended before it could be drawn was
 * never shown.
 */
async function during(page: Page, move: () => Promise<readonly Move[]>): Promise<readonly number[]> {
  await page.evaluate('window.seen = []')
  const moves = await move()
  const seen = await page.evaluate<readonly CardChange[]>('window.seen')
  return seen.flatMap(({ story, state, at }) => {
    const last = moves.findLast((each) => each.story === story && each.at <= at)
    return last?.to === state ? [at - last.at] : []
  })
}

/**
 * Simulates the browser's treatment of a tab in the background, which does not happen without a
 * screen.
 */
const put = (where: 'behind' | 'front') => `
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${where === 'behind'} })
  document.dispatchEvent(new Event('visibilitychange'))`

async function openBehind(page: Page): Promise<Page> {
  const tab = await page.context().newPage()
  await tab.goto(page.url())
  await tab.locator('[data-story]').first().waitFor()
  await tab.evaluate(`{${put('behind')}}`)
  return tab
}

/** Milliseconds from bringing the tab to the front until it shows the latest moves. */
async function comeToFront(tab: Page): Promise<number> {
  await tab.bringToFront()
  return tab.evaluate<number>(`new Promise((resolve) => {
    const start = performance.now()
    const all = () => [...document.querySelectorAll('[data-story]')].map((card) => card.outerHTML).join()
    const before = all()
    new MutationObserver((_, observer) => {
      if (all() === before) return
      observer.disconnect()
      requestAnimationFrame(() => resolve(performance.now() - start))
    }).observe(document, { subtree: true, childList: true, attributes: true })
    ${put('front')}
  })`)
}
