import { type FileKind, type FileOfKind, fileKind } from '../../domain/gate/file-kind.ts'
import type { Judging } from '../../domain/gate/modules/uses.ts'
import { limits } from '../../domain/limits.ts'
import { testsCalledSetUp } from '../findings/called-set-up.ts'
import type { ChangeComparison, ComparingDeps } from '../findings/compared-files.ts'
import { byName, type RolesOfChange, rolesOfChange } from './roles-of-change.ts'

/** The kinds of files, as the gate treats them. */
interface Kinds extends Pick<RolesOfChange, 'likely' | 'comparing'> {
  readonly roles: RolesOfChange['by']
  readonly kindOf: (path: string) => FileKind
  /** Modified files that are tests, or their support, on the base commit by their use alone. */
  readonly testsByUse: ReadonlyMap<string, Judging>
  /** The kinds of the first changed files. */
  readonly told: readonly FileOfKind[]
}

/** Finds the kinds by use, or by names alone where the gate only runs the steps. */
export async function kindsOf(deps: ComparingDeps, compared: ChangeComparison, signal: AbortSignal): Promise<Kinds> {
  const { base, config, files } = compared
  const tests = await testsCalledSetUp(deps, compared, signal)
  const named = new Set(base.deciding?.files.map(({ path }) => path))
  const inputs = config.prepare.flatMap((step) => step.inputs)
  const known = { inputs, named, tests: new Set([...tests].filter((path) => !named.has(path))) }
  const nameOf = (path: string) => fileKind(path, known)
  const { by, kinds, likely, comparing } =
    config.assurance === 'fast' ? byName : await rolesOfChange(deps, { ...compared, nameOf }, signal)
  const kindOf = (path: string) => kinds.get(path) ?? nameOf(path)
  const told = files.slice(0, limits.gate.files).map(({ path }): FileOfKind => ({ path, is: kindOf(path) }))
  const testsByUse = new Map(
    files.flatMap(({ path, status }): readonly (readonly [string, Judging])[] => {
      if (status !== 'modified') return []
      return kinds.get(path) === 'test' ? [[path, 'sure']] : likely.has(path) ? [[path, 'likely']] : []
    }),
  )
  return { roles: by, kindOf, testsByUse, told, likely, comparing }
}
