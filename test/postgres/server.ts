import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Folder of the newest server in Debian, which is not on the PATH. */
const root = '/usr/lib/postgresql'
const newest = readdirSync(root).toSorted((a, b) => Number(b) - Number(a))[0]
const programs = `${root}/${newest}/bin`

/** The server refuses to run as root; Debian has created a user for it. */
export const serverUser = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}

function idOf(what: string): number {
  return Number(spawnSync('id', [what, 'postgres'], { encoding: 'utf8' }).stdout)
}

/**
 * Runs a server while a process lives, however that process ends, and without file descriptors of
 * the tests. The shared server lives as long as the test run, any other one as long as this
 * process.
 */
const guardScript = `exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
owner=$1; shift; "$@" & server=$!
while [ -d /proc/$owner ] && kill -0 $server; do sleep 1; done
kill -QUIT $server`

const sharedFolder = () => join(process.env.DRYDOCK_TEST_POSTGRES ?? '', 'server')

/** A PostgreSQL server in a folder, on 127.0.0.1 and on a socket in the folder. */
export interface PostgresServer {
  readonly folder: string
  readonly port: number
  /** URL of a database, as the superuser `app`. */
  url(database?: string): string
  start(): Promise<void>
  /** `SIGQUIT` is a crash, `SIGINT` a fast shutdown. */
  stop(signal: 'SIGQUIT' | 'SIGINT'): Promise<void>
  /** Requires a password from this user from now on. */
  guard(user: string): void
}

/** Creates and starts a server in an empty folder, with these settings. */
export async function makeServer(folder: string, own: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  mkdirSync(folder, { recursive: true })
  if (serverUser.uid !== undefined) chownSync(folder, serverUser.uid, serverUser.gid)
  const made = spawnSync(
    `${programs}/initdb`,
    ['-D', join(folder, 'data'), '-U', 'app', '-A', 'trust', '-N', '-E', 'UTF8'],
    {
      ...serverUser,
      cwd: folder,
      encoding: 'utf8',
    },
  )
  if (made.status !== 0) throw new Error(made.stderr)
  const server = serverIn(folder, await freePort(), own)
  await server.start()
  return server
}

export function serverIn(folder: string, port: number, own: Readonly<Record<string, string>> = {}): PostgresServer {
  const ask = (...args: string[]) => spawnSync(`${programs}/pg_isready`, ['-q', '-h', folder, '-p', `${port}`, ...args])
  const server: PostgresServer = {
    folder,
    port,
    url: (database = 'postgres') => `postgres://app@127.0.0.1:${port}/${database}`,
    async start() {
      const settings = {
        fsync: 'off',
        max_connections: '200',
        listen_addresses: '127.0.0.1',
        unix_socket_directories: folder,
        ...own,
      }
      const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      const args = ['-D', join(folder, 'data'), '-p', `${port}`, ...options]
      const command = [
        guardScript,
        'sh',
        `${folder === sharedFolder() ? process.ppid : process.pid}`,
        `${programs}/postgres`,
      ]
      spawn('sh', ['-c', ...command, ...args], { ...serverUser, cwd: folder, stdio: 'ignore', detached: true }).unref()
      while (ask().status !== 0) await delay(20)
    },
    async stop(signal) {
      const pid = pidIn(folder)
      if (pid === null) return
      process.kill(pid, signal)
      while (isAlive(pid)) await delay(10)
    },
    guard(name) {
      const rules = join(folder, 'data', 'pg_hba.conf')
      writeFileSync(rules, `host all ${name} all scram-sha-256\n${readFileSync(rules, 'utf8')}`)
      psql(server, 'select pg_reload_conf()')
    },
  }
  return server
}

/** Null if no server runs in the folder. */
function pidIn(folder: string): number | null {
  const file = join(folder, 'data', 'postmaster.pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : null
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** The server of this test run: the first caller creates it, all others wait for that. */
export async function sharedServer(): Promise<PostgresServer> {
  const folder = process.env.DRYDOCK_TEST_POSTGRES
  if (folder === undefined) throw new Error('vitest starts with test/global-setup.ts')
  const port = join(folder, 'port')
  try {
    mkdirSync(join(folder, 'making'))
    writeFileSync(port, `${(await makeServer(join(folder, 'server'))).port}`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  while (!existsSync(port) || readFileSync(port, 'utf8') === '') await delay(50)
  return serverIn(join(folder, 'server'), Number(readFileSync(port, 'utf8')))
}

/** Runs SQL on the server, as its superuser. */
export function psql(server: PostgresServer, sql: string, database = 'postgres'): string {
  const asked = spawnSync(`${programs}/psql`, ['-v', 'ON_ERROR_STOP=1', '-qAtX', '-c', sql, server.url(database)], {
    encoding: 'utf8',
  })
  if (asked.status !== 0) throw new Error(asked.stderr)
  return asked.stdout.trim()
}

/** A separate database on the shared server, or on the given one. */
export async function createDatabase(
  at?: PostgresServer,
): Promise<{ readonly url: string; readonly name: string; drop(): void }> {
  const server = at ?? (await sharedServer())
  const name = `test_${randomBytes(6).toString('hex')}`
  psql(server, `create database ${name} strategy file_copy`)
  return { name, url: server.url(name), drop: () => void psql(server, `drop database ${name} with (force)`) }
}
