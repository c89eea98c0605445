import { afterEach, expect, test } from 'vitest'
import { build, createCrewFixture, needsChanges, reply, storyPlan, submit, writeFile } from '../scenarios/world/crew.ts'
import { call, type Fixture } from '../scenarios/world/fixture.ts'
import { sharedBrowser } from './browser.ts'
import { pagesOf } from './pages.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
afterEach(() => fixture.remove())

/** What would run if any of these places were taken for markup. */
const attack = (place: string) =>
  `<script>planted('${place}')</script><img src=x onerror=planted('${place}')><svg onload=planted('${place}')>`
const link = (place: string) =>
  `[click](javascript:planted('${place}')) <a href="javascript:planted('${place}')">here</a>`

test('what models and repositories say is only ever text: no script in it runs, and no page breaks its policy', async () => {
  fixture = await createCrewFixture({
    config: { editor: { review_rounds: 1 } },
    steps: [{ name: 'test', command: `cat <<'END'\n${attack('log')}\nFAIL ${attack('failure')}\nEND` }],
  })
  const file = `<img src=x onerror=planted('name')>.html`
  const stopped = await build(fixture, {
    'architect/SCOPING': [reply(attack('scoping'))],
    'architect/STORY_GENERATION': [
      call('submit_stories', {
        stories: [
          {
            id: 'evil',
            title: attack('title'),
            content: `${attack('content')}\n\n${link('content')}`,
            acceptance_criteria: [attack('criterion')],
            depends_on: [],
            files_hint: [],
          },
        ],
      }),
    ],
    'editor/evil/PLANNING': [
      call('post_message', { content: `${attack('chat')}\n\n${link('chat')}` }),
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
  const { page, problems, base } = await browser.open((await serveApart(fixture, '--port', '0', '--no-own')).link)
  for (const path of pagesOf(run, 'evil')) {
    await page.goto(`${base}/${path}`)
    await page.locator('.loading').waitFor({ state: 'detached' })
    await page.evaluate("document.querySelectorAll('.entry-head').forEach((entry) => entry.click())")
    const markup = 'main script, main img, main :is(iframe, object, embed), a[href^="javascript:" i], main [onload]'
    expect(await page.locator(markup).count(), path).toBe(0)
    expect(problems, path).toEqual([])
  }
  await page.goto(`${base}/#/runs/${run}/stories/evil/diff`)
  await page.locator('.diff-name', { hasText: file }).waitFor()
  await page.locator('.diff-code', { hasText: "planted('diff')" }).first().waitFor()
  await page.goto(`${base}/#/runs/${run}/verifications`)
  await page.locator('.log-line', { hasText: "<script>planted('log')" }).waitFor()
  await page.goto(`${base}/#/runs/${run}/chat`)
  await page.locator('.message', { hasText: 'click' }).waitFor()
  await page.goto(`${base}/#/runs/${run}`)
  await page.getByText("<script>planted('title')").first().waitFor()
  expect(problems).toEqual([])
})
