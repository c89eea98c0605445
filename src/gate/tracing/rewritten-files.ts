import { fileKind } from '../../domain/gate/file-kind.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { limits } from '../../domain/limits.ts'
import type { InfraError } from '../../domain/verification/verdict.ts'
import type { RunFolder } from '../../ports/artifacts.ts'
import type { History } from '../../ports/history.ts'
import type { Mount, OverlayMount, Sandbox, SandboxSession, SandboxSpec } from '../../ports/sandbox.ts'
import { insideRepository } from '../inside.ts'
import type { VerifyInput } from '../verification-place.ts'

/**
 * A test, configuration file or expectation that a step changed from its content in the commit;
 * plain JSON.
 */
export interface Rewritten {
  readonly path: string
  /** The first step after which it was so. */
  readonly step: string
  /** SHA-256 of what it was then; null when it was gone, or no file. */
  readonly now: string | null
}

/** Checks after a step whether the files of the gate still have their content in the commit. */
export type LookAtWritten = (step: string, signal: AbortSignal) => Promise<InfraError | null>

interface Watching {
  readonly input: Pick<VerifyInput, 'commit' | 'config'>
  readonly folder: Pick<RunFolder, 'overlaid'>
  readonly spec: SandboxSpec
  /** What is found is added to it. */
  readonly rewritten: Map<string, Rewritten>
}

type Deps = { readonly sandbox: Sandbox; readonly history: History }

/** Where the checkout lies without what the steps have written. */
const asCommitted = '/mnt/commit'

/** Null where steps cannot write into the repository. */
export function watchRewriting(deps: Deps, { input, folder, spec, rewritten }: Watching): LookAtWritten | null {
  const overlay = spec.mounts.find(
    (mount): mount is OverlayMount => mount.access === 'overlay' && mount.at === insideRepository,
  )
  const checkout = overlay?.lower.at(-1)
  if (overlay === undefined || checkout === undefined) return null
  const committed: Mount = { path: checkout, at: asCommitted, access: 'read' }
  const both = { ...spec, mounts: [...spec.mounts, committed], cwd: insideRepository }
  let judged: Promise<readonly string[]> | null = null

  return async (step, signal) => {
    judged ??= judgedFiles(deps, input, signal)
    const tops = new Set(await folder.overlaid())
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

/** Null for what is gone, or no file. */
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
 * A fixture that they also rewrite there never counts.
 */
export function inRewritten(
  base: readonly Rewritten[],
  change: readonly Rewritten[],
  kindOf: (path: string) => string,
): readonly Suspicion[] {
  const before = new Map(base.map((each) => [each.path, each]))
  const isUsual = ({ path, now }: Rewritten) => {
    const known = before.get(path)
    return known !== undefined && (known.now === now || kindOf(path) === 'fixture')
  }
  const found = change.filter((each) => !isUsual(each))
  // Too many to be taken one by one are one for each step.
  const isFew = found.length <= limits.gate.listed
  const groups = Map.groupBy(found, ({ step, path }) => (isFew ? path : step))
  return [...groups.values()].map((files) => ({
    ...{ kind: 'rewritten_in_step', file: files.length === 1 ? (files[0]?.path ?? '') : '' },
    claim: `The step ${files[0]?.step} rewrites what the change is judged with: ${isFew ? files[0]?.path : `${files.length} files`}.`,
    evidence: listed(
      files.map(({ path, now }) => `${path} ${now === null ? 'is gone, or no file' : 'has another content'}`),
    ),
    identity: files.flatMap(({ path, step, now }) => [step, path, now ?? '']),
  }))
}
