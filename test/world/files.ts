import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { globMatcher } from '../../src/adapters/sandbox/runner/glob.ts'
import type { Files } from '../../src/ports/files.ts'
import type { RunnerErrorCode, RunnerReply } from '../../src/ports/sandbox.ts'
import { isText, type Tree, textOf } from './objects.ts'

export const refused = (code: RunnerErrorCode, message: string) => ({ ok: false, code, message }) as const
export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export function inside(path: string): { readonly ok: true; readonly path: string } | ReturnType<typeof refused> {
  if (path.includes('\0') || path.length > 4_096) return refused('not_found', 'There is no such file')
  const plain = posix.normalize(path).replace(/\/+$/, '')
  if (path.startsWith('/') || plain === '..' || plain.startsWith('../'))
    return refused('outside', 'The path leads out of the repository')
  if (plain.split('/').some((name) => name.toLowerCase() === '.git'))
    return refused('outside', '.git is not part of the commit and cannot be reached')
  if (plain === '' || plain === '.') return refused('not_a_file', 'This is the repository itself')
  return { ok: true, path: plain }
}

/** Follows links inside of the tree. */
function resolve(tree: Tree, path: string): ReturnType<typeof inside> {
  let at = path
  for (let steps = 0; steps < 20; steps += 1) {
    const link = at
      .split('/')
      .map((_, i, names) => names.slice(0, i + 1).join('/'))
      .find((each) => tree.get(each)?.mode === '120000')
    if (link === undefined) return { ok: true, path: at }
    const target = textOf(tree.get(link) as never)
    if (target.startsWith('/')) return refused('outside', 'The path leads out of the repository')
    const led = inside(posix.join(posix.dirname(link), target, at.slice(link.length)))
    if (!led.ok) return led
    at = led.path
  }
  return refused('not_found', 'There is no such file')
}

export function readIn(tree: Tree, path: string, maxBytes: number): RunnerReply<'read'> {
  const wanted = inside(path)
  if (!wanted.ok) return wanted
  const led = resolve(tree, wanted.path)
  if (!led.ok) return led
  const entry = tree.get(led.path)
  if (entry === undefined) {
    if ([...tree.keys()].some((each) => each.startsWith(`${led.path}/`)))
      return refused('not_a_file', `${path} is not a regular file`)
    return refused('not_found', 'There is no such file')
  }
  const { bytes } = entry
  if (bytes.length > maxBytes)
    return refused('too_large', `${led.path} has ${bytes.length} bytes; at most ${maxBytes} are read`)
  return {
    ok: true,
    value: { base64: bytes.toString('base64'), size: bytes.length, sha256: sha256(bytes), path: led.path },
  }
}

function matching(tree: Tree, glob: string | null) {
  if (glob?.startsWith('/')) return refused('outside', 'The pattern leads out of the repository')
  try {
    const matches = glob === null ? () => true : globMatcher(glob.includes('/') ? glob : `**/${glob}`)
    const paths = [...tree.keys()].filter((path) => tree.get(path)?.mode !== '120000' && matches(path)).sort()
    return { ok: true, paths } as const
  } catch (error) {
    return refused('bad_pattern', (error as Error).message)
  }
}

export function listIn(tree: Tree, pattern: string, max: number): RunnerReply<'list'> {
  const found = matching(tree, pattern)
  if (!found.ok) return found
  return { ok: true, value: { paths: found.paths.slice(0, max), truncated: found.paths.length > max } }
}

export function searchIn(tree: Tree, { pattern, glob, max }: Parameters<Files['search']>[0]): RunnerReply<'search'> {
  const found = matching(tree, glob)
  if (!found.ok) return found
  let wanted: RegExp
  try {
    wanted = new RegExp(pattern, 'u')
  } catch (error) {
    return refused('bad_pattern', (error as Error).message)
  }
  const matches = found.paths.flatMap((path) => {
    const entry = tree.get(path)
    if (entry === undefined || !isText(entry)) return []
    return textOf(entry)
      .split('\n')
      .flatMap((text, i) => (wanted.test(text) ? [{ path, line: i + 1, text: text.slice(0, 300) }] : []))
  })
  return { ok: true, value: { matches: matches.slice(0, max), truncated: matches.length > max } }
}

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
