import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createFixture, type Fixture } from '../scenarios/world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

test('a hub without TLS listens on this machine alone, and says what is missing', async () => {
  fixture = await createFixture()
  const key = join(fixture.folder, 'key.pem')
  await writeFile(key, 'no key')
  const refused = async (...args: string[]) => {
    const { exitCode, stderr } = await fixture.drydock('hub', ...args)
    return `${exitCode} ${stderr}`
  }
  for (const host of ['0.0.0.0', '[::]', '10.0.0.1', '127.0.0.1.evil.example'])
    expect(await refused('--listen', `${host}:0`)).toContain('would get tokens without TLS')
  expect(await refused('--listen', '127.0.0.1')).toContain('is not HOST:PORT')
  expect(await refused('--behind-proxy', 'http://hub.example')).toContain('without TLS')
  expect(await refused('--behind-proxy', 'https://hub.example/path')).toContain('is not an origin')
  expect(await refused('--tls-cert', key)).toContain('belong together')
  expect(await refused('--tls-cert', key, '--tls-key', key)).toContain('is not PEM')
  expect(await refused('--role', 'admin')).toMatch(/^2 .*belong to a token/s)
  expect(await refused('token', 'add', 'ada', '--role', 'viewer', '--expires', '-1d')).toContain('is not a time')
  expect(await refused('token', 'revoke', 'nobody')).toContain('There is no token named')
})
