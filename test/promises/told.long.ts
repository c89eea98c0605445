import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFixture, type Fixture, greenLanes } from '../scenarios/world/fixture.ts'
import { configureUser } from '../scenarios/world/hook.ts'
import { spansIn, spansOf, startOtlpReceiver } from '../scenarios/world/otlp-receiver.ts'
import { launch } from '../scenarios/world/process.ts'

/** Files of the state that contain a text. */
async function leaks(fixture: Fixture, text: string): Promise<readonly string[]> {
  const { state } = await fixture.open()
  const entries = await readdir(state, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const contents = await Promise.all(files.map((file) => readFile(file, 'latin1')))
  return files.filter((_file, i) => contents[i]?.includes(text))
}

test('a run is traced to a collector while it works, as `drydock trace` writes it, with the key of the collector', async () => {
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
      'invoke_workflow task',
      'verification',
      'verification_step test',
      'invoke_agent editor',
      'chat replay.json',
      'execute_tool submit_plan',
      'execute_tool write_file',
      'execute_tool submit_change',
    ]),
  )
  expect(receiver.received.every((request) => request.headers.authorization === key)).toBe(true)
  expect(await leaks(fixture, key)).toEqual([])
})
