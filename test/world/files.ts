import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { alternatives, globMatcher } from '../../src/adapters/sandbox/runner/glob.ts'
import { Refusal } from '../../src/adapters/sandbox/runner/refusal.ts'
import type { Files } from '../../src/ports/files.ts'
import type { RunnerErrorCode, RunnerReply } from '../../src/ports/sandbox.ts'
import { byBytes, isText, type Tree, textOf } from './objects.ts'

/** A read that is answered with an error. */
export const refused = (code: RunnerErrorCode, message: string) => ({ ok: false, code, message }) as const
/** A digest in hexadecimal. */
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

type FollowResult = { readonly ok: true; readonly path: string } | ReturnType<typeof refused>

const mostPatternChars = 1_000
const mostSearchedChars = 10_000
const mostLineChars = 300
const mostSteps = 200

const notFound = () => refused('not_found', 'There is no such file')
const outside = () => refused('outside', 'The path leads out of the repository')
const isGitFolder = (path: string) => path.split('/').some((name) => name.toLowerCase() === '.git')

/** The path without detours, or the reason why it cannot be read. */
export function inside(path: string): FollowResult {
  if (path.includes('\0') || path.length > 4_096 || !path.isWellFormed()) return notFound()
  const plain = posix.normalize(path).replace(/\/+$/, '')
  if (path.startsWith('/') || plain === '..' || plain.startsWith('../')) return outside()
  if (isGitFolder(plain)) return refused('outside', '.git is not part of the commit and cannot be reached')
  if (plain === '' || plain === '.') return refused('not_a_file', 'This is the repository itself')
  return { ok: true, path: plain }
}

/** The target of the links along a path; a missing path is its own target. */
function followed(tree: Tree, path: string): FollowResult {
  const todo = path.split('/').reverse()
  const done: string[] = []
  for (let steps = 0; steps < mostSteps; steps += 1) {
    const name = todo.pop()
    if (name === undefined) return { ok: true, path: done.join('/') }
    if (name === '' || name === '.') continue
    if (name === '..') {
      if (done.pop() === undefined) return outside()
      continue
    }
    done.push(name)
    if (isGitFolder(name)) return outside()
    const entry = tree.get(done.join('/'))
    if (entry?.mode !== '120000') continue
    const target = textOf(entry)
    if (target.startsWith('/')) return outside()
    done.pop()
    todo.push(...target.split('/').reverse())
  }
  return notFound()
}

/** Reads a file of a tree; links are followed inside the tree. */
export function readIn(tree: Tree, path: string, maxBytes: number): RunnerReply<'read'> {
  const wanted = inside(path)
  if (!wanted.ok) return wanted
  const led = followed(tree, wanted.path)
  if (!led.ok) return led
  const entry = tree.get(led.path)
  if (entry === undefined) {
    const isFolder = led.path === '' || [...tree.keys()].some((each) => each.startsWith(`${led.path}/`))
    return isFolder ? refused('not_a_file', `${path} is not a regular file`) : notFound()
  }
  const { bytes } = entry
  if (bytes.length > maxBytes)
    return refused('too_large', `${led.path} has ${bytes.length} bytes; at most ${maxBytes} are read`)
  return {
    ok: true,
    value: { base64: bytes.toString('base64'), size: bytes.length, sha256: sha256(bytes), path: led.path },
  }
}

type MatchResult = { readonly ok: true; readonly paths: readonly string[] } | ReturnType<typeof refused>

/**
 * The regular files that a glob matches, in order. A glob without a slash matches a name at any
 * depth; one that names a folder matches everything below it.
 */
function matching(tree: Tree, glob: string): MatchResult {
  if (glob.length > mostPatternChars || glob.includes('\0'))
    return refused('bad_pattern', `A pattern has at most ${mostPatternChars} characters, and no zero among them`)
  try {
    const matches = pathMatcher(glob)
    const isFile = (path: string) => tree.get(path)?.mode !== '120000' && !isGitFolder(path)
    return { ok: true, paths: [...tree.keys()].filter((path) => isFile(path) && matches(path)).sort(byBytes) }
  } catch (error) {
    if (error instanceof Refusal) return refused(error.code, error.message)
    throw error
  }
}

function pathMatcher(glob: string): (path: string) => boolean {
  const plain = trimmed(glob)
  if (plain === '' || plain === '.') return () => true
  if (/(^|[/{,])\.\.($|[/},])/.test(plain)) throw new Refusal('outside', 'The pattern leads out of the repository')
  const isName = !glob.replace(/\/+$/, '').includes('/')
  const globs = alternatives(plain)
    .map(trimmed)
    .filter((each) => each !== '' && each !== '.')
  const matchers = globs.map(globMatcher)
  const isWanted = (path: string) => path.startsWith(`${plain}/`) || matchers.some((matches) => matches(path))
  return (path) => {
    const names = path.split('/')
    return isWanted(path) || (isName && names.some((_, i) => isWanted(names.slice(i).join('/'))))
  }
}

const trimmed = (glob: string) => glob.replace(/^(?:\.?\/+)+/, '').replace(/\/+$/, '')

/** Lists the regular files of a tree that a glob matches. */
export function listIn(tree: Tree, pattern: string, max: number): RunnerReply<'list'> {
  const found = matching(tree, pattern)
  if (!found.ok) return found
  return { ok: true, value: { paths: found.paths.slice(0, max), truncated: found.paths.length > max } }
}

/** Finds lines in the text files of a tree, by a JavaScript pattern. */
export function searchIn(tree: Tree, { pattern, glob, max }: Parameters<Files['search']>[0]): RunnerReply<'search'> {
  const found = matching(tree, glob ?? '')
  if (!found.ok) return found
  if (/[\0\n]/.test(pattern)) return refused('bad_pattern', 'A pattern is one line, and has no zero in it')
  if (pattern.length > mostSearchedChars)
    return refused('bad_pattern', `A pattern has at most ${mostSearchedChars} characters`)
  const wanted = regexOf(pattern)
  if (wanted === null) return refused('bad_pattern', `There is no such pattern: ${pattern.slice(0, 100)}`)
  const matches = found.paths.flatMap((path) => {
    const entry = tree.get(path)
    if (entry === undefined || !isText(entry)) return []
    const lines = textOf(entry).replace(/\n$/, '').split('\n')
    return lines.flatMap((text, i) =>
      wanted.test(text) ? [{ path, line: i + 1, text: text.replace(/\r$/, '').slice(0, mostLineChars) }] : [],
    )
  })
  return { ok: true, value: { matches: matches.slice(0, max), truncated: matches.length > max } }
}

function regexOf(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    // Without the flag, more of Perl's syntax is accepted.
    return looseRegexOf(pattern)
  }
}

function looseRegexOf(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern)
  } catch {
    return null
  }
}

/** Reads a tree that is looked up at each call. */
export const filesOf = (tree: () => Tree): Files => ({
  async read(path, maxBytes, signal) {
    signal.throwIfAborted()
    return readIn(tree(), path, maxBytes)
  },
  async list(pattern, max, signal) {
    signal.throwIfAborted()
    return listIn(tree(), pattern, max)
  },
  async search(wanted, signal) {
    signal.throwIfAborted()
    return searchIn(tree(), wanted)
  },
})
