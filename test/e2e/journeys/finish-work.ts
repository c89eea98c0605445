import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { call, change, greenLanes, plan, write } from '../../scenarios/world/fixture.ts'
import { add, comment, talk } from '../reviewing.ts'
import { nameModel } from '../starting.ts'
import { type Browser, journeyWorld, look } from './world.ts'

const scripts = (script: string) => `${JSON.stringify({ name: 'median', scripts: { test: script } })}\n`
const weaker = call('write_file', { path: 'package.json', content: scripts('true') })

/** The result of a run is reviewed, checked by its receipts, accepted and landed. */
export async function finishWork(browser: Browser): Promise<void> {
  const world = await journeyWorld({ files: { 'package.json': scripts('node --test') } })
  const { fixture } = world
  const { repository } = fixture.machine
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
  const done = await fixture.drydock('task', 'Say it', '--json', '--model', model)
  expect(done.exitCode, done.stderr).toBe(0)
  const reviewed = String(done.events[0]?.run)
  const first = await world.serve({ overSocket: true, model })
  const { page, problems, base } = await browser.open(first.link, { width: 1_440 })
  await page.getByRole('link', { name: 'Receipts', exact: true }).click()
  const sha = await fixture.git('rev-parse', 'drydock/say-it')
  await page.locator(`[data-receipt="${sha}"] [data-signature="good"]`).waitFor()
  await page.goto(`${base}/#/runs/${reviewed}/stories/task/diff`)

  // One Tab skips the head, and keys move between changes.
  await page.locator('main').focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.locator('.diff-name:focus').waitFor()
  await page.keyboard.press('n')
  await page.locator('.diff-add:focus').waitFor()
  await page.keyboard.press('[')
  await page.locator('.diff-name:focus').waitFor()

  // Comments are written by keyboard, survive a reload, and are sent as one review.
  await page.getByRole('button', { name: 'Comment on added line 1', exact: true }).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Enter')
  await page.locator('textarea:focus').waitFor()
  await page.getByText('Comment on lines 2 to 3').waitFor()
  const said = '<script>planted("said")</script> **less**, please'
  await page.keyboard.type(said)
  await page.getByRole('button', { name: 'Suggest an edit' }).click()
  expect(await comment(page).first().inputValue()).toBe(`${said}\n\`\`\`suggestion\nand more\nand the end\n\`\`\`\n`)
  await page.keyboard.press('Control+Enter')
  await talk(page, said).getByText('Not sent yet').waitFor()
  await talk(page, said).locator('.suggested', { hasText: 'and more' }).waitFor()
  await page.getByRole('button', { name: 'General comment' }).click()
  await comment(page).fill('x'.repeat(100_000))
  await page.getByRole('alert').getByText('at most 16.0k').waitFor()
  expect(await add(page).isDisabled()).toBe(true)
  await comment(page).fill('Add a test.')
  expect(await look(page, 'review')).toEqual([])
  await page.reload()
  expect(await comment(page).inputValue()).toBe('Add a test.')
  await talk(page, said).getByRole('button', { name: 'Edit' }).click()
  await comment(page).last().press('Escape')
  await page.getByText('2 comments not sent yet').waitFor()
  await page.getByRole('button', { name: 'Send review' }).click()
  await page.getByText('Your review is stored.').waitFor()

  // The comments are answered with the commit that settles them once a process works on the state.
  await world.own()
  const settled = talk(page, said)
  await settled.locator('[data-remark-state="SETTLED"]').waitFor()
  await settled.getByText('It is less.').waitFor()
  await settled.getByText((await fixture.git('rev-parse', 'drydock/say-it')).slice(0, 10)).waitFor()
  await settled.getByText('Outdated').waitFor()
  await talk(page, 'Add a test.').getByText('It has <b>one</b>.').waitFor()
  expect(await page.evaluate(`sessionStorage.getItem('drydock.review.${reviewed}/task')`)).toBe(null)
  expect(await look(page, 'review-settled')).toEqual([])

  // A reply stands in the thread of the remark that it answers.
  await settled.getByRole('button', { name: 'Reply to F-1' }).click()
  await settled.getByRole('textbox', { name: /^Reply to F-1 on/ }).fill('And the empty one?')
  await add(page).click()
  const thread = page.getByRole('article', { name: /^Comment F-1 by/ }).locator('.thread-replies')
  await thread.getByText('And the empty one?').waitFor()
  await page.getByText('1 comment not sent yet').waitFor()
  expect(await look(page, 'thread')).toEqual([])
  await thread.getByRole('button', { name: 'Delete' }).click()
  await settled.getByRole('link', { name: 'F-1' }).click()
  await page.locator('[data-finding="F-1"]:focus').waitFor()
  await page.locator('[data-finding="F-1"][aria-current="true"]').getByRole('link', { name: 'value.txt:2-3' }).click()
  await page.locator('.diff-talk:focus', { hasText: said }).waitFor()

  // Another task has weakened a check, which holds it until a person accepts that.
  const second = join(fixture.folder, 'second.json')
  const lanes = { ...greenLanes, 'editor/task/CODING': [write('new\n'), weaker, change()] }
  await writeFile(second, JSON.stringify({ version: 1, lanes }))
  await page.goto(`${base}/#/start`)
  await page.getByText('One task').click()
  await page.getByRole('textbox', { name: /^Task/ }).fill('Say new')
  await nameModel(page, `replay:${second}`)
  await page.getByLabel('Ask me before any file changes').check()
  expect(await look(page, 'start-task')).toEqual([])
  await page.getByRole('button', { name: 'Start the task' }).click()

  // A person sees the plan first, and approves it with a remark.
  await page.getByText('Shall this plan be built?').first().waitFor()
  await page.getByLabel('What to change').fill('Leave the rest alone.')
  expect(await look(page, 'plan-asked')).toEqual([])
  await page.getByRole('button', { name: 'Build it, and heed this' }).click()
  const panel = page.locator('.finish')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.locator('.page-head .pill.attention', { hasText: /^Done, \d findings? to accept$/ }).waitFor()
  await expect.poll(() => page.locator('.pill.done[data-state]').count()).toBe(0)
  await page.getByRole('heading', { name: /holds? it$/ }).waitFor()
  expect(await button('Merge into main').count()).toBe(0)
  expect(await look(page, 'finish-held')).toEqual([])
  const held = page.locator('.finish-findings > li')
  await held.first().locator('a', { hasText: 'package.json' }).click()
  await page.locator(':is(.diff-name, .diff-talk):focus').waitFor()
  await page.goBack()
  for (let left = await held.count(); left > 0; left -= 1) {
    await held.first().getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Accept it' }).click()
    await expect.poll(() => held.count()).toBe(left - 1)
  }
  await panel.getByText('by a person', { exact: false }).first().waitFor()
  await panel.getByText('See the changes').waitFor()

  // Each file of the result leads to its place in the change.
  await panel.locator('summary', { hasText: 'Files' }).click()
  await panel.getByRole('link', { name: 'package.json', exact: true }).click()
  await page.locator('.diff-name:focus', { hasText: 'package.json' }).waitFor()
  await page.goBack()
  await panel.locator('[data-signature="good"]').waitFor()
  await button('Verify now').click()
  await panel.getByText('Checked').waitFor()

  // Landing overwrites no file of the user, and says why.
  await fixture.write({ 'value.txt': 'mine\n' })
  await button('Merge into main').click()
  await page
    .locator('[data-landing="REFUSED"]')
    .getByText(/(?:local|uncommitted) changes/)
    .waitFor()
  await button('Apply to your files').click()
  await page.locator('[data-landing="REFUSED"]').first().getByText('Not applied').waitFor()
  const inWorkTree = () => fixture.file('value.txt')
  expect(await inWorkTree()).toBe('mine\n')
  await fixture.write({ 'value.txt': 'old\n' })
  await button('Apply to your files').click()
  await page.locator('[data-landing="LANDED"]').getByText('2 files of your working tree', { exact: false }).waitFor()
  expect(await inWorkTree()).toBe('new\n')
  await fixture.git('checkout', 'main')
  await button('Merge into main').click()
  await page.locator('[data-landing="LANDED"]', { hasText: 'Merged into main' }).waitFor()
  await page.getByRole('heading', { name: 'Landed on main' }).waitFor()
  expect(await fixture.git('show', 'main:value.txt')).toBe('new')
  expect(await look(page, 'finish-landed')).toEqual([])

  // Receipts are listed with their states, filtered, verified again and downloaded.
  const [note = ''] = [repository.notes.get(await fixture.git('rev-parse', 'drydock/say-new'))]
  await fixture.write({ 'other.txt': 'other\n' })
  const copied = await fixture.git('commit', '-qm', 'Meanwhile')
  repository.notes.set(await fixture.git('rev-parse', 'main'), note)
  await page.getByRole('link', { name: 'Receipts', exact: true }).click()
  await page.locator('[data-receipt] [data-signature="broken"]').waitFor()
  await button('Verify all in view').click()
  await page.getByText(/Verified \d again: \d proven/).waitFor()
  const newest = page.locator(`[data-receipt="${await fixture.git('rev-parse', 'drydock/say-new')}"]`)
  const loading = page.waitForEvent('download')
  await newest.getByRole('button', { name: /^Download/ }).click()
  expect((await readFile(await (await loading).path(), 'utf8')).trim()).toBe(note.trim())
  await newest.getByRole('button', { name: /^More of/ }).click()
  await newest.getByText('"commit": "').first().waitFor()
  expect(await look(page, 'receipts')).toEqual([])
  await page.getByLabel('Find').fill('Meanwhile')
  await page.getByText(/^1 of \d commits/).waitFor()
  await page.reload()
  await page.getByText(/^1 of \d commits/).waitFor()
  expect(await page.getByLabel('Find').inputValue()).toBe('Meanwhile')
  await page.getByLabel('Find').fill('nothing like it')
  await page.getByRole('heading', { name: 'No receipt matches' }).waitFor()
  expect(copied).not.toBe('')
  expect(problems).toEqual([])
}
