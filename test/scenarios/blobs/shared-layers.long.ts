import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSystemClock } from '../../../src/adapters/clock/system-clock.ts'
import { openDrydock } from '../../../src/compose.ts'
import type { BlobStanding } from '../../../src/ports/blobs.ts'
import {
  answers,
  type Between,
  breaksOff,
  errorXml,
  hangs,
  type S3Request,
  standBetween,
} from '../../wire/s3-between.ts'
import { bucket, keyId, type S3Server, startFauxqs } from '../../wire/s3-servers.ts'
import { change, createFixture, type Fixture, plan, resultOf, write } from '../world/fixture.ts'
import { configureUser } from '../world/hook.ts'
import { findGate, gatedLanes, gateReached, launch } from '../world/process.ts'

const keys = { AWS_ACCESS_KEY_ID: keyId, AWS_SECRET_ACCESS_KEY: 'canary0of1the2bucket3abcdef' }

/** No two runs of the step have the same output. */
const install = {
  name: 'install',
  command: 'mkdir -p deps/bin && cat /proc/sys/kernel/random/uuid > deps/stamp && ln -s ../stamp deps/bin/link',
  inputs: ['lock'],
  outputs: ['deps'],
  network: [],
}
const configOf = (command: string, step = 'cat deps/bin/link') =>
  JSON.stringify({
    verification: {
      prepare: [{ ...install, command }],
      steps: [{ name: 'test', command: step, timeout_sec: 120 }],
    },
  })

let fixture: Fixture
let server: S3Server
let between: Between
beforeEach(async () => {
  server = await startFauxqs()
  between = await standBetween(server.url)
})
afterEach(async () => {
  await fixture.remove()
  await between.close()
  await server.close()
})

async function start(config = configOf(install.command)): Promise<void> {
  fixture = await createFixture({ env: keys, files: { lock: 'one\n', '.drydock/config.json': config } })
  await configureUser(fixture, { state: { blobs: { s3: { bucket, endpoint: between.url, prefix: 'team' } } } })
}

const stateFolder = async () => (await fixture.open()).state
const layersFolder = async () => join(await stateFolder(), 'artifacts/cache/layers')
/** Simulates a machine without layers. */
const forgetLayers = async () => rm(await layersFolder(), { recursive: true })

/** The content of this machine's only layer. */
async function stamp(): Promise<string> {
  const folder = await layersFolder()
  const names = (await readdir(folder)).filter((name) => !name.endsWith('.log'))
  expect(names).toHaveLength(1)
  return readFile(join(folder, names[0] ?? '', 'tree/deps/stamp'), 'utf8')
}

async function verify(): Promise<void> {
  const done = await fixture.drydock('verify', '--json')
  expect(resultOf(done), done.stderr).toMatchObject({ outcome: { code: 'PASS' } })
}

async function standing(): Promise<BlobStanding> {
  return JSON.parse(await readFile(join(await stateFolder(), 'blobs.json'), 'utf8'))
}

/** The bucket's objects of layers, by key. */
async function objects(): Promise<readonly string[]> {
  const text = await (await fetch(`${server.url}/${bucket}?list-type=2`)).text()
  return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key).filter((key) => key.includes('/layer-'))
}

const isOfLayer = ({ path }: S3Request) => path.includes('/layer-')
const gets = () => between.asked.filter((each) => each.method === 'GET' && isOfLayer(each)).length

async function rows() {
  const records = (await fixture.open()).openRecords()
  return records.machines({ kind: 'shared_layer' }).finally(() => records.close())
}

async function verificationEnds(): Promise<void> {
  const records = (await fixture.open()).openRecords()
  const ended = async () => (await records.machines({ kind: 'verification' })).some(({ state }) => state === 'ENDED')
  while (!(await ended())) await new Promise(setImmediate)
  await records.close()
}

test('a layer of a base commit is kept in the bucket, and fetched where it is missing instead of made', async () => {
  await start()
  await verify()
  const made = await stamp()
  const kept = await objects()
  expect(kept).toHaveLength(2)
  for (const key of kept) expect(key).toMatch(/^team\/[0-9a-f-]{36}\/layer-[0-9a-f]{32}\/[0-9a-f]{64}$/)
  await forgetLayers()
  await verify()
  expect(await stamp()).toBe(made)
  expect(await objects()).toEqual(kept)
  expect(await rows()).toMatchObject([{ state: 'SHARED', data: { bytes: expect.any(Number) } }])
})

test('the layer of a change is never shared', async () => {
  await start(configOf(`${install.command}; cat lock > deps/lock`))
  const lock = { calls: [{ tool: 'write_file', input: { path: 'lock', content: 'two\n' } }] }
  const lanes = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': [write('new\n'), lock, change()] }
  const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
  expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
  expect((await readdir(await layersFolder())).filter((name) => /^[0-9a-f]+$/.test(name))).toHaveLength(2)
  const [base] = await rows()
  expect(await rows()).toHaveLength(1)
  await forgetLayers()
  await verify()
  const [name = ''] = await readdir(await layersFolder())
  expect(name).toBe(base?.data.key)
  expect(await readFile(join(await layersFolder(), name, 'tree/deps/lock'), 'utf8')).toBe('one\n')
})

test.each(['its index', 'a piece of it'])(
  'a layer is made here when %s in the bucket was changed, and takes its place',
  async (what) => {
    await start()
    await verify()
    const made = await stamp()
    const [row] = await rows()
    const bad = (await objects()).find((key) => key.endsWith(`${row?.data.index}`) === (what === 'its index')) ?? ''
    const put = await fetch(`${server.url}/${bucket}/${bad}`, { method: 'PUT', body: 'evil' })
    expect(put.ok).toBe(true)
    await forgetLayers()
    await verify()
    const again = await stamp()
    expect(again).not.toBe(made)
    // The next machine gets a complete layer.
    await forgetLayers()
    await verify()
    expect(await stamp()).toBe(again)
    await fixture.drydock('gc')
    expect((await objects()).filter((key) => !key.includes(`${row?.data.name}`))).toEqual([])
  },
)

test.each([
  ['hangs', hangs],
  ['refuses', answers(403, {}, errorXml('AccessDenied'))],
  ['fails', answers(500, {}, errorXml('InternalError'))],
  ['is gone', breaksOff],
])(
  'a run makes its layer while the bucket %s, and fetches that of the others later',
  async (_, fault) => {
    await start()
    await verify()
    const made = await stamp()
    await forgetLayers()
    between.fault((asked, response) => (isOfLayer(asked) ? fault(asked, response) : undefined))
    await verify()
    const own = await stamp()
    expect(own).not.toBe(made)
    between.fault(null)
    // A machine that already has the layer keeps its own.
    await verify()
    expect(await stamp()).toBe(own)
    await forgetLayers()
    await verify()
    expect(await stamp()).toBe(made)
  },
  120_000,
)

test('a place that is out is asked once in a while, and a layer that waits for it is put by a later process', async () => {
  await start()
  let isOut = false
  between.fault(async (asked, response) => {
    if (isOfLayer(asked) && isOut) return breaksOff(asked, response)
    if (!isOfLayer(asked) || asked.method !== 'PUT') return undefined
    isOut = true
    // The files of the verification are stored before the rest of the layer, and do not wait for
    // it.
    await verificationEnds()
    return undefined
  })
  await verify()
  expect(await rows()).toEqual([])
  expect(await standing()).toMatchObject({ waiting: 0, problem: expect.stringContaining('cannot be reached') })
  expect((await fixture.drydock('status')).stderr).toMatch(/Dependency layers wait to be kept at s3:\/\/kept\/team/)
  between.fault(null)
  await verify()
  expect(await rows()).toMatchObject([{ state: 'SHARED' }])
  expect(await standing()).toMatchObject({ waiting: 0, problem: null })
})

test('a process that is killed between the blobs of a layer and its row leaves nothing that others find', async () => {
  await start()
  const put = Promise.withResolvers<void>()
  between.fault((asked) => {
    // The index is read back before the row is written.
    const isIndex = asked.method === 'GET' && isOfLayer(asked)
    if (isIndex) put.resolve()
    return isIndex ? 'answered' : undefined
  })
  const running = launch(['verify', '--repo', fixture.repo, '--json'], { env: fixture.env })
  await put.promise
  running.child.kill('SIGKILL')
  await running.ended
  between.fault(null)
  const left = await objects()
  expect(left.length).toBeGreaterThan(0)
  expect(await rows()).toEqual([])

  const made = await stamp()
  await verify()
  expect(await rows()).toMatchObject([{ state: 'SHARED' }])
  expect(await objects()).toEqual(left)
  await forgetLayers()
  await verify()
  expect(await stamp()).toBe(made)
})

test('a process that is killed while it fetches a layer leaves no half of it', async () => {
  await start()
  await verify()
  const made = await stamp()
  await forgetLayers()
  const asked = Promise.withResolvers<void>()
  let seen = 0
  between.fault((each) => {
    if (each.method !== 'GET' || !isOfLayer(each)) return undefined
    seen += 1
    if (seen < 2) return undefined
    asked.resolve()
    return 'answered'
  })
  const running = launch(['verify', '--repo', fixture.repo, '--json'], { env: fixture.env })
  await asked.promise
  running.child.kill('SIGKILL')
  await running.ended
  between.fault(null)
  expect(await readdir(await layersFolder())).toEqual([expect.stringMatching(/^\.[0-9a-f]{32}\.[0-9a-f]{12}$/)])
  await verify()
  expect(await stamp()).toBe(made)
  expect(await readdir(await layersFolder())).toHaveLength(1)
})

test('a layer that nobody has used for two weeks goes with its row, and blobs without a row go, too', async () => {
  await start()
  await verify()
  const { signal } = new AbortController()
  const drydock = await fixture.open()
  const { space } = await standing()
  const put = (folder: { space: string; name: string }) => drydock.blobs?.store.at(folder).put(Buffer.from('x'), signal)
  await put({ space, name: 'layer-nobody' })
  await put({ space: 'another-state', name: 'layer-nobody' })
  const gone = await fixture.drydock('gc', '--json')
  expect(gone.events.at(-1)).toMatchObject({ blobs: { layers: ['nobody'], problem: null } })
  expect((await objects()).filter((key) => key.includes(space))).toHaveLength(2)

  const at = (days: number) => {
    const clock = { ...createSystemClock(), now: () => new Date(Date.now() + days * 86_400_000) }
    return openDrydock({ directory: fixture.repo, env: fixture.env, clock })
  }
  expect(await (await at(13)).collect(signal)).toMatchObject({ blobs: { layers: [] } })
  expect(await (await at(15)).collect(signal)).toMatchObject({ blobs: { layers: [expect.any(String)], problem: null } })
  expect(await rows()).toMatchObject([{ state: 'REMOVED' }])
  expect(await objects()).toEqual([expect.stringContaining('another-state')])
  // The layer is still on this machine, and can be shared again.
  await verify()
  expect(await rows()).toMatchObject([{ state: 'SHARED' }])
  expect((await objects()).filter((key) => key.includes(space))).toHaveLength(2)
})

test('a layer with something that other machines cannot have is used here alone', async () => {
  await start(configOf(`${install.command}; mkfifo deps/pipe`))
  await verify()
  expect(await rows()).toEqual([])
  expect(await standing()).toMatchObject({ waiting: 0, problem: null })
})

test('the files of a verification that has ended go between the blobs of a large layer', async () => {
  await start(configOf(`${install.command}; head -c 9000000 /dev/urandom > deps/large`, 'grep new value.txt'))
  const begun = Promise.withResolvers<void>()
  const held = Promise.withResolvers<undefined>()
  between.fault((asked) => {
    if (asked.method !== 'PUT' || !isOfLayer(asked)) return undefined
    begun.resolve()
    return held.promise
  })
  const args = ['task', 'say new', '--json', '--model', await fixture.replay(gatedLanes)]
  const running = launch([...args, '--repo', fixture.repo], { env: fixture.env })
  await running.line(gateReached)
  const { workTrees } = await fixture.open()
  const gate = await findGate(workTrees.path('coder-001'))
  await begun.promise
  await gate.open()
  await running.line(/"type":"verification"/)
  held.resolve(undefined)
  expect(await running.ended).toMatchObject({ exitCode: 0 })
  const puts = between.asked
    .filter(({ method }) => method === 'PUT')
    .map((each) => (isOfLayer(each) ? 'layer' : 'file'))
  expect(puts[0]).toBe('layer')
  expect(puts.lastIndexOf('file')).toBeLessThan(puts.lastIndexOf('layer'))
  expect(puts.filter((each) => each === 'layer')).toHaveLength(4)
})

test('a folder can be the place', async () => {
  await start()
  const folder = join(fixture.folder, 'blobs')
  await mkdir(folder)
  await configureUser(fixture, { state: { blobs: { folder } } })
  await verify()
  const made = await stamp()
  await forgetLayers()
  await verify()
  expect(await stamp()).toBe(made)
  expect(gets()).toBe(0)
})
