import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import type { RunDetail } from '../src/api/runs.ts'
import { createCrewFixture, greenStory, specLanes } from '../test/scenarios/world/crew.ts'
import type { Fixture } from '../test/scenarios/world/fixture.ts'
import type { Measured } from './benchmarks.ts'
import { median } from './statistics.ts'

const bin = fileURLToPath(new URL('../bin/drydock', import.meta.url))
const ids = ['one', 'two', 'three', 'four', 'five', 'six']
const openings = 7

/**
 * A crew at work while a browser looks on: from what is committed to what is seen, and how fast the
 * page is there.
 */
export async function measureDashboard(): Promise<Measured> {
  const fixture = await createCrewFixture()
  const serving = await serve(fixture)
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  try {
    const page = await signIn(browser, serving.link)
    const delays = await watchRun(page, await fixture.replay(lanes()))
    return {
      'dashboard, commit to screen': median(delays),
      'dashboard, first paint': median(await paints(page)),
    }
  } finally {
    await browser.close()
    await serving.stop()
    await fixture.remove()
  }
}

const lanes = () => Object.assign(specLanes(...ids), ...ids.map((id) => greenStory(id)))

async function serve({ repo, env }: Fixture): Promise<{ readonly link: string; stop(): Promise<void> }> {
  const flags = ['--repo', repo, '--json', '--port', '0', '--max-coders', '2']
  const child = spawn(bin, ['serve', ...flags], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const closed = once(child, 'close')
  const { value: line } = await createInterface(child.stdout)[Symbol.asyncIterator]().next()
  const { link } = JSON.parse(String(line)) as { readonly link: string }
  return {
    link,
    async stop() {
      child.kill('SIGINT')
      await closed
    },
  }
}

async function signIn(browser: Browser, link: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1_360, height: 860 } })).newPage()
  await page.goto(link)
  await page.locator('.shell').waitFor()
  return page
}

interface Seen {
  readonly story: string
  readonly state: string
  /** Milliseconds since 1970, in the frame that showed it. */
  readonly at: number
}

/** Remembers when each card on the board first shows a state. */
const watching = `{
  window.seen = []
  const last = new Map()
  new MutationObserver(() => requestAnimationFrame(() => {
    for (const card of document.querySelectorAll('[data-story]')) {
      const { story } = card.dataset
      const { state } = card.querySelector('[data-state]').dataset
      if (last.get(story) === state) continue
      last.set(story, state)
      window.seen.push({ story, state, at: Date.now() })
    }
  })).observe(document, { subtree: true, childList: true, attributes: true })
}`

/**
 * From the time that each move of a story was stored with to the frame that shows it, in
 * milliseconds.
 */
async function watchRun(page: Page, model: string): Promise<readonly number[]> {
  await page.evaluate(watching)
  const { run } = await ask<{ readonly run: string }>(page, '/api/runs', {
    spec: 'Make the files',
    models: { default: model },
  })
  await page.evaluate(`location.hash = '#/runs/${run}'`)
  await page.locator('.page-head [data-state="DONE"]').waitFor({ timeout: 120_000 })
  const seen = await page.evaluate<readonly Seen[]>('window.seen')
  const detail = await ask<RunDetail>(page, `/api/runs/${run}`)
  // A state that was over before it could be drawn was never seen, and another time in the same one
  // is another move: the latest before it counts.
  return seen.flatMap(({ story, state, at }) => {
    const move = detail.transitions.find(
      (each) => each.story === story && each.to === state && Date.parse(each.at) <= at,
    )
    return move ? [at - Date.parse(move.at)] : []
  })
}

/** Asks the server as the page does, with its session; a body acts, with a token of now. */
function ask<Answer>(page: Page, path: string, body?: object): Promise<Answer> {
  return page.evaluate<Answer>(`(async () => {
    const { session, key } = JSON.parse(localStorage.getItem('drydock.session'))
    const headers = { Authorization: 'Bearer ' + session, 'Content-Type': 'application/json' }
    const get = (path, init) => fetch(path, { headers, ...init }).then(async (answer) => {
      if (!answer.ok) throw new Error(path + ': ' + await answer.text())
      return answer.json()
    })
    const body = ${JSON.stringify(body) ?? 'undefined'}
    if (body === undefined) return get(${JSON.stringify(path)})
    const post = (path, told, more) =>
      get(path, { method: 'POST', body: JSON.stringify(told), headers: { ...headers, ...more } })
    const { token } = await post('/api/session/token', { key })
    return post(${JSON.stringify(path)}, body, { 'Drydock-Token': token })
  })()`)
}

/** The entry of a paint can come after what was painted is there. */
const firstPaint = `new Promise((resolve) => new PerformanceObserver((list) => {
  for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime)
}).observe({ type: 'paint', buffered: true }))`

/**
 * From the start of the navigation to the first content, in milliseconds, in a browser that has
 * been here before.
 */
async function paints(page: Page): Promise<readonly number[]> {
  const found: number[] = []
  for (let opening = 0; opening < openings; opening += 1) {
    await page.goto(new URL(page.url()).origin)
    await page.locator('.run-line').waitFor()
    found.push(await page.evaluate<number>(firstPaint))
  }
  return found
}
