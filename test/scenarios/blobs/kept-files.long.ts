import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSystemClock } from '../../../src/adapters/clock/system-clock.ts'
import type { Drydock } from '../../../src/app/drydock.ts'
import { readVerificationLog } from '../../../src/app/views/verifications.ts'
import type { ViewSources } from '../../../src/app/views/view-sources.ts'
import { openDrydock } from '../../../src/compose.ts'
import type { BlobStanding } from '../../../src/ports/blobs.ts'
import { answers, type Between, breaksOff, errorXml, hangs, standBetween } from '../../wire/s3-between.ts'
import { bucket, keyId, type S3Server, startFauxqs } from '../../wire/s3-servers.ts'
import { createFixture, type Fixture, greenLanes, resultOf } from '../world/fixture.ts'
import { configureUser } from '../world/hook.ts'
import { launch } from '../world/process.ts'

const secret = 'canary0of1the2bucket3abcdef'
const keys = { AWS_ACCESS_KEY_ID: keyId, AWS_SECRET_ACCESS_KEY: secret }

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

async function start(steps?: readonly object[]): Promise<void> {
  fixture = await createFixture({ env: keys, ...(steps && { steps }) })
  await configureUser(fixture, { state: { blobs: { s3: { bucket, endpoint: between.url, prefix: 'team' } } } })
}

/** Verifies, and returns the id of the verification. */
async function verify(): Promise<string> {
  const done = await fixture.drydock('verify', '--json')
  const { answer } = resultOf(done) as unknown as { answer: { run_id: string } }
  return answer.run_id
}

async function stateFolder(): Promise<string> {
  return (await fixture.open()).state
}

async function forgetLocalFiles(): Promise<void> {
  await rm(join(await stateFolder(), 'artifacts', 'runs'), { recursive: true })
}

async function standing(): Promise<BlobStanding> {
  return JSON.parse(await readFile(join(await stateFolder(), 'blobs.json'), 'utf8'))
}

/** The objects in the bucket, by key. */
async function objects(): Promise<readonly string[]> {
  const text = await (await fetch(`${server.url}/${bucket}?list-type=2`)).text()
  return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key)
}

const logOf = async (runId: string) => (await fixture.drydock('log', runId, '--json')).events.at(-1)

/** The log as the dashboard reads it. */
async function shown(drydock: Drydock, runId: string, step?: string) {
  const records = drydock.openRecords()
  const sources = { records, artifacts: drydock.openArtifacts() } as unknown as ViewSources
  return readVerificationLog(sources, runId, step).finally(() => records.close())
}

/** The output fills two blobs and a part of a third. */
const longStep = {
  name: 'test',
  command:
    'seq 1 1300000; env; mkdir -p "$ARTIFACT_DIR/build/o"; echo built > "$ARTIFACT_DIR/build/o/app"; ln -s /etc/passwd "$ARTIFACT_DIR/build/link"',
  timeout_sec: 60,
}

test('logs and artifacts of a verification are read from the bucket, the same, once this machine has lost them', async () => {
  await start([longStep])
  const runId = await verify()
  const drydock = await fixture.open()
  const before = [await logOf(runId), await shown(drydock, runId), await shown(drydock, runId, 'step-01-test')]
  expect(before[0]).toMatchObject({ from: 'log' })
  expect(before[1]).toMatchObject({ from: 'log', skipped: { bytes: expect.any(Number), lines: expect.any(Number) } })
  const own = join(fixture.folder, 'own')
  expect(await fixture.drydock('log', runId, '--files', own)).toMatchObject({ exitCode: 0 })
  await forgetLocalFiles()

  const after = [await logOf(runId), await shown(drydock, runId), await shown(drydock, runId, 'step-01-test')]
  expect(after).toEqual(before)
  const kept = join(fixture.folder, 'kept')
  const { stdout } = await fixture.drydock('log', runId, '--files', kept, '--json')
  const files = ['build/o/app', 'logs/combined.log', 'logs/step-01-test.log', 'manifest.json']
  expect([...JSON.parse(stdout.split('\n')[0] ?? '').files].sort()).toEqual(files)
  for (const file of files) expect(await readFile(join(kept, file))).toEqual(await readFile(join(own, file)))
  expect((await fixture.drydock('log', runId, '--files', kept)).stderr).toContain('is there already')
  await rm(join(kept, 'manifest.json'))
  await writeFile(join(kept, 'logs', 'combined.log'), 'mine')
  expect((await fixture.drydock('log', runId, '--files', kept)).stderr).toContain('combined.log is there already')
  expect(await readFile(join(kept, 'logs', 'combined.log'), 'utf8')).toBe('mine')
  expect(await readdir(kept)).not.toContain('manifest.json')

  const said = [
    await fixture.drydock('doctor'),
    await fixture.drydock('status'),
    await fixture.drydock('status', '--json'),
  ]
  expect(said[0]?.stdout).toMatch(/ok +blobs +s3:\/\/kept\/team \(127\.0\.0\.1:\d+\): put, read and deleted a blob\n/)
  expect(said[2]?.events[0]).toMatchObject({ blobs: { waiting: 0, problem: null } })
  for (const { stdout, stderr } of said) expect(stdout + stderr).not.toContain(secret)
  for (const { path, body } of between.asked) expect(path + body.toString('latin1')).not.toContain(secret)
  expect(JSON.stringify(before)).not.toContain(secret)
  expect((await objects()).every((key) => /^team\/[0-9a-f-]{36}\/run_\w+\/[0-9a-f]{64}$/.test(key))).toBe(true)
})

test.each([
  ['hangs', hangs, /the last process ended before the place had taken all of them/],
  ['refuses', answers(403, {}, errorXml('AccessDenied')), /answered 403 \(AccessDenied\)/],
  ['fails', answers(500, {}, errorXml('InternalError')), /answered 500 \(InternalError\)/],
  ['is gone', breaksOff, /cannot be reached, or broke off/],
])(
  'a run ends as ever while the bucket %s, says so, and the next process keeps its files',
  async (what, fault, told) => {
    await start()
    between.fault(fault)
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(greenLanes))
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
    expect(await standing()).toMatchObject({ waiting: 1 })
    expect((await fixture.drydock('status')).stderr).toMatch(told)
    if (what !== 'hangs') {
      const { stdout, exitCode } = await fixture.drydock('doctor')
      expect(stdout).toMatch(told)
      expect(exitCode).not.toBe(0)
    }
    between.fault(null)

    const runId = await verify()
    expect(await standing()).toMatchObject({ waiting: 0, problem: null, since: null })
    expect((await fixture.drydock('status')).stderr).not.toMatch(told)
    const ids = await readdir(join(await stateFolder(), 'artifacts', 'runs'))
    await forgetLocalFiles()
    expect(ids).toHaveLength(2)
    expect(ids).toContain(runId)
    for (const id of ids) expect(await logOf(id)).toMatchObject({ from: 'log' })
  },
)

test('altered data from the bucket are rejected: only the stored end of such a log is shown, and why', async () => {
  await start()
  const runId = await verify()
  await forgetLocalFiles()
  between.fault(({ method }, response) => {
    if (method !== 'GET') return undefined
    response.writeHead(200).end('all is well\n')
    return 'answered'
  })
  const { stdout, stderr } = await fixture.drydock('log', runId)
  expect(stdout).not.toContain('all is well')
  expect(stderr).toContain('Only the end is shown.')
  expect(stderr).toContain('has other content than was stored')
  expect(await shown(await fixture.open(), runId)).toMatchObject({ from: 'tail' })
})

test('a process that is killed between a blob and its row leaves no blob without a row', async () => {
  await start()
  const put = Promise.withResolvers<void>()
  between.fault(({ method, path }) => {
    // The index is read back before the row is written.
    const isIndex = method === 'GET' && /\/[0-9a-f]{64}$/.test(path)
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

  await verify()
  const [killed] = left[0]?.split('/').slice(2, 3) ?? []
  await forgetLocalFiles()
  expect(await logOf(String(killed))).toMatchObject({ from: 'log' })
  expect((await objects()).filter((key) => key.includes(String(killed)))).toEqual(left)
})

test('retention removes the blobs with their rows, those without a row too, and none of another state', async () => {
  await start()
  await verify()
  const drydock = await fixture.open()
  const { space } = await standing()
  const { signal } = new AbortController()
  const put = (folder: { space: string; name: string }) => drydock.blobs?.store.at(folder).put(Buffer.from('x'), signal)
  await put({ space, name: 'run_20200101_000000_nobody' })
  await put({ space: 'another-state', name: 'run_20200101_000000_nobody' })
  const gone = await fixture.drydock('gc', '--json')
  expect(gone.events.at(-1)).toMatchObject({ blobs: { verifications: ['run_20200101_000000_nobody'], problem: null } })
  expect((await objects()).filter((key) => key.includes(space)).length).toBeGreaterThan(0)

  const later = { ...createSystemClock(), now: () => new Date(Date.now() + 15 * 86_400_000) }
  const then = await openDrydock({ directory: fixture.repo, env: fixture.env, clock: later })
  expect(await then.collect(signal)).toMatchObject({ blobs: { verifications: [expect.any(String)], problem: null } })
  expect(await objects()).toEqual([expect.stringContaining('another-state')])
  expect(await then.collect(signal)).toMatchObject({ blobs: { verifications: [], problem: null } })

  between.fault(answers(503, {}, errorXml('SlowDown')))
  const without = await fixture.drydock('gc')
  expect(without).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('answered 503 (SlowDown)') })
})

test('a state is restored from copies of its rows and of its blobs, without any of its files', async () => {
  fixture = await createFixture()
  const folder = join(fixture.folder, 'blobs')
  await configureUser(fixture, { state: { blobs: { folder } } })
  expect((await fixture.drydock('doctor')).stdout).toMatch(/MISSING blobs +\S+ cannot be used for blobs \(ENOENT\)/)
  await cp(join(fixture.repo, '.drydock'), folder, { recursive: true })
  const runId = await verify()
  const before = await logOf(runId)
  const state = await stateFolder()
  const backup = join(fixture.folder, 'backup')
  // Follows docs/blobs.md: first the rows, then the blobs.
  for (const name of ['drydock.db', 'blobs.json']) await cp(join(state, name), join(backup, name))
  await cp(folder, join(fixture.folder, 'backup-blobs'), { recursive: true })
  for (const each of [state, folder]) await rm(each, { recursive: true })

  await cp(backup, state, { recursive: true })
  const restored = join(fixture.folder, 'backup-blobs')
  await configureUser(fixture, { state: { blobs: { folder: restored } } })
  expect(await logOf(runId)).toEqual(before)
})
