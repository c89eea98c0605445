import { expect } from 'vitest'
import { stuckTurn } from '../../scenarios/world/crew-conversation.ts'
import { call, change, plan, write } from '../../scenarios/world/fixture.ts'
import { type Browser, journeyWorld, look } from './world.ts'

const [turned, isolated, tag, wide] = ['\u202e', '\u2066', '\u{e0041}', '\u200b']
/** The trick of the paper: the content of a comment reads as code. */
const code = `const isAdmin = false\n/*${turned} } ${isolated}if (isAdmin)\u2069 ${isolated} begin admins only */\nconst name = "می‌خواهم 👩‍💻"\n`
const mark = (code: string) => `⟨U+${code}⟩`

/**
 * A person reads the change, sees each hidden character as a mark, comments, and cannot merge by
 * mistake.
 */
export async function hiddenCharacters(browser: Browser): Promise<void> {
  const world = await journeyWorld()
  const { fixture } = world
  const file = `pay${turned}sj.ts`
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan({ files: [file] })],
    'editor/task/CODING': [
      write('new\n'),
      call('write_file', { path: file, content: code }),
      change(`Say ${tag}new\`${wide}\``),
    ],
    'editor/review-1/PLANNING': [stuckTurn],
  })
  const done = await fixture.drydock('task', `Say${wide} new`, '--json', '--model', model)
  expect(done.exitCode, done.stderr).toBe(3)
  const run = String(done.events[0]?.run)
  const { link } = await world.serve({ overSocket: true, model })
  const { page, problems, base } = await browser.open(link, { width: 1_440 })
  await page.goto(`${base}/#/runs/${run}/stories/task/diff`)
  await page.locator('.diff-code', { hasText: mark('202E') }).waitFor()
  await page.locator('.diff-name', { hasText: `pay${mark('202E')}sj.ts` }).waitFor()
  await page.locator('.diff-hidden').getByText('U+202E RIGHT-TO-LEFT OVERRIDE').waitFor()
  const found = await page.locator('.diff-hidden').getByRole('link', { name: 'See the finding' }).first().innerText()
  const spoken = page.getByRole('img', { name: 'U+2066 LEFT-TO-RIGHT ISOLATE' })
  expect(await spoken.count()).toBeGreaterThan(1)
  await page.locator('.diff-code', { hasText: 'می‌خواهم 👩‍💻' }).waitFor()
  expect(await look(page, 'hidden-characters')).toEqual([])

  const hidden = new RegExp(`[${turned}${isolated}${tag}${wide}]`, 'u')
  const pages = ['', '/diff', '/stories/task', '/stories/task/diff', '/report', '/activity', '/chat']
  for (const path of [...pages.map((each) => `#/runs/${run}${each}`), '#/']) {
    await page.goto(`${base}/${path}`)
    await page.locator('.loading').waitFor({ state: 'detached' })
    const shown = `document.title + document.body.innerText + [...document.querySelectorAll('*')].map((each) =>
      ['title', 'aria-label', 'placeholder', 'alt'].map((name) => each.getAttribute(name)).join(' ')).join(' ')`
    expect(await page.evaluate<string>(shown), path).not.toMatch(hidden)
  }

  // A comment whose follow-up is stuck blocks the merge, and every page says so.
  await world.own()
  await fixture.drydock('accept', run, /g-\w+/.exec(found)?.[0] ?? '')
  await fixture.drydock('review', run, '--comment', `${file}:1`, 'Say why.', '--author', 'Ada', '--no-wait')
  await page.goto(`${base}/#/runs/${run}`)
  const panel = page.locator('.finish')
  await panel.getByRole('heading', { name: /held by 1 comment of Ada \(the follow-up ended STUCK\)/ }).waitFor()
  const merge = panel.getByRole('button', { name: 'Merge into main', exact: true })
  expect(await merge.count()).toBe(0)
  await page.locator('.page-head .pill.attention', { hasText: 'Held by 1 comment' }).waitFor()
  await panel.locator('.finish-follow-up', { hasText: 'Stuck' }).getByText('F-1 of Ada: stuck').waitFor()
  expect(await look(page, 'held-by-comment')).toEqual([])
  await page.goto(`${base}/#/`)
  const line = page.locator('.run-line', { hasText: 'Held by 1 comment' })
  await line.locator('.pill.attention').waitFor()
  expect(await line.count()).toBe(1)
  await page.goto(`${base}/#/runs/${run}/stories/task`)
  await page.locator('.page-head .pill.attention', { hasText: 'Held by 1 comment' }).waitFor()
  await page.goto(`${base}/#/runs/${run}`)

  // A person who merges anyway gives a reason, which the receipt stores.
  await panel.getByRole('button', { name: 'Merge into main anyway…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Land it anyway?' })
  await dialog.getByText('The work on it ended without a change.').waitFor()
  const sure = dialog.getByRole('button', { name: 'Land it anyway' })
  expect(await sure.isDisabled()).toBe(true)
  expect(await look(page, 'merge-anyway')).toEqual([])
  await dialog.getByRole('button', { name: 'Keep it here' }).click()
  await panel.getByRole('link', { name: 'See the follow-up' }).click()
  await page.getByRole('heading', { name: 'This follow-up ended STUCK' }).waitFor()
  expect(await look(page, 'stuck-follow-up')).toEqual([])
  await panel.getByRole('button', { name: 'Accept' }).click()
  await page.getByLabel(/^Why\?/).fill('It is said in the guide.')
  await page.getByRole('button', { name: 'Accept it' }).click()

  // A held command can be taken back, even after a reload.
  await page.locator('.held', { hasText: /Accept F-1 in \d+ s/ }).waitFor()
  await page.reload()
  await page.locator('.held').getByRole('button', { name: 'Undo' }).click()
  await page.locator('.held').waitFor({ state: 'detached' })
  expect(await merge.count()).toBe(0)
  await panel.getByRole('button', { name: 'Accept' }).click()
  await page.getByRole('button', { name: 'Accept it' }).click()
  await expect.poll(() => merge.isEnabled()).toBe(true)
  expect(problems).toEqual([])
}
