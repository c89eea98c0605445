import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Repository } from '../../../src/api/repositories.ts'
import type { Elsewhere } from '../../../src/app/elsewhere.ts'
import { processMark } from '../../../src/processes/process-mark.ts'
import {
  approve,
  type build,
  greenStory,
  needsChanges,
  specLanes,
  submit,
  writeFile,
} from '../../scenarios/world/crew.ts'
import { call } from '../../scenarios/world/fixture.ts'
import { plantBench, plantedRecord } from '../../scenarios/world/planted-bench.ts'
import { codebaseReport } from '../../scenarios/world/reports.ts'
import { using } from '../../scenarios/world/wire-budget.ts'
import { priced } from '../../server/memory-server.ts'
import { type Browser, journeyWorld, look } from './world.ts'

const usage = { input: 20_000, output: 1_000 }
const line = (within: Locator, text: string) => within.locator('.diff-code-insert', { hasText: text })

/** Resolves when the clock's change is on the screen, since React draws in a separate message. */
const drawn = `new Promise((seen) => {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => seen()
  port2.postMessage(null)
})`

/** The durations on the page, without times such as "2 min ago". */
async function lengths(page: Page): Promise<readonly string[]> {
  const all = await page.locator('main time').allTextContents()
  return all.filter((text) => !/ ago$|^just now$/.test(text))
}

const attempt = (task: string, repeat: number) => ({
  ...({ task, arm: 'task', acceptance: null, repeat, play: null, expected: null } as const),
})

const repository = (name: string, more: Partial<Repository> = {}): Repository => ({
  id: `${name}-0123456789ab`,
  name,
  path: `/memory/${name}`,
  place: 'here',
  current: false,
  owned: false,
  problem: null,
  runs: [],
  total_runs: 0,
  escalations: [],
  ...more,
})

const asking = repository('there', {
  escalations: [
    {
      id: '7',
      run: 'there-1',
      story: null,
      agent_id: 'architect',
      answered: false,
      options: [],
      evidence: '',
      question: 'Shall these stories be built?',
      asked_at: '2026-01-01T00:00:00.000Z',
      recommended: null,
      decisions: [],
      findings: [],
      run_title: 'Make it',
      story_title: null,
    },
  ],
})

/** Finished work: figures, two runs side by side, any past moment, benches, settings. */
export async function lookBack(browser: Browser): Promise<void> {
  const world = await journeyWorld({
    steps: [{ name: 'test', command: 'check' }],
    programs: { check: (seen) => (seen.read('one.txt')?.includes('bad') ? { exitCode: 1, output: 'bad\n' } : 0) },
    user: priced,
  })
  const { fixture } = world
  const root = fixture.folder
  const runOf = (result: Awaited<ReturnType<typeof build>>) => {
    expect(result.exitCode, result.stderr + result.stdout).toBe(0)
    return String(result.events[0]?.run)
  }
  const spec = async (lanes: Parameters<typeof using>[0], ...flags: readonly string[]) => {
    const all = ['run', 'Make the files', '--model', await fixture.replay(using(lanes, usage)), '--json', '--no-wait']
    return runOf(await fixture.drydock(...all, ...flags))
  }
  const first = await spec({ ...specLanes('one', 'two'), ...greenStory('one'), ...greenStory('two') })
  const second = await spec(
    {
      ...specLanes('one', 'three'),
      ...greenStory('one'),
      ...greenStory('three'),
      'editor/one/CODING': [
        writeFile('one.txt', 'bad\n'),
        submit('one'),
        writeFile('one.txt', 'good\nand more\n'),
        submit('one'),
        writeFile('one.txt', 'better\nand more\n'),
        submit('one'),
      ],
      'architect/REQUEST/code/one/1': [needsChanges('Say it better.')],
      'architect/REQUEST/code/one/2': [approve()],
    },
    '--again',
    '--budget-usd',
    '7',
  )
  // A story that was done long before the newest moves of its run shows its own moves.
  await fixture.machine.store.transact(async (tx) => {
    const data = { from: 'CODING', event: 'change_submitted', to: 'VERIFYING' } as const
    for (let n = 0; n < 150; n += 1) await tx.appendEvent({ run: first, story: 'other', type: 'state', data })
  })
  const scout = await fixture.replay({ 'scout/codebase/task/1.1': [call('submit_report', codebaseReport)] })
  runOf(await fixture.drydock('scout', 'codebase', 'Where is the value?', '--json', '--model', scout))
  const folder = join(root, 'suite')
  await plantBench({ DRYDOCK_HOME: root, HOME: root }, folder, {
    plan: {
      started_at: '2026-01-01T00:00:00.000Z',
      attempts: [attempt('a', 1), attempt('b', 1)],
      process: { ...processMark(), began: '1' },
    },
    records: [
      plantedRecord(),
      plantedRecord({
        task: 'b',
        verdict: 'false_pass',
        hidden: [{ command: 'npm test', status: 'FAIL', tail: 'and more' }],
      }),
    ],
    files: {
      'patches/b.task.1.patch': 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+planted line\n',
      'events/b.task.1.jsonl': '{"type":"run","id":1,"run":"r","story":null,"at":"t","kind":"task"}\n',
    },
  })
  const answered: unknown[] = []
  const elsewhere: Elsewhere = {
    list: async () => ({ repositories: [repository('here', { current: true }), asking] }),
    open: async (id) => ({ link: `http://127.0.0.1:1/#${id}` }),
    async reply(id, given) {
      answered.push([id, given])
      return { run: 'there-1', handed: 'recorded' }
    },
    close: async () => {},
  }
  const { page, problems, base } = await browser.open((await world.serve({ overSocket: true, elsewhere })).link)

  // The scout's answer, and its calls.
  await page.locator('.run-line', { hasText: 'Where is the value?' }).click()
  const answer = page.getByRole('region', { name: 'Where is the value?', exact: true })
  await answer.getByText('holds the value').waitFor()
  await page.locator('.entry-kind', { hasText: 'submit_report' }).waitFor()
  expect(await look(page, 'scout')).toEqual([])

  // The board and the chart show the same cost, and no duration of a finished run increases.
  await page.goto(`${base}/#/runs/${second}`)
  await page.locator('[data-story="one"] [data-state="DONE"]').waitFor()
  const dollars = (text: string | null) => Number(/\$([\d.]+)/.exec(text ?? '')?.[1])
  const ofBoard = dollars(await page.locator('.stats > div', { hasText: 'Cost' }).locator('dd').textContent())
  expect(ofBoard).toBeGreaterThan(0.1)
  await page.getByRole('link', { name: 'Figures' }).click()
  const chart = page.locator('.card.wide .recharts-wrapper')
  const { width = 0 } = (await chart.boundingBox()) ?? {}
  await chart.hover({ position: { x: width - 12, y: 100 } })
  const roles = page.locator('.card.wide .recharts-tooltip-item-value')
  await roles.first().waitFor()
  const ofChart = (await roles.allTextContents()).map(dollars).reduce((all, each) => all + (each || 0), 0)
  // Each of the two roles is rounded to a cent.
  expect(Math.abs(ofChart - ofBoard)).toBeLessThan(0.011)
  await page.mouse.move(0, 0)
  await roles.first().waitFor({ state: 'hidden' })
  expect(await look(page, 'figures')).toEqual([])
  const still = await page.context().newPage()
  await still.clock.install()
  for (const [place, isThere] of [
    [`#/runs/${second}`, '.story-card'],
    ['#/', '.run-line'],
    [`#/runs/${second}/stories/one`, '.page-head [data-state="DONE"]'],
    [`#/runs/${first}/agents/one`, '.moves [data-state="DONE"]'],
  ] as const) {
    await still.goto(`${base}/${place}`)
    await still.locator(isThere).first().waitFor()
    const before = await lengths(still)
    expect(before.length, place).toBeGreaterThan(0)
    await still.clock.runFor(20 * 60_000)
    await still.evaluate(drawn)
    expect(await lengths(still), place).toEqual(before)
  }
  await still.close()

  await page.goto(`${base}/#/`)
  await page.getByRole('button', { name: 'Compare two' }).click()
  for (const run of [first, second]) await page.getByRole('checkbox', { name: new RegExp(`, ${run}$`) }).check()
  await page.getByRole('link', { name: 'Compare them' }).click()
  await expect.poll(() => page.url()).toContain(`#/compare/${first}/${second}`)
  await page.getByText('asked for with the same words, and started from the same commit').waitFor()
  const runs = page.getByRole('region', { name: 'The two runs' })
  const row = async (name: string) =>
    (await runs.getByRole('row', { name: new RegExp(`^${name} `) }).innerText()).replaceAll(/\s+/g, ' ')
  expect(await row('Verifications')).toMatch(/\d green, 0 red \d green, 1 red \+1 red/)
  expect(await row('Findings')).toBe('Findings none 1 settled +1 in all')
  expect(await row('Change')).toBe('Change 2 files, +2 −0 2 files, +3 −0 +1 line')
  const told = page.getByRole('region', { name: 'Differences of models and settings' })
  await told.getByRole('row', { name: /^dollars of the run \d+ 7$/ }).waitFor()
  const pair = page.locator('[data-pair="one"] .compare-story')
  expect(await pair.nth(0).innerText()).toMatch(/Verdicts\s+Pass\s+Reviews/)
  expect(await pair.nth(1).innerText()).toMatch(/Verdicts\s+Fail, Pass, Pass\s+Reviews/)
  await pair.nth(1).locator('summary').click()
  await pair.nth(1).getByText('a.txt says the wrong thing').waitFor()
  await page.locator('[data-pair="two"]').getByText('It has no such story.').waitFor()
  const files = page.getByRole('region', { name: 'Changed files of both' })
  await files.getByRole('row', { name: /two\.txt .* not changed/ }).waitFor()
  expect(await look(page, 'compare')).toEqual([])
  await page.getByRole('link', { name: 'Swap' }).click()
  await expect.poll(() => page.url()).toContain(`#/compare/${second}/${first}`)
  await pair.nth(0).getByText('Fail, Pass, Pass').waitFor()

  // Steps through the past event by event: each moment has its board and its files.
  await page.goto(`${base}/#/runs/${second}`)
  await page.getByRole('link', { name: 'Go back in time' }).click()
  const bar = page.getByRole('region', { name: 'Time travel' })
  const button = (name: string) => bar.getByRole('button', { name, exact: true })
  const slider = bar.getByRole('slider', { name: 'Moment' })
  const moment = () => bar.getByRole('status').innerText()
  const stateOf = (story: string) => page.locator(`[data-story="${story}"] [data-state]`).getAttribute('data-state')
  await slider.focus()
  await page.keyboard.press('Home')
  await page.getByText('No story was planned yet').waitFor()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.keyboard.press('v')
  await bar.getByText(/^A verification ended/).waitFor()
  for (let n = 0; n < 9 && !(await moment()).includes('FAIL'); n += 1) await page.keyboard.press('v')
  expect(await moment()).toContain('FAIL')
  expect(await stateOf('one')).toBe('VERIFYING')
  expect(asked.filter((url) => url.includes('/runs/'))).toEqual([])
  const red = Number(await slider.inputValue())
  await page.locator('[data-story="one"]').click()
  const then = page.getByRole('region', { name: 'Make one at that moment' })
  await line(then, 'bad').waitFor()
  expect(await line(then, 'better').count()).toBe(0)
  expect(await look(page, 'past')).toEqual([])
  await page.keyboard.press('.')
  await expect.poll(() => slider.inputValue()).toBe(String(red + 1))
  await button('Next merge').click()
  while (!(await moment()).includes('one was merged')) await button('Next merge').click()
  await line(then, 'better').waitFor()
  await button('Previous verdict').click()

  // The address contains the moment, and the page has no actions.
  const at = await bar.getAttribute('data-moment')
  await expect.poll(() => page.url()).toContain(`at=${at}&`)
  const what = await moment()
  await page.reload()
  await expect.poll(moment).toBe(what)
  for (const name of ['Cancel', 'Pause', 'Resume', 'Retry', 'Reply'])
    expect(await page.locator('#main').getByRole('button', { name, exact: true }).count(), name).toBe(0)

  // The schedule ends at the moment.
  await page.goto(`${base}/#/runs/${second}/schedule?at=${at}`)
  await page.locator('[data-bar^="one "]').first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Make one at that moment' }).waitFor()
  await page.goto(page.url().replace(/#.*/, `#/runs/${second}?at=${at}`))

  // Playback runs by itself, at any speed, until it is paused.
  const last = Number(await slider.getAttribute('max'))
  const place = async () => Number(await slider.inputValue())
  await slider.focus()
  await page.keyboard.press('End')
  await button('Play').click()
  await expect.poll(place).toBeLessThan(last / 2)
  await button('Pause').click()
  const paused = await place()
  const pausedAt = await bar.getAttribute('data-moment')
  await expect.poll(() => page.url()).toContain(`at=${pausedAt}`)
  expect(await place()).toBe(paused)
  await bar.getByLabel('Speed').selectOption('8')
  await slider.focus()
  await page.keyboard.press('Space')
  await expect.poll(place).toBe(last)
  await button('Play').waitFor()
  await button('Back to now').click()
  await bar.waitFor({ state: 'detached' })

  // A bench, in which one attempt shows the reasons for its outcome.
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await page.getByRole('link', { name: /^planted/ }).click()
  await page.locator('.bench-cell', { hasText: 'False PASS' }).waitFor()
  await page.getByRole('combobox', { name: 'Verdict' }).selectOption('false_pass')
  await page.getByText('1 of 2', { exact: true }).waitFor()
  expect(page.url()).toContain('verdict=false_pass')
  expect(await look(page, 'bench')).toEqual([])
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as JSON' }).click(),
  ])
  expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toMatchObject({
    items: [{ task: 'a' }, { task: 'b', result: { verdict: 'false_pass' } }],
  })
  await page.locator('.bench-cell').focus()
  await page.keyboard.press('Enter')
  await page.getByText('The work was handed over, and the hidden tests are red.').waitFor()
  await page.getByRole('region', { name: 'Hidden tests' }).getByText('and more').waitFor()
  await page.getByRole('region', { name: 'Changes' }).getByText('planted line').waitFor()
  expect(await look(page, 'bench-attempt')).toEqual([])
  await page.goBack()
  await page.getByText('1 of 2', { exact: true }).waitFor()

  // Other repositories: their questions are answered from here.
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  const card = page.getByRole('region', { name: /^there in / })
  await card.getByText('1 question').waitFor()
  expect(await look(page, 'repositories')).toEqual([])
  await page.getByRole('link', { name: 'Questions' }).click()
  const question = page.getByRole('article', { name: 'Question in there' })
  await question.getByText('Shall these stories be built?').waitFor()
  await question.getByRole('textbox').fill('stop')
  await question.getByRole('button', { name: 'Answer' }).click()
  await question.getByText('Your answer is stored. No process works on').waitFor()
  expect(answered).toEqual([['there-0123456789ab', { message: '7', text: 'stop' }]])
  expect(await look(page, 'questions')).toEqual([])

  // Settings show the source of each value.
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.getByText('verification.steps').first().waitFor()
  expect(await look(page, 'settings')).toEqual([])
  expect(problems).toEqual([])
}
