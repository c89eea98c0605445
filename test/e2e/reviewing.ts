import type { Page } from 'playwright-core'

/** The text field of a comment in progress. */
export const comment = (page: Page) => page.getByRole('textbox', { name: /^Comment on/ })
export const add = (page: Page) => page.getByRole('button', { name: 'Add to review' })
export const talk = (page: Page, text: string) => page.locator('.talk', { hasText: text })
/** The element that has the keyboard focus. */
export const held = (page: Page) =>
  page.evaluate<string>('document.activeElement.value ?? document.activeElement.className')

/** Two hundred lines, some of them replaced. */
export const many = (changed: Readonly<Record<number, string>> = {}) =>
  `${Array.from({ length: 200 }, (_, i) => changed[i + 1] ?? `line ${i + 1}`).join('\n')}\n`
