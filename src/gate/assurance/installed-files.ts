import { posix } from 'node:path'
import { guardedBy, isPackageManifest } from '../../domain/gate/guarded-file.ts'
import { withInstalledParts } from '../../domain/gate/manifests/installed-parts.ts'
import type { ChangedFile } from '../../ports/history.ts'
import { type ComparingDeps, textAt } from '../findings/compared-files.ts'
import type { VerifyInput } from '../verification-place.ts'

interface InstalledFiles {
  /** Paths with the content of the change. */
  readonly paths: readonly string[]
  /** Manifests of the base with the dependencies of the change. */
  readonly files: readonly { readonly path: string; readonly content: string }[]
}

interface InstallQuery {
  readonly input: Pick<VerifyInput, 'config'>
  readonly base: { readonly commit: string }
  readonly change: { readonly commit: string }
  readonly files: readonly ChangedFile[]
}

/**
 * The changed files from which packages are installed. A manifest contributes only its
 * dependencies, since the rest of it decides about scripts, entries and tools. A package in a
 * folder that is new in the change is taken unchanged.
 */
export async function installedFiles(
  deps: ComparingDeps,
  { input, base, change, files }: InstallQuery,
  signal: AbortSignal,
): Promise<InstalledFiles> {
  const inputs = input.config.prepare.flatMap((step) => step.inputs)
  const isInstalledFrom = (path: string) =>
    isPackageManifest(path) || /^(?:locked|installed) dependencies$/.test(guardedBy(path, inputs) ?? '')
  const paths: string[] = []
  const made: { readonly path: string; readonly content: string }[] = []
  for (const file of files) {
    const { path, from = path, status } = file
    const own = [path, from].filter(isInstalledFrom)
    if (own.length === 0) continue
    const before = status === 'added' ? '' : await textAt(deps, { sha: base.commit, path: from }, signal)
    const after = status === 'deleted' ? null : await textAt(deps, { sha: change.commit, path }, signal)
    // A module or project needs its name, so its added manifest is taken whole.
    const isWhole = status === 'added' && posix.basename(path) !== 'package.json'
    const isReadable = before !== null && after !== null && !isWhole
    const content = isReadable ? withInstalledParts(path, { base: before, change: after }) : null
    if (content === null || (await isOfNewFolder(deps, base.commit, file))) {
      if (!isPackageManifest(path) || status === 'deleted' || status === 'added') paths.push(...new Set(own))
      continue
    }
    if (from !== path) paths.push(from)
    if (content !== before || from !== path) made.push({ path, content })
  }
  return { paths, files: made }
}

/** True if a file was added to a folder that the commit does not have. */
export async function isOfNewFolder(
  { history }: ComparingDeps,
  commit: string,
  { path, status }: ChangedFile,
): Promise<boolean> {
  const folder = posix.dirname(path)
  if (status !== 'added' || folder === '.') return false
  return !(await history.contents(commit, [folder]))[folder]
}
