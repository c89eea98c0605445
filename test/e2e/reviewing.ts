import type { Page } from 'playwright-core'
import { violationsOf } from './axe.ts'

/** The box of a comment that is being written. */
export const comment = (page: Page) => page.getByRole('textbox', { name: /^Comment on/ })
export const add = (page: Page) => page.getByRole('button', { name: 'Add to review' })
/** What is said in these words. */
export const talk = (page: Page, text: string) => page.locator('.talk', { hasText: text })
/** What the keyboard writes into. */
export const held = (page: Page) =>
  page.evaluate<string>('document.activeElement.value ?? document.activeElement.className')

/** What axe has against it, light and dark, on a desk and on a phone. */
export async function faults(page: Page): Promise<readonly string[]> {
  const found: string[] = []
  const size = page.viewportSize() ?? { width: 1_440, height: 900 }
  for (const viewport of [size, { width: 390, height: 844 }]) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      found.push(...(await violationsOf(page, () => true)).map((what) => `${viewport.width}, ${colorScheme}: ${what}`))
    }
  }
  await page.setViewportSize(size)
  return found
}

/** Two hundred lines, some of them other ones. */
export const many = (changed: Readonly<Record<number, string>> = {}) =>
  `${Array.from({ length: 200 }, (_, i) => changed[i + 1] ?? `line ${i + 1}`).join('\n')}\n`
