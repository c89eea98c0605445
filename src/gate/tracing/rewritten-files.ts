import { fileKind } from '../../domain/gate/file-kind.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { decidesByName } from '../../domain/gate/made-by-steps.ts'
import { limits } from '../../domain/limits.ts'
import type { InfraError } from '../../domain/verification/verdict.ts'
import type { RunFolder } from '../../ports/artifacts.ts'
import type { History } from '../../ports/history.ts'
import type { Mount, OverlayMount, Sandbox, SandboxSession, SandboxSpec } from '../../ports/sandbox.ts'
import { insideRepository } from '../inside.ts'
import type { VerifyInput } from '../verification-place.ts'

/**
 * A test, configuration file or expectation that a step changed from its content in the commit, or
 * an uncommitted file that decides by its name; plain JSON.
 */
export interface Rewritten {
  readonly path: string
  /** The first step after which the change was seen. */
  readonly step: string
  /** SHA-256 of the content then; null for a missing file or a non-file, and for a new one. */
  readonly now: string | null
  /** The decision that a new file takes part in. */
  readonly decides?: string
  /** Set for a new file of a kind that tools write beside the files that they process. */
  readonly isOutput?: true
}

/** Checks after a step that the files of the gate still have their content in the commit. */
export type WriteLook = (step: string, signal: AbortSignal) => Promise<InfraError | null>

interface Watching {
  readonly input: Pick<VerifyInput, 'commit' | 'config'>
  readonly folder: Pick<RunFolder, 'overlaid' | 'written'>
  readonly spec: SandboxSpec
}

/** A watch over the writes of one run's steps. */
interface WriteWatch {
  /** Null if the steps cannot write into the repository. */
  readonly look: WriteLook | null
  /** Files of the gate that the steps rewrote so far. */
  rewritten(): readonly Rewritten[]
}

type Deps = { readonly sandbox: Sandbox; readonly history: History }

/** Mount point of the checkout without the steps' writes. */
const asCommitted = '/mnt/commit'

/** Watches rewriting by the steps; each watch has its own results. */
export function watchRewriting(deps: Deps, watching: Watching): WriteWatch {
  const { input, folder, spec } = watching
  const overlay = spec.mounts.find(
    (mount): mount is OverlayMount => mount.access === 'overlay' && mount.at === insideRepository,
  )
  const checkout = overlay?.lower.at(-1)
  if (overlay === undefined || checkout === undefined) return { look: null, rewritten: () => [] }
  const committed: Mount = { path: checkout, at: asCommitted, access: 'read' }
  const both = { ...spec, mounts: [...spec.mounts, committed], cwd: insideRepository }
  let rewritten = new Map<string, Rewritten>()
  let judged: Promise<readonly string[]> | null = null

  const look: WriteLook = async (step, signal) => {
    const tops = new Set(await folder.overlaid())
    if (tops.size === 0) return null
    rewritten = await withNew(deps, watching, { step, before: rewritten })
    judged ??= judgedFiles(deps, input, signal)
    const isTouched = (path: string) => tops.has(path.split('/')[0] ?? '')
    const candidates = (await judged).filter((path) => !rewritten.has(path) && isTouched(path))
    if (candidates.length === 0) return null
    const opened = await deps.sandbox.open(both, signal)
    if (!opened.ok) return opened.error
    try {
      for (const path of candidates) {
        const [now, before] = await Promise.all([
          hashOf(opened.value, { path }, signal),
          hashOf(opened.value, { path, root: asCommitted }, signal),
        ])
        if (before === null) throw new Error(`${path} cannot be read in the checkout`)
        if (now !== before) rewritten.set(path, { path, step, now })
      }
    } finally {
      await opened.value.close()
    }
    return null
  }
  return { look, rewritten: () => [...rewritten.values()] }
}

/** Stands for all files beyond the limit. */
const unseen = '(more files than are looked at)'

/** The earlier findings, and the new files that no commit has. */
async function withNew(
  { history }: Deps,
  { input: { commit, config }, folder }: Watching,
  { step, before }: { readonly step: string; readonly before: ReadonlyMap<string, Rewritten> },
): Promise<Map<string, Rewritten>> {
  const rewritten = new Map(before)
  const place = { inputs: config.prepare.flatMap(({ inputs }) => inputs), folder: config.package }
  const isWanted = (path: string) => decidesByName(path, place) !== null
  const { paths, isWhole } = await folder.written({ isWanted, most: limits.trace.written })
  if (!isWhole && !rewritten.has(unseen))
    rewritten.set(unseen, { path: unseen, step, now: null, decides: 'anything, since nobody has seen them' })
  const { pathsAtOnce } = limits.gate
  const open = paths.filter((path) => !rewritten.has(decidesByName(path, place)?.path ?? path))
  for (let start = 0; start < open.length; start += pathsAtOnce) {
    const some = open.slice(start, start + pathsAtOnce)
    const known = await history.contents(commit, some)
    for (const each of some) {
      const made = decidesByName(each, place)
      if (made === null || (known[each] ?? null) !== null || rewritten.has(made.path)) continue
      rewritten.set(made.path, {
        path: made.path,
        step,
        now: null,
        decides: made.what,
        ...(made.isOutput && { isOutput: true }),
      })
    }
  }
  return rewritten
}

async function judgedFiles(
  { history }: Deps,
  { commit, config }: Watching['input'],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found = await history.committed(commit).list('**', limits.change.files, signal)
  if (!found.ok) return []
  const inputs = config.prepare.flatMap((step) => step.inputs)
  const known = { inputs, named: new Set<string>() }
  return found.value.paths.filter((path) => ['test', 'fixture', 'config'].includes(fileKind(path, known)))
}

/** Null for a missing file or a non-file. */
async function hashOf(
  session: SandboxSession,
  file: { readonly path: string; readonly root?: string },
  signal: AbortSignal,
): Promise<string | null> {
  const reply = await session.request({ op: 'hash', ...file }, signal)
  return reply.ok ? reply.value.sha256 : null
}

/**
 * Findings on files of the gate that the steps rewrote, unless they do the same on the base commit.
 * Rewriting a fixture there as well never counts, nor does a new file that they also make there.
 */
export function inRewritten(
  base: readonly Rewritten[],
  change: readonly Rewritten[],
  kindOf: (path: string) => string,
): readonly Suspicion[] {
  const before = new Map(base.map((each) => [each.path, each]))
  const isUsual = ({ path, now, decides }: Rewritten) => {
    const known = before.get(path)
    return known !== undefined && (known.now === now || decides !== undefined || kindOf(path) === 'fixture')
  }
  const found = change.filter((each) => !isUsual(each))
  const isNew = ({ decides }: Rewritten) => decides !== undefined
  return [
    ...toldAs(
      rewrites,
      found.filter((each) => !isNew(each)),
    ),
    ...toldAs(makes, found.filter(isNew)),
  ]
}

interface Telling {
  readonly claim: (step: string, what: string) => string
  readonly line: (file: Rewritten) => string
}

const rewrites: Telling = {
  claim: (step, what) => `The step ${step} rewrites what the change is judged with: ${what}.`,
  line: ({ path, now }) => `${path} ${now === null ? 'is gone, or no file' : 'has another content'}`,
}

const makes: Telling = {
  claim: (step, what) =>
    `The step ${step} writes what no commit has, and the base commit’s does not: ${what}. Commit it, or write it elsewhere.`,
  line: ({ path, decides }) => `${path} decides about ${decides}`,
}

/** Too many files are reported together, once for each step. */
function toldAs({ claim, line }: Telling, found: readonly Rewritten[]): readonly Suspicion[] {
  const isFew = found.length <= limits.gate.listed
  const groups = Map.groupBy(found, ({ step, path }) => (isFew ? path : step))
  return [...groups.values()].map((files) => ({
    kind: 'rewritten_in_step',
    file: files.length === 1 ? (files[0]?.path ?? '') : '',
    claim: claim(files[0]?.step ?? '', isFew ? (files[0]?.path ?? '') : `${files.length} files`),
    evidence: listed(files.map(line)),
    identity: files.flatMap(({ path, step, now, decides }) => [step, path, now ?? '', ...(decides ? [decides] : [])]),
  }))
}
