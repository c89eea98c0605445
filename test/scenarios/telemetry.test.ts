import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createFixture, type Fixture } from '../world/fixture.ts'
import { call, change, greenLanes, resultOf, write } from './world/fixture.ts'
import { configureUser } from './world/hook.ts'
import {
  attributesOf,
  neverAnswers,
  type OtlpReceiver,
  refuses,
  type SentSpan,
  spansIn,
  spansOf,
  startOtlpReceiver,
  takes,
} from './world/otlp-receiver.ts'
import { gatedLanes, gateReached } from './world/process.ts'

const key = 'collector-key-0123456789abcdef'
const soon = { OTEL_BSP_SCHEDULE_DELAY: '20' }

let fixture: Fixture
afterEach(() => fixture.remove())

async function start(options: Parameters<typeof createFixture>[0] = {}, more: object = {}): Promise<OtlpReceiver> {
  fixture = await createFixture({ ...options, env: { COLLECTOR_KEY: key, ...soon, ...options.env } })
  const receiver = await startOtlpReceiver()
  const headers = { authorization: { env: 'COLLECTOR_KEY' } }
  await configureUser(fixture, { telemetry: { otlp: { endpoint: receiver.url, headers }, ...more } })
  return receiver
}

/** Runs a task to its end and returns its id. */
async function task(lanes: Parameters<Fixture['replay']>[0] = greenLanes, ...more: string[]): Promise<string> {
  const done = await fixture.drydock('task', 'say new', '--model', await fixture.replay(lanes), '--json', ...more)
  expect(done.stderr).not.toContain('bug')
  return String(done.events[0]?.run)
}

/** The spans of a run in `drydock trace`, by id. */
async function traced(run: string): Promise<ReadonlyMap<string, SentSpan>> {
  const { stdout, exitCode } = await fixture.drydock('trace', run, '--out', '-')
  expect(exitCode).toBe(0)
  return byId(spansOf(stdout.split('\n')[0] ?? ''))
}

const byId = (spans: readonly SentSpan[]) => new Map(spans.map((span) => [span.spanId, span]))

/** The tree of a trace as lines, without parts that differ between runs. */
function drawn(spans: readonly SentSpan[], parent?: string, depth = 0): string[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .flatMap((span) => [`${'  '.repeat(depth)}${span.name}`, ...drawn(spans, span.spanId, depth + 1)])
}

/** The attributes that are equal in every run. */
function stable({ attributes, name, kind, status }: SentSpan) {
  const varying = ['drydock.run.id', 'drydock.base', 'gen_ai.conversation.id', 'gen_ai.tool.call.id']
  const ids = ['drydock.verification.id', 'vcs.ref.head.revision']
  const same = Object.entries(attributes).map(([name, value]) =>
    varying.includes(name) || ids.includes(name) ? [name, expect.any(String)] : [name, value],
  )
  return { name, kind, status, attributes: Object.fromEntries(same) }
}

describe('the trace of a run', () => {
  test('is sent while the owner works, and is the one that `drydock trace` writes', async () => {
    const receiver = await start()
    const run = await task()
    const sent = spansIn(receiver.received)
    expect(byId(sent)).toEqual(await traced(run))
    expect(sent).toHaveLength(byId(sent).size)
    expect(new Set(sent.map(({ traceId }) => traceId)).size).toBe(1)
    expect(drawn(sent)).toEqual([
      'invoke_workflow task',
      '  verification',
      '    verification_step test',
      '  invoke_agent editor',
      '    chat replay.json',
      '    execute_tool submit_plan',
      '  invoke_agent editor',
      '    chat replay.json',
      '    execute_tool write_file',
      '    chat replay.json',
      '    execute_tool submit_change',
    ])
    for (const { startTimeUnixNano, endTimeUnixNano } of sent)
      expect(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)).toBeGreaterThanOrEqual(0n)
    expect(receiver.received.every(({ headers }) => headers.authorization === key)).toBe(true)
  })

  test('keeps to one version of the conventions, with these names and no content', async () => {
    const receiver = await start()
    await task({
      ...greenLanes,
      'editor/task/CODING': [
        { ...call('read_file', { path: 'nothing.txt' }), usage: { input: 100, output: 20 } },
        { error: { kind: 'network', retryable: true } },
        write('new\n'),
        change(),
      ],
    })
    const bodies = receiver.received.map(({ body }) => body).join('')
    expect(bodies).toContain('"schemaUrl":"https://opentelemetry.io/schemas/1.41.0"')
    expect(bodies).not.toMatch(/nothing\.txt|say new|submit_change".*summary/)
    const spans = spansIn(receiver.received)
    const named = (name: string) => spans.filter((span) => span.name === name).map(stable)
    expect(named('chat replay.json')).toMatchSnapshot('chat')
    expect(named('execute_tool read_file')).toMatchSnapshot('execute_tool')
    expect(named('invoke_agent editor')).toMatchSnapshot('invoke_agent')
    expect(named('invoke_workflow task')).toMatchSnapshot('invoke_workflow')
    expect(named('verification')).toMatchSnapshot('verification')
    expect(named('verification_step test')).toMatchSnapshot('verification_step')
    const { resourceMetrics } = JSON.parse(receiver.received.findLast(({ path }) => path === '/v1/metrics')?.body ?? '')
    const [{ resource, scopeMetrics }] = resourceMetrics
    expect(attributesOf(resource.attributes)).toMatchObject({ 'service.name': 'drydock' })
    expect(scopeMetrics[0].metrics.map((each: object) => withoutTimes(each))).toMatchSnapshot('metrics')
  })

  test('has titles, arguments and results when the user asks for content, without secrets', async () => {
    const secret = 'sk-not-to-be-told-0123456789'
    const receiver = await start({ env: { SOME_API_KEY: secret } }, { content: true })
    await task({
      ...greenLanes,
      'editor/task/CODING': [
        call('write_file', { path: 'long.txt', content: 'a line\n'.repeat(9_000) }),
        call('run_command', { command: `echo ${secret} ${key}; cat long.txt` }),
        write('new\n'),
        change(),
      ],
    })
    const [command] = spansIn(receiver.received).filter(({ name }) => name === 'execute_tool run_command')
    expect(command?.attributes['gen_ai.tool.call.arguments']).toContain('echo [redacted by drydock]')
    expect(command?.attributes['gen_ai.tool.call.result']).toMatch(/characters left out/)
    const bodies = receiver.received.map(({ body }) => body).join('')
    expect(bodies).toContain('"stringValue":"say new"')
    expect(bodies).not.toContain(secret)
    expect(bodies).not.toContain(key)
  })

  test('is an error where the run gets stuck', async () => {
    const receiver = await start()
    const looks = Array.from({ length: 42 }, (_, i) => call('list_files', { pattern: `*.${i}` }))
    await task({ 'editor/task/PLANNING': looks })
    const [root] = spansIn(receiver.received).filter(({ name }) => name === 'invoke_workflow task')
    expect(root).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'STUCK' } })
  })

  test('starts again when the run is retried after its end', async () => {
    const receiver = await start()
    const refused = { error: { kind: 'auth', message: 'no' } }
    const first = await task({ ...greenLanes, 'editor/task/CODING': [refused] })
    expect(await fixture.drydock('cancel', first)).toMatchObject({ exitCode: 5 })
    const model = await fixture.replay({
      'editor/task@2/PLANNING': greenLanes['editor/task/PLANNING'] ?? [],
      'editor/task@2/CODING': greenLanes['editor/task/CODING'] ?? [],
    })
    expect(resultOf(await fixture.drydock('retry', first, '--model', model, '--json'))).toMatchObject({
      status: 'DONE',
    })
    const roots = spansIn(receiver.received).filter(({ name }) => name === 'invoke_workflow task')
    expect(roots.map(({ attributes }) => attributes['drydock.verdict'])).toEqual(['CANCELLED', 'DONE'])
    expect(new Set(roots.map(({ traceId }) => traceId)).size).toBe(2)
    expect(byId(spansIn(receiver.received))).toEqual(await traced(first))
  })
})

describe('a process that is killed', () => {
  test.each([
    ['after a collector has answered', false],
    ['before a collector answers what it has taken', true],
  ])('%s loses no span, and the next one sends the rest with the same ids', async (_, isBetween) => {
    const receiver = await start()
    const model = await fixture.replay(isBetween ? greenLanes : gatedLanes)
    const owner = fixture.launch(['task', 'say new', '--model', model, '--json'])
    // The receiver accepts the spans, but Drydock is killed before it gets the answer.
    if (isBetween) {
      receiver.answer(() => {
        owner.kill('SIGKILL')
        return true
      })
    } else {
      await owner.line(gateReached)
      // Metrics follow once the exporter has stored that the spans were accepted. The last span
      // before the gate is the second call of the model.
      await receiver.until((received) => {
        const chats = (upTo: number) => spansIn(received.slice(0, upTo)).filter(({ name }) => name.startsWith('chat'))
        const at = received.findIndex((_each, index) => chats(index + 1).length === 2)
        return at >= 0 && received.slice(at).some(({ path }) => path === '/v1/metrics')
      })
      owner.kill('SIGKILL')
    }
    expect(await owner.ended).toMatchObject({ signal: 'SIGKILL' })
    receiver.answer(takes)
    const first = spansIn(receiver.received)
    expect(first.length).toBeGreaterThan(0)
    await fixture.drydock('resume')
    // The run may have ended by itself; the next owner of the state sends the rest.
    const second = await task()
    const whole = await traced(String(first[0]?.attributes['drydock.run.id']))
    const sent = spansIn(receiver.received)
    expect(byId(sent)).toEqual(new Map([...whole, ...(await traced(second))]))
    expect(sent.length - byId(sent).size).toBe(isBetween ? first.length : 0)
    expect(sent.slice(0, first.length)).toEqual(first.map(({ spanId }) => whole.get(spanId)))
  })
})

describe('a collector', () => {
  test.each([
    ['answers 429', refuses(429, { 'retry-after': '3600' })],
    ['answers 503', refuses(503)],
    ['answers with a page', refuses(200, { 'content-type': 'text/html' }, '<html>sign in</html>')],
    ['redirects', refuses(307, { location: 'http://127.0.0.1:1/' })],
    ['never answers', neverAnswers],
  ])('that %s loses nothing and blocks nothing', async (_, answer) => {
    const receiver = await start()
    receiver.answer(answer)
    const run = await task()
    expect(spansIn(receiver.received)).toEqual([])
    const { stdout } = await fixture.drydock('doctor')
    expect(stdout).toContain(receiver.url)
    receiver.answer(takes)
    // Another run, by another owner: the rest of the first one is sent first.
    const second = await task()
    const sent = spansIn(receiver.received)
    expect(byId(sent)).toEqual(new Map([...(await traced(run)), ...(await traced(second))]))
    expect(sent).toHaveLength(byId(sent).size)
  })

  test.each([
    ['is cut off', '{"event":'],
    ['is of another log, which was longer', '{"event":1000000,"owed":[],"rejected":0,"problem":null}'],
    ['says nothing', '{}'],
  ])('gets later spans when the record of sent ones %s', async (_, record) => {
    const receiver = await start()
    const first = await task()
    for await (const file of glob(join(fixture.folder, '**/telemetry.json'))) await writeFile(file, record)
    const second = await task()
    const ids = byId(spansIn(receiver.received))
    for (const run of [first, second]) for (const id of (await traced(run)).keys()) expect(ids.has(id)).toBe(true)
    expect(spansIn(receiver.received)).toHaveLength(ids.size)
  })

  test('that will never take a batch does not hold up the rest', async () => {
    const receiver = await start()
    receiver.answer(refuses(400))
    const run = await task()
    receiver.answer(takes)
    const second = await task()
    const ids = byId(spansIn(receiver.received))
    expect([...(await traced(second)).keys()].every((id) => ids.has(id))).toBe(true)
    expect([...(await traced(run)).keys()].some((id) => ids.has(id))).toBe(false)
    expect((await fixture.drydock('doctor')).stdout).toMatch(/items were rejected/)
  })

  test('is named by the standard variables, too, and by nothing a repository says', async () => {
    const receiver = await startOtlpReceiver()
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_HEADERS: `x-key=${key}` }
    fixture = await createFixture({ env: { ...soon, ...env, OTEL_SERVICE_NAME: 'crew' } })
    const run = await task()
    expect(byId(spansIn(receiver.received))).toEqual(await traced(run))
    expect(receiver.received[0]?.headers['x-key']).toBe(key)
    expect(receiver.received[0]?.body).toContain('{"key":"service.name","value":{"stringValue":"crew"}}')
    await fixture.write({ '.drydock/config.json': JSON.stringify({ telemetry: { content: true } }) })
    await fixture.git('commit', '-qam', 'redirect')
    expect((await fixture.drydock('task', 'x', '--model', 'replay:none')).stderr).toContain(
      'only the user may set this',
    )
  })
})

describe('drydock trace', () => {
  test('sends a run that nobody has exported, and says when there is no collector', async () => {
    fixture = await createFixture()
    const run = await task()
    expect((await fixture.drydock('trace')).stderr).toContain('No collector is configured.')
    const receiver = await startOtlpReceiver()
    await configureUser(fixture, { telemetry: { otlp: { endpoint: receiver.url } } })
    expect((await fixture.drydock('trace', '--json')).events).toEqual([
      { type: 'trace', run, spans: 11, metrics: 1, to: receiver.url, rejected: 0 },
    ])
    expect(byId(spansIn(receiver.received))).toEqual(await traced(run))
    receiver.answer(refuses(503))
    expect(await fixture.drydock('trace')).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('503') })
    const file = join(fixture.folder, 'trace.json')
    expect((await fixture.drydock('trace', '--out', file)).exitCode).toBe(0)
    expect(spansOf((await readFile(file, 'utf8')).split('\n')[0] ?? '')).toHaveLength(11)
    expect((await fixture.drydock('trace', '--out', file)).stderr).toContain('the file exists')
  })
})

/** A metric without parts that differ between runs: time and duration. */
function withoutTimes(metric: object): unknown {
  const isTime = (name: string) => /TimeUnixNano$|^timeUnixNano$/.test(name)
  const isDuration = 'name' in metric && metric.name === 'gen_ai.client.operation.duration'
  return JSON.parse(
    JSON.stringify(metric, (name, value) =>
      isTime(name) || (isDuration && ['sum', 'bucketCounts'].includes(name)) ? undefined : value,
    ),
  )
}
