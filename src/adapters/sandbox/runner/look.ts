import { spawn } from 'node:child_process'
import { basename, dirname, isAbsolute, relative } from 'node:path'
import type { RunnerReplies } from '../../../ports/sandbox.ts'
import { contentOf } from './files.ts'
import { globMatcher } from './glob.ts'
import { namesIn } from './paths.ts'
import type { Request } from './protocol.ts'
import { Refusal, refusalOf } from './refusal.ts'

/** The most paths in a fingerprint of all files; lists for agents have a lower limit. */
const mostListed = 200_000
/**
 * Up to this many matches are collected before the first ones are chosen, so that the choice is the
 * same each time.
 */
const mostFound = 5_000
const mostLineChars = 300
const mostPatternChars = 1_000
const mostSearchedBytes = 16 * 1_048_576

export interface LookInput<Op extends 'list' | 'search' | 'state'> {
  readonly root: string
  readonly ripgrep: string
  readonly request: Request<Op>
  readonly signal: AbortSignal
}

const lookEverywhere = [
  '--no-config',
  '--hidden',
  '--no-ignore-dot',
  '--no-ignore-global',
  '--no-ignore-parent',
  '--no-require-git',
  '--no-messages',
  '--color=never',
  '--null',
  '--glob=!.git',
]

export async function listFiles({ root, ripgrep, request, signal }: LookInput<'list'>): Promise<RunnerReplies['list']> {
  const matches = pathMatcher(root, request.pattern)
  const { paths, stopped } = await allPaths({ root, ripgrep, signal, matches, most: request.max + 1 })
  const own = request.root === undefined ? paths : ownPaths(root, paths, request.max + 1)
  return { paths: own.slice(0, request.max), truncated: stopped || own.length > request.max }
}

interface Listing extends Pick<LookInput<'list'>, 'root' | 'ripgrep' | 'signal'> {
  readonly matches: (path: string) => boolean
  /** The walk stops after this many paths. */
  readonly most?: number
}

/**
 * The sorted paths of all files that are not ignored, or the first ones, which are the same each
 * time.
 */
export async function allPaths({ root, ripgrep, signal, matches, most = mostListed }: Listing) {
  const paths: string[] = []
  const { stopped } = await ripgrepRecords({
    // Sorted output makes ripgrep use one thread. Several threads would not list names faster, and
    // would take twice the CPU time.
    argv: [ripgrep, ...lookEverywhere, '--sort=path', '--files'],
    root,
    signal,
    end: '\0',
    onRecord: (path) => {
      if (matches(path)) paths.push(path)
      return paths.length < most
    },
  })
  return { paths: paths.sort(), stopped }
}

/**
 * The first paths that are really in their folders. Ripgrep opens a folder by name, and by then the
 * name may be a link into another workspace.
 */
function ownPaths(root: string, paths: readonly string[], most: number): readonly string[] {
  const folders = new Map<string, ReadonlySet<string>>()
  const own: string[] = []
  for (const path of paths) {
    if (own.length === most) break
    const folder = dirname(path)
    const names = folders.get(folder) ?? new Set(namesIn(root, folder))
    folders.set(folder, names)
    if (names.has(basename(path))) own.push(path)
  }
  return own
}

export async function searchFiles({
  root,
  ripgrep,
  request,
  signal,
}: LookInput<'search'>): Promise<RunnerReplies['search']> {
  const isWanted = request.glob === null ? () => true : pathMatcher(root, request.glob)
  const matches: Match[] = []
  const result = await ripgrepRecords({
    argv: [
      ripgrep,
      ...lookEverywhere,
      '--line-number',
      '--no-heading',
      '--with-filename',
      `--max-columns=${mostLineChars}`,
      '--max-columns-preview',
      `--max-filesize=${mostSearchedBytes}`,
      `--regexp=${request.pattern}`,
      '--',
      '.',
    ],
    root,
    signal,
    end: '\n',
    onRecord: (record) => {
      const found = /^(?:\.\/)?([^\0]+)\0(\d+):(.*)$/s.exec(record)
      if (found === null) return true
      const [, path = '', line = '', text = ''] = found
      if (!isWanted(path)) return true
      if (matches.length === mostFound) return false
      matches.push({ path, line: Number(line), text: shownLine(text) })
      return true
    },
  })
  if (result.complaint !== '' && matches.length === 0) throw new Refusal('bad_pattern', result.complaint)
  // ripgrep would use a single thread if it had to sort its matches.
  matches.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1))
  const shown =
    request.root === undefined ? matches : await ownMatches(root, { matches, most: request.max + 1 }, signal)
  return { matches: shown.slice(0, request.max), truncated: result.stopped || shown.length > request.max }
}

type Match = RunnerReplies['search']['matches'][number]

/**
 * The first matches in files without a second hard link. Ripgrep opens files by name, which may by
 * then lead to a link, or to a file of another workspace, so each line is read again from a checked
 * descriptor.
 */
async function ownMatches(
  root: string,
  { matches, most }: { readonly matches: readonly Match[]; readonly most: number },
  signal: AbortSignal,
): Promise<readonly Match[]> {
  const own: Match[] = []
  for (const [path, inFile] of Map.groupBy(matches, (match) => match.path)) {
    const lines = ownLines(root, path)
    for (const { line } of inFile) {
      const text = lines[line - 1]
      if (text !== undefined) own.push({ path, line, text: shownLine(text) })
    }
    if (own.length >= most) break
    // Yields to the event loop, so that an abort is seen.
    await new Promise((resolve) => setImmediate(resolve))
    signal.throwIfAborted()
  }
  return own
}

/** Returns no lines for a file that must not be shown. */
function ownLines(root: string, path: string): readonly string[] {
  try {
    const opened = contentOf(root, { root, path, maxBytes: mostSearchedBytes })
    return opened.path === path ? textOf(opened.content).split('\n') : []
  } catch (error) {
    if (refusalOf(error).code === 'failed') throw error
    return []
  }
}

/** Decodes as ripgrep does. */
function textOf(content: Buffer): string {
  const start = content.length < 2 ? 0 : content.readUInt16BE()
  return new TextDecoder(start === 0xfffe ? 'utf-16le' : start === 0xfeff ? 'utf-16be' : 'utf-8').decode(content)
}

function shownLine(text: string): string {
  return text.replace(/\r$/, '').slice(0, mostLineChars)
}

/**
 * A pattern without a slash matches a name at any depth; one that names a folder matches everything
 * below it.
 */
function pathMatcher(root: string, pattern: string): (path: string) => boolean {
  if (pattern.length > mostPatternChars)
    throw new Refusal('bad_pattern', `A pattern has at most ${mostPatternChars} characters`)
  const below =
    isAbsolute(pattern) && (pattern === root || pattern.startsWith(`${root}/`)) ? relative(root, pattern) : pattern
  const plain = below.replace(/^(?:\.?\/+)+/, '').replace(/\/+$/, '')
  if (plain.split('/').includes('..')) throw new Refusal('outside', 'The pattern leads out of the workspace')
  if (plain === '' || plain === '.') return () => true
  const atAnyDepth = !below.replace(/\/+$/, '').includes('/')
  const matches = globMatcher(plain)
  return (path) => {
    if (path.startsWith(`${plain}/`) || matches(path)) return true
    return atAnyDepth && matches(basename(path))
  }
}

interface RipgrepInput {
  readonly argv: readonly string[]
  readonly root: string
  readonly signal: AbortSignal
  readonly end: '\0' | '\n'
  /** Returns false to stop. */
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
