import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { build, finding, greenStory, needsChanges, specLanes, submit, writeFile } from '../../scenarios/world/crew.ts'
import { many, talk } from '../reviewing.ts'
import { type Browser, journeyWorld, look, redWhenBad } from './world.ts'

/** True if the code of a diff has run in the page; having been fetched is not enough. */
const hasCode = `(async () => {
  const code = performance.getEntriesByType('resource').find(({ name }) => /diff-review-.*js$/.test(name))
  if (code === undefined) return false
  await import(code.name)
  return new Promise((resolve) => requestIdleCallback(() => resolve(true), { timeout: 100 }))
})()`

/** More than a page shows of a log. */
const long = Array.from({ length: 1_000_000 }, (_, i) => `${i + 1}\n`).join('')

/** The board, a story with its diff, and everything that keyboard, search and filters find. */
export async function lookAround(browser: Browser): Promise<void> {
  let isLong = false
  const { fixture, serve } = await journeyWorld({
    steps: [{ name: 'test', command: 'check' }],
    files: { 'many.ts': many() },
    programs: {
      check: (seen, args) => (isLong ? { exitCode: 1, output: long } : redWhenBad('one.ts')(seen, args)),
    },
    config: { editor: { review_rounds: 1 } },
  })
  const built = await build(fixture, {
    ...specLanes('one', 'asks', { id: 'waits', depends_on: ['asks'] }),
    ...greenStory('one'),
    'editor/one/CODING': [
      writeFile('one.ts', '// bad\n'),
      submit('one'),
      writeFile('one.ts', '// Says good.\nexport const good = 1\n'),
      submit('one'),
    ],
    ...greenStory('asks'),
    'editor/asks/CODING': [writeFile('many.ts', many({ 10: 'changed', 150: 'changed too' })), submit('asks')],
    'architect/REQUEST/code/asks/1': [
      needsChanges('Not like **this**.', [finding({ file: 'many.ts', line: 80, claim: 'It is not in order' })]),
    ],
  })
  expect(built.exitCode, built.stderr).toBe(6)
  const run = String(built.events[0]?.run)
  isLong = true
  expect((await fixture.drydock('verify', '--json')).exitCode).toBe(3)
  const { page, problems, base } = await browser.open((await serve({ overSocket: true })).link)

  // The list of runs, filtered by the address.
  const lines = page.locator('.run-line')
  await expect.poll(() => lines.count()).toBe(2)
  await page.getByLabel('Kind').selectOption('Verification')
  await expect.poll(() => lines.count()).toBe(1)
  expect(page.url()).toMatch(/#\/\?kind=verify$/)
  await page.locator('.run-line .pill.attention', { hasText: 'Fail' }).waitFor()
  await lines.click()
  await page.getByRole('heading', { name: 'verify the working tree', exact: true }).waitFor()
  await page.locator('.page-head .pill.attention', { hasText: 'Fail' }).waitFor()
  await page.getByRole('heading', { name: 'The verification failed. Not ended with 0: test.' }).waitFor()
  expect(await page.locator('.pill.done').count()).toBe(0)
  // For a log that is too long for a page, the end is shown with the original line numbers.
  await page.getByRole('button', { name: /^test/ }).click()
  await page.getByText(/its first \S+ lines \(\S+ [KM]iB\) are not shown here/).waitFor()
  const [number, text] = await page.locator('.log-line').first().locator('span').allTextContents()
  expect(Number(number)).toBeGreaterThan(100_000)
  expect(text).toBe(number)
  expect(await look(page, 'verdict')).toEqual([])
  await page.goto(`${base}/#/?kind=verify`)
  await page.reload()
  await page.getByText('1 of 2').waitFor()
  await page.getByRole('searchbox').fill('no run is called this')
  await page.getByText('No run is like that').waitFor()
  expect(page.url()).toMatch(/\?kind=verify&text=no\+run\+is\+called\+this$/)
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect.poll(() => lines.count()).toBe(2)
  expect(await page.getByRole('searchbox').inputValue()).toBe('')

  // The board and a story with its tabs; a diff is loaded while the pointer is on its link.
  await lines.filter({ hasText: 'Make the files' }).click()
  await page.locator('[data-story="one"] [data-state="DONE"]').waitFor()
  expect(await look(page, 'board')).toEqual([])
  await page.locator('[data-story="one"]').click()
  const diff = page.getByRole('link', { name: 'Diff', exact: true })
  const diffs: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/diff')) diffs.push(request.url())
  })
  const [comes] = await Promise.all([page.waitForResponse(/\/diff$/), diff.hover()])
  await comes.finished()
  await expect.poll(() => page.evaluate(hasCode)).toBe(true)
  await page.evaluate(`{
    window.waited = 0
    new MutationObserver(() => { window.waited += document.querySelectorAll('main .loading').length })
      .observe(document, { subtree: true, childList: true })
  }`)
  await diff.click()
  await page.locator('.diff-code-insert', { hasText: 'Says good' }).waitFor()
  expect(await page.evaluate<number>('window.waited')).toBe(0)
  await page.locator('.diff-code-insert .token.keyword').first().waitFor()
  expect(diffs).toHaveLength(1)
  expect(await look(page, 'diff')).toEqual([])
  await page.getByLabel('From').selectOption('attempt 1: Fail')
  await page.getByLabel('to', { exact: true }).selectOption('attempt 2: Pass')
  await expect.poll(() => page.url()).toMatch(/\?from=[0-9a-f]{40}&to=[0-9a-f]{40}$/)
  await page.locator('.diff-code-delete', { hasText: 'bad' }).waitFor()
  expect(await page.locator('.diff-add').count()).toBe(0)
  await page.getByRole('button', { name: 'Show the whole change' }).click()
  await page.getByRole('radio', { name: 'Split' }).check({ force: true })
  await page.locator('.diff-pair').first().waitFor()
  await page.getByRole('link', { name: /^Verifications \d/ }).click()
  await page.locator('.log', { hasText: 'it was verified' }).first().waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('summary', { hasText: 'Files' }).first().click(),
    page.getByRole('button', { name: 'Download manifest.json' }).first().click(),
  ])
  const { run_id: id } = JSON.parse(await readFile(await file.path(), 'utf8')) as { run_id: string }
  expect(file.suggestedFilename()).toBe(`${id}-manifest.json`)
  await page.goto(`${base}/#/runs/${run}/stories/asks/reviews`)
  await page.getByText('sent back 1 of 1, then a human was asked').waitFor()
  await page.getByText('It is not in order').waitFor()
  // A finding is shown at its line, even if the diff omits the line.
  await page.getByRole('link', { name: 'many.ts:80' }).click()
  await page.locator('.diff-talk:focus').getByRole('button', { name: 'Show in the diff' }).click()
  await page.locator('.diff-line', { hasText: 'line 80' }).waitFor()
  await talk(page, 'It is not in order').getByRole('link').click()
  await page.locator('[data-finding][aria-current="true"]', { hasText: 'It is not in order' }).waitFor()
  await page.goto(`${base}/#/runs/${run}/stories/asks/diff`)
  await page.getByRole('button', { name: '↑ 20 lines' }).click()
  await page.locator('.diff-line', { hasText: 'line 130' }).waitFor()
  expect(await page.locator('.diff-line', { hasText: 'line 120' }).count()).toBe(0)

  // All kinds of search results.
  const input = page.getByRole('combobox', { name: 'Search and go' })
  const search = async (words: string, name: RegExp) => {
    await page.keyboard.press('Control+k')
    await input.fill(words)
    await page.locator('.palette').getByRole('option', { name }).first().click()
  }
  await search('make waits', /^Make waits/)
  await page.getByRole('heading', { name: 'Make waits', level: 1 }).waitFor()
  await search('one.ts', /one\.ts/)
  await page.locator('.diff-code-insert', { hasText: 'good' }).first().waitFor()
  await search('sent back once', /sent back/)
  await page.locator('.sought:focus', { hasText: 'sent back once' }).waitFor()
  await page.goto(`${base}/#/runs/${run}`)
  await page.getByRole('button', { name: 'Raise budget' }).waitFor()
  await search('raise', /^Raise budget/)
  await page.getByRole('dialog', { name: 'Raise the budget' }).waitFor()
  expect(await look(page, 'raise')).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  // Only by keyboard.
  const focused = () => page.evaluate<string>('document.activeElement.dataset.story')
  await page.keyboard.press('j')
  const first = await focused()
  await page.keyboard.press('j')
  const second = await focused()
  await page.keyboard.press('k')
  expect([await focused(), second]).toEqual([first, expect.not.stringMatching(`^${first}$`)])
  await page.keyboard.press('r')
  await page.locator('textarea:focus').waitFor()
  await page.keyboard.press('?')
  expect(await page.locator('textarea:focus').inputValue()).toBe('?')
  await page.locator('[data-story]').first().focus()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
  expect(await look(page, 'keys')).toEqual([])
  await page.keyboard.press('Escape')
  await page.locator(`[data-story="${first}"]`).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: `Make ${first}` }).waitFor()
  await expect.poll(() => page.evaluate<string>('document.activeElement.id')).toBe('main')
  await page.keyboard.press('g')
  await page.keyboard.press('v')
  await page.getByRole('heading', { name: 'Verifications' }).waitFor()
  await page.locator('.filter-bar').waitFor()
  await page.keyboard.press('/')
  await page.getByRole('searchbox', { name: 'Filter the verifications by text' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Control+k')
  await input.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.filter-text:focus').waitFor()

  // An event is shown as a sentence, and opens its log entry; the whole list can be downloaded.
  await page.goto(`${base}/#/runs/${run}/activity?kind=gate`)
  const event = page.getByRole('button', { name: 'A verification ended with PASS.' }).first()
  await event.focus()
  await page.keyboard.press('Enter')
  const row = page.locator('[data-event]', { has: page.locator('[aria-expanded="true"]') })
  await row.getByText('"status": "PASS"').waitFor()
  expect(await row.innerText()).toMatch(/verification, event \d+/)
  await page.locator('.bar').waitFor()
  expect(await page.evaluate('document.documentElement.scrollHeight - innerHeight')).toBe(0)
  expect(await page.locator('[data-event]:not([data-type="verification"])').count()).toBe(0)
  const [list] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as JSON' }).click(),
  ])
  expect(list.suggestedFilename()).toBe(`drydock-${run}-events.json`)
  const { items } = JSON.parse(await readFile(await list.path(), 'utf8')) as { items: { type: string }[] }
  expect(items.length).toBeGreaterThan(await page.locator('[data-event]').count())
  expect(items.at(-1)?.type).toBe('run')

  // The schedule tells why a story waits, by keyboard and as a table.
  await page.goto(`${base}/#/runs/${run}/schedule`)
  const barOf = (name: RegExp) => page.getByRole('button', { name })
  await page.getByRole('region', { name: 'Critical path' }).getByText('waits').waitFor()
  await barOf(/^Make waits: Waiting.*It waits for asks, which it needs\.$/).hover()
  await page.locator('.gantt-say').getByText('It waits for asks, which it needs.').waitFor()
  await barOf(/^Make asks: Waits for you/).focus()
  await page.locator('.gantt-say').getByText('It waits for an answer.').waitFor()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await page
    .locator('.gantt-span:focus')
    .and(barOf(/^Make asks: (?:Planning|Waiting)/))
    .waitFor()
  await page.keyboard.press('+')
  await expect.poll(() => page.url()).toMatch(/\?zoom=2$/)
  await page.getByText('Table').click()
  const waits = page.getByRole('row', { name: /Make waits/ })
  await waits.getByText('It waits for asks, which it needs.').waitFor()
  await waits.getByText('1 span').click()
  await waits.getByText(/^Waiting, .* until now$/).waitFor()

  await page.goto(`${base}/#/runs/${run}?text=one`)
  await expect.poll(() => page.locator('[data-story]').count()).toBe(1)

  // A tab that is older than the server reloads to get the parts of its pages.
  const old = await page.context().newPage()
  await old.goto(`${base}/#/runs/${run}`)
  await old.locator('[data-story]').first().waitFor()
  await old.evaluate('window.loaded = "once"')
  const parts = '**/assets/diff-review-*.js'
  await old.route(parts, (route) => route.fulfill({ status: 404 }))
  const loaded = old.waitForEvent('load')
  await old.goto(`${base}/#/runs/${run}/diff`)
  await loaded
  await old.unroute(parts)
  await old.reload()
  await old.locator('.diff-code-insert', { hasText: 'Says good' }).waitFor()
  expect(await old.evaluate('window.loaded')).toBe(undefined)
  await old.close()

  // On a phone the menu leads everywhere.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Figures' }).click()
  await page.getByRole('heading', { level: 1, name: 'Figures' }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  const shares = await page.evaluate<readonly number[]>(`performance.getEntriesByType('resource')
    .filter(({ name, decodedBodySize }) => /\\.(?:js|css)$/.test(name) && decodedBodySize > 10_000)
    .map(({ encodedBodySize, decodedBodySize }) => encodedBodySize / decodedBodySize)`)
  expect(shares.length).toBeGreaterThan(1)
  expect(Math.max(...shares)).toBeLessThan(0.6)

  // Ending a session ends it in all tabs; without one a person is told how to get one.
  const tab = await page.context().newPage()
  await tab.goto(base)
  await tab.locator('.shell').waitFor()
  await tab.getByRole('button', { name: 'Sign out' }).click()
  await tab.getByRole('button', { name: 'End all sessions' }).click()
  for (const each of [page, tab]) await each.getByRole('heading', { name: 'Your session has ended' }).waitFor()
  expect(await page.evaluate("localStorage.getItem('drydock.session')")).toBe(null)
  await page.reload()
  await page.getByRole('heading', { name: 'Open the link that Drydock prints' }).waitFor()
  expect(await look(page, 'no-session')).toEqual([])
  expect(problems).toEqual([])
}
