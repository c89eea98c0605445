import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createBubblewrap } from '../../../src/adapters/sandbox/bubblewrap.ts'
import { makeControlGroup } from '../../../src/adapters/sandbox/control-group.ts'
import { openSession } from '../../../src/adapters/sandbox/session.ts'
import { startSandbox } from '../../../src/adapters/sandbox/start.ts'
import { startFailure } from '../../../src/adapters/sandbox/start-failure.ts'
import type { RunnerRequest, Sandbox, SandboxSpec } from '../../../src/ports/sandbox.ts'
import { sandboxAdapters } from '../../contracts/sandboxes.ts'

const source = fileURLToPath(new URL('../../../src/adapters/sandbox/', import.meta.url))
const never = new AbortController().signal
const mebibyte = 1_048_576
const isRoot = process.getuid?.() === 0
const sandbox = createBubblewrap({ hostPath: process.env.PATH ?? '' })

let folder = ''
let workspace = ''
/** Seconds to sleep, of no other test: what still sleeps so long on this machine is ours. */
let marker = ''

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

function spec(change: Partial<SandboxSpec> = {}): SandboxSpec {
  return {
    mounts: [{ path: workspace, access: 'write' }],
    cwd: workspace,
    env: {},
    limits: { memoryBytes: 1_024 * mebibyte, fileBytes: 8 * mebibyte, openFiles: 64, tmpfsBytes: 4 * mebibyte },
    ...change,
  }
}

/** Where the groups of this process's children lie that count memory. */
function memoryFile(): { readonly parent: string; readonly name: string } | null {
  const groups = readFileSync('/proc/self/cgroup', 'utf8')
  const first = /^\d+:(?:[^:\n]*,)?memory(?:,[^:\n]*)?:(.*)$/m.exec(groups)?.[1]
  if (first !== undefined) return { parent: join('/sys/fs/cgroup/memory', first), name: 'memory.limit_in_bytes' }
  const parent = join('/sys/fs/cgroup', /^0::(.*)$/m.exec(groups)?.[1] ?? '')
  const controllers = existsSync(join(parent, 'cgroup.subtree_control'))
    ? readFileSync(join(parent, 'cgroup.subtree_control'), 'utf8')
    : ''
  return controllers.includes('memory') ? { parent, name: 'memory.max' } : null
}

interface Seen {
  readonly exitCode: number | null
  readonly timedOut: boolean
  readonly output: string
}

interface Attack {
  readonly timeoutMs?: number
  readonly on?: Sandbox
}

async function exec(command: string, { timeoutMs = 20_000, on = sandbox }: Attack = {}): Promise<Seen> {
  let output = ''
  const onOutput = (chunk: Uint8Array) => {
    output += Buffer.from(chunk).toString()
  }
  const done = await on.exec(spec(), { command, timeoutMs, onOutput }, never)
  if (!done.ok) throw new Error(done.error.errorMessage)
  return { exitCode: done.value.exitCode, timedOut: done.value.timedOut, output }
}

async function open(change?: Partial<SandboxSpec>, on = sandbox) {
  const opened = await on.open(spec(change), never)
  if (!opened.ok) throw new Error(opened.error.errorMessage)
  const session = opened.value
  onTestFinished(() => session.close())
  return session
}

async function run(command: string, { timeoutMs = 20_000, on = sandbox }: Attack = {}): Promise<Seen> {
  const reply = await (await open({}, on)).request({ op: 'run', command, timeoutMs, maxBytes: 100_000 }, never)
  if (!reply.ok) throw new Error(reply.message)
  const { exitCode, timedOut, output } = reply.value
  return { exitCode, timedOut, output }
}

/** Command lines on the host of what sleeps for `marker` seconds. */
function sleepers(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(commandLine)
    .filter((line) => line.startsWith('sleep') && line.includes(marker))
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    // It ended while /proc was read.
    return ''
  }
}

/** A Node of its own that has `sandbox`, `spec` and `say`, and the lines that it says. */
function startHost(script: string, options: { readonly stdio?: (number | 'ignore')[]; readonly uid?: number } = {}) {
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

async function firstLine(script: string, options?: Parameters<typeof startHost>[1]): Promise<unknown> {
  const [line] = await once(startHost(script, options).lines, 'line')
  return JSON.parse(String(line))
}

const places = [
  ['exec', 'bubblewrap', exec],
  ['a session', 'bubblewrap', run],
  ['exec', 'podman', exec],
  ['a session', 'podman', run],
] as const

function sandboxOf(backend: Sandbox['name']): Sandbox {
  return sandboxAdapters.find(({ name }) => name === backend)?.create() ?? sandbox
}

/** The walls of a session are those of exec where both are the same container. */
describe.each(places.slice(0, 3))('inside %s of %s', (_name, backend, inside) => {
  const on = sandboxOf(backend)
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
    // Podman covers some with files that are nobody's, and needs a capability of who writes to the
    // last.
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
    // That of a container is a small one of its own.
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
})

describe.each(places)('processes inside %s of %s', (_name, backend, inside) => {
  const on = sandboxOf(backend)
  const attack = (command: string, options: Attack = {}) => inside(command, { on, ...options })

  test('what a command leaves behind is dead when it has ended', async () => {
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

  test('what ignores every signal is dead when its time is over', async () => {
    const ignore = `trap "" TERM HUP INT QUIT; setsid sleep ${marker} & while :; do sleep ${marker}; done`
    expect(await attack(ignore, { timeoutMs: 3_000 })).toEqual({ exitCode: null, timedOut: true, output: '' })
    expect(sleepers()).toEqual([])
  })

  test('processes are bounded', async (context) => {
    const probe = await on.probe()
    if (probe.ok && probe.enforced.processes === 'not') context.skip('this machine cannot bound the processes of root')
    const count = `perl -e 'while (defined(my $pid = fork)) { $pid or do { sleep 60; exit }; ++$count > 6000 and last } print $count < 4096 ? "bounded" : "unbounded"'`
    expect((await attack(count, { timeoutMs: 100_000 })).output).toBe('bounded')
  })

  test('a fork bomb is dead when its time is over', async () => {
    // It ends by itself once it has no room, which the shell around it does not.
    const bomb = `sleep ${marker} & (bomb() { bomb & bomb; }; bomb) 2>/dev/null; exec sleep ${marker}`
    expect(await attack(bomb, { timeoutMs: 1_000 })).toMatchObject({ timedOut: true })
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
})

describe('a lot of output', () => {
  const twoGibibytes = 2_147_483_648

  test('of exec is passed on without being held', async () => {
    let bytes = 0
    const before = process.memoryUsage().rss
    const onOutput = (chunk: Uint8Array) => {
      bytes += chunk.length
    }
    const command = `head -c ${twoGibibytes} /dev/zero`
    expect(await sandbox.exec(spec(), { command, timeoutMs: 60_000, onOutput }, never)).toMatchObject({ ok: true })
    expect(bytes).toBe(twoGibibytes)
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * mebibyte)
  })

  test('of a session is cut in the runner', async () => {
    const session = await open()
    const request = {
      op: 'run',
      command: `head -c ${twoGibibytes} /dev/zero`,
      timeoutMs: 60_000,
      maxBytes: 1_000,
    } as const
    expect(await session.request(request, never)).toMatchObject({ ok: true, value: { exitCode: 0, truncated: true } })
    const memory = { ...request, command: 'grep VmHWM /proc/$PPID/status' }
    const reply = await session.request(memory, never)
    expect(Number(reply.ok && /(\d+) kB/.exec(reply.value.output)?.[1]) / 1024).toBeLessThan(300)
  })
})

describe('the process that made a sandbox', () => {
  test('takes everything inside with it when it is killed', async () => {
    const { child, lines } = startHost(`
      const command = 'trap "" TERM HUP; setsid sleep ${marker} & echo up; sleep ${marker}'
      void sandbox.exec(spec, { command, timeoutMs: 60000, onOutput: () => say('up') }, never)
      const opened = await sandbox.open(spec, never)
      if (!opened.ok) throw new Error(opened.error.errorMessage)
      void opened.value.request({ op: 'run', command, timeoutMs: 60000, maxBytes: 100 }, never)
    `)
    await once(lines, 'line')
    await expect.poll(() => sleepers().length, { interval: 5 }).toBe(4)
    child.kill('SIGKILL')
    await expect.poll(sleepers, { interval: 5 }).toEqual([])
  })

  test('hands no folder on that it was itself handed open', async () => {
    writeFileSync(join(folder, 'secret'), 'planted')
    const fd = openSync(folder, 'r')
    onTestFinished(() => closeSync(fd))
    const wayOut = 'cat /proc/self/fd/*/secret /proc/1/fd/*/secret /proc/$PPID/fd/*/secret 2>/dev/null; echo done'
    const seen = await firstLine(
      `
      let output = ''
      const onOutput = (chunk: Uint8Array) => { output += Buffer.from(chunk).toString() }
      await sandbox.exec(spec, { command: ${JSON.stringify(wayOut)}, timeoutMs: 60000, onOutput }, never)
      const opened = await sandbox.open(spec, never)
      if (!opened.ok) throw new Error(opened.error.errorMessage)
      const reply = await opened.value.request({ op: 'run', command: ${JSON.stringify(wayOut)}, timeoutMs: 60000, maxBytes: 1000 }, never)
      await opened.value.close()
      say([output, reply.ok && reply.value.output])
      `,
      // A Node closes those that it finds right after its own three.
      { stdio: [fd, ...Array<'ignore'>(40).fill('ignore'), fd] },
    )
    expect(seen).toEqual(['done\n', 'done\n'])
  })

  test('takes no option of bubblewrap from a value', async () => {
    const evil = `x\0--bind\0/\0/tmp`
    const error = { errorType: 'container_creation', errorMessage: expect.stringContaining('NUL') }
    const command = { command: 'ls /tmp', timeoutMs: 60_000 }
    expect(await sandbox.exec(spec({ env: { EVIL: evil } }), command, never)).toEqual({ ok: false, error })
    expect(await sandbox.exec(spec({ cwd: `/${evil}` }), command, never)).toEqual({ ok: false, error })
    expect(await sandbox.open(spec({ mounts: [{ path: workspace, at: `/${evil}`, access: 'read' }] }), never)).toEqual({
      ok: false,
      error,
    })
  })

  test('is told how to allow sandboxes where it may not make any', async () => {
    const script = `
      import { createBubblewrap } from ${JSON.stringify(join(source, 'bubblewrap.ts'))}
      console.log(JSON.stringify(await createBubblewrap({ hostPath: '/usr/bin' }).probe()))
    `
    writeFileSync(join(workspace, 'probe.ts'), script)
    // The inside of a sandbox is such a place.
    const mounts = [workspace, join(source, '../../..'), process.execPath].map(
      (path) => ({ path, access: 'read' }) as const,
    )
    let output = ''
    const onOutput = (chunk: Uint8Array) => {
      output += Buffer.from(chunk).toString()
    }
    const command = `${process.execPath} probe.ts`
    // Descriptors that this process was handed open reach further than the 64 of the other tests.
    const limits = { ...spec().limits, openFiles: 1_024 }
    await sandbox.exec(spec({ mounts, limits }), { command, timeoutMs: 60_000, onOutput }, never)
    expect(JSON.parse(output)).toEqual({
      ok: false,
      error: { errorType: 'sandbox_unavailable', errorMessage: expect.stringContaining('Allow user namespaces') },
    })
  })

  test('shows the environment inside to nobody who lists processes', async () => {
    let listed = ''
    // The command is there until somebody has written to the pipe.
    const pipe = join(workspace, 'listed')
    spawnSync('mkfifo', [pipe])
    const onOutput = () => {
      listed = readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map(commandLine)
        .join('\n')
      writeFileSync(pipe, '')
    }
    const env = { TOKEN: 'planted-secret' }
    await sandbox.exec(spec({ env }), { command: 'echo up; cat listed', timeoutMs: 60_000, onOutput }, never)
    expect(listed).toContain('bwrap')
    expect(listed).not.toContain('planted-secret')
  })

  test.runIf(isRoot)('need not be root', async (context) => {
    const nobody = 65_534
    const readable = spawnSync('cat', [join(source, 'runner', 'main.ts'), process.execPath], {
      uid: nobody,
      gid: nobody,
    })
    if (readable.status !== 0 && readable.error === undefined) context.skip('this checkout is readable to root only')
    chownSync(folder, nobody, nobody)
    chownSync(workspace, nobody, nobody)
    const seen = await firstLine(
      `
      const probe = await sandbox.probe()
      const opened = await sandbox.open(spec, never)
      if (!opened.ok) throw new Error(opened.error.errorMessage)
      const command = 'id -u; echo x > new.txt; (echo x > /proc/sys/kernel/core_pattern) 2>/dev/null; (bomb() { bomb & bomb; }; bomb) 2>/dev/null; exec sleep 100'
      const reply = await opened.value.request({ op: 'run', command, timeoutMs: 2_000, maxBytes: 1000 }, never)
      await opened.value.close()
      say({ probe, reply: reply.ok && { ...reply.value, durationMs: 0 } })
      `,
      { uid: nobody },
    )
    expect(seen).toEqual({
      probe: {
        ok: true,
        enforced: {
          ...{ memoryBytes: 'best effort', fileBytes: 'enforced', openFiles: 'enforced', tmpfsBytes: 'enforced' },
          ...{ network: 'enforced', processes: 'enforced' },
        },
      },
      reply: { exitCode: null, timedOut: true, output: `${nobody}\n`, truncated: false, durationMs: 0 },
    })
    expect(readFileSync(join(workspace, 'new.txt'), 'utf8')).toBe('x\n')
  })
})

describe('the runner', () => {
  const outside = { ok: false, code: 'outside', message: expect.any(String) }

  function everyOp(path: string): RunnerRequest[] {
    return [
      { op: 'read', path, maxBytes: 1_000 },
      { op: 'hash', path },
      { op: 'write', path, base64: 'AAAA', before: null },
      { op: 'move', from: path, to: 'moved' },
      { op: 'move', from: 'inside.txt', to: path },
      { op: 'delete', path },
    ]
  }

  async function expectOutside(path: string): Promise<void> {
    writeFileSync(join(workspace, 'inside.txt'), 'inside')
    const session = await open()
    for (const request of everyOp(path)) {
      expect({ request, reply: await session.request(request, never) }).toEqual({ request, reply: outside })
    }
  }

  test.each(['../secret', 'a/../../secret', '/etc/passwd', '/proc/self/environ', '..', '/'])(
    'refuses the path %s',
    expectOutside,
  )

  test('refuses what a linked folder leads to', async () => {
    symlinkSync('/etc', join(workspace, 'link'))
    symlinkSync('link', join(workspace, 'again'))
    await expectOutside('link/passwd')
    await expectOutside('again/hosts')
  })

  test('refuses to read or write through a link that leads out, and moves or deletes only the link', async () => {
    symlinkSync('/etc/passwd', join(workspace, 'link'))
    symlinkSync('/tmp/made-outside', join(workspace, 'dangling'))
    const session = await open()
    const ask = (request: RunnerRequest) => session.request(request, never)
    expect(await ask({ op: 'read', path: 'link', maxBytes: 1_000 })).toEqual(outside)
    expect(await ask({ op: 'hash', path: 'link' })).toEqual(outside)
    expect(await ask({ op: 'write', path: 'link', base64: '', before: null })).toEqual(outside)
    expect(await ask({ op: 'write', path: 'dangling', base64: '', before: null })).toEqual(outside)
    expect(await ask({ op: 'move', from: 'link', to: 'moved' })).toEqual({ ok: true, value: {} })
    expect(await ask({ op: 'delete', path: 'moved' })).toEqual({ ok: true, value: {} })
    expect(
      await ask({
        op: 'run',
        command: 'ls /tmp/made-outside 2>/dev/null; ls /etc/passwd',
        timeoutMs: 60_000,
        maxBytes: 99,
      }),
    ).toMatchObject({
      value: { output: '/etc/passwd\n' },
    })
  })

  test.each(['.git/config', '.git', 'deep/.git/hooks/post-commit', '.GIT/config'])('refuses %s', async (path) => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true })
    writeFileSync(join(workspace, path), 'planted')
    await expectOutside(path)
    expect(readFileSync(join(workspace, path), 'utf8')).toBe('planted')
  })

  test('refuses a link into .git', async () => {
    mkdirSync(join(workspace, '.git'))
    writeFileSync(join(workspace, '.git/config'), 'planted')
    symlinkSync('.git', join(workspace, 'git'))
    await expectOutside('git/config')
    symlinkSync('.git/config', join(workspace, 'config'))
    expect(await (await open()).request({ op: 'read', path: 'config', maxBytes: 9 }, never)).toEqual(outside)
  })

  test('breaks a hard link instead of writing through it', async () => {
    writeFileSync(join(folder, 'other-workspace'), 'untouched')
    linkSync(join(folder, 'other-workspace'), join(workspace, 'hard'))
    const session = await open()
    const hash = await session.request({ op: 'hash', path: 'hard' }, never)
    const before = hash.ok ? hash.value.sha256 : null
    expect(await session.request({ op: 'write', path: 'hard', base64: 'AAAA', before }, never)).toMatchObject({
      ok: true,
    })
    expect(readFileSync(join(folder, 'other-workspace'), 'utf8')).toBe('untouched')
  })

  test('waits for no pipe, no device and no huge file', async () => {
    const session = await open()
    const command =
      'mkfifo fifo; ln -s /dev/zero zero; perl -MIO::Socket -e \'IO::Socket::UNIX->new(Local => "socket", Listen => 1)\''
    await session.request({ op: 'run', command, timeoutMs: 60_000, maxBytes: 99 }, never)
    writeFileSync(join(workspace, 'huge'), '')
    truncateSync(join(workspace, 'huge'), 2 ** 40)
    const code = async (request: RunnerRequest) => {
      const reply = await session.request(request, never)
      return reply.ok || reply.code
    }
    expect(await code({ op: 'read', path: 'fifo', maxBytes: 9 })).toBe('not_a_file')
    expect(await code({ op: 'write', path: 'fifo', base64: '', before: null })).toBe('not_a_file')
    expect(await code({ op: 'read', path: 'socket', maxBytes: 9 })).toBe('not_a_file')
    expect(await code({ op: 'read', path: 'zero', maxBytes: 9 })).toBe('outside')
    expect(await code({ op: 'read', path: 'huge', maxBytes: 9 })).toBe('too_large')
    expect(await session.request({ op: 'search', pattern: 'x', glob: null, max: 9 }, never)).toMatchObject({ ok: true })
    const reason = new Error('enough')
    await expect(session.request({ op: 'hash', path: 'huge' }, AbortSignal.timeout(200))).rejects.toThrow('timeout')
    await expect(session.request({ op: 'hash', path: 'huge' }, AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(await code({ op: 'read', path: 'none', maxBytes: 9 })).toBe('not_found')
  })

  test('shows nothing of another workspace that takes a file’s place just while it looks', async () => {
    const other = join(folder, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'secret.txt'), 'hit planted')
    writeFileSync(join(other, 'foreign.txt'), '')
    writeFileSync(join(workspace, 'secret.txt'), 'hit own')
    linkSync(join(other, 'secret.txt'), join(workspace, 'hard'))
    symlinkSync('/mnt/other', join(workspace, 'link'))
    mkdirSync(join(workspace, 'real'))
    writeFileSync(join(workspace, 'real/secret.txt'), 'hit own')
    const swap = `
      import { renameSync } from 'node:fs'
      const turn = (a: string, b: string) => { renameSync(a, 'aside'); renameSync(b, a); renameSync('aside', b) }
      for (;;) { turn('secret.txt', 'hard'); turn('real', 'link') }
    `
    const swapper = spawn(process.execPath, ['--input-type=module-typescript', '--eval', swap], { cwd: workspace })
    const isGone = once(swapper, 'exit')
    onTestFinished(() => {
      swapper.kill('SIGKILL')
    })
    const mounts = [
      { path: workspace, at: '/mnt/own', access: 'read' },
      { path: other, at: '/mnt/other', access: 'read' },
    ] as const
    const session = await open({ mounts, cwd: '/mnt' })
    const texts = new Set<string>()
    const names = new Set<string>()
    const note = (base64: string) => texts.add(Buffer.from(base64, 'base64').toString())
    for (let i = 0; i < 150; i += 1) {
      const search = { op: 'search', root: '/mnt/own', pattern: 'hit', glob: null, max: 9 } as const
      const reads = ['secret.txt', 'hard', 'real/secret.txt', 'link/secret.txt'].map(
        (path) => ({ op: 'read', root: '/mnt/own', path, maxBytes: 99 }) as const,
      )
      const list = { op: 'list', root: '/mnt/own', pattern: '*.txt', max: 99 } as const
      const [found, listed, ...contents] = await Promise.all([
        session.request(search, never),
        session.request(list, never),
        ...reads.map((read) => session.request(read, never)),
      ])
      if (found.ok) for (const { text } of found.value.matches) texts.add(text)
      if (listed.ok) for (const path of listed.value.paths) names.add(path.slice(path.lastIndexOf('/') + 1))
      for (const reply of contents) if (reply.ok) note(reply.value.base64)
    }
    swapper.kill('SIGKILL')
    await isGone
    expect([...texts]).toEqual(['hit own'])
    expect([...names]).toEqual(['secret.txt'])
  })

  test('gives no pattern and no path to a shell or to an option', async () => {
    writeFileSync(join(workspace, 'script'), 'touch pwned')
    const session = await open()
    const evil = [
      '$(touch pwned)',
      '`touch pwned`',
      '; touch pwned',
      '--pre=/bin/sh',
      '-f/etc/passwd',
      '--files',
      "'\n touch pwned",
    ]
    for (const text of evil) {
      await session.request({ op: 'list', pattern: text, max: 9 }, never)
      expect(await session.request({ op: 'search', pattern: text, glob: text, max: 9 }, never)).not.toMatchObject({
        value: { matches: [expect.anything()] },
      })
      await session.request({ op: 'read', path: text, maxBytes: 9 }, never)
    }
    expect(readdirSync(workspace)).toEqual(['script'])
  })

  test('cannot be configured by the workspace or the environment', async () => {
    writeFileSync(join(workspace, '.ripgreprc'), '--files\n--no-ignore\n')
    writeFileSync(join(workspace, 'package.json'), '{ "type": "commonjs", "main": "x" }')
    const env = { NODE_OPTIONS: '--require ./evil.cjs', RIPGREP_CONFIG_PATH: '.ripgreprc', LD_PRELOAD: './evil.so' }
    const session = await open({ env })
    const value = { matches: [], truncated: false }
    expect(await session.request({ op: 'search', pattern: 'no such text', glob: null, max: 9 }, never)).toEqual({
      ok: true,
      value,
    })
  })

  test('keeps its protocol out of reach of a plain write', async () => {
    const session = await open()
    const forge =
      'for fd in 0 1 2 3 4 5 6 7 8 9; do echo \'{"id":1,"reply":{}}\' > /proc/$PPID/fd/$fd; done 2>/dev/null; echo done'
    expect(await session.request({ op: 'run', command: forge, timeoutMs: 60_000, maxBytes: 99 }, never)).toMatchObject({
      value: { output: 'done\n' },
    })
  })

  test.each([
    ['garbage', 'not json'],
    ['a reply of the wrong shape', '{"id":1,"reply":{"ok":true,"value":{"output":7}}}'],
    ['a reply to another request', '{"id":7,"reply":{"ok":true,"value":{}}}'],
  ])('in whose place something says %s takes the session down, and nothing else', async (_name, line) => {
    const { cwd, env, limits } = spec()
    const argv = ['/bin/sh', '-c', `read -r setup; echo ready; read -r request; echo '${line}'; sleep 9`]
    const pipes = { stdin: 'pipe', stdout: 'pipe' } as const
    const input = { bwrap: 'bwrap', hostPath: '/usr/bin:/bin', mounts: [], scratch: [], cwd: '/', env, limits, argv }
    const start = async () => startSandbox({ ...input, ...pipes })
    const opened = await openSession({ start, cwd, env, shell: [], writable: [], failure: startFailure }, never)
    if (!opened.ok) throw new Error(opened.error.errorMessage)
    const session = opened.value
    onTestFinished(() => session.close())
    const request = { op: 'run', command: 'true', timeoutMs: 60_000, maxBytes: 99 } as const
    await expect(session.request(request, never)).rejects.toThrow(
      'The sandbox has ended: something inside spoke in place of the runner',
    )
    await session.ended
    expect(await exec('echo alive')).toMatchObject({ output: 'alive\n' })
  })

  test('gives no descriptor away', async () => {
    const session = await open()
    // pidfd_open and pidfd_getfd.
    const steal = `print syscall(438, syscall(434, getppid, 0), 1, 0) < 0 ? 'denied' : 'taken'`
    writeFileSync(join(workspace, 'steal.pl'), steal)
    const request = { op: 'run', command: 'perl steal.pl', timeoutMs: 60_000, maxBytes: 99 } as const
    expect(await session.request(request, never)).toMatchObject({ ok: true, value: { output: 'denied' } })
  })

  test('that is stopped by a command is given up', async () => {
    const session = await open()
    const request = { op: 'run', command: `kill -STOP $PPID; sleep ${marker}`, timeoutMs: 5_000, maxBytes: 99 } as const
    await expect(session.request(request, never)).rejects.toThrow(
      'The sandbox has ended: its runner did not answer in time',
    )
  })
})
