import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { approve, build, createCrewFixture, greenStory, needsChanges, specLanes } from '../scenarios/world/crew.ts'
import { call, change, createFixture, type Fixture, plan, write } from '../scenarios/world/fixture.ts'
import { sharedBrowser } from './browser.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
afterEach(() => fixture.remove())

/** A command that ends once the test has put a file there: no pipe, which git could not keep. */
const untilTold = 'until [ -e go ]; do sleep 0.05; done; rm go'

test('the diff of a story shows what its editor has written, before any snapshot is taken', async () => {
  fixture = await createFixture()
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [
      write('first\n'),
      call('run_command', { command: untilTold }),
      write('new\n'),
      call('run_command', { command: untilTold }),
      change(),
    ],
  })
  const { link } = await serveApart(fixture, '--port', '0')
  const { page, problems } = await browser.open(link)
  const started = fixture.drydock('task', 'Say it', '--json', '--model', model)
  await page.locator('.run-line').click()
  await page.locator('[data-story="task"]').click()
  await page.getByRole('link', { name: 'Diff', exact: true }).click()
  const workspace = join((await fixture.open()).state, 'workspaces', 'coder-001')
  await page.locator('.diff-code-insert', { hasText: 'first' }).waitFor()
  await page.getByText('the workspace as it is now').waitFor()
  await writeFile(join(workspace, 'go'), '')
  await page.locator('.diff-code-insert', { hasText: 'new' }).waitFor()
  await writeFile(join(workspace, 'go'), '')
  const done = await started
  expect(done.exitCode, done.stderr + done.stdout).toBe(0)
  await page.locator('.page-head [data-state="DONE"]').waitFor()
  await page.getByText('the workspace as it is now').waitFor({ state: 'detached' })
  await page.locator('.diff-code-insert', { hasText: 'new' }).waitFor()
  expect(problems).toEqual([])
})

/** Whether the code of a diff has run in the page: to have been fetched is not enough. */
const hasCode = `(async () => {
  const code = performance.getEntriesByType('resource').find(({ name }) => /diff-review-.*js$/.test(name))
  if (code === undefined) return false
  await import(code.name)
  return new Promise((resolve) => requestIdleCallback(() => resolve(true)))
})()`

/** Twenty files of a thousand lines. */
const large = `for file in $(seq 20); do seq -f "const line%g = 'of $file' // as it is" 1000 > "large-$file.ts"; done`

test('changes of twenty thousand lines are a page of a few hundred, and asked for again only when they change', async () => {
  fixture = await createCrewFixture({ config: { editor: { review_rounds: 1 } } })
  const green = greenStory('one')
  const coding = green['editor/one/CODING'] ?? []
  const stopped = await build(fixture, {
    ...specLanes('one', { id: 'two', depends_on: ['one'] }),
    ...green,
    'editor/one/CODING': [call('run_command', { command: large }), ...coding],
    ...greenStory('two'),
    'architect/REQUEST/code/two/1': [needsChanges('Not like this.')],
    'architect/REQUEST/code/two/2': [approve({ accepted: ['c1'] })],
  })
  expect(stopped.exitCode, stopped.stderr).toBe(6)
  const { link } = await serveApart(fixture, '--port', '0')
  const { page, problems } = await browser.open(link)
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/diff')) asked.push(request.url())
  })
  await page.locator('.run-line').click()
  await page.getByRole('link', { name: 'Changes' }).click()
  await page.locator('.diff-code-insert', { hasText: "const line1 = 'of 1' // as it is" }).waitFor()
  await page.locator('.diff-code-insert .token.keyword').first().waitFor()
  expect(await page.evaluate<number>("document.querySelectorAll('*').length")).toBeLessThan(3_000)
  await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)')
  await page.locator('.diff-code-insert', { hasText: 'const line1000' }).first().waitFor()
  expect(await page.evaluate<number>("document.querySelectorAll('*').length")).toBeLessThan(3_000)
  expect(asked).toHaveLength(1)

  await page.locator('.diff-file', { hasText: 'two' }).waitFor({ state: 'detached' })
  await fixture.drydock('reply', '1', 'Take it as it is.')
  await page.locator('.page-head [data-state="DONE"]').waitFor()
  await page.locator('.diff-file', { hasText: 'two.txt' }).waitFor()
  expect(asked).toHaveLength(2)
  expect(problems).toEqual([])
})

test('a diff comes while somebody points at it, and one that is there is shown at once', async () => {
  fixture = await createFixture()
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [write('new\n'), change()],
  })
  const done = await fixture.drydock('task', 'Say it', '--json', '--model', model)
  expect(done.exitCode, done.stderr + done.stdout).toBe(0)
  const { link } = await serveApart(fixture, '--port', '0')
  const { page, problems } = await browser.open(link)
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/diff')) asked.push(request.url())
  })
  const pointed = async (name: string) => {
    const to = page.getByRole('link', { name, exact: true })
    const [answer] = await Promise.all([page.waitForResponse(/\/diff$/), to.hover()])
    await answer.finished()
    await expect.poll(() => page.evaluate(hasCode)).toBe(true)
    await page.evaluate(`{
      window.waited = 0
      new MutationObserver(() => { window.waited += document.querySelectorAll('main .loading').length })
        .observe(document, { subtree: true, childList: true })
    }`)
    await to.click()
    await page.locator('.diff-code-insert', { hasText: 'new' }).waitFor()
    return page.evaluate<number>('window.waited')
  }
  await page.locator('.run-line').click()
  await page.locator('[data-story="task"]').click()
  expect(await pointed('Diff')).toBe(0)
  await page.getByRole('link', { name: 'Board', exact: true }).click()
  await page.locator('[data-story="task"]').waitFor()
  expect(await pointed('Changes')).toBe(0)
  expect(asked).toHaveLength(2)
  expect(problems).toEqual([])
})
