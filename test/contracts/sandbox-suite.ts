import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { CommandExit, RunnerRequest, SandboxCommand, SandboxSpec } from '../../src/ports/sandbox.ts'
import type { SandboxAdapter } from './sandboxes.ts'

const never = new AbortController().signal
const mebibyte = 1_048_576
const limits = { memoryBytes: 2_048 * mebibyte, fileBytes: 64 * mebibyte, openFiles: 512, tmpfsBytes: 16 * mebibyte }

export function sandboxSuite({ create, createMissing }: SandboxAdapter): void {
  const sandbox = create()
  let workspace = ''

  beforeEach(() => {
    workspace = realpathSync(mkdtempSync(join(tmpdir(), 'drydock-sandbox-')))
  })
  afterEach(() => rmSync(workspace, { recursive: true, force: true }))

  function spec(change: Partial<SandboxSpec> = {}): SandboxSpec {
    return { mounts: [{ path: workspace, access: 'write' }], cwd: workspace, env: {}, limits, ...change }
  }

  function plant(path: string, content: string): string {
    mkdirSync(dirname(join(workspace, path)), { recursive: true })
    writeFileSync(join(workspace, path), content)
    return content
  }

  async function exec(command: string | Partial<SandboxCommand>, change?: Partial<SandboxSpec>, signal = never) {
    let output = ''
    const given = typeof command === 'string' ? { command } : command
    const done = await sandbox.exec(
      spec(change),
      {
        command: 'true',
        timeoutMs: 60_000,
        onOutput: (chunk) => {
          output += Buffer.from(chunk).toString()
        },
        ...given,
      },
      signal,
    )
    if (!done.ok) return done
    const { durationMs, ...exit } = done.value satisfies CommandExit
    expect(durationMs).toBeGreaterThan(0)
    return { ...exit, output }
  }

  async function open(change?: Partial<SandboxSpec>) {
    const opened = await sandbox.open(spec(change), never)
    if (!opened.ok) throw new Error(opened.error.errorMessage)
    const session = opened.value
    onTestFinished(() => session.close())
    return Object.assign(session, {
      ask: <R extends RunnerRequest>(request: R) => session.request(request, never),
      async run(command: string, { timeoutMs = 20_000, maxBytes = 10_000, signal = never } = {}) {
        const reply = await session.request({ op: 'run', command, timeoutMs, maxBytes }, signal)
        if (!reply.ok) return reply
        const { durationMs, ...rest } = reply.value
        expect(durationMs).toBeGreaterThan(0)
        return rest
      },
    })
  }

  describe('as a whole', () => {
    test('says what it enforces after really starting', async () => {
      expect(await sandbox.probe()).toMatchObject({
        ok: true,
        enforced: { network: 'enforced', fileBytes: 'enforced' },
      })
    })

    test('says which line installs it when it is missing', async () => {
      const error = { errorType: 'sandbox_unavailable', errorMessage: expect.stringContaining('install') }
      const missing = createMissing()
      expect(await missing.probe()).toEqual({ ok: false, error })
      expect(await missing.open(spec(), never)).toEqual({ ok: false, error })
      expect(await missing.exec(spec(), { command: 'true', timeoutMs: 1_000 }, never)).toEqual({ ok: false, error })
    })

    test.each([
      ['a mount whose source is missing', { mounts: [{ path: '/no/such/folder', access: 'read' }] }],
      ['a mount over the root', { mounts: [{ path: '/usr', at: '/', access: 'read' }] }],
      ['a relative mount', { mounts: [{ path: 'src', access: 'read' }] }],
      ['a working directory that does not exist inside', { cwd: '/no/such/folder' }],
    ] as const)('tells %s from a command that failed', async (_name, change) => {
      const error = { errorType: 'container_creation', errorMessage: expect.any(String) }
      expect(await exec('true', change)).toEqual({ ok: false, error })
      expect(await sandbox.open(spec(change), never)).toEqual({ ok: false, error })
    })
  })

  describe('exec', () => {
    test.each([
      ['true', 0],
      ['exit 1', 1],
      ['exit 125', 125],
      ['no-such-program 2>/dev/null', 127],
      ['kill -SEGV $$', 139],
      ['kill -KILL $$', 137],
    ])('gives the exit code of `%s`', async (command, exitCode) => {
      expect(await exec(command)).toEqual({ exitCode, timedOut: false, output: '' })
    })

    test('gives both outputs in order of arrival', async () => {
      expect(await exec('for i in 1 2 3; do echo out $i; echo err $i >&2; done')).toMatchObject({
        output: 'out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n',
      })
    })

    test('lets a command open its outputs by name', async () => {
      expect(await exec('echo a > /dev/stdout; echo b > /dev/stderr; echo c | tee /dev/stderr')).toMatchObject({
        exitCode: 0,
        output: 'a\nb\nc\nc\n',
      })
    })

    test('feeds standard input, which is empty otherwise', async () => {
      expect(await exec({ command: 'wc -c', stdin: 'x'.repeat(300_000) })).toMatchObject({ output: '300000\n' })
      expect(await exec({ command: 'head -c 1', stdin: 'x'.repeat(300_000) })).toMatchObject({
        exitCode: 0,
        output: 'x',
      })
      expect(await exec('wc -c')).toMatchObject({ output: '0\n' })
    })

    test('kills a command that is out of time, with all that it said before', async () => {
      expect(await exec({ command: 'echo before; trap "" TERM; sleep 100 & sleep 100', timeoutMs: 700 })).toEqual({
        exitCode: null,
        timedOut: true,
        output: 'before\n',
      })
    })

    test('is traced where that works, and ends as it would', async () => {
      plant('a.txt', 'a')
      const trace = { keeps: 'a\\.txt|b\\.txt', leavesOut: 'b\\.txt' }
      expect(await sandbox.whyNotTraced()).toBeNull()
      const ran = await exec({ command: 'cat a.txt; cat b.txt 2>/dev/null; exit 3', trace })
      expect(ran).toMatchObject({ exitCode: 3, output: 'a' })
      const lines = traceOf(ran).trim().split('\n')
      expect(lines).toEqual(lines.filter((line) => line.includes('a.txt') && !line.includes('b.txt')))
      expect(lines.some((line) => line.includes('openat'))).toBe(true)
    })

    test('is traced with what it looks for, lists and does not find, a call a line', async () => {
      const trace = { keeps: '.', leavesOut: '^$', looks: true }
      const command = 'ls . >/dev/null & cat none 2>/dev/null; test -e other; wait; exit 3'
      const ran = await exec({ command, trace })
      expect(ran).toMatchObject({ exitCode: 3 })
      const text = traceOf(ran)
      expect(text).toMatch(/getdents64\(\d+<[^>]+>/)
      expect(text).toMatch(/"none".* = -1 ENOENT/)
      expect(text).toMatch(/"other".* = -1 ENOENT/)
      expect(text).not.toMatch(/unfinished|resumed/)
    })

    test('throws the reason of an abort', async () => {
      const controller = new AbortController()
      const reason = new Error('enough')
      const onOutput = () => controller.abort(reason)
      await expect(exec({ command: 'echo up; sleep 100', onOutput }, {}, controller.signal)).rejects.toBe(reason)
      await expect(exec('true', {}, AbortSignal.abort(reason))).rejects.toBe(reason)
    })

    test('ends the sandbox when what listens to its output fails', async () => {
      const failing = () => {
        throw new Error('disk full')
      }
      await expect(exec({ command: 'echo up; sleep 100', onOutput: failing })).rejects.toThrow('disk full')
    })

    test('has the environment of the spec and working defaults, nothing else', async () => {
      const { output } = (await exec('env -0', { env: { FOO: 'a b\n$c', LANG: 'C' } })) as { output: string }
      const seen = Object.fromEntries(output.split('\0').map((line) => line.split(/=(.*)/s).slice(0, 2)))
      expect(seen).toEqual({
        FOO: 'a b\n$c',
        LANG: 'C',
        HOME: '/home/agent',
        TMPDIR: '/tmp',
        PWD: workspace,
        PATH: expect.stringContaining('/usr/bin'),
        '': undefined,
      })
    })

    test('is what the kernel ends first when memory runs out', async () => {
      expect(await exec('cat /proc/self/oom_score_adj')).toMatchObject({ output: '1000\n' })
    })

    test('shows mounts where they are asked for, reads only where it may not write', async () => {
      plant('outer/inner/kept.txt', 'kept')
      const mounts = [
        { path: join(workspace, 'outer/inner'), at: '/data/inner', access: 'write' },
        { path: join(workspace, 'outer'), at: '/data', access: 'read' },
      ] as const
      const command = 'echo new > inner/new.txt; cat inner/kept.txt; echo no > refused.txt'
      expect(await exec(command, { mounts, cwd: '/data' })).toMatchObject({
        exitCode: 2,
        output: expect.stringMatching(/^kept.*Read-only file system/s),
      })
      expect(readFileSync(join(workspace, 'outer/inner/new.txt'), 'utf8')).toBe('new\n')
    })

    test('follows a mount source that is a link, and keeps its name inside', async () => {
      plant('real/a.txt', 'a')
      symlinkSync('real', join(workspace, 'link'))
      const mounts = [{ path: join(workspace, 'link'), access: 'read' }] as const
      expect(await exec('cat a.txt; pwd', { mounts, cwd: mounts[0].path })).toMatchObject({
        output: `a${join(workspace, 'link')}\n`,
      })
    })
  })

  describe('an overlay', () => {
    test('shows folders over each other, and keeps what is written to it apart from them', async () => {
      const top = 'with , and : and \\ in it'
      plant(`${top}/both.txt`, 'top')
      plant('base/both.txt', 'base')
      plant('base/gone.txt', 'gone')
      plant('base/folder/a.txt', 'a')
      const lower = [join(workspace, top), join(workspace, 'base')]
      const upper = join(workspace, 'upper')
      const mounts = [{ at: '/tmp/view', access: 'overlay', lower, upper }] as const
      const write = 'cat both.txt; rm gone.txt; rm -r folder; mkdir folder; echo b > folder/b.txt; echo new > both.txt'
      expect(await exec(write, { mounts, cwd: '/tmp/view' })).toEqual({ exitCode: 0, timedOut: false, output: 'top' })
      const { run } = await open({ mounts, cwd: '/tmp/view' })
      expect(await run('find . -type f | sort; cat both.txt')).toMatchObject({
        exitCode: 0,
        output: './both.txt\n./folder/b.txt\nnew\n',
      })
      expect(readFileSync(join(workspace, top, 'both.txt'), 'utf8')).toBe('top')
      expect(readFileSync(join(upper, 'both.txt'), 'utf8')).toBe('new\n')
      expect(readdirSync(join(workspace, 'base'))).toEqual(['both.txt', 'folder', 'gone.txt'])
    })

    test('that is read-only shows folders over each other, and takes nothing', async () => {
      plant('top/a.txt', 'top')
      plant('base/a.txt', 'base')
      plant('base/b.txt', 'base')
      const lower = [join(workspace, 'top'), join(workspace, 'base')]
      const upper = join(workspace, 'upper')
      const mounts = [{ at: '/tmp/view', access: 'overlay', isReadOnly: true, lower, upper }] as const
      const command = 'cat a.txt b.txt; { echo c > c.txt; } 2>/dev/null || echo refused'
      expect(await exec(command, { mounts, cwd: '/tmp/view' })).toMatchObject({ output: 'topbaserefused\n' })
      expect(readdirSync(upper)).toEqual([])
    })

    test('leaves nothing behind but what was written to it', async () => {
      plant('base/a.txt', 'a')
      const upper = join(workspace, 'upper')
      const mounts = [{ at: '/tmp/view', access: 'overlay', lower: [join(workspace, 'base')], upper }] as const
      expect(await exec('echo b > b.txt', { mounts, cwd: '/tmp/view' })).toMatchObject({ exitCode: 0 })
      expect(readdirSync(workspace)).toEqual(['base', 'upper'])
      expect(readdirSync(upper)).toEqual(['b.txt'])
    })
  })

  test('a fresh folder hides what is there, can be filled to its size, and leaves nothing', async () => {
    plant('cache/old.txt', 'old')
    const scratch = [join(workspace, 'cache')]
    const mounts = [{ path: workspace, access: 'read' }] as const
    const command =
      'ls cache; head -c 20m /dev/zero 2>/dev/null > cache/new; stat -c %s cache/new; touch no 2>/dev/null'
    expect(await exec(command, { mounts, scratch })).toEqual({
      exitCode: 1,
      timedOut: false,
      output: `${16 * mebibyte}\n`,
    })
    expect(readdirSync(join(workspace, 'cache'))).toEqual(['old.txt'])
  })

  describe('a session runs', () => {
    test('commands one after another, in order', async () => {
      const { run } = await open()
      const replies = await Promise.all(
        ['sleep 0.05; echo a >> log', 'echo b >> log', 'cat log; exit 3'].map((c) => run(c)),
      )
      expect(replies.at(-1)).toEqual({ exitCode: 3, timedOut: false, output: 'a\nb\n', truncated: false })
    })

    test('with the environment of the spec, and outputs that can be opened by name', async () => {
      const { run } = await open({ env: { NODE_OPTIONS: '--no-such-option', FOO: 'bar' } })
      expect(await run('echo $FOO $HOME > /dev/stderr; echo $NODE_OPTIONS | tee /dev/stdout')).toEqual({
        exitCode: 0,
        timedOut: false,
        output: 'bar /home/agent\n--no-such-option\n--no-such-option\n',
        truncated: false,
      })
    })

    test('and keeps the head and the tail of a long output', async () => {
      const { run } = await open()
      expect(await run('seq 1 100000', { maxBytes: 16 })).toMatchObject({
        output: '1\n2\n3\n4\n\n[… 588879 bytes left out …]\n\n100000\n',
        truncated: true,
      })
      expect(await run('seq 1 8', { maxBytes: 16 })).toMatchObject({
        output: '1\n2\n3\n4\n5\n6\n7\n8\n',
        truncated: false,
      })
      expect(await run('printf "ab\\377é"', { maxBytes: 16 })).toMatchObject({ output: 'ab\ufffdé', truncated: false })
    })

    test('and kills a command that is out of time, without losing what it said', async () => {
      const { run } = await open()
      expect(await run('echo before; sleep 100', { timeoutMs: 700 })).toEqual({
        exitCode: null,
        timedOut: true,
        output: 'before\n',
        truncated: false,
      })
      expect(await run('echo after')).toMatchObject({ exitCode: 0, output: 'after\n' })
    })

    test('and kills a command that is aborted, then continues', async () => {
      const session = await open()
      const controller = new AbortController()
      const reason = new Error('enough')
      const changed = once(watch(workspace), 'change')
      const endless = session.run('touch up; sleep 100', { signal: controller.signal })
      const queued = session.run('touch never', { signal: AbortSignal.abort(reason) })
      await expect(queued).rejects.toBe(reason)
      await changed
      controller.abort(reason)
      await expect(endless).rejects.toBe(reason)
      expect(await session.run('ls; pgrep sleep')).toMatchObject({ exitCode: 1, output: 'up\n' })
    })

    test('and reports that the sandbox has ended, for any reason', async () => {
      const killed = await open()
      await expect(killed.run('kill -9 $PPID')).rejects.toThrow('The sandbox has ended')
      await killed.ended
      const closed = await open()
      const running = closed.run('sleep 100')
      await closed.close()
      await expect(running).rejects.toThrow('The sandbox has ended')
      await expect(closed.run('true')).rejects.toThrow('The sandbox has ended')
      await closed.ended
    })
  })

  describe('a session answers', () => {
    const endless = { op: 'hash', path: 'endless' } as const
    const read = { op: 'read', path: 'a.txt', maxBytes: 9 } as const

    async function openWithEndlessFile() {
      plant('a.txt', 'before')
      plant('endless', '')
      truncateSync(join(workspace, 'endless'), 2 ** 42)
      const controller = new AbortController()
      const session = await open()
      const reason = new Error('enough')
      return {
        session,
        reason,
        hash: session.request(endless, controller.signal),
        giveUp: () => controller.abort(reason),
      }
    }

    test('reads side by side', async () => {
      const { session, hash, giveUp, reason } = await openWithEndlessFile()
      const answers = await Promise.all([
        session.ask(read),
        session.ask({ op: 'list', pattern: '*', max: 9 }),
        session.ask({ op: 'search', pattern: 'before', glob: null, max: 9 }),
        session.ask(read),
      ])
      expect(answers).toMatchObject([
        { value: { size: 6 } },
        { value: { paths: ['a.txt', 'endless'] } },
        { value: { matches: [{ path: 'a.txt' }] } },
        { value: { size: 6 } },
      ])
      giveUp()
      await expect(hash).rejects.toBe(reason)
    })

    test('a command alone, in its turn', async () => {
      const { session, hash, giveUp, reason } = await openWithEndlessFile()
      const answered: string[] = []
      const note = (name: string) => (reply: object) => {
        answered.push(name)
        return reply
      }
      const asked = [
        session.ask(read).then(note('read')),
        session.run('touch started; printf after-all > a.txt').then(note('run')),
        session.ask(read).then(note('read again')),
        session.run('cat a.txt').then(note('run again')),
      ]
      await asked[0]
      const isOver = hash.catch(note('hash'))
      expect(await session.request(read, AbortSignal.abort(reason)).catch((error) => error)).toBe(reason)
      // Long enough for a command that does not wait.
      await exec('true')
      expect(readdirSync(workspace)).not.toContain('started')
      giveUp()
      expect(await isOver).toBe(reason)
      expect(await Promise.all(asked)).toMatchObject([
        { value: { size: 6 } },
        { exitCode: 0 },
        { value: { size: 9 } },
        { output: 'after-all' },
      ])
      expect(answered).toEqual(['read', 'hash', 'run', 'read again', 'run again'])
    })

    test('all that wait when the sandbox ends', async () => {
      const { session, hash } = await openWithEndlessFile()
      const waiting = [hash, session.ask(endless), session.run('true')].map((each) =>
        expect(each).rejects.toThrow('The sandbox has ended'),
      )
      await session.close()
      await Promise.all(waiting)
    })
  })

  describe('a session has files', () => {
    const base64 = (text: string) => Buffer.from(text).toString('base64')
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
    const refused = (code: string) => ({ ok: false, code, message: expect.any(String) })

    test('that can be read', async () => {
      const content = plant('src/a.ts', 'a\u0000é')
      const { ask } = await open()
      const value = { base64: base64(content), size: 4, sha256: sha256(content), path: 'src/a.ts' }
      expect(await ask({ op: 'read', path: 'src/a.ts', maxBytes: 4 })).toEqual({ ok: true, value })
      expect(await ask({ op: 'read', path: './src/../src/a.ts', maxBytes: 4 })).toEqual({ ok: true, value })
      expect(await ask({ op: 'read', path: join(workspace, 'src/a.ts'), maxBytes: 4 })).toEqual({ ok: true, value })
      expect(await ask({ op: 'read', path: 'src/a.ts', maxBytes: 3 })).toEqual(refused('too_large'))
      expect(await ask({ op: 'read', path: 'src', maxBytes: 4 })).toEqual(refused('not_a_file'))
      expect(await ask({ op: 'read', path: 'src/b.ts', maxBytes: 4 })).toEqual(refused('not_found'))
      expect(await ask({ op: 'read', path: 'src/a.ts/b', maxBytes: 4 })).toEqual(refused('not_found'))
      expect(await ask({ op: 'read', path: 'a\0b', maxBytes: 4 })).toEqual(refused('not_found'))
    })

    test('and tells under which name a link was read', async () => {
      plant('.env', 'KEY=1')
      symlinkSync('.env', join(workspace, 'notes.txt'))
      const { ask } = await open()
      expect(await ask({ op: 'read', path: 'notes.txt', maxBytes: 9 })).toMatchObject({
        ok: true,
        value: { path: '.env' },
      })
    })

    test('with their hashes', async () => {
      const content = plant('large.bin', 'x'.repeat(3 * mebibyte))
      const { ask } = await open()
      expect(await ask({ op: 'hash', path: 'large.bin' })).toEqual({ ok: true, value: { sha256: sha256(content) } })
      expect(await ask({ op: 'hash', path: 'none' })).toEqual({ ok: true, value: { sha256: null } })
      expect(await ask({ op: 'hash', path: '.' })).toEqual(refused('not_a_file'))
    })

    test('that are written only over what was expected', async () => {
      const { ask } = await open()
      const write = (content: string, before: string | null, path = 'new/folder/a.sh') =>
        ask({ op: 'write', path, base64: base64(content), before })
      expect(await write('one', sha256('zero'))).toEqual(refused('changed'))
      expect(await write('one', null)).toEqual({ ok: true, value: { sha256: sha256('one') } })
      expect(await write('two', null)).toEqual(refused('exists'))
      expect(await write('two', sha256('zero'))).toEqual(refused('changed'))
      expect(await write('two', sha256('one'))).toEqual({ ok: true, value: { sha256: sha256('two') } })
      expect(await write('x', null, 'new/folder/a.sh/b')).toEqual(refused('not_a_file'))
      expect(await write('x', null, 'new/folder')).toEqual(refused('not_a_file'))
      expect(readFileSync(join(workspace, 'new/folder/a.sh'), 'utf8')).toBe('two')
    })

    test('whose mode and links survive a write that leaves no other file behind', async () => {
      plant('bin/tool', 'old')
      symlinkSync('bin/tool', join(workspace, 'tool'))
      symlinkSync('bin/made', join(workspace, 'made'))
      const { ask, run } = await open()
      await run('chmod 751 bin/tool')
      const before = sha256('old')
      expect(await ask({ op: 'write', path: 'tool', base64: base64('new'), before })).toMatchObject({ ok: true })
      expect(await ask({ op: 'write', path: 'made', base64: base64('made'), before: null })).toMatchObject({ ok: true })
      expect(statSync(join(workspace, 'bin/tool')).mode & 0o777).toBe(0o751)
      expect(await run('find . -type f -o -type l | sort; cat bin/*')).toMatchObject({
        output: './bin/made\n./bin/tool\n./made\n./tool\nmadenew',
      })
    })

    test('that can be moved and deleted', async () => {
      plant('a.txt', 'a')
      plant('b.txt', 'b')
      const { ask, run } = await open()
      expect(await ask({ op: 'move', from: 'a.txt', to: 'b.txt' })).toEqual(refused('exists'))
      expect(await ask({ op: 'move', from: 'none', to: 'c' })).toEqual(refused('not_found'))
      expect(await ask({ op: 'move', from: 'a.txt', to: 'x/y/a.txt' })).toEqual({ ok: true, value: {} })
      expect(await ask({ op: 'move', from: 'x', to: 'z' })).toEqual(refused('not_a_file'))
      expect(await ask({ op: 'delete', path: 'x' })).toEqual(refused('not_a_file'))
      expect(await ask({ op: 'delete', path: '.' })).toEqual(refused('not_a_file'))
      expect(await ask({ op: 'delete', path: 'b.txt' })).toEqual({ ok: true, value: {} })
      expect(await ask({ op: 'delete', path: 'b.txt' })).toEqual(refused('not_found'))
      expect(await run('find . -type f')).toMatchObject({ output: './x/y/a.txt\n' })
    })

    test('that are placed in a folder with a link to them', async () => {
      plant('kept.txt', 'kept')
      const { ask, run } = await open()
      const placed = (content: string, more = {}) =>
        ask({ op: 'place', folder: 'notes', name: 'n.md', base64: base64(content), link: 'latest.md', ...more })
      expect(await placed('one')).toEqual({ ok: true, value: {} })
      expect(await placed('two')).toEqual({ ok: true, value: {} })
      expect(await placed('three', { name: 'm.md' })).toEqual({ ok: true, value: {} })
      expect(await run('find . -type f -o -type l | sort; readlink notes/latest.md; cat notes/n.md')).toMatchObject({
        output: './kept.txt\n./notes/latest.md\n./notes/m.md\n./notes/n.md\nm.md\ntwo',
      })
      expect(await placed('x', { folder: 'kept.txt' })).toEqual(refused('not_a_file'))
      for (const name of ['..', 'a/b', '', '.git'])
        for (const key of ['folder', 'name', 'link'])
          expect({ key, name, reply: await placed('x', { [key]: name }) }).toEqual({
            key,
            name,
            reply: refused('outside'),
          })
      await run('rm -r notes; mkdir -p notes/n.md notes/m.md/sub')
      expect(await placed('x')).toEqual(refused('not_a_file'))
      expect(await placed('x', { name: 'y.md', link: 'm.md' })).toEqual(refused('not_a_file'))
    })

    test('that are placed where links were, which nothing follows', async () => {
      plant('kept.txt', 'kept')
      plant('folder/n.md', 'kept')
      symlinkSync('folder', join(workspace, 'notes'))
      symlinkSync('/tmp/none', join(workspace, 'dangling'))
      const { ask, run } = await open()
      const placed = (folder: string) =>
        ask({ op: 'place', folder, name: 'n.md', base64: base64('new'), link: 'latest.md' })
      expect(await placed('notes')).toEqual(refused('not_a_file'))
      expect(await placed('dangling')).toEqual(refused('not_a_file'))
      expect(await run('ls folder; cat folder/n.md')).toMatchObject({ output: 'n.md\nkept' })
      await run('rm notes; mkdir notes; ln -s ../kept.txt notes/n.md; ln kept.txt notes/latest.md')
      expect(await placed('notes')).toEqual({ ok: true, value: {} })
      expect(await run('cat kept.txt notes/n.md; readlink notes/latest.md')).toMatchObject({ output: 'keptnewn.md\n' })
    })

    test('that cannot be changed when the mount is for reading', async () => {
      plant('a.txt', 'a')
      const { ask } = await open({ mounts: [{ path: workspace, access: 'read' }] })
      expect(await ask({ op: 'read', path: 'a.txt', maxBytes: 1 })).toMatchObject({ ok: true })
      expect(await ask({ op: 'write', path: 'a.txt', base64: '', before: sha256('a') })).toEqual(refused('read_only'))
      expect(await ask({ op: 'write', path: 'new/b.txt', base64: '', before: null })).toEqual(refused('read_only'))
      expect(await ask({ op: 'move', from: 'a.txt', to: 'b.txt' })).toEqual(refused('read_only'))
      expect(await ask({ op: 'delete', path: 'a.txt' })).toEqual(refused('read_only'))
      const note = { op: 'place', name: 'n.md', base64: '', link: 'latest.md' } as const
      expect(await ask({ ...note, folder: 'notes' })).toEqual(refused('read_only'))
    })
  })

  describe('a session whose root is one of two workspaces', () => {
    const first = '/mnt/coders/coder-001'
    const second = '/mnt/coders/coder-002'
    const secret = 'planted-secret'
    const outside = { ok: false, code: 'outside', message: expect.any(String) }

    async function openBoth() {
      plant('one/.gitignore', 'dist\n')
      plant('one/src/a.ts', 'hit of the first\n')
      plant('two/secret.txt', `${secret} hit of the second\n`)
      plant('two/folder/deep.txt', `${secret} hit in a folder\n`)
      mkdirSync(join(workspace, 'three'))
      const mounts = [
        { path: join(workspace, 'one'), at: first, access: 'read' },
        { path: join(workspace, 'two'), at: second, access: 'read' },
        { path: join(workspace, 'three'), at: '/mnt/coders/coder-003', access: 'read' },
      ] as const
      const session = await open({ mounts, cwd: '/mnt' })
      return {
        ...session,
        read: (path: string, root = first) => session.ask({ op: 'read', root, path, maxBytes: 1_000 }),
        list: (pattern: string, root = first) => session.ask({ op: 'list', root, pattern, max: 100 }),
        search: (pattern: string, root = first, max = 100) =>
          session.ask({ op: 'search', root, pattern, glob: null, max }),
      }
    }

    const link = (target: string, path: string) => symlinkSync(target, join(workspace, 'one', path))

    test('shows that one, by paths below it', async () => {
      const { read, list, search } = await openBoth()
      expect(await read('src/a.ts')).toMatchObject({ ok: true, value: { path: 'src/a.ts', size: 17 } })
      expect(await read(`${first}/src/a.ts`)).toMatchObject({ ok: true, value: { path: 'src/a.ts' } })
      expect(await list('*')).toEqual({ ok: true, value: { paths: ['.gitignore', 'src/a.ts'], truncated: false } })
      expect(await search('hit')).toEqual({
        ok: true,
        value: { matches: [{ path: 'src/a.ts', line: 1, text: 'hit of the first' }], truncated: false },
      })
      expect(await list('*', second)).toMatchObject({ value: { paths: ['folder/deep.txt', 'secret.txt'] } })
    })

    test('shows nothing of an empty one', async () => {
      const { read, list, search } = await openBoth()
      const empty = '/mnt/coders/coder-003'
      expect(await list('*', empty)).toEqual({ ok: true, value: { paths: [], truncated: false } })
      expect(await search('hit', empty)).toEqual({ ok: true, value: { matches: [], truncated: false } })
      expect(await read('a', empty)).toMatchObject({ ok: false, code: 'not_found' })
    })

    test('hashes what it reads, and nothing else', async () => {
      const { ask } = await openBoth()
      const hash = (path: string, root = first) => ask({ op: 'hash', root, path })
      expect(await hash('src/a.ts')).toEqual({
        ok: true,
        value: { sha256: createHash('sha256').update('hit of the first\n').digest('hex') },
      })
      expect(await hash('secret.txt')).toEqual({ ok: true, value: { sha256: null } })
      expect(await hash('../coder-002/secret.txt')).toEqual(outside)
      linkSync(join(workspace, 'two/secret.txt'), join(workspace, 'one/linked'))
      expect(await hash('linked')).toEqual(outside)
    })

    test('reads nothing of the other by a path or a link', async () => {
      const { read } = await openBoth()
      link('../coder-002/secret.txt', 'file-link')
      link(`${second}/secret.txt`, 'absolute-link')
      link('../coder-002/folder', 'folder-link')
      link('chain-2', 'chain-1')
      link('chain-3/secret.txt', 'chain-2')
      link('src/../../coder-002', 'chain-3')
      const paths = [
        '../coder-002/secret.txt',
        'src/../../coder-002/secret.txt',
        `${first}/../coder-002/secret.txt`,
        `${second}/secret.txt`,
        `${first}x/../coder-002/secret.txt`,
        `/proc/self/root${second}/secret.txt`,
        'file-link',
        'absolute-link',
        'folder-link/deep.txt',
        'chain-1',
        'chain-3/folder/deep.txt',
      ]
      for (const path of paths) expect({ path, reply: await read(path) }).toEqual({ path, reply: outside })
    })

    test('reads no file that has another name', async () => {
      const { read } = await openBoth()
      linkSync(join(workspace, 'two/secret.txt'), join(workspace, 'one/hard.txt'))
      link('hard.txt', 'link-to-hard')
      const message = expect.stringContaining('another name, which may lie in another workspace')
      expect(await read('hard.txt')).toEqual({ ok: false, code: 'outside', message })
      expect(await read('link-to-hard')).toEqual({ ok: false, code: 'outside', message })
      rmSync(join(workspace, 'two/secret.txt'))
      expect(await read('hard.txt')).toMatchObject({ ok: true })
    })

    test('lists and searches nothing of the other', async () => {
      const { list, search } = await openBoth()
      link('../coder-002/secret.txt', 'file-link')
      link('../coder-002/folder', 'folder-link')
      link('../coder-002', 'all')
      linkSync(join(workspace, 'two/secret.txt'), join(workspace, 'one/hard.txt'))
      const own = ['.gitignore', 'hard.txt', 'src/a.ts']
      const listed: Record<string, unknown> = {}
      for (const pattern of ['**', 'all/**', 'folder-link/*', '../coder-002/*', `${second}/*`, 'hard.txt']) {
        const reply = await list(pattern)
        listed[pattern] = reply.ok ? reply.value.paths : reply.code
      }
      expect(listed).toEqual({
        '**': own,
        'all/**': [],
        'folder-link/*': [],
        '../coder-002/*': 'outside',
        [`${second}/*`]: [],
        'hard.txt': ['hard.txt'],
      })
      const matches = [{ path: 'src/a.ts', line: 1, text: 'hit of the first' }]
      expect(await search('hit')).toEqual({ ok: true, value: { matches, truncated: false } })
      expect(await search('hit', first, 1)).toEqual({ ok: true, value: { matches, truncated: false } })
      expect(await search(secret)).toEqual({ ok: true, value: { matches: [], truncated: false } })
    })

    test('tells nothing of the other as a complaint about an ignore file', async () => {
      const { search } = await openBoth()
      writeFileSync(join(workspace, 'two/secret.txt'), `${secret}{\n`)
      link('../../coder-002/secret.txt', 'src/.gitignore')
      expect(await search('no such text')).toEqual({ ok: true, value: { matches: [], truncated: false } })
    })

    test('shows lines as a search of the working directory does', async () => {
      const { ask, search } = await openBoth()
      plant('one/long.txt', `no\r\nhit ${'é'.repeat(400)}\r\nno\nhit last`)
      writeFileSync(join(workspace, 'one/utf-16.txt'), Buffer.from('\ufeffno\nhit wide\n', 'utf16le'))
      const cwd = join(workspace, 'one')
      const whole = await open({ mounts: [{ path: cwd, access: 'read' }], cwd })
      const expected = await whole.ask({ op: 'search', pattern: 'hit', glob: null, max: 100 })
      expect(expected).toMatchObject({ ok: true, value: { matches: { length: 4 } } })
      expect(await search('hit')).toEqual(expected)
      expect(await ask({ op: 'search', root: first, pattern: 'hit', glob: '*.ts', max: 100 })).toMatchObject({
        value: { matches: [{ path: 'src/a.ts' }] },
      })
      expect(await search('hit', first, 2)).toMatchObject({ value: { matches: { length: 2 }, truncated: true } })
    })

    test('is refused when it is missing, no folder, or there by a link only', async () => {
      const { read, list, search } = await openBoth()
      link('../coder-002', 'all')
      const roots = {
        '/mnt/coders/coder-009': 'not_found',
        [`${first}/src/a.ts`]: 'not_a_file',
        'coders/coder-001': 'outside',
        '/proc/self/cwd': 'outside',
        [`/proc/self/root${first}`]: 'outside',
        [`${first}/all`]: 'outside',
        [`${first}/../coder-002`]: 'outside',
      }
      for (const [root, code] of Object.entries(roots)) {
        const replies = [await read('secret.txt', root), await list('*', root), await search('hit', root)]
        expect({ root, replies }).toEqual({
          root,
          replies: Array(3).fill({ ok: false, code, message: expect.any(String) }),
        })
      }
    })

    test('shows what it holds after all in it was replaced', async () => {
      const { read, list } = await openBoth()
      expect(await read('src/a.ts')).toMatchObject({ ok: true })
      rmSync(join(workspace, 'one/src'), { recursive: true })
      plant('one/lib/b.ts', 'new')
      expect(await read('src/a.ts')).toMatchObject({ ok: false, code: 'not_found' })
      expect(await read('lib/b.ts')).toMatchObject({ ok: true, value: { size: 3 } })
      expect(await list('*')).toMatchObject({ value: { paths: ['.gitignore', 'lib/b.ts'] } })
    })
  })

  describe('a session looks for files', () => {
    function plantTree(): void {
      plant('.git/config', 'secret hit')
      plant('.gitignore', 'dist\n*.log\n')
      plant('.ignore', 'src\n')
      plant('.github/ci.yml', 'on: hit\n')
      plant('dist/out.js', 'hit')
      plant('src/a.ts', 'one\nhit two\r\n')
      plant('src/deep/b.ts', `hit ${'x'.repeat(1_000)}\n`)
      plant('src/deep/debug.log', 'hit')
      plant('src/image.bin', 'hit\n\u0000\u0001')
      plant('readme.md', 'no\n')
    }

    test('by a pattern', async () => {
      plantTree()
      const source = ['src/a.ts', 'src/deep/b.ts', 'src/image.bin']
      const all = ['.github/ci.yml', '.gitignore', '.ignore', 'readme.md', ...source]
      const expected = {
        '*': all,
        '**/*': all,
        '.': all,
        'src/**': source,
        src: source,
        '*.ts': ['src/a.ts', 'src/deep/b.ts'],
        'b.ts': ['src/deep/b.ts'],
        './*.md': ['readme.md'],
        '/*.ts': [],
        'src/*': ['src/a.ts', 'src/image.bin'],
        'src/deep/': ['src/deep/b.ts'],
        '.git/*': [],
        '-x*': [],
        '**/*.{ts,yml}': ['.github/ci.yml', 'src/a.ts', 'src/deep/b.ts'],
      }
      const { ask } = await open()
      const found: Record<string, readonly string[]> = {}
      for (const pattern of Object.keys(expected)) {
        const reply = await ask({ op: 'list', pattern, max: 100 })
        found[pattern] = reply.ok ? reply.value.paths : [reply.message]
      }
      expect(found).toEqual(expected)
    })

    test('up to a number, by a pattern that stays inside', async () => {
      plantTree()
      const { ask } = await open()
      expect(await ask({ op: 'list', pattern: 'src', max: 2 })).toEqual({
        ok: true,
        value: { paths: ['src/a.ts', 'src/deep/b.ts'], truncated: true },
      })
      expect(await ask({ op: 'list', pattern: join(workspace, 'src/*.ts'), max: 2 })).toMatchObject({
        value: { paths: ['src/a.ts'] },
      })
      expect(await ask({ op: 'list', pattern: '../*', max: 2 })).toMatchObject({ code: 'outside' })
      expect(await ask({ op: 'list', pattern: '*'.repeat(2_000), max: 2 })).toMatchObject({ code: 'bad_pattern' })
    })

    test('have a state that what they say changes, and nothing else does', async () => {
      plantTree()
      const { ask } = await open()
      const since = Date.now()
      const state = async () => {
        const reply = await ask({ op: 'state', since })
        return reply.ok ? reply.value.sha256 : reply.message
      }
      const run = (command: string) => ask({ op: 'run', command, timeoutMs: 60_000, maxBytes: 100 })
      await run('touch src/a.ts')
      const first = await state()
      expect(first).toMatch(/^[0-9a-f]{64}$/)
      await run('touch src/a.ts; echo cached > debug.log; git init -q . 2>/dev/null; cat readme.md')
      expect(await state()).toBe(first)
      const changes = [
        'cp src/a.ts src/kept; echo x > src/a.ts',
        'echo y > src/a.ts',
        'mv src/a.ts src/z.ts',
        'rm src/z.ts',
      ]
      const seen = [first]
      for (const change of changes) {
        await run(change)
        seen.push(await state())
      }
      expect(new Set(seen).size).toBe(seen.length)
      await run('echo y > src/z.ts')
      expect(await state()).toBe(seen[3])
    })

    test('that hold a text, in lines of bounded length', async () => {
      plantTree()
      const { ask } = await open()
      const found = await ask({ op: 'search', pattern: '\\bhit', glob: null, max: 100 })
      expect(found).toEqual({
        ok: true,
        value: {
          matches: [
            { path: '.github/ci.yml', line: 1, text: 'on: hit' },
            { path: 'src/a.ts', line: 2, text: 'hit two' },
            { path: 'src/deep/b.ts', line: 1, text: expect.stringMatching(/^hit x{200}/) },
          ],
          truncated: false,
        },
      })
      expect(found.ok && found.value.matches.every(({ text }) => text.length <= 300)).toBe(true)
    })

    test('that hold a text and fit a pattern, up to a number', async () => {
      plantTree()
      const { ask } = await open()
      const search = (pattern: string, glob: string | null, max: number) => ask({ op: 'search', pattern, glob, max })
      expect(await search('hit', '*.ts', 1)).toEqual({
        ok: true,
        value: { matches: [{ path: 'src/a.ts', line: 2, text: 'hit two' }], truncated: true },
      })
      expect(await search('hit', '*.yml', 1)).toMatchObject({ value: { truncated: false } })
      expect(await search('--files', null, 9)).toEqual({ ok: true, value: { matches: [], truncated: false } })
      expect(await search('hit(', null, 9)).toEqual({
        ok: false,
        code: 'bad_pattern',
        message: expect.stringContaining('unclosed group'),
      })
    })

    test('and a broken ignore file neither stops the search nor is told of', async () => {
      plant('.gitignore', 'planted{\n')
      plant('a.txt', 'a')
      const { ask } = await open()
      const value = { matches: [], truncated: false }
      expect(await ask({ op: 'search', pattern: 'none', glob: null, max: 9 })).toEqual({ ok: true, value })
    })

    test('and stops when it is given up', async () => {
      const session = await open()
      const reason = new Error('enough')
      const request = { op: 'list', pattern: '*', max: 9 } as const
      await expect(session.request(request, AbortSignal.abort(reason))).rejects.toBe(reason)
      expect(await session.ask(request)).toMatchObject({ ok: true })
    })
  })
}

function traceOf(ran: object): string {
  return 'trace' in ran ? `${ran.trace}` : ''
}
