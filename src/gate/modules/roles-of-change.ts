import { declaredTests } from '../../domain/gate/declared-tests.ts'
import { type FileKind, isProgram } from '../../domain/gate/file-kind.ts'
import { filesRunBy } from '../../domain/gate/files-run-by.ts'
import { isModule } from '../../domain/gate/modules/build-graph.ts'
import { dataUse, type Naming } from '../../domain/gate/modules/data-use.ts'
import { reachedBy } from '../../domain/gate/modules/graph.ts'
import { isTurnedAround, namesIn } from '../../domain/gate/modules/round-trips.ts'
import { judgingOf, type Uses } from '../../domain/gate/modules/uses.ts'
import { limits } from '../../domain/limits.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import type { ChangedFile, History } from '../../ports/history.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import { usesOfTree } from './uses-of-tree.ts'

interface Change {
  readonly base: TreeTests
  readonly change: Pick<TreeTests, 'commit'>
  readonly config: RunConfig
  readonly files: readonly ChangedFile[]
  /** The kind of a path by its name alone. */
  readonly nameOf: (path: string) => FileKind
}

/** The kinds of the changed files by use; a path without an entry has the kind of its name. */
export interface RolesOfChange {
  readonly by: 'by use' | 'by name'
  readonly kinds: ReadonlyMap<string, FileKind>
  /** Sources that apparently only tests load: support of tests, or tested code. */
  readonly likely: ReadonlySet<string>
  /** Steps whose commands compare with changed data of tests. */
  readonly comparing: ReadonlySet<string>
}

export const byName: RolesOfChange = { by: 'by name', kinds: new Map(), likely: new Set(), comparing: new Set() }

/**
 * Finds the roles by the graph of the modules, and by the texts that name a data file. A file of
 * the base keeps its role there, whatever the change does to it.
 */
export async function rolesOfChange(
  deps: { readonly history: History },
  { base, change, config, files, nameOf }: Change,
  signal: AbortSignal,
): Promise<RolesOfChange> {
  const asked = files.slice(0, limits.gate.files)
  const before = await usesOfTree(deps, base.commit, signal)
  if (before === null) return byName
  const isTraced = base.deciding !== undefined && base.deciding.untraced === null
  if (before.graph.modules.size === 0 && !isTraced) return byName
  const isNew = ({ status }: ChangedFile) => status === 'added' || status === 'renamed'
  const mayJudge = (file: ChangedFile) => isNew(file) && ['source', 'other'].includes(nameOf(file.path))
  const after = asked.some(mayJudge) ? await usesOfTree(deps, change.commit, signal) : null
  const kinds = new Map<string, FileKind>()
  const likely = new Set<string>()
  const note = (path: string, uses: Uses, isOfBase: boolean) => {
    const role = roleOf({ uses, path, named: nameOf(path), isOfBase })
    if (role === 'likely') likely.add(path)
    else if (role !== null) kinds.set(path, role)
  }
  for (const file of asked) {
    if (file.status !== 'added') note(file.from ?? file.path, before, true)
    if (isNew(file) && after !== null) note(file.path, after, false)
  }
  const naming: Naming = {
    commands: config.steps.flatMap(({ command }) => comparingTexts(before, command)),
    isConfig: (path) => nameOf(path) === 'config',
  }
  const data = asked.filter(({ path }) => isData(path, nameOf(path))).slice(0, limits.modules.data)
  for (const file of data) {
    const places: readonly { readonly uses: Uses; readonly path: string }[] = [
      ...(file.status === 'added' ? [] : [{ uses: before, path: file.from ?? file.path }]),
      ...(isNew(file) && after !== null ? [{ uses: after, path: file.path }] : []),
    ]
    for (const { uses, path } of places) {
      const use = dataUse({ uses, naming }, path) ?? (isOpenedByTests(base, path) ? 'tests' : null)
      if (use === 'tests') kinds.set(path, 'fixture')
      else if (use === 'likely' && uses === before) likely.add(path)
    }
  }
  const added = asked.flatMap(({ path, status }) => (status === 'added' && nameOf(path) === 'source' ? [path] : []))
  const kept = asked.flatMap(({ path, from = path }) =>
    [path, from].filter((each) => (kinds.get(each) ?? nameOf(each)) === 'source' && !likely.has(each)),
  )
  for (const path of likely) if (mayNeed(before, path, kept) || isTurnedAround(before, path, kept)) likely.delete(path)
  for (const path of after === null ? [] : takingOver({ before, after, likely, added })) likely.add(path)
  return { by: 'by use', kinds, likely, comparing: comparingSteps(before, { config, asked, kinds, nameOf }) }
}

/**
 * Added sources that declare names which files loaded only by tests have lost: the old and new
 * versions do not fit together.
 */
function takingOver({
  before,
  after,
  likely,
  added,
}: {
  readonly before: Uses
  readonly after: Uses
  readonly likely: ReadonlySet<string>
  readonly added: readonly string[]
}): readonly string[] {
  const lost = new Set(
    [...likely].flatMap((path) => {
      const still = new Set(namesIn(after.tree, path))
      return namesIn(before.tree, path).filter((name) => !still.has(name))
    }),
  )
  return added.filter((path) => namesIn(after.tree, path).some((name) => lost.has(name)))
}

interface RoleQuery {
  readonly uses: Uses
  readonly path: string
  readonly named: FileKind
  readonly isOfBase: boolean
}

function roleOf({ uses, path, named, isOfBase }: RoleQuery): FileKind | 'likely' | null {
  if (!isModule(path)) return null
  if (named === 'test') return isProductByUse(uses, path) ? 'source' : null
  if (named !== 'source') return null
  const judging = judgingOf(uses, path)
  if (judging === 'sure') return 'test'
  return judging === 'likely' && isOfBase ? 'likely' : null
}

/** True if the product loads a file that is a test by its path. */
function isProductByUse({ started, tested, tree }: Uses, path: string): boolean {
  const isCalledTest = /[._-](?:test|spec|cy|e2e)s?\.[^/]+$|(?:^|\/)(?:test_[^/]+|tests?\.[^/]+)$/i.test(path)
  return !isCalledTest && started.has(path) && tested.has(path) && declaredTests(tree.text(path), path).length === 0
}

/** True if a file is data: neither program text nor a document for people. */
function isData(path: string, named: FileKind): boolean {
  if (isProgram(path)) return false
  if (named === 'source') return true
  const isForPeople = /(?:^|\/)(?:docs?|documentation|man)\/|^[^/]*$|(?:^|\/)(?:readme|licen[cs]e|change)[^/]*$/i.test(
    path,
  )
  return named === 'other' && !isForPeople
}

function isOpenedByTests({ deciding }: TreeTests, path: string): boolean {
  return deciding?.inTests?.includes(path) === true
}

/** True if a file loads a changed source, so that its old version may not fit the new source. */
function mayNeed({ graph }: Uses, path: string, sources: readonly string[]): boolean {
  const reached = reachedBy(graph, [path], { inTests: true })
  return sources.some((each) => each !== path && reached.has(each))
}

/**
 * Programs that compare their input with a file. Other programs, such as `grep`, check the file
 * itself.
 */
const comparing = /\b(?:diff|cmp|comm|compare)\b/

/** The texts that compare files: a command line, and the manifests and scripts that it runs. */
export function comparingTexts({ tree }: Uses, command: string): readonly string[] {
  const runsScripts = /\b(?:npm|pnpm|yarn|bun)\b/.test(command)
  const runsMake = /\b(?:make|ctest|cmake)\b/.test(command)
  const named = tree.paths.filter(
    (path) =>
      (runsScripts && /(?:^|\/)package\.json$/.test(path)) ||
      (runsMake && /(?:^|\/)(?:(?:GNU)?makefile|CMakeLists\.txt)$|\.mk$/i.test(path)),
  )
  const texts = [...named, ...filesRunBy(command)].map((path) => tree.text(path))
  return [command, ...texts].filter((text) => comparing.test(text))
}

function comparingSteps(
  uses: Uses,
  {
    config,
    asked,
    kinds,
    nameOf,
  }: Pick<Change, 'config' | 'nameOf'> & {
    readonly asked: readonly ChangedFile[]
    readonly kinds: ReadonlyMap<string, FileKind>
  },
): ReadonlySet<string> {
  const data = asked.flatMap(({ path, from = path }) =>
    !isProgram(from) && (kinds.get(from) ?? nameOf(from)) === 'fixture' ? [from] : [],
  )
  const steps = config.steps.filter(({ command }) => {
    return comparingTexts(uses, command).some((text) =>
      data.some((path) => path.split('/').some((part) => part.length > 2 && text.includes(part))),
    )
  })
  return new Set(steps.map(({ name }) => name))
}
