import { spawn } from 'node:child_process'
import { basename, isAbsolute, relative } from 'node:path'
import type { RunnerReplies } from '../../../ports/sandbox.ts'
import { globMatcher } from './glob.ts'
import type { Request } from './protocol.ts'
import { Refusal } from './refusal.ts'

const mostListed = 200_000
/** Up to this many are found before the first are chosen, so that these are the same each time. */
const mostFound = 5_000
const mostLineChars = 300
const mostPatternChars = 1_000
const mostSearchedFile = '16M'

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

export async function listFiles({ root, ripgrep, request, signal }: LookInput<'list'>): Promise<RunnerReplies['list']> {
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

export async function searchFiles({
  root,
  ripgrep,
  request,
  signal,
}: LookInput<'search'>): Promise<RunnerReplies['search']> {
  const isWanted = request.glob === null ? () => true : pathMatcher(root, request.glob)
  const matches: { path: string; line: number; text: string }[] = []
  const result = await ripgrepRecords({
    argv: [
      ...[ripgrep, ...lookEverywhere, '--line-number', '--no-heading', '--with-filename'],
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
      if (matches.length === mostFound) return false
      matches.push({ path, line: Number(line), text: text.replace(/\r$/, '').slice(0, mostLineChars) })
      return true
    },
  })
  if (result.complaint !== '' && matches.length === 0) throw new Refusal('bad_pattern', result.complaint)
  // Ripgrep that has to keep the order itself uses one processor only.
  matches.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1))
  return { matches: matches.slice(0, request.max), truncated: result.stopped || matches.length > request.max }
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
