import { expect } from 'vitest'
import { build, needsChanges, reply, storyPlan, submit, writeFile } from '../../scenarios/world/crew.ts'
import { call } from '../../scenarios/world/fixture.ts'
import { pagesOf } from '../pages.ts'
import { type Browser, journeyWorld, look } from './world.ts'

/** Reverses the direction of the following text, and colours it. */
const [turned, red] = ['\u202e', '\u001b[31m']
/** The script would run if any of these places were treated as markup. */
const attack = (place: string) =>
  `<script>planted('${place}')</script><img src=x onerror=planted('${place}')><svg onload=planted('${place}')>`
const link = (place: string) =>
  `[click](javascript:planted('${place}')) <a href="javascript:planted('${place}')">here</a>`
const file = `<img src=x onerror=planted('name')>.html`

const widths = [1_440, 390] as const
const schemes = ['light', 'dark'] as const

/** Every page with hostile text from models and repositories. */
export async function hostileText(browser: Browser): Promise<void> {
  const world = await journeyWorld({
    config: { editor: { review_rounds: 1 } },
    steps: [{ name: 'test', command: 'check' }],
    programs: {
      check: () => ({ exitCode: 0, output: `${red}${attack('log')}\nFAIL ${attack('failure')}${turned}txt\n` }),
    },
  })
  const { fixture } = world
  const stopped = await build(fixture, {
    'architect/SCOPING': [reply(attack('scoping'))],
    'architect/STORY_GENERATION': [
      call('submit_stories', {
        stories: [
          {
            id: 'evil',
            title: `${turned}${red}${attack('title')}`,
            content: `${attack('content')}\n\n${link('content')}`,
            acceptance_criteria: [attack('criterion')],
            depends_on: [],
            files_hint: [],
          },
        ],
      }),
    ],
    'editor/evil/PLANNING': [
      call('post_message', { content: `#### Deep\n\n${attack('chat')}\n\n${link('chat')}\n\n# Top\n\n### Hole` }),
      storyPlan(attack('plan')),
    ],
    'architect/REQUEST/plan/evil/1': [reply(attack('approval'), { verdict: 'APPROVED' })],
    'editor/evil/CODING': [writeFile(file, `<p>${attack('diff')}</p>\n`), submit(attack('change'))],
    'architect/REQUEST/code/evil/1': [
      needsChanges(attack('review'), [
        { severity: 'major', file, claim: `${attack('claim')} ${link('claim')}`, evidence: attack('evidence') },
      ]),
    ],
  })
  expect(stopped.exitCode, stopped.stderr).toBe(6)
  const run = String(stopped.events[0]?.run)
  const { page, problems, base } = await browser.open((await world.serve({ overSocket: true })).link)
  const found: string[] = []
  for (const [n, path] of pagesOf(run, 'evil').entries()) {
    const width = widths[n % 2] ?? 390
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: schemes[Math.floor(n / 2) % 2] ?? 'dark' })
    await page.goto(`${base}/${path}`)
    await page.locator('.loading').waitFor({ state: 'detached' })
    await page.evaluate("document.querySelectorAll('.entry-head').forEach((entry) => entry.click())")
    const markup = 'main script, main img, main :is(iframe, object, embed), a[href^="javascript:" i], main [onload]'
    expect(await page.locator(markup).count(), path).toBe(0)
    expect(problems, path).toEqual([])
    const name = `hostile-${n}-${path.replaceAll(/[^a-z]+/g, '-')}`
    found.push(...(await look(page, name)).map((what) => `${path}, ${width}: ${what}`))
    const wide = 'new Promise((seen) => requestAnimationFrame(() => seen(document.documentElement.scrollWidth)))'
    await expect.poll(() => page.evaluate<number>(wide), { message: path }).toBeLessThanOrEqual(width)
  }
  expect(found).toEqual([])
  await page.setViewportSize({ width: 1_440, height: 900 })
  await page.goto(`${base}/#/runs/${run}/stories/evil/diff`)
  await page.locator('.diff-name', { hasText: file }).waitFor()
  await page.locator('.diff-code', { hasText: "planted('diff')" }).first().waitFor()
  await page.goto(`${base}/#/runs/${run}/verifications`)
  const log = page.locator('.log-line', { hasText: "<script>planted('log')" })
  await log.waitFor()
  expect(await log.innerText()).not.toContain('[31m')
  await page.goto(`${base}/#/runs/${run}/chat`)
  await page.locator('.message', { hasText: 'click' }).waitFor()
  await page.goto(`${base}/#/runs/${run}`)
  await page.getByText("<script>planted('title')").first().waitFor()
  expect(problems).toEqual([])
}
