import { createHash } from 'node:crypto'
import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileKind } from '../../domain/gate/file-kind.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { limits } from '../../domain/limits.ts'
import type { InfraError } from '../../domain/verification/verdict.ts'
import type { History } from '../../ports/history.ts'
import type { OverlayMount, Sandbox, SandboxSpec } from '../../ports/sandbox.ts'
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
  readonly spec: SandboxSpec
  /** What is found is added to it. */
  readonly rewritten: Map<string, Rewritten>
}

type Deps = { readonly sandbox: Sandbox; readonly history: History }

/** Null where steps cannot write into the repository. */
export function watchRewriting(deps: Deps, { input, spec, rewritten }: Watching): LookAtWritten | null {
  const overlay = spec.mounts.find(
    (mount): mount is OverlayMount => mount.access === 'overlay' && mount.at === insideRepository,
  )
  const checkout = overlay?.lower.at(-1)
  if (overlay === undefined || checkout === undefined) return null
  let judged: Promise<readonly string[]> | null = null

  return async (step, signal) => {
    judged ??= judgedFiles(deps, input, signal)
    // What lies in a folder that the overlay does not have is as it was.
    const tops = new Map<string, Promise<boolean>>()
    const isTouched = (path: string) => {
      const [top = ''] = path.split('/')
      if (!tops.has(top)) tops.set(top, isThere(join(overlay.upper, top)))
      return tops.get(top)
    }
    const candidates: string[] = []
    for (const path of await judged) if (!rewritten.has(path) && (await isTouched(path))) candidates.push(path)
    if (candidates.length === 0) return null
    const opened = await deps.sandbox.open({ ...spec, cwd: insideRepository }, signal)
    if (!opened.ok) return opened.error
    try {
      for (const path of candidates) {
        const reply = await opened.value.request({ op: 'hash', path }, signal)
        const now = reply.ok ? reply.value.sha256 : null
        if (now !== (await hashOf(join(checkout, path)))) rewritten.set(path, { path, step, now })
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

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

async function hashOf(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
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
