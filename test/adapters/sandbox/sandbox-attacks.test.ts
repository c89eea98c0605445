import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSession } from '../../../src/adapters/sandbox/session.ts'
import { startSandbox } from '../../../src/adapters/sandbox/start.ts'
import { startFailure } from '../../../src/adapters/sandbox/start-failure.ts'
import type { RunnerRequest } from '../../../src/ports/sandbox.ts'

import {
  commandLine,
  exec,
  firstLine,
  folder,
  forkBombSuite,
  inAttackFolders,
  isRoot,
  marker,
  mebibyte,
  never,
  open,
  placesOf,
  processesSuite,
  sandbox,
  sleepers,
  source,
  spec,
  startHost,
  wallsSuite,
  workspace,
} from './attacks.ts'

inAttackFolders()

const places = placesOf('bubblewrap', sandbox)
// `exec` builds the same walls as a session, and the long tests cover it.
describe.each(places.slice(1))('inside $name', wallsSuite)
describe.each(places.slice(1))('processes inside $name', forkBombSuite)
describe.each(places)('processes inside $name', processesSuite)

describe('a lot of output', () => {
  const much = 268_435_456

  test('of exec is passed on without being held', async () => {
    let bytes = 0
    const before = process.memoryUsage().rss
    const onOutput = (chunk: Uint8Array) => {
      bytes += chunk.length
    }
    const command = `head -c ${much} /dev/zero`
    expect(await sandbox.exec(spec(), { command, timeoutMs: 60_000, onOutput }, never)).toMatchObject({ ok: true })
    expect(bytes).toBe(much)
    // Unreferenced chunks are not collected at once.
    expect(process.memoryUsage().rss - before).toBeLessThan(192 * mebibyte)
  })

  test('of a session is cut in the runner', async () => {
    const session = await open()
    const request = {
      op: 'run',
      command: `head -c ${much} /dev/zero`,
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
      // Node closes the descriptors right after its own three.
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
    // The open descriptors of this process exceed the limit of 64 in the other tests.
    const limits = { ...spec().limits, openFiles: 1_024 }
    await sandbox.exec(spec({ mounts, limits }), { command, timeoutMs: 60_000, onOutput }, never)
    expect(JSON.parse(output)).toEqual({
      ok: false,
      error: { errorType: 'sandbox_unavailable', errorMessage: expect.stringContaining('Allow user namespaces') },
    })
  })

  test('shows the environment inside to nobody who lists processes', async () => {
    let listed = ''
    // The command runs until somebody has written to the pipe.
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
      const reply = await opened.value.request({ op: 'run', command, timeoutMs: 500, maxBytes: 1000 }, never)
      await opened.value.close()
      say({ probe, reply: reply.ok && { ...reply.value, durationMs: 0 } })
      `,
      { uid: nobody },
    )
    expect(seen).toEqual({
      probe: {
        ok: true,
        enforced: {
          memoryBytes: 'best effort',
          fileBytes: 'enforced',
          openFiles: 'enforced',
          tmpfsBytes: 'enforced',
          network: 'enforced',
          processes: 'enforced',
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

  async function expectOutside(...paths: readonly string[]): Promise<void> {
    writeFileSync(join(workspace, 'inside.txt'), 'inside')
    const session = await open()
    for (const request of paths.flatMap(everyOp)) {
      expect({ request, reply: await session.request(request, never) }).toEqual({ request, reply: outside })
    }
  }

  test('refuses a path that leads out', () =>
    expectOutside('../secret', 'a/../../secret', '/etc/passwd', '/proc/self/environ', '..', '/'))

  test('refuses what a linked folder leads to', async () => {
    symlinkSync('/etc', join(workspace, 'link'))
    symlinkSync('link', join(workspace, 'again'))
    await expectOutside('link/passwd', 'again/hosts')
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

  test('refuses .git, as a file or with what is in it', async () => {
    const planted = ['.git/config', 'deep/.git/hooks/post-commit', '.GIT/config', 'file/.git']
    for (const path of planted) {
      mkdirSync(dirname(join(workspace, path)), { recursive: true })
      writeFileSync(join(workspace, path), 'planted')
    }
    await expectOutside('.git', ...planted)
    for (const path of planted) expect(readFileSync(join(workspace, path), 'utf8')).toBe('planted')
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
})
