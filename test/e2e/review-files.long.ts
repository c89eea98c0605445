import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { call, change, createFixture, type Fixture, plan, resultOf, write } from '../scenarios/world/fixture.ts'
import { faults } from './axe.ts'
import { sharedBrowser } from './browser.ts'
import { add, comment, many } from './reviewing.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
afterEach(() => fixture.remove())

/** A command that ends once the test creates a file. */
const untilTold = 'until [ -e go ]; do sleep 0.05; done; rm go'

test('files are viewed until they change, two attempts are compared, lines come on demand, and the sides stand apart if one likes', async () => {
  fixture = await createFixture({ files: { 'src/many.ts': many() } })
  const put = (content: string) => call('write_file', { path: 'src/many.ts', content })
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan({ files: ['value.txt', 'src/many.ts'] })],
    'editor/task/CODING': [
      write('first\n'),
      put(many({ 100: 'changed' })),
      change(),
      call('run_command', { command: untilTold }),
      write('new\n'),
      change(),
    ],
  })
  const { page, problems } = await browser.open((await serveApart(fixture, '--port', '0')).link, { width: 1_440 })
  const started = fixture.drydock('task', 'Say it', '--json', '--model', model)
  await page.locator('.run-line').click()
  await page.locator('[data-story="task"]').click()
  await page.getByRole('link', { name: 'Diff', exact: true }).click()
  await page.getByText('the workspace as it is now').waitFor()
  for (const file of ['value.txt', 'src/many.ts']) await page.getByRole('checkbox', { name: `Viewed: ${file}` }).check()
  await page.getByText('2 of 2 files viewed').waitFor()
  expect(await page.locator('.diff-line').count()).toBe(0)
  await page.getByRole('link', { name: 'Overview' }).click()
  await writeFile(join((await fixture.open()).state, 'workspaces', 'coder-001', 'go'), '')
  expect((await started).exitCode).toBe(0)
  await page.getByRole('link', { name: 'Diff', exact: true }).click()
  await page.getByText('1 of 2 files viewed').waitFor()
  await page.locator('.diff-code-insert', { hasText: 'new' }).waitFor()

  await page.getByRole('button', { name: 'Changed since you last looked' }).click()
  await page.locator('.diff-code-delete', { hasText: 'first' }).waitFor()
  expect(await page.locator('.diff-file').count()).toBe(1)
  await page.getByLabel('From').selectOption('attempt 1: Fail')
  await page.getByLabel('to', { exact: true }).selectOption('attempt 2: Pass')
  await expect.poll(() => page.url()).toMatch(/\?from=[0-9a-f]{40}&to=[0-9a-f]{40}$/)
  await page.locator('.diff-code-delete', { hasText: 'first' }).waitFor()
  expect(await page.locator('.diff-add').count()).toBe(0)
  await page.getByRole('button', { name: 'Show the whole change' }).click()

  await page.getByRole('searchbox', { name: 'Filter files' }).fill('many')
  await page
    .getByRole('navigation', { name: 'Changed files' })
    .getByRole('button', { name: /many\.ts/ })
    .click()
  await page.locator('.diff-code-insert', { hasText: 'changed' }).waitFor()
  await page.getByRole('button', { name: '↑ 20 lines' }).click()
  await page.locator('.diff-line', { hasText: 'line 77' }).waitFor()
  expect(await page.locator('.diff-line', { hasText: 'line 76' }).count()).toBe(0)
  const rest = page.getByRole('button', { name: 'All 97 lines' })
  await rest.click()
  await rest.waitFor({ state: 'detached' })
  await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)')
  await page.locator('.diff-line', { hasText: 'line 200' }).waitFor()
  await page.getByRole('radio', { name: 'Split' }).check({ force: true })
  await page.locator('.diff-pair').first().waitFor()
  await page.reload()
  await page.locator('.diff-pair', { hasText: 'old' }).getByText('new').waitFor()
  expect(await faults(page)).toEqual([])
  expect(problems).toEqual([])
})

test('files with odd names and contents are shown as what they are, and are commented on as any other', async () => {
  const odd = 'a dir/it\'s "odd"\ttab ünï<b>.txt'
  const files = {
    [odd]: 'one\ntwo\n',
    'gone.txt': 'was here\n',
    'moved here.txt': many(),
    'picture one.bin': 'a\0b',
    'unended.txt': 'no end',
  }
  fixture = await createFixture({ files })
  const shell = [
    `printf 'one\\nchanged\\n' > 'a dir/it'"'"'s "odd"'"$(printf '\\t')"'tab ünï<b>.txt'`,
    'rm gone.txt',
    "mv 'moved here.txt' 'moved there.txt'",
    "printf 'c\\0d' > 'picture one.bin'",
    "printf 'still no end' > unended.txt",
  ]
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [call('run_command', { command: shell.join(' && ') }), write('new\n'), change()],
  })
  const { run } = resultOf(await fixture.drydock('task', 'Say it', '--json', '--model', model))
  const { link } = await serveApart(fixture, '--port', '0', '--no-own')
  const { page, problems, base } = await browser.open(link, { width: 1_440 })
  await page.goto(`${base}/#/runs/${run}/stories/task/diff`)
  await page.locator('.diff-name').first().waitFor()
  const names = await page.locator('.diff-name code').allInnerTexts()
  expect(names.toSorted()).toEqual(
    [odd, 'gone.txt', 'moved here.txt → moved there.txt', 'picture one.bin', 'unended.txt', 'value.txt'].toSorted(),
  )
  await page.getByText('A binary file.').waitFor()
  await page.getByText('Only its name changed.').waitFor()
  await page.getByText('No end of line at the end of the file.').waitFor()
  const onLine = async (text: string, words: string) => {
    const line = page.locator('.diff-line', { hasText: text })
    await line.hover()
    await line.locator('.diff-add').click()
    await comment(page).fill(words)
    await add(page).click()
  }
  await onLine('changed', 'in the odd one')
  await onLine('was here', 'in the one that is gone')
  for (const file of ['gone.txt', 'moved there.txt', 'picture one.bin']) {
    await page.getByRole('button', { name: `Comment on ${file}` }).click()
    await comment(page).fill(`on ${file}`)
    await add(page).click()
  }
  await page.getByRole('button', { name: 'Send review' }).click()
  await page.getByText('Your review is stored.').waitFor()
  const { events } = await fixture.drydock('review', String(run), '--json')
  expect(events.filter(({ type }) => type === 'remark')).toMatchObject([
    { path: odd, start: 2, side: 'new' },
    { path: 'gone.txt', start: 1, side: 'old' },
    { path: 'gone.txt', start: null, side: 'old' },
    { path: 'moved there.txt', start: null },
    { path: 'picture one.bin', start: null },
  ])
  expect(problems).toEqual([])
})
