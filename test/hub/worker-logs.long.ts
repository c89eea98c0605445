import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { VerificationRow } from '../../src/ports/rows.ts'
import { greenStory, specLanes } from '../scenarios/world/crew.ts'
import { runHere } from '../scenarios/world/fixture.ts'
import { configureUser } from '../scenarios/world/hook.ts'
import { bucket, keyId, startFauxqs } from '../wire/s3-servers.ts'
import { burn, resultOf, type WorkerWorld, workerWorld } from './worker-world.ts'

/** The verification of the story by a worker, and not the hub's verification of the merge. */
async function verifiedByWorker({ fixture }: WorkerWorld, run: string): Promise<VerificationRow> {
  const records = (await fixture.open()).openRecords()
  const own = await records.machines({ kind: 'verification', run })
  const story = own.find(({ data }) => data.merge === null)
  const row = story === undefined ? null : await records.verification(story.id)
  await records.close()
  if (row === null) throw new Error('no verification of the story')
  return row
}

test('log and files of a verification of a machine that burnt down are read at the hub, in its dashboard and from a clone', async () => {
  const server = await startFauxqs()
  onTestFinished(() => server.close())
  const steps = [
    {
      name: 'test',
      command: 'echo "said by $(seq -s- 1 3)"; head -c 9000000 /dev/urandom > "$ARTIFACT_DIR/build/made.bin"',
      timeout_sec: 120,
    },
  ]
  const env = { AWS_ACCESS_KEY_ID: keyId, AWS_SECRET_ACCESS_KEY: 'the-key-of-the-bucket' }
  const world = await workerWorld({ ...specLanes('alpha'), ...greenStory('alpha') }, { steps, env }, (fixture) =>
    configureUser(fixture, { state: { blobs: { s3: { bucket, endpoint: server.url, prefix: 'team' } } } }),
  )
  const { fixture } = world
  const one = await world.worker('one', '--coders', '1')
  const run = await world.build()
  expect(await resultOf(world, run)).toMatchObject({ status: 'DONE' })
  const { runId } = await verifiedByWorker(world, run)
  const path = `/api/verifications/${runId}/log`
  // The worker uploads its files while it works.
  await vi.waitUntil(async () => JSON.stringify(await world.get(path)).includes('"from":"log"'), 60_000)
  await burn(one)

  expect(await world.get(path)).toMatchObject({ from: 'log', text: expect.stringContaining('said by 1-2-3') })
  const atHub = await fixture.drydock('log', runId, '--json')
  expect(atHub.events.at(-1)).toMatchObject({ from: 'log', text: expect.stringContaining('said by 1-2-3') })
  const [clone, home] = [join(fixture.folder, 'clone'), join(fixture.folder, 'elsewhere')]
  execFileSync('git', ['clone', '-q', fixture.repo, clone])
  const own = { PATH: fixture.env.PATH ?? '', HOME: home, DRYDOCK_HOME: home, DRYDOCK_HUB_TOKEN: world.token }
  const args = ['log', runId, '--json', '--hub', `http://127.0.0.1:${world.port}`, '--repo', clone]
  const fromClone = await runHere(args, own)
  expect(fromClone.events.at(-1), fromClone.stderr).toMatchObject({
    from: 'log',
    text: expect.stringContaining('said by 1-2-3'),
  })
  const files = join(fixture.folder, 'files')
  expect((await fixture.drydock('log', runId, '--files', files, '--json')).stdout).toContain('logs/combined.log')
  const fetched = join(fixture.folder, 'fetched')
  const written = await runHere([...args, '--files', fetched], own)
  expect(written.events.at(-1), written.stderr).toMatchObject({
    type: 'files',
    from: 'kept',
    files: ['manifest.json', 'logs/base.log', 'logs/combined.log', 'logs/step-01-test.log', 'build/made.bin'],
  })
  for (const folder of [files, fetched]) {
    expect(await readFile(join(folder, 'logs', 'combined.log'), 'utf8')).toContain('said by 1-2-3')
    expect((await readFile(join(folder, 'build', 'made.bin'))).length).toBe(9_000_000)
  }
  const again = await runHere([...args, '--files', fetched], own)
  expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('is there already')])
  const viewer = (await fixture.drydock('hub', 'token', 'add', 'vi', '--role', 'viewer')).stdout.trim()
  const refused = await runHere([...args, '--files', join(fixture.folder, 'no')], { ...own, DRYDOCK_HUB_TOKEN: viewer })
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('It needs operator')])
})
