import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { call, change, createFixture, type Fixture, plan, write } from '../scenarios/world/fixture.ts'
import { sharedBrowser } from './browser.ts'
import { comment, held, talk } from './reviewing.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
afterEach(() => fixture.remove())

/** A command that ends once the test creates a file. */
const untilTold = 'until [ -e go ]; do sleep 0.05; done; rm go'

test('a comment in progress keeps its focus, its words and its line while the work continues, and holds it', async () => {
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
  // The comment is below its line, which has moved.
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
