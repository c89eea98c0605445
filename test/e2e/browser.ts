import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'

/** One browser for all tests of a file; each page has its own context, and so its own session. */
export function sharedBrowser(): { open(link: string, options?: Viewport): Promise<OpenPage> } {
  let browser: Browser
  beforeAll(async () => {
    // The container's sandbox replaces the browser's, which does not start as root.
    browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    })
  })
  afterAll(() => browser?.close())
  return {
    async open(link, { width = 1280, height = 900, signedIn = true, notifications = false } = {}) {
      const context = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce' })
      if (notifications) await context.grantPermissions(['notifications'], { origin: new URL(link).origin })
      // On a busy machine a page may take more than a minute.
      context.setDefaultTimeout(180_000)
      const problems = await watch(context)
      const page = await context.newPage()
      onTestFinished(async ({ task }) => {
        const { SHOTS } = process.env
        if (SHOTS && task.result?.state === 'fail') await page.screenshot({ path: `${SHOTS}/failed-${task.id}.png` })
        await context.close()
      })
      page.on('pageerror', ({ message }) => problems.push(`error: ${message}`))
      await page.goto(link)
      if (signedIn) await page.locator('.shell').waitFor()
      return { page, problems, base: new URL(link).origin }
    },
  }
}

interface Viewport {
  readonly width?: number
  readonly height?: number
  /** False for a link that opens no session. */
  readonly signedIn?: boolean
  /** True if the person has allowed notifications. */
  readonly notifications?: boolean
}

export interface OpenPage {
  readonly page: Page
  /** Violations of the page's policy, scripts that ran from data, and uncaught errors. */
  readonly problems: readonly string[]
  readonly base: string
}

/** Runs before any script of the page; content planted in the data calls `planted`. */
const watching = `
  window.planted = (what) => window.problem('ran: ' + what)
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    window.problem('policy: ' + violatedDirective + ' ' + blockedURI),
  )`

async function watch(context: BrowserContext): Promise<string[]> {
  const problems: string[] = []
  await context.exposeFunction('problem', (text: string) => void problems.push(text))
  await context.addInitScript(watching)
  return problems
}

/**
 * Waits until the page's title shows this number of open questions. A function in the page cannot
 * wait for it, since the policy forbids `eval`.
 */
export async function counts(page: Page, questions: number): Promise<void> {
  const title = questions === 0 ? /^[^(].*Drydock$/ : new RegExp(`^\\(${questions}\\) .*Drydock$`)
  await expect.poll(() => page.title()).toMatch(title)
}

/** Records the states that a story's card shows from now on, on any page with the card. */
export async function recordStates(page: Page, story: string): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(`{
    const seen = (window.seen = [])
    const look = () => {
      const state = document.querySelector('[data-story="${story}"] [data-state]')?.getAttribute('data-state')
      if (state && seen.at(-1) !== state) seen.push(state)
    }
    look()
    new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true })
  }`)
  return () => page.evaluate('window.seen')
}
