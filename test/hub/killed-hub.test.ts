import { execFileSync } from 'node:child_process'
import { readdirSync, utimesSync } from 'node:fs'
import { type ClientRequest, request } from 'node:http'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createFixture, type Fixture } from '../scenarios/world/fixture.ts'
import { launch, type Running } from '../scenarios/world/process.ts'
import { running } from './control-world.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const start = (): Running => launch(['hub', '--listen', '127.0.0.1:0', '--repo', fixture.repo], { env: fixture.env })
const portOf = async (hub: Running) => Number(new URL(await hub.line(/^http:\S+$/)).port)

test('a hub that is killed in the middle of a push leaves its repository whole, and the next takes the push', async () => {
  fixture = await createFixture()
  const { stdout } = await fixture.drydock('hub', 'token', 'add', 'ada', '--role', 'operator')
  const token = stdout.trim()
  const git = (folder: string, ...args: string[]) =>
    execFileSync('git', ['-C', folder, ...args], { env: fixture.env, stdio: ['ignore', 'pipe', 'pipe'] })
      .toString()
      .trim()
  const tip = git(fixture.repo, 'rev-parse', 'HEAD')
  const sha = git(fixture.repo, 'commit-tree', 'HEAD^{tree}', '-p', tip, '-m', 'pushed')
  const ref = `refs/drydock/pushed/ada/${sha}`
  const push = (port: number) => {
    const header = ['-c', `http.extraHeader=Authorization: Bearer ${token}`]
    git(fixture.repo, ...header, 'push', '--quiet', `http://127.0.0.1:${port}/git`, `${sha}:${ref}`)
  }

  const first = start()
  const port = await portOf(first)
  const pack = execFileSync('git', ['-C', fixture.repo, 'pack-objects', '--stdout', '--revs', '-q'], {
    input: `${sha}\n^${tip}\n`,
  })
  const line = `${'0'.repeat(40)} ${sha} ${ref}\0 report-status\n`
  const head = `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`
  const half = halfPush(port, token, Buffer.concat([Buffer.from(head, 'latin1'), pack.subarray(0, pack.length / 2)]))
  const mirror = join((await fixture.open()).state, 'mirror.git')
  await running(mirror, 'receive-pack', 1)
  first.child.kill('SIGKILL')
  await first.ended
  half.destroy()
  // Git notices that its hub is gone, and ends with the pack that it was receiving.
  await running(mirror, 'receive-pack', 0)
  expect(git(mirror, 'for-each-ref', 'refs/drydock/')).toBe('')
  // The mirror's first objects are the user's, including unreferenced ones.
  expect(git(mirror, 'fsck', '--full', '--no-dangling')).toBe('')
  const incoming = () =>
    readdirSync(join(mirror, 'objects'))
      .filter((name) => name.startsWith('tmp_'))
      .map((name) => join(mirror, 'objects', name))
  for (const folder of incoming()) utimesSync(folder, 0, 0)

  const second = start()
  push(await portOf(second))
  expect(git(mirror, 'rev-parse', ref)).toBe(sha)
  expect(incoming()).toEqual([])
  second.child.kill('SIGTERM')
  await second.ended
})

function halfPush(port: number, token: string, body: Buffer): ClientRequest {
  const sent = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/git/git-receive-pack',
    agent: false,
    headers: {
      Host: `127.0.0.1:${port}`,
      Authorization: `Bearer ${token}`,
      'Transfer-Encoding': 'chunked',
      'Content-Type': 'application/x-git-receive-pack-request',
    },
  })
  sent.on('error', () => undefined).write(body)
  return sent
}
