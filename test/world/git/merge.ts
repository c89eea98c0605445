import type { MergeResult } from '../../../src/ports/history.ts'
import { byBytes, type Entry, isSame, isText, type Objects, type Tree, textOf } from '../objects.ts'
import { mergeText } from './merge-text.ts'
import { pairsBetween } from './renames.ts'

/** A path of the result and its three sides; `paths` if the sides have different paths. */
interface Stages {
  readonly path: string
  readonly base?: Entry | undefined
  readonly ours?: Entry | undefined
  readonly theirs?: Entry | undefined
  readonly paths?: readonly string[]
}

interface Merging {
  readonly names: readonly [ours: string, theirs: string]
  readonly made: Map<string, Entry>
  readonly conflicts: Set<string>
  /** The messages for each path. */
  readonly told: [path: string, message: string][]
}

/** See History.merge: follows renames like git's `ort`, except those of whole folders. */
export function merge(objects: Objects, ours: string, theirs: string): MergeResult | null {
  const [first, ...more] = objects.mergeBases(ours, theirs)
  if (first === undefined) return null
  const base = more.reduce(
    (tree, each) => mergeTrees([objects.tree(first), tree, objects.tree(each)], ['merge base', each]).made,
    objects.tree(first),
  )
  const { made, conflicts, told } = mergeTrees([base, objects.tree(ours), objects.tree(theirs)], [ours, theirs])
  const tree = objects.putTree(made)
  if (conflicts.size === 0) return { clean: true, tree }
  const explanation = told.sort(([a], [b]) => byBytes(a, b)).map(([, message]) => message)
  return { clean: false, tree, conflicts: [...conflicts].sort(), explanation: explanation.join('\n') }
}

function mergeTrees([base, ours, theirs]: readonly [Tree, Tree, Tree], names: Merging['names']): Merging {
  const merging: Merging = { names, made: new Map(), conflicts: new Set(), told: [] }
  for (const stages of stagesOf(merging, [base, ours, theirs])) place(merging, stages)
  outOfFoldersWay(merging, ours)
  return merging
}

function renamesIn(base: Tree, side: Tree): ReadonlyMap<string, string> {
  const renames = pairsBetween(base, side, { emptyToo: false }).filter(({ alike }) => alike !== null)
  return new Map(renames.map(({ from, to }) => [from, to]))
}

/** The sides of each path; a renamed file counts at its new path. */
function stagesOf(merging: Merging, [base, ours, theirs]: readonly [Tree, Tree, Tree]): readonly Stages[] {
  const renames = [renamesIn(base, ours), renamesIn(base, theirs)] as const
  const renamedTo = renames.map((each) => new Set(each.values()))
  const stages = new Map<string, Stages>()
  const add = (given: Stages) => {
    const known = stages.get(given.path)
    stages.set(given.path, known === undefined ? given : collided(merging, known, given))
  }
  for (const [path, entry] of base) {
    const [a = path, b = path] = renames.map((each) => each.get(path))
    const sides = { base: entry, ours: ours.get(a), theirs: theirs.get(b) }
    const paths = [path, a, b]
    if (a === path && b === path) add({ path, ...sides })
    else if (a !== path && b !== path && a !== b) renamedTwice(merging, [path, a, b], sides, add)
    else if (sides.ours === undefined || sides.theirs === undefined)
      renamedAndDeleted(merging, [path, a === path ? b : a], sides, add)
    else add({ path: a === path ? b : a, ...sides, paths })
  }
  for (const path of new Set([...ours.keys(), ...theirs.keys()])) {
    if (base.has(path)) continue
    const isNew = (side: Tree, i: number) => (renamedTo[i]?.has(path) ? undefined : side.get(path))
    const added = { ours: isNew(ours, 0), theirs: isNew(theirs, 1) }
    if (added.ours !== undefined || added.theirs !== undefined) add({ path, ...added })
  }
  return [...stages.values()].sort((a, b) => byBytes(a.path, b.path))
}

type Sides = Pick<Stages, 'base' | 'ours' | 'theirs'>

/**
 * Both sides renamed a file, each to another name: the tree has both names, with both sides' edits.
 */
function renamedTwice(
  merging: Merging,
  [path, a, b]: readonly [string, string, string],
  sides: Sides,
  add: (stages: Stages) => void,
): void {
  const { names, conflicts, told } = merging
  told.push([path, `CONFLICT (rename/rename): ${path} renamed to ${a} in ${names[0]} and to ${b} in ${names[1]}.`])
  const entry = contentOf(merging, { path, ...sides, paths: [path, a, b] }, nestedMarkers).entry
  for (const each of [path, a, b]) conflicts.add(each)
  add({ path: a, ours: entry })
  add({ path: b, theirs: entry })
}

function renamedAndDeleted(
  { names, conflicts, told, made }: Merging,
  [from, to]: readonly [string, string],
  { base, ours, theirs }: Sides,
  add: (stages: Stages) => void,
): void {
  const [renamed, deleted] = ours === undefined ? [names[1], names[0]] : names
  told.push([to, `CONFLICT (rename/delete): ${from} renamed to ${to} in ${renamed}, but deleted in ${deleted}.`])
  conflicts.add(to)
  const left = ours ?? theirs
  // An edit in addition to the rename is reported like that of a deleted file.
  if (!isSame(base, left)) add({ path: to, base, ours, theirs })
  else if (left !== undefined) made.set(to, left)
}

/** Two files that end at one path, at least one of them renamed, are like two new files. */
function collided(merging: Merging, one: Stages, other: Stages): Stages {
  const sideOf = (stages: Stages, side: 'ours' | 'theirs') =>
    stages.base === undefined ? stages[side] : contentOf(merging, stages, nestedMarkers).entry
  const isOurs = (stages: Stages) => (stages.paths?.[1] ?? stages.path) === stages.path && stages.ours !== undefined
  const [first, second] = isOurs(one) ? [one, other] : [other, one]
  return { path: one.path, ours: sideOf(first, 'ours'), theirs: sideOf(second, 'theirs') }
}

function place(merging: Merging, stages: Stages): void {
  const { names, made, conflicts, told } = merging
  const { path, base, ours, theirs } = stages
  const keep = (entry: Entry | undefined) => entry !== undefined && made.set(path, entry)
  if (isSame(ours, theirs) || isSame(base, theirs)) keep(ours)
  else if (isSame(base, ours)) keep(theirs)
  else if (ours === undefined || theirs === undefined) {
    keep(ours ?? theirs)
    conflicts.add(path)
    const [gone, kept] = ours === undefined ? names : [names[1], names[0]]
    told.push([
      path,
      `CONFLICT (modify/delete): ${path} deleted in ${gone} and modified in ${kept}.  Version ${kept} of ${path} left in tree.`,
    ])
  } else if ((ours.mode === '120000') !== (theirs.mode === '120000')) {
    // A link keeps the path, and the file moves away.
    const [file, link, name] = ours.mode === '120000' ? [theirs, ours, names[1]] : [ours, theirs, names[0]]
    keep(link)
    made.set(`${path}~${name}`, file)
    for (const each of [path, `${path}~${name}`]) conflicts.add(each)
    told.push([
      path,
      `CONFLICT (distinct types): ${path} had different types on each side; renamed one of them so each can be recorded somewhere.`,
    ])
  } else {
    const { entry, isClean, warning } = contentOf(merging, stages)
    keep(entry)
    if (isClean) return
    conflicts.add(path)
    const message = `CONFLICT (${base === undefined ? 'add/add' : 'content'}): Merge conflict in ${path}`
    told.push([path, warning === null ? message : `${warning}\n${message}`])
  }
}

const usualMarkers = 7
/** Longer by one if the file with these markers may be merged again. */
const nestedMarkers = usualMarkers + 1

interface Content {
  readonly entry: Entry
  readonly isClean: boolean
  readonly warning: string | null
}

/** The merged content of a file that both sides have. */
function contentOf({ names }: Merging, { path, base, ours, theirs, paths = [] }: Stages, size = usualMarkers): Content {
  if (ours === undefined || theirs === undefined) throw new Error(`${path} has one side only`)
  const isOursMode = ours.mode !== theirs.mode && ours.mode !== base?.mode
  const mode = isOursMode ? ours.mode : theirs.mode
  const isModeClean = !isOursMode || theirs.mode === base?.mode
  const taken = (bytes: Buffer): Content => ({ entry: { mode, bytes }, isClean: isModeClean, warning: null })
  if (ours.bytes.equals(theirs.bytes) || base?.bytes.equals(theirs.bytes)) return taken(ours.bytes)
  if (base?.bytes.equals(ours.bytes)) return taken(theirs.bytes)
  const isOnePath = new Set(paths).size <= 1
  const labels = ([0, 1] as const).map((i) => (isOnePath ? names[i] : `${names[i]}:${paths[i + 1]}`))
  const [left = '', right = ''] = labels
  if (ours.mode === '120000') return { entry: ours, isClean: false, warning: null }
  if ([base, ours, theirs].some((entry) => entry !== undefined && !isText(entry))) {
    const warning = `warning: Cannot merge binary files: ${path} (${left} vs. ${right})`
    return { entry: { mode, bytes: ours.bytes }, isClean: false, warning }
  }
  const texts = [base === undefined ? '' : textOf(base), textOf(ours), textOf(theirs)] as const
  const { text, isClean } = mergeText(texts, { names: [left, right], size })
  return { entry: { mode, bytes: Buffer.from(text) }, isClean: isClean && isModeClean, warning: null }
}

/** A file at the path of the other side's folder gets the name of its commit. */
function outOfFoldersWay({ names, made, conflicts, told }: Merging, ours: Tree): void {
  const paths = [...made.keys()]
  for (const path of paths) {
    const entry = made.get(path)
    if (entry === undefined || !paths.some((each) => each.startsWith(`${path}/`))) continue
    const name = ours.has(path) ? names[0] : names[1]
    const moved = `${path}~${name}`
    made.delete(path)
    made.set(moved, entry)
    conflicts.delete(path)
    conflicts.add(moved)
    told.push([
      path,
      `CONFLICT (file/directory): directory in the way of ${path} from ${name}; moving it to ${moved} instead.`,
    ])
  }
}
