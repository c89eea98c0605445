import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { databaseSecrets, databaseServer } from '../../src/config/database/database-server.ts'

/** A home with this `.pgpass`, and the password that it gives for a URL. */
function homeWith(text: string, mode = 0o600) {
  const home = mkdtempSync(join(tmpdir(), 'drydock-home-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  writeFileSync(join(home, '.pgpass'), text)
  chmodSync(join(home, '.pgpass'), mode)
  const envOf = (url: string, more: object = {}) => ({ HOME: home, DRYDOCK_DATABASE_URL: url, ...more })
  return {
    home,
    secretsOf: (url: string, more?: object) => databaseSecrets({ state: {} } as never, envOf(url, more)),
    server: (url: string, more?: object) => databaseServer({ state: {} } as never, envOf(url, more)),
  }
}

const entries = [
  '# of the team',
  'db.example:5432:drydock:me:first',
  'db.example:*:*:me:second',
  String.raw`*:*:*:\:colon:with\:colon\\and more`,
  'localhost:5432:drydock:me:of the socket',
  'broken line',
].join('\n')

test.each([
  ['postgres://me@db.example/drydock', 'first'],
  ['postgres://me@db.example:5433/drydock', 'second'],
  ['postgres://%3Acolon@other/drydock', 'with:colon\\and more'],
  ['postgres:///drydock?host=/run/postgresql&user=me', 'of the socket'],
])('the password for %s is that of the first line that matches, and is a secret', (url, password) => {
  const { server, secretsOf } = homeWith(entries)
  expect(secretsOf(url)).toContain(password)
  const found = server(url)
  expect(found?.secrets).toContain(password)
  expect(found?.shown).not.toContain(password)
})

test('a password that is given otherwise wins, and a file without one changes nothing', () => {
  const { server } = homeWith(entries)
  expect(server('postgres://me:own@db.example/drydock')?.secrets).toEqual(['own'])
  const url = 'postgres://me@db.example/drydock'
  expect(server(url, { PGPASSWORD: 'own' })?.url).toBe(url)
  expect(server('postgres://you@db.example/drydock')?.url).toBe('postgres://you@db.example/drydock')
  expect(server(url, { HOME: '/nowhere' })?.url).toBe(url)
})

test('another file may be named, and one that others can read is refused with what to do', () => {
  const { home, server } = homeWith(entries, 0o644)
  const url = 'postgres://me@db.example/drydock'
  expect(() => server(url)).toThrow(/Other users can read/)
  expect(server('postgres://you@db.example/drydock')?.secrets).toEqual([])
  writeFileSync(join(home, 'own'), '*:*:*:*:named', { mode: 0o600 })
  expect(server(url, { PGPASSFILE: join(home, 'own') })?.secrets).toContain('named')
})
