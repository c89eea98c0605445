import type { Page } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import {
  alwaysGreen,
  approve,
  build,
  createCrewFixture,
  greenStory,
  needsChanges,
  specLanes,
  storyPlan,
} from '../scenarios/world/crew.ts'
import { call, change, createFixture, type Fixture, plan, write } from '../scenarios/world/fixture.ts'
import { createBudgetWorld, using } from '../scenarios/world/wire-budget.ts'
import { counts, type Opened, sharedBrowser } from './browser.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let world: { remove(): Promise<void> }
afterEach(() => world.remove())

const oneRound = { config: { editor: { review_rounds: 1 } } }
const usage = { input: 20_000, output: 1_000 }
const green = using({ ...specLanes('one'), ...greenStory('one') }, usage)

/** Opens the board of the only Run, in a browser whose page is never loaded again. */
async function openBoard(fixture: Fixture, options: Parameters<typeof browser.open>[1] = {}): Promise<Opened> {
  const opened = await browser.open((await serveApart(fixture, '--port', '0')).link, options)
  await opened.page.locator('.run-line').click()
  return opened
}

const said = 'Keep the ~~new~~ **old** names.\n\n| a | b |\n| - | - |\n| one | two |\n\n- [ ] say so'

const isIn = (page: Page, state: string) => page.locator('.page-head').locator(`[data-state="${state}"]`).waitFor()
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

describe('from its page', () => {
  test('a run whose budget is used up goes on once more is allowed', async () => {
    const made = await createBudgetWorld(green, { steps: [alwaysGreen] })
    world = made
    const flags = ['--model', made.model, '--json', '--no-wait', '--budget-usd', '0.05']
    expect((await made.fixture.drydock('run', 'Make the files', ...flags)).exitCode).toBe(7)
    const { page, problems } = await openBoard(made.fixture)
    await isIn(page, 'BUDGET_REACHED')
    await page.getByText('The budget does not allow the next call: $0.05 of the run').waitFor()
    await press(page, 'Raise the budget')
    await page.getByLabel('More dollars for the run').fill('1')
    await press(page, 'Raise')
    await isIn(page, 'DONE')
    await page.getByText('of $1.05').waitFor()
    expect(problems).toEqual([])
  })

  test('a run in ERROR is resumed once its cause is gone', async () => {
    let key = 'wrong'
    const refusal = { refusal: { status: 401, body: 'wrong key' } }
    const made = await createBudgetWorld(green, {
      steps: [alwaysGreen],
      answer: (turn, { lane }) => (key === 'wrong' && lane === 'editor/one/CODING' ? refusal : turn),
    })
    world = made
    const flags = ['--model', made.model, '--json', '--no-wait']
    expect((await made.fixture.drydock('run', 'Make the files', ...flags)).exitCode).toBe(2)
    const { page, problems } = await openBoard(made.fixture)
    await isIn(page, 'ERROR')
    await page.getByRole('alert').getByText('wire answered 401').waitFor()
    key = 'right'
    await press(page, 'Resume')
    await isIn(page, 'DONE')
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(problems).toEqual([])
  })

  test('a run whose provider is down says what waits for it, and goes on by itself', async () => {
    let isDown = true
    const refusal = { refusal: { status: 503, body: 'down' } }
    const made = await createBudgetWorld(green, {
      steps: [alwaysGreen],
      answer: (turn, { lane }) => (isDown && lane === 'editor/one/CODING' ? refusal : turn),
    })
    world = made
    const { page, problems } = await browser.open((await serveApart(made.fixture, '--port', '0')).link)
    const building = made.fixture.drydock('run', 'Make the files', '--model', made.model, '--json', '--no-wait')
    await page.locator('.run-line').click()
    const notice = page.getByRole('status').filter({ hasText: 'Waiting for the model’s provider' })
    await notice.getByRole('link', { name: 'one' }).waitFor()
    await notice.getByText(/wire answered 503.*Drydock tries again in/).waitFor()
    isDown = false
    await isIn(page, 'DONE')
    expect(await notice.count()).toBe(0)
    expect((await building).exitCode).toBe(0)
    expect(problems).toEqual([])
  })

  test('a task that is stuck is retried with what a person says', async () => {
    const fixture = await createFixture({ config: { editor: { planning_iterations: 3, coding_iterations: 3 } } })
    world = fixture
    const model = await fixture.replay({
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [write('half\n'), ...[1, 2, 3].map((n) => ({ text: `Thinking of ${n}.` }))],
      'editor/task@2/PLANNING': [plan()],
      'editor/task@2/CODING': [write('new\n'), change()],
    })
    expect((await fixture.drydock('task', 'say new', '--json', '--model', model)).exitCode).toBe(3)
    const { page, problems } = await openBoard(fixture)
    await isIn(page, 'STUCK')
    await press(page, 'Retry')
    await page.getByLabel('What to do differently').fill('look at the letters')
    await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click()
    await isIn(page, 'DONE')
    await page.locator('[data-story="task"]').click()
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.locator('.entry-head', { hasText: 'submit_change' }).first().waitFor()
    expect(problems).toEqual([])
  })

  test('a run is told something, paused, resumed and cancelled', async () => {
    const fixture = await createCrewFixture(oneRound)
    world = fixture
    const lanes = {
      'editor/one/PLANNING': [call('post_message', { content: 'I would use tabs.' }), storyPlan('one')],
      'architect/REQUEST/code/one/1': [needsChanges('Not like this.')],
    }
    expect((await build(fixture, { ...specLanes('one'), ...greenStory('one'), ...lanes })).exitCode).toBe(6)
    const { page, problems } = await openBoard(fixture)
    await page.getByRole('link', { name: 'Chat' }).click()
    const posted = page.locator('.message.editor')
    await posted.getByRole('button', { name: 'Reply' }).click()
    await posted.getByLabel('Your answer').fill('Rather spaces.')
    await posted.locator('button[type=submit]').click()
    await page.locator('.thread .answer .message.human', { hasText: 'Rather spaces.' }).waitFor()
    await posted.getByRole('button', { name: 'Reply' }).waitFor()
    await page.getByLabel('Write to everyone').fill(said)
    await press(page, 'Post')
    const message = page.locator('.message.human', { hasNotText: 'Rather spaces.' })
    await message.locator('td', { hasText: 'two' }).waitFor()
    const struck = await message.locator('del').textContent()
    expect([struck, await message.getByRole('img', { name: 'not done' }).count()]).toEqual(['new', 1])

    await page.getByRole('link', { name: 'Board' }).click()
    await press(page, 'Pause')
    await isIn(page, 'PAUSED')
    await page.getByText('You paused this run').waitFor()
    await press(page, 'Resume')
    await page.getByText('You paused this run').waitFor({ state: 'detached' })
    await press(page, 'Cancel')
    await press(page, 'Cancel the run')
    await isIn(page, 'CANCELLED')
    await page.locator('.page-head .pill', { hasText: /^Cancelled$/ }).waitFor()
    expect(await page.locator('.pill.done').count()).toBe(0)
    await counts(page, 0)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(problems).toEqual([])
  })
})

/** What the page asks the browser to show, beside being shown. */
const watchNotifications = `
  window.shown = []
  window.Notification = class extends window.Notification {
    constructor(title, options) {
      super(title, options)
      window.shown.push([title, options.body, options.tag])
    }
  }`

test('where notifications are allowed each question is told once, also after the connection was lost', async () => {
  const fixture = await createCrewFixture(oneRound)
  world = fixture
  const asks = (story: string) => ({
    ...greenStory(story),
    [`architect/REQUEST/code/${story}/1`]: [needsChanges('Not like this.')],
    [`architect/REQUEST/code/${story}/2`]: [approve({ accepted: ['c1'] })],
  })
  const model = await fixture.replay({ ...specLanes('one', 'two'), ...asks('one'), ...asks('two') })
  const first = await serveApart(fixture, '--port', '0')
  const { page, problems } = await browser.open(first.link, { notifications: true })
  await page.evaluate(watchNotifications)
  await page.getByRole('link', { name: 'Start' }).first().click()
  await page.getByRole('textbox', { name: /^Spec/ }).fill('Make the files')
  await page.getByText('Options').click()
  await page.getByLabel('Model').fill(model)
  await press(page, 'Build it')
  await counts(page, 2)

  first.child.kill('SIGKILL')
  await first.ended
  await page.getByText('The connection to Drydock is lost').waitFor()
  await serveApart(fixture, '--port', first.port)
  await page.getByText('The connection to Drydock is lost').waitFor({ state: 'detached' })
  await page.getByPlaceholder('Your answer').fill('Take it as it is.')
  await press(page, 'Reply')
  await counts(page, 1)

  const shown = await page.evaluate<readonly (readonly string[])[]>('window.shown')
  expect(shown.toSorted()).toEqual([
    ['Drydock asks you', expect.stringContaining('The code of one'), expect.stringMatching(/^drydock-\d+$/)],
    ['Drydock asks you', expect.stringContaining('The code of two'), expect.stringMatching(/^drydock-\d+$/)],
  ])
  expect(new Set(shown.map(([, , tag]) => tag)).size).toBe(2)
  expect(problems).toEqual([])
})
