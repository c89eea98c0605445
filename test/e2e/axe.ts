import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

/** The script of axe itself: put into the page once, it looks at all that the page becomes. */
const axe: { readonly source: string } = createRequire(import.meta.resolve('@axe-core/playwright'))('axe-core')

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

/** What axe has against a page as it is, of the given kinds. */
export async function violationsOf(page: Page, isMeant: (impact: string) => boolean): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
  const violations = await page.evaluate<readonly Violation[]>(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
  )
  return violations.flatMap(({ id, impact, nodes }) => (isMeant(impact) ? [`${id}: ${nodes[0]?.html}`] : []))
}

const isSerious = (impact: string) => impact === 'serious' || impact === 'critical'

export const seriousOf = (page: Page): Promise<string[]> => violationsOf(page, isSerious)
