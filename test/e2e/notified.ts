import type { Page } from 'playwright-core'

/** Records the notifications that the page shows, and still shows them. */
export const watchNotifications = `
  window.shown = []
  window.Notification = class extends window.Notification {
    constructor(title, options) {
      super(title, options)
      window.shown.push([title, options.body, options.tag])
    }
  }`

/** Title, text and tag of each notification so far. */
export function shownNotifications(page: Page): Promise<readonly (readonly string[])[]> {
  return page.evaluate<readonly (readonly string[])[]>('window.shown')
}
