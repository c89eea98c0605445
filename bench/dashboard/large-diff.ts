import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { call, change, createFixture, type Fixture, plan, type Turns } from '../../test/scenarios/world/fixture.ts'
import type { GroupFigures } from '../benchmarks.ts'
import { median } from '../statistics.ts'
import { ask, withPage } from './browser.ts'
import { heapOf } from './pages.ts'

const openings = 7
/** Number of writes by the editor while its diff is on screen. */
const writes = 8
const files = Array.from({ length: 20 }, (_, n) => `module-${n + 1}.ts`)
const line = (file: number, n: number, value: string) =>
  `export const value${n} = ${value} // of module ${file}, as it is\n`
const lines = (file: number, count: number, value: string) =>
  Array.from({ length: count }, (_, n) => line(file, n, value)).join('')

/** Twenty files of 500 lines: each second line is replaced, and 250 are added. */
export const base = Object.fromEntries(files.map((name, n) => [name, lines(n + 1, 500, '"before"')]))
export const large = `for n in $(seq 20); do sed -i '2~2s/before/after/' module-$n.ts; seq -f "export const more%g = $n // and more of it" 250 >> module-$n.ts; done`
const untilLooked = 'until [ -e looked ]; do sleep 0.05; done'

/**
 * Measures a diff of twenty thousand lines: opened repeatedly, and shown while its editor writes.
 */
export async function measureLargeDiff(): Promise<GroupFigures> {
  const fixture = await createFixture({ files: base })
  try {
    return await withPage(fixture, [], async ({ page }) => {
      const more = Array.from({ length: writes }, (_, n) => [
        call('run_command', { command: 'sleep 0.4' }),
        call('write_file', { path: 'module-3.ts', content: lines(3, 500 + n, '"again"') }),
      ])
      const coding: Turns = [
        call('run_command', { command: large }),
        call('run_command', { command: untilLooked }),
        ...more.flat(),
        call('write_file', { path: 'value.txt', content: 'new\n' }),
        change(),
      ]
      const model = await fixture.replay({ 'editor/task/PLANNING': [plan()], 'editor/task/CODING': coding })
      const request = { task: 'Change much', models: { default: model } }
      const { run } = await ask<{ readonly run: string }>(page, '/api/tasks', request)
      const longest = await lookWhileItChanges(page, { run, fixture })
      const times: number[] = []
      for (let opening = 0; opening < openings; opening += 1) times.push(await open(page, run))
      return {
        'diff of 20,000 lines, from click to screen': median(times),
        'diff of 20,000 lines, longest task of its updates': longest,
        'diff of 20,000 lines, heap': await heapOf(page),
      }
    })
  } finally {
    await fixture.remove()
  }
}

/**
 * Milliseconds from the click on the diff's tab to the frame after its first lines, in a freshly
 * loaded page. The last lines are checked, too, since only a usable diff counts as open.
 */
export async function open(page: Page, run: string): Promise<number> {
  await page.goto(`${new URL(page.url()).origin}/#/runs/${run}/stories/task`)
  await page.reload()
  const tab = page.getByRole('link', { name: 'Diff', exact: true })
  await tab.waitFor()
  await page.evaluate(loaded)
  await page.evaluate(`void (window.opened = new Promise((resolve) => {
    let start = 0
    document.addEventListener('click', ({ timeStamp }) => { start = timeStamp }, { capture: true, once: true })
    const observer = new MutationObserver(() => {
      if (document.querySelector('.diff-code') === null) return
      observer.disconnect()
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)))
    })
    observer.observe(document, { subtree: true, childList: true })
  }))`)
  await tab.click()
  const ms = await page.evaluate<number>('window.opened')
  await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)')
  await page.locator('.diff-code-insert', { hasText: 'more250 = 9' }).waitFor()
  return ms
}

/** Waits until the diff's code was loaded in another tab, and the page is idle. */
const loaded = `new Promise((resolve) => {
  const look = () => {
    const isThere = performance.getEntriesByType('resource').some(({ name }) => /diff-review-.*js$/.test(name))
    if (isThere) setTimeout(() => resolve(null), 300)
    else requestAnimationFrame(look)
  }
  look()
})`

/** Milliseconds of the page's longest task while the diff updates; 0 if none took over 50. */
async function lookWhileItChanges(page: Page, { run, fixture }: { readonly run: string; readonly fixture: Fixture }) {
  await page.evaluate(`location.hash = '#/runs/${run}/stories/task/diff'`)
  await page.locator('.diff-code-insert', { hasText: 'after' }).first().waitFor({ timeout: 60_000 })
  await page.evaluate(`{
    window.longest = 0
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
    }).observe({ type: 'longtask' })
  }`)
  await writeFile(join((await fixture.open()).state, 'workspaces', 'coder-001', 'looked'), '')
  await page.locator('.page-head [data-state="DONE"]').waitFor({ timeout: 60_000 })
  return page.evaluate<number>('window.longest')
}
