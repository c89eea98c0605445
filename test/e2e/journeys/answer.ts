import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { approve, finding, greenStory, needsChanges, reject, specLanes, storyPlan } from '../../scenarios/world/crew.ts'
import { call } from '../../scenarios/world/fixture.ts'
import { using } from '../../scenarios/world/wire-budget.ts'
import { priced } from '../../server/memory-server.ts'
import { failed } from '../../server/spoken-model.ts'
import { createGates } from '../../world/gates.ts'
import { counts } from '../browser.ts'
import { type Browser, journeyWorld, look } from './world.ts'

/** Records the notifications that the page shows, and still shows them. */
const watchNotifications = `
  window.shown = []
  window.Notification = class extends window.Notification {
    constructor(title, options) {
      super(title, options)
      window.shown.push([title, options.body, options.tag])
    }
  }`

const said = 'Keep the ~~new~~ **old** names.\n\n| a | b |\n| - | - |\n| one | two |\n\n- [ ] say so'
const isIn = (page: Page, state: string) => page.locator('.page-head').locator(`[data-state="${state}"]`).waitFor()
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

const again = greenStory('two')
const lanes = {
  ...specLanes('one', { id: 'two', depends_on: ['one'] }, { id: 'three', depends_on: ['two'] }),
  ...greenStory('one'),
  'editor/one/PLANNING': [call('post_message', { content: 'I would use tabs.' }), storyPlan('one')],
  'architect/REQUEST/code/one/1': [
    needsChanges('Not like this.', [
      finding({ id: 'c1', claim: 'The name is wrong.' }),
      finding({ id: 'c2', claim: 'The case is missing.' }),
    ]),
  ],
  'architect/REQUEST/code/one/2': [approve({ accepted: ['c2'] })],
  ...greenStory('two'),
  'architect/REQUEST/plan/two/1': [reject('It must not be built like this.')],
  'editor/two@2/PLANNING': again['editor/two/PLANNING'] ?? [],
  'editor/two@2/CODING': [call('run_command', { command: 'gate two' }), ...(again['editor/two/CODING'] ?? [])],
  'architect/REQUEST/plan/two@2/1': [approve()],
  'architect/REQUEST/code/two@2/1': [approve()],
  ...greenStory('three'),
  'architect/REQUEST/plan/three/1': [reject('It must not be built at all.')],
}

/** All questions to a person, and all commands of a person to a run. */
export async function answerQuestions(browser: Browser): Promise<void> {
  const gates = createGates()
  let key = 'wrong'
  // A failed call counts as a turn as well: each lane continues its script regardless of failures.
  const played = new Map<string, number>()
  let isDown = false
  const world = await journeyWorld({
    steps: [{ name: 'test', command: 'true' }],
    gates,
    config: { editor: { review_rounds: 1 } },
    user: priced,
    async speak({ lane }, _, play) {
      if (key === 'wrong') return failed({ kind: 'auth', message: 'wire answered 401: wrong key', retryable: false })
      if (isDown && lane.startsWith('editor/two@2'))
        return failed({ kind: 'overloaded', message: 'wire answered 503: down', retryable: true })
      const turn = played.get(lane) ?? 0
      played.set(lane, turn + 1)
      return play(turn)
    },
  })
  const { fixture } = world
  const model = await fixture.replay(using(lanes, { input: 20_000, output: 1_000 }))
  await world.own()
  const { link } = await world.serve({ overSocket: true, model })
  const { page, problems } = await browser.open(link, { notifications: true })
  await page.evaluate(watchNotifications)
  await page.getByRole('link', { name: 'Start' }).first().click()
  await page.getByRole('textbox', { name: /^Spec/ }).fill('Make the files')
  await page.getByText('Ask me before any story starts').click()
  await press(page, 'Build it')

  // A run in ERROR is resumed after its cause was removed.
  await isIn(page, 'ERROR')
  await page.getByRole('alert').getByText('wire answered 401').waitFor()
  expect(await look(page, 'error')).toEqual([])
  key = 'right'
  await press(page, 'Resume')
  await counts(page, 1)
  expect(await page.getByRole('alert').count()).toBe(0)
  await press(page, 'Build these stories')

  // A half-written answer survives a visit to another page.
  const asked = page.getByRole('article', { name: 'Question of the architect' })
  await asked.getByText('Not like this.').waitFor()
  await asked.getByRole('link', { name: 'Make the files' }).waitFor()
  await asked.locator('.question-of').getByRole('link', { name: 'Make one' }).waitFor()
  await counts(page, 1)
  expect(await asked.innerText()).not.toContain('drydock')
  const answer = page.getByPlaceholder('Your answer')
  await answer.fill('mind the')
  await page.locator('.question').getByRole('link', { name: 'diff' }).click()
  await page.locator('.diff-code-insert', { hasText: 'one' }).waitFor()
  await page.locator('.back').click()
  await expect.poll(() => answer.inputValue()).toBe('mind the')

  // The chat: a reply to an agent, and a message to all.
  await page.getByRole('link', { name: 'Chat' }).click()
  const posted = page.locator('.message.editor')
  await posted.getByRole('button', { name: 'Reply' }).click()
  await posted.getByLabel('Your answer').fill('Rather spaces.')
  await posted.locator('button[type=submit]').click()
  await page.locator('.thread .answer .message.human', { hasText: 'Rather spaces.' }).waitFor()
  await page.getByLabel('Write to everyone').fill(said)
  await press(page, 'Post')
  const message = page.locator('.message.human', { hasNotText: 'Rather spaces.' })
  await message.locator('td', { hasText: 'two' }).waitFor()
  const struck = await message.locator('del').textContent()
  expect([struck, await message.getByRole('img', { name: 'not done' }).count()]).toEqual(['new', 1])
  expect(await look(page, 'chat')).toEqual([])
  await page.getByRole('link', { name: 'Board' }).click()

  // Each finding is accepted or insisted on, with the evidence next to it.
  const fates = page.getByRole('region', { name: 'Findings to decide about' })
  const fate = (claim: RegExp, what: string) => fates.getByRole('group', { name: claim }).getByLabel(what).check()
  await fate(/The name is wrong/, 'Accept it as it is')
  await fates.getByText('1 finding to decide about').waitFor()
  await page.getByText('The diff', { exact: true }).click()
  await page.locator('.question .evidence-part').getByText('one.txt').first().waitFor()
  await fate(/The case is missing/, 'Insist on it')
  expect(await look(page, 'findings')).toEqual([])
  await fates.getByLabel(/^Why may they stay/).fill('It is an old name')
  await press(page, 'Accept 1, insist on 1')
  // A held command runs after ten seconds.
  const held = page.locator('.held-line', { hasText: /^Accept .* in \d+ s/ })
  await held.getByRole('button', { name: 'Undo' }).click()
  await held.waitFor({ state: 'detached' })
  await press(page, 'Accept 1, insist on 1')
  await page.locator('[data-story="one"] [data-state="DONE"]').waitFor()

  // A stuck story is retried from its page with guidance; its provider has an outage for a while.
  await counts(page, 1)
  isDown = true
  await page.locator('[data-story="two"]').click()
  await isIn(page, 'REJECTED')
  await page.locator('.page-head').getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('dialog').getByLabel('What to do differently').fill('look at the letters')
  await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click()
  await page.locator('.back').click()
  const notice = page.getByRole('status').filter({ hasText: 'Waiting for the model’s provider' })
  await notice.getByRole('link', { name: 'two' }).waitFor()
  await notice.getByText(/wire answered 503.*Drydock tries again in/).waitFor()
  isDown = false
  await gates.reached('two')
  await notice.waitFor({ state: 'detached' })

  // Part of the journey: the run is paused and resumed.
  await press(page, 'Pause')
  gates.open('two')
  await isIn(page, 'PAUSED')
  await page.locator('strong', { hasText: 'It was paused by' }).waitFor()
  await press(page, 'Resume')
  await page.locator('strong', { hasText: 'It was paused by' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Build without three' }).click()
  await page
    .getByRole('dialog')
    .getByLabel(/^Why\?/)
    .fill('nobody needs it')
  await press(page, 'Build without it')
  await page.locator('.page-head', { hasText: 'Done, 1 skipped' }).waitFor()
  await page.getByRole('region', { name: 'Given up' }).locator('[data-story="three"]').waitFor()
  await page.getByRole('region', { name: 'Done' }).locator('[data-story="two"]').waitFor()
  await counts(page, 0)
  await page.getByRole('link', { name: 'Chat' }).click()
  await page.locator('.message.human', { hasText: 'I insist on these findings' }).waitFor()
  const shown = await page.evaluate<readonly (readonly string[])[]>('window.shown')
  expect(shown.map(([title]) => title)).toEqual(Array(4).fill('Drydock asks you'))
  expect(shown.map(([, body]) => body)).toContainEqual(expect.stringContaining('The code of one'))
  expect(new Set(shown.map(([, , tag]) => tag)).size).toBe(4)

  // A budget is used up, it is raised, and the run is cancelled.
  played.clear()
  await page.getByRole('link', { name: 'Start' }).first().click()
  await page.getByRole('textbox', { name: /^Spec/ }).fill('Make the files again')
  await page.getByText('Budget and priority').click()
  await page
    .getByLabel(/^Budget/)
    .first()
    .fill('0.03')
  await press(page, 'Build it')
  await isIn(page, 'BUDGET_REACHED')
  await page.getByText(/The budget does not allow the next call: \$0\.\d+ of the run/).waitFor()
  await press(page, 'Raise the budget')
  await page.getByLabel('More dollars for the run').fill('1')
  await press(page, 'Raise')
  await page.getByText('of $1.03').waitFor()
  await counts(page, 1)
  await press(page, 'Cancel')
  await page
    .getByRole('dialog')
    .getByLabel(/^Why\?/)
    .fill('it is too dear')
  await press(page, 'Cancel the run')
  await isIn(page, 'CANCELLED')
  await page.locator('.page-head .pill', { hasText: /^Cancelled$/ }).waitFor()
  expect(await page.locator('.pill.done').count()).toBe(0)
  await counts(page, 0)
  expect(problems).toEqual([])
}
