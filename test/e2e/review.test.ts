import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { call, change, createFixture, type Fixture, plan, resultOf, write } from '../scenarios/world/fixture.ts'
import { faults } from './axe.ts'
import { sharedBrowser } from './browser.ts'
import { add, comment, held, talk } from './reviewing.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
afterEach(() => fixture.remove())

test('comments are written with the keyboard, outlast a reload, go as one review, and are answered with the commit that settles them', async () => {
  fixture = await createFixture()
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [write('new\nand more\nand the end\n'), change()],
    'editor/review-1/PLANNING': [plan()],
    'editor/review-1/CODING': [
      write('new\nand less\nand the end\n'),
      change('Less', {
        remarks: [
          { id: 'F-1', settled: true, reply: 'It is less.' },
          { id: 'F-2', settled: true, reply: 'It has <b>one</b>.' },
        ],
      }),
    ],
  })
  const { run } = resultOf(await fixture.drydock('task', 'Say it', '--json', '--model', model))
  const { link } = await serveApart(fixture, '--port', '0')
  const { page, problems, base } = await browser.open(link, { width: 1_440 })
  await page.goto(`${base}/#/runs/${run}/stories/task/diff`)
  await page.getByRole('button', { name: 'Comment on added line 1', exact: true }).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Enter')
  await page.locator('textarea:focus').waitFor()
  await page.getByText('Comment on lines 2 to 3').waitFor()
  const said = '<script>planted("said")</script> **less**, please'
  await page.keyboard.type(said)
  await page.keyboard.press('Control+Enter')
  await talk(page, said).getByText('Not sent yet').waitFor()

  await page.getByRole('button', { name: 'General comment' }).click()
  await comment(page).fill('x'.repeat(100_000))
  await page.getByRole('alert').getByText('at most 16K').waitFor()
  expect(await add(page).isDisabled()).toBe(true)
  await comment(page).fill('Add a test.')
  expect(await faults(page)).toEqual([])

  await page.reload()
  expect(await comment(page).inputValue()).toBe('Add a test.')
  await talk(page, said).getByRole('button', { name: 'Edit' }).click()
  await comment(page).last().press('Escape')
  await page.getByText('2 comments not sent yet').waitFor()
  await page.getByRole('button', { name: 'Send review' }).click()
  await page.getByText('Your review is on its way.').waitFor()

  const settled = talk(page, said)
  await settled.locator('[data-remark-state="SETTLED"]').waitFor()
  await settled.getByText('It is less.').waitFor()
  const commit = await fixture.git('rev-parse', 'drydock/say-it')
  await settled.getByText(commit.slice(0, 10)).waitFor()
  await settled.getByText('Outdated').waitFor()
  await talk(page, 'Add a test.').getByText('It has <b>one</b>.').waitFor()
  expect(
    await page.evaluate<string | null>(
      "sessionStorage.getItem('drydock.review.' + location.hash.split('/')[2] + '/task')",
    ),
  ).toBe(null)
  expect(await faults(page)).toEqual([])

  await settled.getByRole('link', { name: 'F-1' }).click()
  await page.locator('[data-finding="F-1"]:focus').waitFor()
  await page.locator('[data-finding="F-1"][aria-current="true"]').getByRole('link', { name: 'value.txt:2-3' }).click()
  await page.locator('.diff-talk:focus', { hasText: said }).waitFor()
  expect(problems).toEqual([])
})

/** A command that ends once the test has put a file there. */
const untilTold = 'until [ -e go ]; do sleep 0.05; done; rm go'

test('a comment that is being written keeps its focus, its words and its line while the work goes on, and holds it', async () => {
  fixture = await createFixture()
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [
      write('one\ntwo\nthree\n'),
      call('run_command', { command: untilTold }),
      write('zero\nhalf\none\ntwo\nthree\n'),
      call('run_command', { command: untilTold }),
      write('new\ntwo\n'),
      change('Say new', { remarks: [{ id: 'F-1', settled: true, reply: 'Two it is.' }] }),
    ],
  })
  const { page, problems } = await browser.open((await serveApart(fixture, '--port', '0')).link, { width: 1_440 })
  const started = fixture.drydock('task', 'Say it', '--json', '--model', model)
  await page.locator('.run-line').click()
  await page.locator('[data-story="task"]').click()
  await page.getByRole('link', { name: 'Diff', exact: true }).click()
  const two = page.locator('.diff-line', { hasText: 'two' })
  await two.hover()
  await two.locator('.diff-add').click()
  await page.keyboard.type('Keep ')
  const go = join((await fixture.open()).state, 'workspaces', 'coder-001', 'go')
  await writeFile(go, '')
  await page.locator('.diff-line', { hasText: 'half' }).waitFor()
  expect(await held(page)).toBe('Keep ')
  await page.keyboard.type('this.')
  expect(await comment(page).inputValue()).toBe('Keep this.')
  // It stands below its line, which has moved.
  const below = await comment(page).boundingBox()
  const line = await page.locator('.diff-line.chosen').boundingBox()
  expect((below?.y ?? 0) - (line?.y ?? 0)).toBeLessThan(120)
  expect(await page.locator('.diff-line.chosen').innerText()).toContain('two')
  expect(await page.getByRole('link', { name: /^Open value.txt in your editor/ }).getAttribute('href')).toMatch(
    /^vscode:\/\/file\/.*\/workspaces\/coder-001\/value\.txt:1$/,
  )

  await page.getByRole('button', { name: 'Send review' }).click()
  await talk(page, 'Keep this.').locator('[data-remark-state="OPEN"]').waitFor()
  await writeFile(go, '')
  const done = await started
  expect(done.exitCode, done.stderr + done.stdout).toBe(0)
  await talk(page, 'Keep this.').locator('[data-remark-state="SETTLED"]').waitFor()
  await talk(page, 'Keep this.').getByText('Was line 4').waitFor()
  expect(problems).toEqual([])
})
