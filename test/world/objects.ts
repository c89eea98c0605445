import { createHash } from 'node:crypto'
import { diffArrays } from 'diff'
import type { Identity } from '../../src/domain/identity.ts'
import type { ChangedFile, LineCount } from '../../src/ports/history.ts'

/** A file as git has it. */
export interface Entry {
  readonly mode: '100644' | '100755' | '120000'
  readonly bytes: Buffer
}

/** Files by their paths from the root; a tree never changes. */
export type Tree = ReadonlyMap<string, Entry>

export interface Commit {
  readonly sha: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  readonly at: Date
}

export const isText = ({ bytes }: Entry) => !bytes.subarray(0, 8_000).includes(0)
export const textOf = ({ bytes }: Entry) => bytes.toString('utf8')
export const file = (content: string | Uint8Array): Entry => ({ mode: '100644', bytes: Buffer.from(content) })
export const treeOf = (files: Readonly<Record<string, string>>): Tree =>
  new Map(Object.entries(files).map(([path, content]) => [path, file(content)]))

const hashOf = (type: string, content: Buffer) =>
  createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex')

const blobs = new WeakMap<Buffer, string>()
export function blobOf({ bytes }: Entry): string {
  const known = blobs.get(bytes) ?? hashOf('blob', bytes)
  blobs.set(bytes, known)
  return known
}

type Folder = Map<string, Folder | Entry>
const isFolder = (node: Folder | Entry): node is Folder => node instanceof Map

function nested(tree: Tree): Folder {
  const root: Folder = new Map()
  for (const [path, entry] of tree) {
    const names = path.split('/')
    const name = names.pop() ?? ''
    let folder = root
    for (const each of names) {
      const next = folder.get(each)
      const made = next !== undefined && isFolder(next) ? next : new Map()
      folder.set(each, made)
      folder = made as Folder
    }
    folder.set(name, entry)
  }
  return root
}

function shaOf(folder: Folder): string {
  const key = ([name, node]: [string, Folder | Entry]) => Buffer.from(isFolder(node) ? `${name}/` : name)
  const entries = [...folder].sort((a, b) => Buffer.compare(key(a), key(b)))
  const parts = entries.map(([name, node]) =>
    Buffer.concat([
      Buffer.from(`${isFolder(node) ? '40000' : node.mode} ${name}\0`),
      Buffer.from(isFolder(node) ? shaOf(node) : blobOf(node), 'hex'),
    ]),
  )
  return hashOf('tree', Buffer.concat(parts))
}

/** What git says of a path: mode, type and object. */
export function describe(tree: Tree, path: string): string | null {
  let node: Folder | Entry | undefined = nested(tree)
  for (const name of path.split('/')) node = node !== undefined && isFolder(node) ? node.get(name) : undefined
  if (node === undefined) return null
  return isFolder(node) ? `040000 tree ${shaOf(node)}` : `${node.mode} blob ${blobOf(node)}`
}

export function namesIn(tree: Tree, folder: string): readonly string[] | null {
  let node: Folder | Entry | undefined = nested(tree)
  for (const name of folder.split('/').filter((each) => each !== '' && each !== '.'))
    node = node !== undefined && isFolder(node) ? node.get(name) : undefined
  if (node === undefined) return []
  return isFolder(node) ? [...node.keys()].sort() : null
}

export const sorted = (tree: Tree): Tree =>
  new Map([...tree].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))))

const drydock: Identity = { name: 'Drydock', email: 'drydock@localhost' }

/** Objects of git, with git's own names for them. */
export function createObjects() {
  const trees = new Map<string, Tree>()
  const commits = new Map<string, Commit>()
  const putTree = (tree: Tree): string => {
    const sha = shaOf(nested(tree))
    if (!trees.has(sha)) trees.set(sha, sorted(tree))
    return sha
  }
  const tree = (sha: string): Tree => {
    const found = trees.get(commits.get(sha)?.tree ?? sha)
    if (found === undefined) throw new Error(`bad object ${sha}`)
    return found
  }
  const isAncestor = (ancestor: string, of: string): boolean => {
    const todo = [of]
    const seen = new Set<string>()
    for (let each = todo.pop(); each !== undefined; each = todo.pop()) {
      if (each === ancestor) return commits.has(each)
      if (seen.has(each)) continue
      seen.add(each)
      todo.push(...(commits.get(each)?.parents ?? []))
    }
    return false
  }
  const ancestors = (sha: string): readonly string[] => {
    const order: string[] = []
    const todo = [sha]
    const seen = new Set<string>()
    for (let each = todo.shift(); each !== undefined; each = todo.shift()) {
      if (seen.has(each)) continue
      seen.add(each)
      order.push(each)
      todo.push(...(commits.get(each)?.parents ?? []))
    }
    return order
  }
  return {
    trees,
    commits,
    putTree,
    tree,
    isAncestor,
    ancestors,
    commit(given: Omit<Commit, 'sha'> & { readonly author?: Identity | null | undefined }): string {
      const seconds = Math.floor(given.at.getTime() / 1000)
      const who = ({ name, email }: Identity) => `${name} <${email}> ${seconds} +0000`
      const lines = [
        `tree ${given.tree}`,
        ...given.parents.map((parent) => `parent ${parent}`),
        `author ${who(given.author ?? drydock)}`,
        `committer ${who(drydock)}`,
        '',
        given.message,
      ]
      const sha = hashOf('commit', Buffer.from(lines.join('\n')))
      const { tree: of, parents, message, at } = given
      commits.set(sha, { sha, tree: of, parents, message, at })
      return sha
    },
    mergeBase: (one: string, other: string) => ancestors(one).find((each) => isAncestor(each, other)) ?? null,
  }
}
export type Objects = ReturnType<typeof createObjects>

type Op = readonly [-1 | 0 | 1, string]
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Lines of the difference, each kept (0), removed (-1) or added (1). */
function lineOps(before: string, after: string): readonly Op[] {
  return diffArrays([...linesOf(before)], [...linesOf(after)]).flatMap(({ added, removed, value }) =>
    value.map((line) => [added ? 1 : removed ? -1 : 0, line] as const),
  )
}

function hunksOf(before: string, after: string): string {
  const ops = lineOps(before, after)
  let [a, b] = [0, 0]
  const at = ops.map(([op]) => {
    const here = [a, b] as const
    if (op !== 1) a += 1
    if (op !== -1) b += 1
    return here
  })
  const changed = ops.flatMap(([op], i) => (op === 0 ? [] : [i]))
  const groups: [number, number][] = []
  for (const i of changed) {
    const last = groups.at(-1)
    if (last !== undefined && i - last[1] <= 6) last[1] = i
    else groups.push([i, i])
  }
  const range = (start: number, count: number) =>
    count === 1 ? `${start}` : `${count === 0 ? start - 1 : start},${count}`
  return groups
    .map(([first, last]) => {
      const [from, to] = [Math.max(0, first - 3), Math.min(ops.length, last + 4)]
      const part = ops.slice(from, to)
      const [olds, news] = [part.filter(([op]) => op !== 1).length, part.filter(([op]) => op !== -1).length]
      const [line, lineB] = at[from] ?? [0, 0]
      const body = part.map(
        ([op, text]) =>
          `${op === 0 ? ' ' : op === 1 ? '+' : '-'}${text}${text.endsWith('\n') ? '' : '\n\\ No newline at end of file\n'}`,
      )
      return `@@ -${range(line + 1, olds)} +${range(lineB + 1, news)} @@\n${body.join('')}`
    })
    .join('')
}

export function changedFiles(before: Tree, after: Tree): readonly ChangedFile[] {
  const same = (a: Entry, b: Entry) => a.mode === b.mode && a.bytes.equals(b.bytes)
  const gone = new Map([...before].filter(([path]) => !after.has(path)))
  const found: ChangedFile[] = []
  for (const [path, entry] of after) {
    const old = before.get(path)
    if (old !== undefined) {
      if (!same(old, entry)) found.push({ path, status: 'modified' })
      continue
    }
    const from =
      entry.bytes.length === 0 ? undefined : [...gone].find(([, each]) => each.bytes.equals(entry.bytes))?.[0]
    if (from === undefined) found.push({ path, status: 'added' })
    else {
      gone.delete(from)
      found.push({ path, status: 'renamed', from })
    }
  }
  for (const path of gone.keys()) found.push({ path, status: 'deleted' })
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

export function unifiedDiff(before: Tree, after: Tree, folder?: string): string {
  const at = folder === undefined ? '' : `${folder}/`
  return changedFiles(before, after)
    .map(({ path, status, from }) => {
      const [old, now] = [before.get(from ?? path), after.get(path)]
      const short = (entry: Entry | undefined) => (entry === undefined ? '0000000' : blobOf(entry).slice(0, 7))
      const head = [`diff --git a/${at}${from ?? path} b/${at}${path}`]
      if (status === 'renamed')
        return [...head, 'similarity index 100%', `rename from ${from}`, `rename to ${path}`, ''].join('\n')
      if (status === 'added') head.push(`new file mode ${now?.mode}`)
      if (status === 'deleted') head.push(`deleted file mode ${old?.mode}`)
      if (old && now && old.mode !== now.mode) head.push(`old mode ${old.mode}`, `new mode ${now.mode}`)
      if (old && now && old.bytes.equals(now.bytes)) return `${head.join('\n')}\n`
      head.push(`index ${short(old)}..${short(now)}${old && now && old.mode === now.mode ? ` ${now.mode}` : ''}`)
      const [a, b] = [old ? `a/${at}${path}` : '/dev/null', now ? `b/${at}${path}` : '/dev/null']
      if ((old && !isText(old)) || (now && !isText(now)))
        return [...head, `Binary files ${a} and ${b} differ`, ''].join('\n')
      const hunks = hunksOf(old ? textOf(old) : '', now ? textOf(now) : '')
      return [...head, ...(hunks === '' ? [] : [`--- ${a}`, `+++ ${b}`]), hunks].join('\n')
    })
    .join('')
}

export function lineCounts(before: Tree, after: Tree): ReadonlyMap<string, LineCount | null> {
  return new Map(
    changedFiles(before, after).map(({ path, from }) => {
      const [old, now] = [before.get(from ?? path), after.get(path)]
      if ((old && !isText(old)) || (now && !isText(now))) return [path, null]
      const ops = lineOps(old ? textOf(old) : '', now ? textOf(now) : '')
      const count = (wanted: number) => ops.filter(([op]) => op === wanted).length
      return [path, { added: count(1), removed: count(-1) }]
    }),
  )
}

/** Ranges of base lines that a side has replaced. */
function replaced(base: string, side: string) {
  const found: { start: number; end: number; lines: string[] }[] = []
  let at = 0
  let open: { start: number; end: number; lines: string[] } | null = null
  for (const [op, line] of lineOps(base, side)) {
    if (op === 0) {
      open = null
      at += 1
      continue
    }
    if (open === null) {
      open = { start: at, end: at, lines: [] }
      found.push(open)
    }
    if (op === -1) {
      at += 1
      open.end = at
    } else open.lines.push(line)
  }
  return found
}

/** Three texts merged by lines; null marks stand where both sides changed the same lines. */
export function mergeText(base: string, ours: string, theirs: string, names: readonly [string, string]) {
  const lines = linesOf(base)
  const [left, right] = [replaced(base, ours), replaced(base, theirs)]
  const out: string[] = []
  let isClean = true
  let at = 0
  while (left.length > 0 || right.length > 0) {
    const start = Math.min(left[0]?.start ?? Number.POSITIVE_INFINITY, right[0]?.start ?? Number.POSITIVE_INFINITY)
    let end = start
    const taken: [typeof left, typeof right] = [[], []]
    for (let isMore = true; isMore; ) {
      isMore = false
      for (const [i, side] of [left, right].entries()) {
        const next = side[0]
        if (next === undefined || next.start > end) continue
        if (next.start === end && end > start && taken[i as 0 | 1].length > 0) continue
        taken[i as 0 | 1].push(next)
        side.shift()
        end = Math.max(end, next.end)
        isMore = true
      }
    }
    out.push(...lines.slice(at, start))
    const apply = (changes: typeof left) => {
      const result: string[] = []
      let here = start
      for (const each of changes) {
        result.push(...lines.slice(here, each.start), ...each.lines)
        here = each.end
      }
      return [...result, ...lines.slice(here, end)]
    }
    const [a, b] = [apply(taken[0]), apply(taken[1])]
    if (taken[1].length === 0) out.push(...a)
    else if (taken[0].length === 0 || a.join('') === b.join('')) out.push(...b)
    else {
      isClean = false
      const ended = (each: string[]) => each.map((line) => (line.endsWith('\n') ? line : `${line}\n`))
      out.push(`<<<<<<< ${names[0]}\n`, ...ended(a), '=======\n', ...ended(b), `>>>>>>> ${names[1]}\n`)
    }
    at = end
  }
  out.push(...lines.slice(at))
  return { isClean, text: out.join('') }
}
