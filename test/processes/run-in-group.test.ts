import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isRunning, processMark } from '../../src/processes/process-mark.ts'
import { endedBy, type GroupOptions, runInGroup } from '../../src/processes/run-in-group.ts'
import { keepShells } from '../../src/processes/shell/start-in-shell.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const env = { PATH: '/usr/bin:/bin' }

function start(program: string, args: readonly string[], options: Partial<GroupOptions> = {}) {
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  const running = runInGroup(program, args, {
    env,
    cwd: '/',
    onStdout: (bytes) => stdout.push(bytes),
    onStderr: (bytes) => stderr.push(bytes),
    ...options,
  })
  const all = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString('latin1')
  const output = running.ended.then((exit) => ({ ...exit, stdout: all(stdout), stderr: all(stderr) }))
  return { running, output }
}

const run = (...input: Parameters<typeof start>) => start(...input).output
/** A dying process closes its output a moment before it is gone. */
async function gone(pid: string): Promise<void> {
  while (isRunning(processMark(Number(pid)))) await new Promise(setImmediate)
}

/** Waits for the file that shows that something has started. */
async function begun(path: string): Promise<string> {
  for (;;) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    if (text.endsWith('\n')) return text.trim()
    await new Promise(setImmediate)
  }
}

const parentOf = async (pid: string) => (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ')[1]

test('a process that continues can keep two shells at rest as long as it wants', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const both = async () => {
      const said = await Promise.all([1, 2].map(() => run('sh', ['-c', 'echo $PPID'])))
      return said.map(({ stdout }) => stdout.trim()).toSorted()
    }
    keepShells(2)
    const kept = await both()
    expect(new Set(kept).size).toBe(2)
    vi.advanceTimersByTime(10_000)
    expect(await both()).toEqual(kept)
    keepShells(0)
    await both()
    vi.advanceTimersByTime(10_000)
    for (const pid of kept) await gone(pid)
  } finally {
    vi.useRealTimers()
  }
})

test('a kept shell starts one program after the other, and Node none of them', async () => {
  const parents = []
  for (let i = 0; i < 3; i += 1) {
    const { stdout } = await run('sh', ['-c', 'echo $PPID'])
    parents.push(stdout.trim())
  }
  expect(new Set(parents).size).toBe(1)
  expect(parents[0]).not.toBe(`${process.pid}`)
  expect(await parentOf(parents[0] ?? '')).toBe(`${process.pid}`)
})

test('a shell that dies at rest, or as it is asked, costs no program', async () => {
  for (let i = 0; i < 5; i += 1) {
    const { stdout } = await run('sh', ['-c', 'echo $PPID'])
    process.kill(Number(stdout), 'SIGKILL')
    expect(await run('echo', ['here'])).toMatchObject({ code: 0, stdout: 'here\n', stderr: '' })
  }
})

describe('a program gets', () => {
  const words = [
    '',
    ' ',
    "it's",
    '"',
    '\\',
    '$HOME $(id) `id`',
    '*',
    '~',
    '-n',
    'a\nb',
    '\ttab',
    ';#&|<>!',
    'ä€🚢',
    '%s\\n',
  ]

  test('its words as they are', async () => {
    const { stdout } = await run('printf', ['%s\\0', ...words])
    expect(Buffer.from(stdout, 'latin1').toString('utf8').split('\0').slice(0, -1)).toEqual(words)
  })

  test('its environment as it is, and nothing else', async () => {
    const variables = Object.fromEntries(words.map((word, i) => [`GIT_V${i}`, word]))
    const { stdout } = await run('env', ['-0'], { env: { ...env, ...variables, NOTHING: undefined } })
    const got = Buffer.from(stdout, 'latin1').toString('utf8').split('\0').slice(0, -1)
    expect(got.toSorted()).toEqual(
      Object.entries({ ...env, ...variables })
        .map(([name, value]) => `${name}=${value}`)
        .toSorted(),
    )
  })

  test('also variables that a shell cannot or must not assign', async () => {
    const variables = { 'a.b': 'c', UID: '7', PPID: '8', OPTIND: 'x' }
    const { stdout } = await run('env', [], { env: { ...env, ...variables } })
    for (const [name, value] of Object.entries(variables)) expect(stdout).toContain(`${name}=${value}\n`)
  })

  test('every byte of its input', async () => {
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, i) => i % 256))
    for (const input of [bytes, Buffer.from('%d\\\\n\\0'), Buffer.alloc(0), Buffer.alloc(100_000, bytes)])
      expect(Buffer.from((await run('cat', [], { input })).stdout, 'latin1').equals(input)).toBe(true)
    expect((await run('cat', [])).stdout).toBe('')
  })

  test('its folder, also one with an odd name', async () => {
    const cwd = join(folder, "it's $HOME\n")
    mkdirSync(cwd)
    writeFileSync(join(cwd, 'here'), '')
    expect((await run('ls', [], { cwd })).stdout).toBe('here\n')
    expect((await run('pwd', [])).stdout).toBe('/\n')
  })
})

describe('of a program is known', () => {
  test('its exit code, or the signal that ended it', async () => {
    expect(await run('sh', ['-c', 'exit 7'])).toMatchObject({ code: 7, signal: null, error: null })
    expect(await run('sh', ['-c', 'exit 129'])).toMatchObject({ code: 129, signal: null, error: null })
    expect(await run('sh', ['-c', 'kill -9 $$'])).toMatchObject({ code: null, signal: 'SIGKILL', error: null })
    expect(await run('cat', ['/nonexistent'], { input: 'x' })).toMatchObject({ code: 1, stdout: '' })
  })

  test('all that it says, on the stream that it says it on', async () => {
    const said = await run('sh', ['-c', 'echo out; echo err >&2; printf end'])
    expect(said).toMatchObject({ stdout: 'out\nend', stderr: 'err\n' })
    const long = await run('head', ['-c', '3000000', '/dev/zero'])
    expect(long.stdout.length).toBe(3_000_000)
    expect(await run('true', [])).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  test('that its folder is not there, or that it is not there itself', async () => {
    expect((await run('ls', [], { cwd: join(folder, 'no') })).error).toMatchObject({ code: 'ENOENT' })
    expect((await run('no-such-program', [])).error).toMatchObject({ code: 'ENOENT' })
    expect((await run('pwd', [])).stdout).toBe('/\n')
  })

  test('nothing that belongs to another, however many run at once', async () => {
    const numbers = Array.from({ length: 40 }, (_, i) => `${i}`)
    const said = await Promise.all(
      numbers.map((number) => run('sh', ['-c', 'echo "$1"; echo "$1" >&2; exit "$1"', 'sh', number])),
    )
    expect(said.map(({ code, stdout, stderr }) => [`${code}`, stdout, stderr])).toEqual(
      numbers.map((number) => [number, `${number}\n`, `${number}\n`]),
    )
  })

  test('nothing that one before it left to be said', async () => {
    const pipe = join(folder, 'pipe')
    await run('mkfifo', [pipe])
    // The remaining process reads the pipe and then writes to the inherited output.
    expect(
      (await run('sh', ['-c', '{ read -r x; echo late; echo done >"$1.done"; } <"$1" & echo first', 'sh', pipe]))
        .stdout,
    ).toBe('first\n')
    writeFileSync(pipe, 'go\n')
    await begun(`${pipe}.done`)
    expect((await run('echo', ['second'])).stdout).toBe('second\n')
  })
})

describe('a program that is ended', () => {
  const waiting = (file: string) => [
    '-c',
    'trap "echo cleaned; exit 3" TERM; echo $$ >"$1"; while :; do sleep 0.01; done',
    'sh',
    file,
  ]

  test('can tidy up, and leaves nothing when it is gone', async () => {
    const file = join(folder, 'kind')
    const { running, output } = start('sh', waiting(file))
    const pid = await begun(file)
    running.end('SIGTERM')
    expect((await output).stdout).toBe('cleaned\n')
    await gone(pid)
    expect((await run('echo', ['next'])).stdout).toBe('next\n')
  })

  test('at once has not begun, or is gone', async () => {
    for (let i = 0; i < 50; i += 1) {
      const file = join(folder, `early-${i}`)
      const stopping = new AbortController()
      const { running } = start('sh', ['-c', 'echo $$ >"$1"; sleep 1000; echo slept >"$1"', 'sh', file])
      const ended = endedBy(running, stopping.signal)
      stopping.abort(new Error('stopped'))
      await expect(ended).rejects.toThrow('stopped')
      const pid = existsSync(file) ? readFileSync(file, 'utf8') : ''
      if (pid.endsWith('\n')) await gone(pid.trim())
    }
  })

  test('by a signal takes with it what it started', async () => {
    const file = join(folder, 'children')
    const { running } = start('sh', ['-c', 'sleep 1000 & echo $! >"$1"; wait', 'sh', file])
    const pid = await begun(file)
    const stopping = new AbortController()
    const ended = endedBy(running, stopping.signal)
    stopping.abort(new Error('stopped'))
    await expect(ended).rejects.toThrow('stopped')
    await gone(pid)
  })

  test('with its shell is known to have ended', async () => {
    const file = join(folder, 'left')
    const { output } = start('sh', ['-c', 'kill -9 $PPID; sleep 1000 & echo $! >"$1"; exec sleep 0', 'sh', file])
    const left = Number(await begun(file))
    // The remaining process still has the output open.
    expect(await Promise.race([output, 'open'])).toBe('open')
    process.kill(left)
    expect(await output).toMatchObject({ code: null, signal: 'SIGKILL' })
    expect((await run('echo', ['next'])).stdout).toBe('next\n')
  })
})
