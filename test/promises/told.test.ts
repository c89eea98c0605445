import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { build, createCrewFixture, greenStory, reply, specLanes } from '../scenarios/world/crew.ts'
import { call, type Fixture, resultOf } from '../scenarios/world/fixture.ts'
import { configureUser, startHook } from '../scenarios/world/hook.ts'

/** Files of the state that contain a text. */
async function leaks(fixture: Fixture, text: string): Promise<readonly string[]> {
  const { state } = await fixture.open()
  const entries = await readdir(state, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const contents = await Promise.all(files.map((file) => readFile(file, 'latin1')))
  return files.filter((_file, i) => contents[i]?.includes(text))
}

const look = (pattern: string) => call('list_files', { pattern })

test('a question is told once by webhook and by command, and where it is told is written nowhere', async () => {
  const config = { architect: { scoping_soft_limit: 2, scoping_hard_limit: 3 } }
  const fixture = await createCrewFixture({ config })
  onTestFinished(() => fixture.remove())
  const hook = await startHook()
  const told = join(fixture.folder, 'told')
  const command = ['sh', '-c', 'cat >> "$0"; echo >> "$0"', told]
  await configureUser(fixture, { notify: { webhook: hook.url, command } })
  const waiting = await build(fixture, {
    ...specLanes('one'),
    ...greenStory('one'),
    'architect/SCOPING': [look('*.txt'), look('*.md'), reply('A small repository.')],
  })
  expect(waiting.exitCode, waiting.stderr).toBe(6)
  const run = String(waiting.events[0]?.run)
  const key = `${run}/1`
  expect(hook.posts).toMatchObject([{ key, notice: { id: key, type: 'escalation', run, message: '1' } }])
  expect(JSON.parse(await readFile(told, 'utf8'))).toEqual(hook.posts[0]?.notice)
  await fixture.drydock('reply', '1', 'Go on.')
  expect(resultOf(await fixture.drydock('resume', '--json', '--no-wait'))).toMatchObject({ status: 'DONE' })
  expect(hook.posts).toHaveLength(1)
  const tried = await fixture.drydock('notify', '--test')
  expect(tried).toMatchObject({ exitCode: 0, stdout: 'webhook: delivered\ncommand: delivered\n' })
  expect(await leaks(fixture, 'path-that-is-a-key')).toEqual([])
})
