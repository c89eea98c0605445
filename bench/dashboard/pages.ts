import type { Browser, Page } from 'playwright-core'
import { pagesOf } from '../../test/e2e/pages.ts'

const openings = 7

/** The entry of a paint can be reported after the painted content is there. */
const firstPaint = `new Promise((resolve) => new PerformanceObserver((list) => {
  for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime)
}).observe({ type: 'paint', buffered: true }))`

/**
 * Milliseconds from the start of the navigation to the first content, in a browser with a warm
 * cache.
 */
export async function paints(page: Page): Promise<readonly number[]> {
  const found: number[] = []
  for (let opening = 0; opening < openings; opening += 1) {
    await page.goto(new URL(page.url()).origin)
    await page.locator('.run-line').waitFor()
    found.push(await page.evaluate<number>(firstPaint))
  }
  return found
}

/**
 * Kilobytes that a browser with an empty cache receives until it shows the board, including headers
 * and answers of the API, but not the stream of events, which does not end.
 */
export async function firstLoad(browser: Browser, page: Page, run: string): Promise<number> {
  const session = await page.evaluate<string>("localStorage.getItem('drydock.session')")
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } })
  await context.addInitScript(`localStorage.setItem('drydock.session', ${JSON.stringify(session)})`)
  let bytes = 0
  const counted: Promise<void>[] = []
  context.on('requestfinished', (request) => {
    counted.push(
      request.sizes().then(({ responseBodySize, responseHeadersSize }) => {
        bytes += responseBodySize + responseHeadersSize
      }),
    )
  })
  const fresh = await context.newPage()
  await fresh.goto(`${new URL(page.url()).origin}/#/runs/${run}`)
  await fresh.locator('[data-story]').first().waitFor()
  await fresh.locator('.connection.live').waitFor()
  await Promise.all(counted)
  await context.close()
  return bytes / 1_000
}

/** Mebibytes that a page's scripts hold after garbage collection. */
export async function heapOf(page: Page): Promise<number> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devTools.send('Runtime.getHeapUsage')
  await devTools.detach()
  return usedSize / 1_024 ** 2
}

/** Heap of the page that holds most, after visiting all pages one after the other in one tab. */
export async function mostHeap(page: Page, run: string, story: string): Promise<number> {
  const heaps: number[] = []
  for (const path of pagesOf(run, story)) {
    await page.evaluate(`location.hash = ${JSON.stringify(path)}`)
    await page.locator('.loading').waitFor({ state: 'detached' })
    heaps.push(await heapOf(page))
  }
  return Math.max(...heaps)
}
