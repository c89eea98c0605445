import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { SandboxResult, SandboxSpec } from '../../src/ports/sandbox.ts'
import type { RunningProgram, SandboxProgram } from '../../src/ports/sandbox-program.ts'
import type { SandboxAdapter } from './sandboxes.ts'

const never = new AbortController().signal
const mebibyte = 1_048_576
const limits = { memoryBytes: 2_048 * mebibyte, fileBytes: 64 * mebibyte, openFiles: 512, tmpfsBytes: 16 * mebibyte }

export function programSuite({ create, createMissing }: SandboxAdapter): void {
  const sandbox = create()
  let folder = ''

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'drydock-program-')))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const spec = (change: Partial<SandboxSpec> = {}): SandboxSpec => ({
    mounts: [{ path: folder, access: 'write' }],
    cwd: folder,
    env: { GREETING: "it's" },
    limits,
    ...change,
  })
  const sh = (script: string): SandboxProgram => ({ argv: ['/bin/sh', '-c', script], ports: [] })

  async function start(program: SandboxProgram): Promise<RunningProgram> {
    const started = await sandbox.start(spec(), program, never)
    if (!started.ok) throw new Error(started.error.errorMessage)
    onTestFinished(() => started.value.close())
    return started.value
  }

  test('is spoken to by its pipes, and its end is told with its last words', async () => {
    const { stdin, stdout, lastWords, ended } = await start(
      sh('while read -r line; do echo "$GREETING $line in $(pwd)"; done; echo bye >&2; exit 7'),
    )
    const lines = createInterface({ input: stdout })
    stdin.write('one\n')
    expect(await once(lines, 'line')).toEqual([`it's one in ${folder}`])
    stdin.end('two\n')
    expect(await once(lines, 'line')).toEqual([`it's two in ${folder}`])
    expect(await ended).toEqual({ exitCode: 7, spaceTaken: null })
    expect(lastWords()).toBe('bye')
  })

  test('reaches a socket of the host by its port, and nothing else', async () => {
    const socket = join(folder, 'gateway.sock')
    const server = createServer((client) => client.end('from the host'))
    await once(server.listen(socket), 'listening')
    onTestFinished(() => void server.close())
    const look = `
      exec 2>&1
      perl -MIO::Socket -e 'print IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => 8130)->getline'; echo
      for address in 127.0.0.1:8131 10.0.0.1:80; do
        perl -MIO::Socket -e 'print IO::Socket::INET->new(PeerAddr => shift, Timeout => 5) ? "open" : "closed"' $address; echo
      done
      tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '`
    const { stdout } = await start({ ...sh(look), ports: [{ port: 8_130, socket }] })
    const lines: string[] = []
    for await (const line of createInterface({ input: stdout })) lines.push(line)
    expect(lines).toEqual(['from the host', 'closed', 'closed', 'lo'])
  })

  test('reaches the hosts that it names through a proxy, and no other', async () => {
    const ask = (host: string) =>
      `perl -MIO::Socket -e '$s = IO::Socket::INET->new(PeerAddr => $ENV{HTTP_PROXY} =~ s{^http://}{}r) or die; print $s "CONNECT ${host}:443 HTTP/1.1\\r\\nHost: ${host}\\r\\n\\r\\n"; print $s->getline'`
    const program = sh(`read -r line; ${ask('named.invalid')}; ${ask('other.invalid')}`)
    const started = await sandbox.start(spec({ egress: ['named.invalid'] }), program, never)
    if (!started.ok) throw new Error(started.error.errorMessage)
    const { stdin, stdout, ended } = started.value
    onTestFinished(() => started.value.close())
    stdin.write('go\n')
    const lines: string[] = []
    for await (const line of createInterface({ input: stdout })) lines.push(line)
    expect(lines).toEqual([
      expect.stringContaining('502 drydock: named.invalid cannot be resolved'),
      expect.stringContaining('403 drydock: other.invalid:443 is not among the hosts that may be reached'),
    ])
    expect(await ended).toMatchObject({ exitCode: 0 })
  })

  test('is dead with all that it started when it is closed, and when it ends', async () => {
    const marker = `${process.pid}${process.hrtime.bigint()}`
    const alive = () => commandLines().filter((line) => line.includes(marker) && line.startsWith('sleep'))
    const background = `setsid sleep ${marker} >/dev/null 2>&1 & echo up`
    const closed = await start(sh(`${background}; trap '' TERM HUP; cat`))
    await once(createInterface({ input: closed.stdout }), 'line')
    await expect.poll(alive, { interval: 20 }).toHaveLength(1)
    await closed.close()
    expect(alive()).toEqual([])
    const over = await start(sh(background))
    over.stdout.resume()
    expect(await over.ended).toMatchObject({ exitCode: 0 })
    expect(alive()).toEqual([])
  })

  test('that cannot be started is an error that says why', async () => {
    const missing = { errorType: 'sandbox_unavailable', errorMessage: expect.stringContaining('install') }
    expect(await createMissing().start(spec(), sh('true'), never)).toEqual({ ok: false, error: missing })
    const nowhere = { errorType: 'container_creation', errorMessage: expect.any(String) }
    const started: SandboxResult<unknown> = await sandbox.start(spec({ cwd: '/no/such/folder' }), sh('true'), never)
    expect(started).toEqual({ ok: false, error: nowhere })
    const reason = new Error('enough')
    await expect(sandbox.start(spec(), sh('cat'), AbortSignal.abort(reason))).rejects.toBe(reason)
  })
}

function commandLines(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      } catch {
        // The process ended while /proc was read.
        return ''
      }
    })
}
