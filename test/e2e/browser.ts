import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'

/** One browser for all tests of a file; each page has a context, and so a session, of its own. */
export function useBrowser(): { open(link: string, options?: Viewport): Promise<Opened> } {
  let browser: Browser
  beforeAll(async () => {
    // The container's own sandbox stands in for the browser's, which does not start as root.
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  })
  afterAll(() => browser?.close())
  return {
    async open(link, { width = 1280, height = 900, colorScheme = 'light' } = {}) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme })
      context.setDefaultTimeout(20_000)
      onTestFinished(() => context.close())
      const problems = await watch(context)
      const page = await context.newPage()
      page.on('pageerror', ({ message }) => problems.push(`error: ${message}`))
      await page.goto(link)
      await page.getByRole('navigation', { name: 'All' }).waitFor()
      return { page, problems, base: new URL(link).origin }
    },
  }
}

interface Viewport {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
}

export interface Opened {
  readonly page: Page
  /** Breaches of the page's policy, scripts that ran though they are data, errors that nobody caught. */
  readonly problems: readonly string[]
  readonly base: string
}

/** What planted scripts call. */
export const planted = 'window.planted'

async function watch(context: BrowserContext): Promise<string[]> {
  const problems: string[] = []
  await context.exposeFunction('problem', (text: string) => void problems.push(text))
  await context.addInitScript(() => {
    const page = window as unknown as { problem(text: string): void; planted(what: string): void }
    page.planted = (what) => page.problem(`ran: ${what}`)
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      page.problem(`policy: ${violatedDirective} ${blockedURI}`),
    )
  })
  return problems
}

/** The states that a story is shown in from now on, one after the other, on any page that shows its card. */
export async function recordStates(page: Page, story: string): Promise<() => Promise<readonly string[]>> {
  await page.evaluate((id) => {
    const seen: string[] = []
    const look = () => {
      const state = document.querySelector(`[data-story="${id}"] [data-state]`)?.getAttribute('data-state')
      if (state && seen.at(-1) !== state) seen.push(state)
    }
    look()
    new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true })
    Object.assign(window, { [`states of ${id}`]: seen })
  }, story)
  return () => page.evaluate((id) => Reflect.get(window, `states of ${id}`), story)
}
