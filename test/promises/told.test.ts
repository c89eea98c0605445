import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { build, createCrewFixture, greenStory, reply, specLanes } from '../scenarios/world/crew.ts'
import { call, createFixture, type Fixture, greenLanes, resultOf } from '../scenarios/world/fixture.ts'
import { configureUser, startHook } from '../scenarios/world/hook.ts'
import { spansIn, spansOf, startOtlpReceiver } from '../scenarios/world/otlp-receiver.ts'
import { launch } from '../scenarios/world/process.ts'

/** Files of the state that hold a text. */
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
    ...{ ...specLanes('one'), ...greenStory('one') },
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

test('a run is traced to a collector while it goes on, as `drydock trace` writes it, with the key of the collector', async () => {
  const key = 'collector-key-0123456789abcdef'
  const fixture = await createFixture({ env: { COLLECTOR_KEY: key, OTEL_BSP_SCHEDULE_DELAY: '20' } })
  onTestFinished(() => fixture.remove())
  const receiver = await startOtlpReceiver()
  const headers = { authorization: { env: 'COLLECTOR_KEY' } }
  await configureUser(fixture, { telemetry: { otlp: { endpoint: receiver.url, headers } } })
  const model = await fixture.replay(greenLanes)
  const done = await launch(['task', 'say new', '--model', model, '--json', '--repo', fixture.repo], fixture).ended
  expect(done.exitCode, done.stderr).toBe(0)
  const sent = spansIn(receiver.received)
  const written = await fixture.drydock('trace', String(done.events[0]?.run), '--out', '-')
  const ids = (spans: typeof sent) => spans.map(({ spanId }) => spanId).toSorted()
  expect(ids(sent)).toEqual(ids(spansOf(written.stdout.split('\n')[0] ?? '')))
  expect(new Set(sent.map(({ name }) => name))).toEqual(
    new Set([
      ...['invoke_workflow task', 'verification', 'verification_step test', 'invoke_agent editor', 'chat replay.json'],
      ...['execute_tool submit_plan', 'execute_tool write_file', 'execute_tool submit_change'],
    ]),
  )
  expect(receiver.received.every((request) => request.headers.authorization === key)).toBe(true)
  expect(await leaks(fixture, key)).toEqual([])
})
