import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createBubblewrap } from '../../../src/adapters/sandbox/bubblewrap.ts'
import { makeControlGroup } from '../../../src/adapters/sandbox/control-group.ts'
import type { Sandbox, SandboxSpec } from '../../../src/ports/sandbox.ts'

export const source = fileURLToPath(new URL('../../../src/adapters/sandbox/', import.meta.url))
export const never = new AbortController().signal
export const mebibyte = 1_048_576
export const isRoot = process.getuid?.() === 0
export const sandbox = createBubblewrap({ hostPath: process.env.PATH ?? '' })

export let folder = ''
export let workspace = ''
/**
 * Seconds to sleep, unique to this test: any process on this machine that sleeps this long is ours.
 */
export let marker = ''

/** Gives each test of a file its own folder; no process of a test may survive it. */
export function inAttackFolders(): void {
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'drydock-attack-')))
    workspace = join(folder, 'workspace')
    mkdirSync(workspace)
    marker = `${process.pid}${process.hrtime.bigint()}`
  })
  afterEach(() => {
    expect(sleepers()).toEqual([])
    rmSync(folder, { recursive: true, force: true })
  })
}

export function spec(change: Partial<SandboxSpec> = {}): SandboxSpec {
  return {
    mounts: [{ path: workspace, access: 'write' }],
    cwd: workspace,
    env: {},
    limits: { memoryBytes: 1_024 * mebibyte, fileBytes: 8 * mebibyte, openFiles: 64, tmpfsBytes: 4 * mebibyte },
    ...change,
  }
}

/** The parent cgroup of this process's children, if it counts memory. */
export function memoryFile(): { readonly parent: string; readonly name: string } | null {
  const groups = readFileSync('/proc/self/cgroup', 'utf8')
  const first = /^\d+:(?:[^:\n]*,)?memory(?:,[^:\n]*)?:(.*)$/m.exec(groups)?.[1]
  if (first !== undefined) return { parent: join('/sys/fs/cgroup/memory', first), name: 'memory.limit_in_bytes' }
  const parent = join('/sys/fs/cgroup', /^0::(.*)$/m.exec(groups)?.[1] ?? '')
  const controllers = existsSync(join(parent, 'cgroup.subtree_control'))
    ? readFileSync(join(parent, 'cgroup.subtree_control'), 'utf8')
    : ''
  return controllers.includes('memory') ? { parent, name: 'memory.max' } : null
}

export interface ExecResult {
  readonly exitCode: number | null
  readonly timedOut: boolean
  readonly output: string
}

export interface Attack {
  readonly timeoutMs?: number
  readonly on?: Sandbox
}

export async function exec(command: string, { timeoutMs = 20_000, on = sandbox }: Attack = {}): Promise<ExecResult> {
  let output = ''
  const onOutput = (chunk: Uint8Array) => {
    output += Buffer.from(chunk).toString()
  }
  const done = await on.exec(spec(), { command, timeoutMs, onOutput }, never)
  if (!done.ok) throw new Error(done.error.errorMessage)
  return { exitCode: done.value.exitCode, timedOut: done.value.timedOut, output }
}

export async function open(change?: Partial<SandboxSpec>, on = sandbox) {
  const opened = await on.open(spec(change), never)
  if (!opened.ok) throw new Error(opened.error.errorMessage)
  const session = opened.value
  onTestFinished(() => session.close())
  return session
}

export async function run(command: string, { timeoutMs = 20_000, on = sandbox }: Attack = {}): Promise<ExecResult> {
  const reply = await (await open({}, on)).request({ op: 'run', command, timeoutMs, maxBytes: 100_000 }, never)
  if (!reply.ok) throw new Error(reply.message)
  const { exitCode, timedOut, output } = reply.value
  return { exitCode, timedOut, output }
}

/** Command lines on the host that sleep for `marker` seconds. */
export function sleepers(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(commandLine)
    .filter((line) => line.startsWith('sleep') && line.includes(marker))
}

export function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    // The process ended while /proc was read.
    return ''
  }
}

/** A separate Node process with `sandbox`, `spec` and `say`, and its output lines. */
export function startHost(
  script: string,
  options: { readonly stdio?: (number | 'ignore')[]; readonly uid?: number } = {},
) {
  const head = `
    import { createBubblewrap } from ${JSON.stringify(join(source, 'bubblewrap.ts'))}
    const sandbox = createBubblewrap({ hostPath: process.env.PATH ?? '' })
    const spec = ${JSON.stringify(spec())}
    const never = new AbortController().signal
    const say = (value: unknown) => process.stdout.write(JSON.stringify(value) + '\\n')
  `
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', head + script], {
    stdio: ['ignore', 'pipe', 'inherit', ...(options.stdio ?? [])],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  }) as ChildProcess & { readonly stdout: NodeJS.ReadableStream }
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return { child, lines: createInterface({ input: child.stdout }) }
}

export async function firstLine(script: string, options?: Parameters<typeof startHost>[1]): Promise<unknown> {
  const [line] = await once(startHost(script, options).lines, 'line')
  return JSON.parse(String(line))
}

/** A kind of attack access, with its sandbox. */
export interface AttackPlace {
  readonly name: string
  readonly backend: Sandbox['name']
  readonly on: Sandbox
  readonly inside: (command: string, options?: Attack) => Promise<ExecResult>
}

export const placesOf = (backend: Sandbox['name'], on: Sandbox): readonly AttackPlace[] => [
  { name: `exec of ${backend}`, backend, on, inside: exec },
  { name: `a session of ${backend}`, backend, on, inside: run },
]

export function wallsSuite({ backend, on, inside }: AttackPlace): void {
  const attack = (command: string, options: Attack = {}) => inside(command, { on, ...options })

  test('files of the host cannot be seen', async () => {
    writeFileSync(join(folder, 'other-workspace'), 'planted')
    expect(
      await attack(
        `cat ${join(folder, 'other-workspace')} 2>&1; ls -A ${folder} /root /home /var /sys /boot 2>&1; ls -A /etc`,
      ),
    ).toEqual({
      exitCode: 0,
      timedOut: false,
      output: expect.not.stringMatching(/planted|shadow|ssh|\.bash/),
    })
    expect((await attack(`ls -A ${folder}; ls -A /home; ls -A /home/agent`)).output).toBe('workspace\nagent\n')
  })

  test('the environment of the host cannot be read from any process', async () => {
    process.env.DRYDOCK_PLANTED = 'planted-secret'
    onTestFinished(() => {
      delete process.env.DRYDOCK_PLANTED
    })
    const { output } = await attack('cat /proc/1/environ /proc/*/environ /proc/*/task/*/environ | tr "\\0" "\\n"')
    expect(output).toContain('PATH=')
    expect(output).not.toContain('planted')
    expect((await attack('tr "\\0" "\\n" < /proc/1/environ | grep -v ^PATH=')).output).toBe('')
  })

  test('no switch of the kernel can be written', async () => {
    const written =
      'for f in kernel/core_pattern kernel/hostname vm/drop_caches; do (echo x > /proc/sys/$f) && echo WRITTEN; done'
    expect(
      (await attack(`${written} 2>&1; (echo h > /proc/sysrq-trigger) 2>/dev/null && echo WRITTEN`)).output,
    ).not.toContain('WRITTEN')
    const writable =
      'find /proc -path "/proc/[0-9]*" -prune -o -path /proc/pressure -prune -o -type f -writable -print 2>/dev/null'
    // Podman masks some of these with files that belong to nobody; writing to the last one needs a
    // capability.
    const harmless = backend === 'podman' ? /^\/proc\/(keys|timer_list|mtrr)\n/gm : /^$/g
    expect((await attack(writable)).output.replace(harmless, '')).toBe('')
    expect((await attack('(echo disable=9 > /proc/mtrr) 2>/dev/null && echo WRITTEN')).output).toBe('')
  })

  test('no file descriptor of the host is open', async () => {
    const { output } = await attack('for fd in /proc/self/fd/*; do readlink $fd; done')
    expect(
      output.replace(/\S*pipe\S*( \(deleted\))?|\S*\/run\/drydock\S*( \(deleted\))?|\/dev\/null/g, '').trim(),
    ).toBe('')
  })

  test('the host cannot be reached by loopback, by address, or by abstract socket', async () => {
    const server = createServer((socket) => socket.end('reached'))
    const abstract = createServer((socket) => socket.end('reached'))
    onTestFinished(() => {
      server.close()
      abstract.close()
    })
    server.listen(0, '0.0.0.0')
    abstract.listen(`\0${marker}`)
    await Promise.all([once(server, 'listening'), once(abstract, 'listening')])
    const { port } = server.address() as { port: number }
    const connect = (where: string) => `perl -MIO::Socket -e 'print ${where} ? "REACHED" : "refused "'`
    const tcp = (host: string, to: number) =>
      connect(`IO::Socket::INET->new(PeerAddr => "${host}", PeerPort => ${to}, Timeout => 2)`)
    const unix = connect(`IO::Socket::UNIX->new(Peer => "\\0${marker}")`)
    expect((await attack([tcp('127.0.0.1', port), tcp('1.1.1.1', 53), unix].join(';'))).output).toBe(
      'refused refused refused ',
    )
    expect((await attack('tail -n +3 /proc/net/dev | grep -vw lo; cat /proc/net/route | tail -n +2')).output).toBe('')
  })

  test('no namespace can be made and nothing can be mounted', async () => {
    const tries = [
      'unshare --user true',
      'unshare --mount true',
      'unshare --net true',
      'mount -t tmpfs none /tmp',
      'mount -o remount,rw /',
      'mount -o remount,rw /usr',
      'mount --bind /tmp /usr',
      'umount /proc/sys',
      'nsenter --target 1 --mount true',
      'chroot / true',
      'mknod /tmp/disk b 8 0',
    ]
    expect((await attack(tries.map((line) => `${line} 2>/dev/null && echo "DONE ${line}"`).join('\n'))).output).toBe('')
    expect((await attack('grep -E "Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs" /proc/self/status')).output).toBe(
      'CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nCapAmb:\t0000000000000000\nNoNewPrivs:\t1\n',
    )
  })

  test('nothing but the workspace and the fresh folders can be written', async () => {
    const folders = '/ /usr /usr/bin /etc /proc /home /.drydock /workspace'
    // A container has a small /dev of its own.
    const all = backend === 'podman' ? folders : `${folders} /dev`
    expect((await attack(`for p in ${all}; do touch $p/x && echo WRITTEN $p; done 2>/dev/null`)).output).toBe('')
    expect(
      (
        await attack(
          'echo x 2>/dev/null >> /etc/hosts && echo WRITTEN; echo x 2>/dev/null >> /.drydock/node && echo WRITTEN',
        )
      ).output,
    ).toBe('')
    expect((await attack('for p in . /tmp /dev/shm /run ~; do touch $p/x && echo written; done')).output).toBe(
      'written\n'.repeat(5),
    )
  })

  test('memory, disk and descriptors are bounded', async () => {
    const fill = 'for p in /tmp /dev/shm /run ~; do head -c 6m /dev/zero > $p/x; stat -c %s $p/x; done 2>/dev/null'
    expect((await attack(fill)).output).toBe(`${4 * mebibyte}\n`.repeat(4))
    expect((await attack('head -c 20m /dev/zero > large; stat -c %s large')).output).toContain(`${8 * mebibyte}\n`)
    const descriptors = `perl -e 'while (open(my $f, "<", "/dev/null")) { push @all, $f } print scalar(@all) < 64 ? "bounded" : "unbounded"'`
    expect((await attack(descriptors)).output).toBe('bounded')
    const memory = `perl -e '$x = "x" x (1500 * 1048576); print "UNBOUNDED"'`
    expect((await attack(memory)).output).not.toContain('UNBOUNDED')
  })

  test('memory is bounded for all processes together, where this machine lets Drydock make a group of them', async (context) => {
    const [probe, file] = [makeControlGroup(), memoryFile()]
    probe?.remove()
    if (probe === null || file === null) return context.skip('no control group that counts memory can be made')
    const limits: number[] = []
    const onOutput = () => {
      const own = readdirSync(file.parent).filter((name) => name.startsWith(`drydock-${process.pid}-`))
      limits.push(...own.map((name) => Number(readFileSync(join(file.parent, name, file.name), 'utf8'))))
    }
    await sandbox.exec(spec(), { command: 'echo running', timeoutMs: 60_000, onOutput }, never)
    expect(limits.length).toBeGreaterThan(0)
    for (const limit of limits) expect(limit).toBeLessThan(totalmem())
  })

  test('a group is left alone by who numbers processes otherwise, as in a container that shares the folder', async (context) => {
    const group = makeControlGroup()
    if (group === null) return context.skip('no control group can be made')
    const module = fileURLToPath(new URL('../../../src/adapters/sandbox/control-group.ts', import.meta.url))
    const other = `import { makeControlGroup } from ${JSON.stringify(module)}; makeControlGroup().remove()`
    const inside = ['--pid', '--fork', '--mount-proc', process.execPath, '--input-type=module', '--eval', other]
    execFileSync('unshare', inside, { stdio: 'pipe' })
    const child = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] })
    const ended = once(child, 'close')
    await group.add(child.pid ?? 0)
    child.stdin.end()
    await ended
    group.remove()
  })

  test('no limit can be raised', async () => {
    const tries = ['-n 100000', '-f unlimited', '-d unlimited', '-c unlimited']
    expect(
      (await attack(tries.map((limit) => `(ulimit ${limit}) 2>/dev/null && echo RAISED ${limit}`).join('\n'))).output,
    ).toBe('')
  })
}

/** Tests the limit on processes; the test starts as many as are allowed. */
export function bombSuite({ on, inside }: AttackPlace): void {
  test('processes are bounded', { timeout: 600_000 }, async (context) => {
    const probe = await on.probe()
    if (probe.ok && probe.enforced.processes === 'not') context.skip('this machine cannot bound the processes of root')
    const count = `perl -e 'while (defined(my $pid = fork)) { $pid or do { sleep 600; exit }; ++$count > 6000 and last } print $count < 4096 ? "bounded" : "unbounded"'`
    expect((await inside(count, { on, timeoutMs: 500_000 })).output).toBe('bounded')
  })
}

export function forkBombSuite({ on, inside }: AttackPlace): void {
  test('a fork bomb is dead when its time is over', async () => {
    // The subshell ends by itself once it cannot fork, unlike the shell around it.
    const bomb = `sleep ${marker} & (bomb() { bomb & bomb; }; bomb) 2>/dev/null; exec sleep ${marker}`
    expect(await inside(bomb, { on, timeoutMs: 1_000 })).toMatchObject({ timedOut: true })
    expect(sleepers()).toEqual([])
  })
}

export function processesSuite({ on, inside }: AttackPlace): void {
  const attack = (command: string, options: Attack = {}) => inside(command, { on, ...options })

  test('background processes of a command are dead once it has ended', async () => {
    const leave = [
      `sleep ${marker} &`,
      `setsid sleep ${marker} &`,
      `nohup setsid sh -c 'trap "" TERM HUP INT; sleep ${marker}; sleep ${marker}' >/dev/null 2>&1 &`,
      `(setsid sh -c '(sleep ${marker} &) &' &)`,
      `perl -e 'use POSIX; fork and exit; setsid; fork and exit; close STDOUT; close STDERR; exec "sleep", "${marker}"'`,
      'while [ "$(pgrep -c sleep)" -lt 5 ]; do :; done; echo left',
    ]
    expect(await attack(leave.join('\n'))).toEqual({ exitCode: 0, timedOut: false, output: 'left\n' })
    expect(sleepers()).toEqual([])
  })

  test('processes that ignore every signal are dead after the timeout', async () => {
    const ignore = `trap "" TERM HUP INT QUIT; setsid sleep ${marker} & while :; do sleep ${marker}; done`
    expect(await attack(ignore, { timeoutMs: 500 })).toEqual({ exitCode: null, timedOut: true, output: '' })
    expect(sleepers()).toEqual([])
  })

  test('servers can listen on localhost, as test runners do', async () => {
    const script = `
      const http = require('node:http')
      const server = http.createServer((_, response) => response.end('hi'))
      server.listen(0, 'localhost', () => {
        http.get({ host: 'localhost', port: server.address().port, agent: false }, (response) => {
          response.on('data', (text) => process.stdout.write(text)).on('end', () => server.close())
        })
      })
    `
    writeFileSync(join(workspace, 'server.cjs'), script)
    expect(await attack('node server.cjs')).toEqual({ exitCode: 0, timedOut: false, output: 'hi' })
  })
}
