/**
 * Runs inside a sandbox and answers one request at a time: JSON lines in on standard input, out on standard output. It is bound into the
 * sandbox as a single file, so it imports nothing but Node's own modules. What it sends is checked again outside.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { Socket } from 'node:net'
import { constants as system } from 'node:os'
import { basename, dirname, isAbsolute, join, matchesGlob, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { RunnerErrorCode, RunnerReplies, RunnerReply, RunnerRequest } from '../../ports/sandbox.ts'

/** The first line of standard input. */
export interface RunnerSetup {
  readonly cwd: string
  /** Environment of commands; the runner itself has none of it. */
  readonly env: Readonly<Record<string, string>>
  /** Program and arguments that a command's text is appended to. */
  readonly shell: readonly string[]
  readonly ripgrep: string
}

/** Every further line: a request with its number, or the number of one to give up. */
export type RunnerLine = { readonly id: number; readonly request: RunnerRequest } | { readonly abort: number }

/** `{}` once it is ready, then one line for each request. */
export type RunnerAnswer = { readonly id: number; readonly reply: RunnerReply<RunnerRequest['op']> }

type Request<Op extends RunnerRequest['op']> = Extract<RunnerRequest, { op: Op }>

class Refusal extends Error {
  readonly code: RunnerErrorCode

  constructor(code: RunnerErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

const mostListed = 200_000
const mostLineChars = 300
const mostPatternChars = 1_000
const mostSearchedFile = '16M'

serve()

function serve(): void {
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  let answer: ((request: RunnerRequest, signal: AbortSignal) => Promise<RunnerReply<RunnerRequest['op']>>) | null = null
  let turn = Promise.resolve()
  const open = new Map<number, AbortController>()
  lines.on('line', (text) => {
    if (answer === null) {
      answer = createRunner(JSON.parse(text) as RunnerSetup)
      send({})
      return
    }
    const line = JSON.parse(text) as RunnerLine
    if ('abort' in line) {
      open.get(line.abort)?.abort()
      return
    }
    const { id, request } = line
    const controller = new AbortController()
    open.set(id, controller)
    const answerNow = answer
    turn = turn.then(async () => {
      send({ id, reply: await answerNow(request, controller.signal) })
      open.delete(id)
    })
  })
  lines.on('close', () => process.exit(0))
}

function send(line: RunnerAnswer | Record<never, never>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

function createRunner(setup: RunnerSetup) {
  const root = realpathSync(setup.cwd)
  const run = createRun(setup, root)

  return async (request: RunnerRequest, signal: AbortSignal): Promise<RunnerReply<RunnerRequest['op']>> => {
    try {
      return { ok: true, value: await perform(request, signal) }
    } catch (error) {
      const { code, message } = refusalOf(error)
      return { ok: false, code, message }
    }
  }

  async function perform(request: RunnerRequest, signal: AbortSignal): Promise<RunnerReplies[RunnerRequest['op']]> {
    signal.throwIfAborted()
    switch (request.op) {
      case 'run':
        return run(request, signal)
      case 'read':
        return readFile(root, request)
      case 'hash':
        return { sha256: await hashNow(root, request.path, signal) }
      case 'list':
        return listFiles({ root, ripgrep: setup.ripgrep, request, signal })
      case 'search':
        return searchFiles({ root, ripgrep: setup.ripgrep, request, signal })
      case 'write':
        return writeFile(root, request, signal)
      case 'move':
        return moveFile(root, request)
      case 'delete':
        return deleteFile(root, request)
      default:
        throw new Refusal('failed', `unknown request ${JSON.stringify(request satisfies never)}`)
    }
  }
}

function refusalOf(error: unknown): { readonly code: RunnerErrorCode; readonly message: string } {
  if (error instanceof Refusal) return error
  if (!(error instanceof Error)) return { code: 'failed', message: String(error) }
  const code = 'code' in error ? error.code : undefined
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ELOOP':
    case 'ENAMETOOLONG':
    case 'ERR_INVALID_ARG_VALUE':
      return { code: 'not_found', message: 'There is no such file' }
    case 'EISDIR':
    case 'ENXIO':
      return { code: 'not_a_file', message: 'This is not a regular file' }
    case 'EROFS':
      return { code: 'read_only', message: 'The workspace is read-only here' }
    case 'EEXIST':
      return { code: 'exists', message: 'There is something at that path already' }
    default:
      return { code: 'failed', message: error.message }
  }
}

// Paths

/** Path below the root, `''` for the root itself; refuses what lies outside it or in a `.git`. */
function inside(root: string, absolute: string): string {
  const path = relative(root, absolute)
  if (path === '..' || path.startsWith('../') || isAbsolute(path)) {
    throw new Refusal('outside', 'The path leads out of the workspace')
  }
  if (path.split('/').some((part) => part.toLowerCase() === '.git')) {
    throw new Refusal('outside', '.git is not part of the change and cannot be reached')
  }
  return path
}

/** Opens for reading, without waiting for a pipe's writer; what was opened must lie inside, whatever the path looked like. */
function openInside(root: string, path: string): { readonly fd: number; readonly stats: Stats; readonly path: string } {
  const wanted = resolve(root, path)
  inside(root, wanted)
  const fd = openSync(wanted, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  try {
    const opened = inside(root, readlinkSync(`/proc/self/fd/${fd}`))
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw new Refusal('not_a_file', `${path} is not a regular file`)
    return { fd, stats, path: opened }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** The entry that `path` names, its folder's links followed but not its own. Folders that are missing are made with `makeFolders`. */
function entryInside(root: string, path: string, { makeFolders }: { makeFolders: boolean }): string {
  const wanted = resolve(root, path)
  if (inside(root, wanted) === '') throw new Refusal('not_a_file', 'This is the workspace itself')
  const folder = folderInside(root, dirname(wanted), { make: makeFolders })
  const entry = join(folder, basename(wanted))
  inside(root, entry)
  return entry
}

function folderInside(root: string, wanted: string, { make }: { make: boolean }): string {
  if (make && wanted !== root && lstatSync(wanted, { throwIfNoEntry: false }) === undefined) {
    const parent = folderInside(root, dirname(wanted), { make })
    const made = join(parent, basename(wanted))
    mkdirSync(made)
    return made
  }
  const real = realpathSync(wanted)
  inside(root, real)
  if (!lstatSync(real).isDirectory()) throw new Refusal('not_a_file', `${relative(root, wanted)} is not a folder`)
  return real
}

/** Where a write to `path` lands: links are followed as long as they stay inside. */
function writeTarget(root: string, path: string): string {
  let entry = entryInside(root, path, { makeFolders: true })
  for (let followed = 0; followed < 40; followed += 1) {
    if (!lstatSync(entry, { throwIfNoEntry: false })?.isSymbolicLink()) return entry
    entry = entryInside(root, resolve(dirname(entry), readlinkSync(entry)), { makeFolders: false })
  }
  throw new Refusal('not_found', `${path} is a link that leads in a circle`)
}

// Files

function readFile(root: string, request: Request<'read'>): RunnerReplies['read'] {
  const { fd, stats, path } = openInside(root, request.path)
  try {
    const tooLarge = () =>
      new Refusal('too_large', `${path} has ${stats.size} bytes; at most ${request.maxBytes} are read`)
    if (stats.size > request.maxBytes) throw tooLarge()
    const bytes = Buffer.allocUnsafe(stats.size + 1)
    let size = 0
    for (let count = -1; count !== 0; size += count) {
      count = readSync(fd, bytes, size, bytes.length - size, null)
      if (size + count > stats.size) throw new Refusal('changed', `${path} grew while it was read`)
    }
    const content = bytes.subarray(0, size)
    return { base64: content.toString('base64'), size, sha256: sha256(content), path }
  } finally {
    closeSync(fd)
  }
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** SHA-256 of the file that is at `path` now, null when there is none. */
async function hashNow(root: string, path: string, signal: AbortSignal): Promise<string | null> {
  const opened = openedOrNull(root, path)
  if (opened === null) return null
  try {
    const hash = createHash('sha256')
    const chunk = Buffer.allocUnsafe(1_048_576)
    for (let count = -1; count !== 0; ) {
      count = readSync(opened.fd, chunk)
      hash.update(chunk.subarray(0, count))
      // Lets an abort of a huge file in.
      if (count === chunk.length) await new Promise((resolve) => setImmediate(resolve))
      signal.throwIfAborted()
    }
    return hash.digest('hex')
  } finally {
    closeSync(opened.fd)
  }
}

function openedOrNull(root: string, path: string) {
  try {
    return openInside(root, path)
  } catch (error) {
    if (refusalOf(error).code === 'not_found') return null
    throw error
  }
}

async function writeFile(
  root: string,
  request: Request<'write'>,
  signal: AbortSignal,
): Promise<RunnerReplies['write']> {
  // Looked at first, so that a refused write makes no folders.
  const now = await hashNow(root, request.path, signal)
  if (request.before === null && now !== null) throw new Refusal('exists', `${request.path} exists already`)
  if (now !== request.before) throw new Refusal('changed', `${request.path} is not as it was when it was read`)
  const target = writeTarget(root, request.path)
  const content = Buffer.from(request.base64, 'base64')
  const old = lstatSync(target, { throwIfNoEntry: false })
  if (old !== undefined && !old.isFile()) throw new Refusal('not_a_file', `${request.path} is not a regular file`)
  replaceFile(target, content, old?.mode)
  return { sha256: sha256(content) }
}

function replaceFile(target: string, content: Uint8Array, mode: number | undefined): void {
  const temporary = join(dirname(target), `.drydock-${randomBytes(6).toString('hex')}`)
  const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o666)
  try {
    try {
      for (let written = 0; written < content.length; ) written += writeSync(fd, content, written)
      if (mode !== undefined) fchmodSync(fd, mode & 0o7777)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

function moveFile(root: string, request: Request<'move'>): RunnerReplies['move'] {
  const from = fileOrLink(root, request.from)
  const to = entryInside(root, request.to, { makeFolders: true })
  if (lstatSync(to, { throwIfNoEntry: false })) throw new Refusal('exists', `${request.to} exists already`)
  renameSync(from, to)
  return {}
}

function deleteFile(root: string, request: Request<'delete'>): RunnerReplies['delete'] {
  unlinkSync(fileOrLink(root, request.path))
  return {}
}

function fileOrLink(root: string, path: string): string {
  const entry = entryInside(root, path, { makeFolders: false })
  const stats = lstatSync(entry)
  if (!stats.isFile() && !stats.isSymbolicLink()) throw new Refusal('not_a_file', `${path} is not a file`)
  return entry
}

// Looking for files

interface LookInput<Op extends 'list' | 'search'> {
  readonly root: string
  readonly ripgrep: string
  readonly request: Request<Op>
  readonly signal: AbortSignal
}

const lookEverywhere = [
  ...['--no-config', '--hidden', '--no-ignore-dot', '--no-ignore-global', '--no-ignore-parent', '--no-require-git'],
  ...['--no-messages', '--color=never', '--null', '--glob=!.git'],
]

async function listFiles({ root, ripgrep, request, signal }: LookInput<'list'>): Promise<RunnerReplies['list']> {
  const matches = pathMatcher(root, request.pattern)
  const paths: string[] = []
  const result = await ripgrepRecords({
    argv: [ripgrep, ...lookEverywhere, '--files'],
    root,
    signal,
    end: '\0',
    onRecord: (path) => {
      if (matches(path)) paths.push(path)
      return paths.length < mostListed
    },
  })
  paths.sort()
  return { paths: paths.slice(0, request.max), truncated: result.stopped || paths.length > request.max }
}

async function searchFiles({ root, ripgrep, request, signal }: LookInput<'search'>): Promise<RunnerReplies['search']> {
  const isWanted = request.glob === null ? () => true : pathMatcher(root, request.glob)
  const matches: { path: string; line: number; text: string }[] = []
  const result = await ripgrepRecords({
    argv: [
      ...[ripgrep, ...lookEverywhere, '--line-number', '--no-heading', '--with-filename', '--sort=path'],
      ...[`--max-columns=${mostLineChars}`, '--max-columns-preview', `--max-filesize=${mostSearchedFile}`],
      ...[`--regexp=${request.pattern}`, '--', '.'],
    ],
    root,
    signal,
    end: '\n',
    onRecord: (record) => {
      const found = /^(?:\.\/)?([^\0]+)\0(\d+):(.*)$/s.exec(record)
      if (found === null) return true
      const [, path = '', line = '', text = ''] = found
      if (!isWanted(path)) return true
      if (matches.length === request.max) return false
      matches.push({ path, line: Number(line), text: text.replace(/\r$/, '').slice(0, mostLineChars) })
      return true
    },
  })
  if (result.complaint !== '' && matches.length === 0) throw new Refusal('bad_pattern', result.complaint)
  return { matches, truncated: result.stopped }
}

/** A pattern without a slash matches a name at any depth; one that names a folder matches all that is under it. */
function pathMatcher(root: string, pattern: string): (path: string) => boolean {
  if (pattern.length > mostPatternChars)
    throw new Refusal('bad_pattern', `A pattern has at most ${mostPatternChars} characters`)
  const below =
    isAbsolute(pattern) && (pattern === root || pattern.startsWith(`${root}/`)) ? relative(root, pattern) : pattern
  const plain = below.replace(/^(?:\.?\/+)+/, '').replace(/\/+$/, '')
  if (plain.split('/').includes('..')) throw new Refusal('outside', 'The pattern leads out of the workspace')
  if (plain === '' || plain === '.') return () => true
  const atAnyDepth = !below.replace(/\/+$/, '').includes('/')
  const matches = (text: string) => matchesGlob(text, plain) || matchesGlob(unhidden(text), unhidden(plain))
  return (path) => {
    if (path.startsWith(`${plain}/`) || matches(path)) return true
    return atAnyDepth && matches(basename(path))
  }
}

/** Globs leave names with a leading dot out; here such files are files like any other. */
function unhidden(path: string): string {
  return path.replace(/(^|\/)\./g, '$1\u0001')
}

interface RipgrepInput {
  readonly argv: readonly string[]
  readonly root: string
  readonly signal: AbortSignal
  readonly end: '\0' | '\n'
  /** false to stop. */
  readonly onRecord: (record: string) => boolean
}

async function ripgrepRecords({ argv, root, signal, end, onRecord }: RipgrepInput) {
  const [program = '', ...rest] = argv
  const child = spawn(program, rest, {
    cwd: root,
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  })
  const gone = new Promise<void>((resolve, reject) => child.once('error', reject).once('close', () => resolve()))
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(0, 2_000)
  })
  let stopped = false
  let unended = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (stopped) return
    const records = (unended + text).split(end)
    unended = records.pop() ?? ''
    stopped = !records.every(onRecord)
    if (stopped) child.kill('SIGKILL')
  })
  await gone
  return { stopped, complaint: complaint.trim() }
}

// Commands

function createRun(setup: RunnerSetup, root: string) {
  let pipe: string | null = null

  return async (request: Request<'run'>, signal: AbortSignal): Promise<RunnerReplies['run']> => {
    pipe ??= makePipe()
    const startedAt = performance.now()
    const { child, output } = startCommand(pipe, { ...setup, root, request })
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      killAll()
    }, request.timeoutMs)
    signal.addEventListener('abort', killAll)
    try {
      const exitCode = await exitOf(child)
      const durationMs = performance.now() - startedAt
      return {
        exitCode: timedOut || signal.aborted ? null : exitCode,
        timedOut,
        durationMs,
        ...(await whenAlone(output)),
      }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', killAll)
    }
  }
}

/**
 * A real pipe, used by one command after another: a command cannot open `/dev/stdout` when that is the socket which Node would give it.
 * The result names it for as long as the runner lives.
 */
function makePipe(): string {
  const path = `/run/drydock-${randomBytes(6).toString('hex')}`
  execFileSync('mkfifo', ['-m', '600', path], { env: { PATH: '/usr/bin:/bin' } })
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  rmSync(path)
  return `/proc/self/fd/${fd}`
}

function startCommand(pipe: string, input: RunnerSetup & { readonly root: string; readonly request: Request<'run'> }) {
  const { shell, env, root, request } = input
  const [program = '', ...rest] = [...shell, request.command]
  // Reader before writer: one that is opened after the last writer has gone is never told so.
  const reader = new Socket({ fd: openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK), writable: false })
  const writeFd = openSync(pipe, constants.O_WRONLY)
  try {
    const child = spawn(program, rest, { cwd: root, env, stdio: ['ignore', writeFd, writeFd], detached: true })
    return { child, output: headAndTail(reader, request.maxBytes) }
  } catch (error) {
    reader.destroy()
    throw error
  } finally {
    closeSync(writeFd)
  }
}

/** As a shell tells it: 128 and the signal's number for a command that a signal ended. */
function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : system.signals[signal])))
  })
}

/** Sends SIGKILL to all but the runner and pid 1; false when there was nobody left. */
function killAll(): boolean {
  try {
    process.kill(-1, 'SIGKILL')
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
    throw error
  }
}

/** Waits for `value`, which ends with the last process, after killing them all. */
async function whenAlone<T>(value: Promise<T>): Promise<T> {
  while (killAll()) await new Promise((resolve) => setImmediate(resolve))
  return value
}

/** The first and the last bytes of a stream, without holding what is between. */
async function headAndTail(stream: AsyncIterable<Buffer>, maxBytes: number) {
  const head = Buffer.allocUnsafe(Math.ceil(maxBytes / 2))
  const tail = Buffer.allocUnsafe(Math.floor(maxBytes / 2))
  let headSize = 0
  let tailSize = 0
  for await (const chunk of stream) {
    const rest = chunk.subarray(chunk.copy(head, headSize))
    headSize += chunk.length - rest.length
    // A ring: only the last part of a chunk that is larger than it can stay.
    const kept = rest.subarray(Math.max(0, rest.length - tail.length))
    const at = tail.length === 0 ? 0 : (tailSize + rest.length - kept.length) % tail.length
    const wrapped = kept.copy(tail, at)
    kept.copy(tail, 0, wrapped)
    tailSize += rest.length
  }
  const leftOut = Math.max(0, tailSize - tail.length)
  if (leftOut === 0) {
    return {
      output: Buffer.concat([head.subarray(0, headSize), tail.subarray(0, tailSize)]).toString(),
      truncated: false,
    }
  }
  const oldest = tail.length === 0 ? 0 : tailSize % tail.length
  const last = Buffer.concat([tail.subarray(oldest), tail.subarray(0, oldest)])
  return {
    output: `${head.toString()}\n[… ${leftOut} bytes left out …]\n${withoutCutCharacter(last).toString()}`,
    truncated: true,
  }
}

function withoutCutCharacter(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
  return bytes.subarray(Math.max(0, Math.min(start, 3)))
}
