import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readVerificationLog } from '../../src/app/views/verifications.ts'
import type { ViewSources } from '../../src/app/views/view-sources.ts'
import { openDrydock } from '../../src/compose.ts'
import { limits } from '../../src/domain/limits.ts'
import type { BlobStanding } from '../../src/ports/blobs.ts'
import { createFixture, resultOf } from '../scenarios/world/fixture.ts'
import { configureUser } from '../scenarios/world/hook.ts'
import { answers, errorXml, standBetween } from '../wire/s3-between.ts'
import { bucket, keyId, startFauxqs } from '../wire/s3-servers.ts'

const secret = 'canary0of1the2bucket3abcdef'

/**
 * No two runs of the layer have the same result; the log is larger than one blob, and than a page
 * shows.
 */
const config = {
  verification: {
    prepare: [
      {
        name: 'install',
        command: 'mkdir -p deps/bin && cat /proc/sys/kernel/random/uuid > deps/stamp && ln -s ../stamp deps/bin/link',
        inputs: ['lock'],
        outputs: ['deps'],
        network: [],
      },
    ],
    steps: [
      {
        name: 'test',
        command:
          'cat deps/bin/link; seq 1 100000; env; mkdir -p "$ARTIFACT_DIR/build"; echo built > "$ARTIFACT_DIR/build/app"',
        timeout_sec: 120,
      },
    ],
  },
}

test('logs, files and dependency layers are kept in a bucket, read from there where a machine has lost them, and removed by retention', async () => {
  const [{ bytes }, { logBytes }] = [limits.blobs, limits.dashboard]
  onTestFinished(() => {
    Object.assign(limits.blobs, { bytes })
    Object.assign(limits.dashboard, { logBytes })
  })
  Object.assign(limits.blobs, { bytes: 400_000 })
  Object.assign(limits.dashboard, { logBytes: 400_000 })
  const server = await startFauxqs()
  onTestFinished(() => server.close())
  const between = await standBetween(server.url)
  onTestFinished(() => between.close())
  const env = { AWS_ACCESS_KEY_ID: keyId, AWS_SECRET_ACCESS_KEY: secret }
  const files = { lock: 'one\n', '.drydock/config.json': JSON.stringify(config) }
  const fixture = await createFixture({ env, files })
  onTestFinished(() => fixture.remove())
  await configureUser(fixture, { state: { blobs: { s3: { bucket, endpoint: between.url, prefix: 'team' } } } })
  const drydock = await fixture.open()
  const { state } = drydock
  const layers = join(state, 'artifacts/cache/layers')
  const standing = async (): Promise<BlobStanding> => JSON.parse(await readFile(join(state, 'blobs.json'), 'utf8'))
  const stamp = async () => {
    const [name = ''] = (await readdir(layers)).filter((each) => !each.endsWith('.log'))
    return readFile(join(layers, name, 'tree/deps/stamp'), 'utf8')
  }
  const verify = async () => {
    const done = await fixture.drydock('verify', '--json')
    const { answer, outcome } = resultOf(done) as unknown as { answer: { run_id: string }; outcome: object }
    expect(outcome, done.stderr).toMatchObject({ code: 'PASS' })
    return answer.run_id
  }
  const objects = async () => {
    const text = await (await fetch(`${server.url}/${bucket}?list-type=2`)).text()
    return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key)
  }
  const logOf = async (runId: string) => (await fixture.drydock('log', runId, '--json')).events.at(-1)
  async function shown(runId: string) {
    const records = drydock.openRecords()
    const sources = { records, artifacts: drydock.openArtifacts() } as unknown as ViewSources
    return readVerificationLog(sources, runId, undefined).finally(() => records.close())
  }

  // A bucket that refuses does not stop a run from ending, and the next process uploads the waiting
  // files.
  between.fault(answers(403, {}, errorXml('AccessDenied')))
  const first = await verify()
  expect(await standing()).toMatchObject({ waiting: 1 })
  const refused = await fixture.drydock('status')
  expect(refused.stderr).toMatch(/answered 403 \(AccessDenied\)/)
  between.fault(null)
  const runId = await verify()
  expect(await standing()).toMatchObject({ waiting: 0, problem: null, since: null })
  const made = await stamp()
  const kept = await objects()
  for (const key of kept) expect(key).toMatch(/^team\/[0-9a-f-]{36}\/(run_\w+|layer-[0-9a-f]{32})\/[0-9a-f]{64}$/)
  expect(kept.filter((key) => key.includes('/layer-'))).toHaveLength(2)

  // Simulates a machine without these files.
  const before = [await logOf(runId), await shown(runId)]
  expect(before).toMatchObject([{ from: 'log' }, { from: 'log', skipped: { bytes: expect.any(Number) } }])
  await rm(join(state, 'artifacts', 'runs'), { recursive: true })
  await rm(layers, { recursive: true })
  expect([await logOf(runId), await shown(runId)]).toEqual(before)
  expect(await logOf(first)).toMatchObject({ from: 'log' })
  const folder = join(fixture.folder, 'kept')
  expect(await fixture.drydock('log', runId, '--files', folder)).toMatchObject({ exitCode: 0 })
  expect(await readFile(join(folder, 'build/app'), 'utf8')).toBe('built\n')
  expect((await fixture.drydock('log', runId, '--files', folder)).stderr).toContain('is there already')
  await verify()
  expect(await stamp()).toBe(made)
  expect((await objects()).filter((key) => key.includes('/layer-'))).toHaveLength(2)

  // The bytes in the bucket are altered now, and must be rejected.
  const doctor = await fixture.drydock('doctor')
  expect(doctor.stdout).toMatch(/ok +blobs +s3:\/\/kept\/team \(127\.0\.0\.1:\d+\): put, read and deleted a blob\n/)
  await rm(join(state, 'artifacts', 'runs'), { recursive: true })
  between.fault(({ method }, response) => {
    if (method !== 'GET') return undefined
    response.writeHead(200).end('all is well\n')
    return 'answered'
  })
  const other = await fixture.drydock('log', runId)
  expect(other.stdout).not.toContain('all is well')
  expect(other.stderr).toMatch(/Only the end is shown\.[\s\S]*has other content than was stored/)
  between.fault(null)
  for (const { stdout, stderr } of [doctor, other, refused]) expect(stdout + stderr).not.toContain(secret)
  for (const { path, body } of between.asked) expect(path + body.toString('latin1')).not.toContain(secret)

  // Verifications that are too old go with their blobs, but those of another state stay.
  const { signal } = new AbortController()
  const { space } = await standing()
  const put = (at: { space: string; name: string }) => drydock.blobs?.store.at(at).put(Buffer.from('x'), signal)
  await put({ space, name: 'run_20200101_000000_nobody' })
  await put({ space: 'another-state', name: 'run_20200101_000000_nobody' })
  const gone = await fixture.drydock('gc', '--json')
  expect(gone.events.at(-1)).toMatchObject({ blobs: { verifications: ['run_20200101_000000_nobody'], problem: null } })
  const { clock } = drydock
  const later = { ...clock, now: () => new Date(Date.now() + 15 * 86_400_000) }
  const then = await openDrydock({ directory: fixture.repo, env: fixture.env, clock: later })
  expect(await then.collect(signal)).toMatchObject({ blobs: { layers: [expect.any(String)], problem: null } })
  expect(await objects()).toEqual([expect.stringContaining('another-state')])
})
