import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { greenLanes } from '../scenarios/world/fixture.ts'
import { launch } from '../scenarios/world/process.ts'
import { createHubAndClone } from './hub-and-clone.ts'

test('a hub with a certificate of an own authority is trusted by the client and its git together', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-tls-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const names = ['-subj', '/CN=hub.example', '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync('openssl', [...made, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  const args = ['--tls-cert', cert, '--tls-key', key]
  const world = await createHubAndClone((at) => at.replay(greenLanes), { args })
  await world.git('commit', '-q', '--allow-empty', '-m', 'only here')
  const task = (env: Readonly<Record<string, string>>) =>
    launch(['task', 'say new', '--repo', world.clone], { env }).ended
  const refused = await task(world.env)
  expect([refused.exitCode, refused.stderr]).toEqual([4, expect.stringContaining('NODE_EXTRA_CA_CERTS=')])
  const done = await task({ ...world.env, NODE_EXTRA_CA_CERTS: cert })
  expect([done.exitCode, done.stderr]).toEqual([0, expect.stringContaining('DONE')])
  expect(await world.git('show', 'drydock/say-new:value.txt')).toBe('new')
})
