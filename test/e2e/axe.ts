import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

/** The script of axe: injected into the page once, it can check every later state. */
const axe: { readonly source: string } = createRequire(import.meta.resolve('@axe-core/playwright'))('axe-core')

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}

/** The violations that axe finds on the present page, at any level. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
  const violations = await page.evaluate<readonly Violation[]>(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}

/** The violations that axe finds in light and dark mode, on a desktop and on a phone. */
export async function faults(page: Page): Promise<readonly string[]> {
  const found: string[] = []
  const size = page.viewportSize() ?? { width: 1_440, height: 900 }
  for (const width of [1_440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      found.push(...(await violationsOf(page)).map((what) => `${width}, ${colorScheme}: ${what}`))
    }
  }
  await page.emulateMedia({ colorScheme: null })
  await page.setViewportSize(size)
  return found
}
