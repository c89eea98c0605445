import { limits } from '../limits.ts'
import type { LineChange } from './line-change.ts'

/** A part of a file that changes, with the lines around it. */
export interface Hunk {
  /** Lines of the file that stand somewhere before it, one after the other. */
  readonly headers: readonly string[]
  readonly changes: readonly LineChange[]
  /** True if the lines are the last ones of the file. */
  readonly isAtEnd: boolean
}

/** The change that a patch makes to one file. */
export type FilePatch =
  | { readonly kind: 'add'; readonly path: string; readonly lines: readonly string[] }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'update'; readonly path: string; readonly to: string | null; readonly hunks: readonly Hunk[] }

export type ParsedPatch =
  | { readonly ok: true; readonly files: readonly FilePatch[] }
  | { readonly ok: false; readonly reason: string }

const form =
  '`*** Begin Patch`, then for each file `*** Add File: <path>`, `*** Delete File: <path>` or `*** Update File: <path>`, then `*** End Patch`'
const begin = '*** Begin Patch'
const end = '*** End Patch'
const endOfFile = '*** End of File'
const moveTo = '*** Move to:'

class Wrong extends Error {}

/**
 * Reads a patch in the form that `apply_patch` tools take. Text before its begin and after its end
 * is left out, and so are empty lines between its files.
 */
export function parsePatch(text: string): ParsedPatch {
  const all = text.replaceAll('\r\n', '\n').split('\n')
  const first = all.findIndex((line) => line.trim() === begin)
  const last = all.findLastIndex((line) => line.trim() === end)
  if (!text.isWellFormed()) return { ok: false, reason: 'it is not valid Unicode: it contains half a character' }
  if (first < 0 || last < first) return { ok: false, reason: `a patch is ${form}` }
  try {
    const files = readFiles(all.slice(first + 1, last), first + 2)
    if (files.length === 0) return { ok: false, reason: `it names no file: a patch is ${form}` }
    return { ok: true, files: joined(files) }
  } catch (error) {
    if (error instanceof Wrong) return { ok: false, reason: error.message }
    throw error
  }
}

/** `number` is the position of the first line in the patch. */
function readFiles(lines: readonly string[], number: number): readonly FilePatch[] {
  const files: FilePatch[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const [, verb, written = ''] = /^\*\*\* (Add|Delete|Update) File: *(.*?)\s*$/.exec(line) ?? []
    const path = plainPath(written)
    if (verb === undefined && line.trim() === '') {
      at += 1
      continue
    }
    if (verb === undefined || path === '')
      throw new Wrong(`line ${number + at}, \`${shown(line)}\`, begins no file: a patch is ${form}`)
    const next = lines.findIndex((each, i) => i > at && each.startsWith('*** ') && !belongs(each))
    const stop = next < 0 ? lines.length : next
    files.push(readFile({ verb, path }, lines.slice(at + 1, stop), number + at + 1))
    at = stop
    const hunks = files.reduce((sum, file) => sum + (file.kind === 'update' ? file.hunks.length : 0), 0)
    if (files.length > limits.patchFiles || hunks > limits.patchHunks)
      throw new Wrong(`it is too large: a patch has at most ${limits.patchFiles} files and ${limits.patchHunks} hunks`)
  }
  return files
}

/** One name for one file: `./a`, `b/../a` and `/repo/a` are `a`. */
function plainPath(path: string): string {
  const inside = path.replace(/^\/repo\/+/, '')
  if (inside.startsWith('/')) return inside
  const parts: string[] = []
  for (const part of inside.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}

function belongs(line: string): boolean {
  return line.trim() === endOfFile || line.startsWith(moveTo)
}

function readFile(
  { verb, path }: { readonly verb: string; readonly path: string },
  lines: readonly string[],
  number: number,
): FilePatch {
  const body = lines.slice(0, lines.findLastIndex((line) => line !== '') + 1)
  if (verb === 'Add') {
    const wrong = body.findIndex((line) => !line.startsWith('+'))
    if (wrong >= 0)
      throw new Wrong(`line ${number + wrong}, \`${shown(body[wrong])}\`: each line of a new file begins with +`)
    return { kind: 'add', path, lines: body.map((line) => line.slice(1)) }
  }
  if (verb === 'Delete') {
    if (body.length > 0) throw new Wrong(`line ${number}, \`${shown(body[0])}\`: a file that is deleted has no lines`)
    return { kind: 'delete', path }
  }
  const to = body[0]?.startsWith(moveTo) ? plainPath(body[0].slice(moveTo.length).trim()) : null
  if (to === '') throw new Wrong(`line ${number}: \`${moveTo}\` names no path`)
  const hunks = readHunks(to === null ? body : body.slice(1), to === null ? number : number + 1)
  if (hunks.length === 0 && to === null) throw new Wrong(`${path}: it changes nothing`)
  return { kind: 'update', path, to, hunks }
}

function readHunks(lines: readonly string[], number: number): readonly Hunk[] {
  const hunks: { headers: string[]; changes: LineChange[]; isAtEnd: boolean }[] = []
  let isOpen = false
  const open = () => {
    isOpen = true
    const hunk = { headers: [], changes: [], isAtEnd: false }
    hunks.push(hunk)
    return hunk
  }
  for (const [i, line] of withoutSeparators(lines)) {
    const last = hunks.at(-1)
    if (line.startsWith('@@')) {
      const hunk = last && isOpen && last.changes.length === 0 ? last : open()
      const header = line
        .slice(2)
        .replace(/^ -\d+(,\d+)? \+\d+(,\d+)? @@/, '')
        .trim()
      if (header !== '') hunk.headers.push(header)
    } else if (line.trim() === endOfFile) {
      if (last) last.isAtEnd = true
      isOpen = false
    } else {
      const kind = kinds[line[0] ?? ' ']
      if (kind === undefined)
        throw new Wrong(
          `line ${number + i}, \`${shown(line)}\`: a line of a file begins with a space when it stays, with - when it goes, with + when it is new`,
        )
      const hunk = last && isOpen ? last : open()
      hunk.changes.push({ kind, text: line.slice(1) })
    }
  }
  return hunks
}

const kinds: Readonly<Record<string, LineChange['kind']>> = { ' ': 'keep', '-': 'drop', '+': 'add' }

/** An empty line before the next `@@` separates; a line of the file would begin with a space. */
function withoutSeparators(lines: readonly string[]): readonly (readonly [number, string])[] {
  const entries: (readonly [number, string])[] = []
  let isBefore = false
  for (let i = lines.length - 1; i >= 0; i -= 1) {
    const line = lines[i] ?? ''
    if (line !== '') isBefore = line.startsWith('@@')
    if (line !== '' || !isBefore) entries.push([i, line])
  }
  return entries.toReversed()
}

/** Two updates of a file are one. A file that is named twice in another way is refused. */
function joined(files: readonly FilePatch[]): readonly FilePatch[] {
  const result: FilePatch[] = []
  for (const file of files) {
    const index = result.findIndex(({ path }) => path === file.path)
    const before = result[index]
    if (before?.kind === 'update' && file.kind === 'update' && before.to === null && file.to === null) {
      result[index] = { ...before, hunks: [...before.hunks, ...file.hunks] }
    } else result.push(file)
  }
  const paths = result.flatMap((file) => [file.path, ...(file.kind === 'update' && file.to !== null ? [file.to] : [])])
  const twice = paths.find((path, i) => paths.indexOf(path) < i)
  if (twice !== undefined) throw new Wrong(`it names ${twice} twice: give each file one part, or make two calls`)
  return result
}

function shown(line: string | undefined): string {
  return (line ?? '').slice(0, 80)
}
