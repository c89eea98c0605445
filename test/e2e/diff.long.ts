import { afterEach, expect, test } from 'vitest'
import { approve, build, createCrewFixture, greenStory, needsChanges, specLanes } from '../scenarios/world/crew.ts'
import { call, type Fixture } from '../scenarios/world/fixture.ts'
import { sharedBrowser } from './browser.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
afterEach(() => fixture.remove())

/** A command that ends once the test creates a file; git could not store a pipe. */
const _untilTold = 'until [ -e go ]; do sleep 0.05; done; rm go'

/** True if the code of a diff has run in the page; having been fetched is not enough. */
const _hasCode = `(async () => {
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
