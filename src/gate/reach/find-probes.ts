import { createHash } from 'node:crypto'
import { besideProduct } from '../../domain/gate/modules/beside-product.ts'
import { earlyPlaces, familyOf } from '../../domain/gate/reach/blocks-of.ts'
import { type PlannedProbe, type PlantedFile, plantProbes } from '../../domain/gate/reach/plant-probes.ts'
import { limits } from '../../domain/limits.ts'
import { isTestFile } from '../../domain/story/plan.ts'
import { changedPrograms } from '../assurance/changed-programs.ts'
import type { TwoTexts } from '../assurance/hunks.ts'
import type { Trying } from '../assurance/trying.ts'
import { type ComparingDeps, textAt } from '../findings/compared-files.ts'
import { usesOfTree } from '../modules/uses-of-tree.ts'
import { stepTemporary } from '../step-environment.ts'
import { changedCode } from './changed-code.ts'
import { isStillScript, plainCode } from './plain-code.ts'
import { type Unit, unitsOf } from './units.ts'

export interface ProbedUnit extends Unit {
  /** The word that the unit's probe writes. */
  readonly word: string
}

export interface Probes {
  readonly units: readonly ProbedUnit[]
  /** The changed files with a probe in each unit, and the helper files of the probes. */
  readonly files: readonly PlantedFile[]
  /** Test files with control probes, and the helper files of these. */
  readonly testFiles: readonly PlantedFile[]
  /** The language family whose probes a control probe shows to work, by the control's word. */
  readonly controls: ReadonlyMap<string, string>
  /** The file that the probes write into, below the steps' temporary folder. */
  readonly notes: string
  /** The changed programs in their new version, by path. */
  readonly texts: ReadonlyMap<string, string>
  /** Places of code in which no probe can stand: `path` or `path:line`. */
  readonly untried: readonly string[]
}

/** Plans a probe in each changed body and branch, which reports that something runs the code. */
export async function findProbes(deps: ComparingDeps, trying: Trying, signal: AbortSignal): Promise<Probes> {
  const { found, texts, untried } = await findUnits(deps, trying, signal)
  const word = createHash('sha256').update(`reach ${trying.change.tree}`).digest('hex').slice(0, 12)
  const notes = `r${word}`
  const into = `${stepTemporary}/${notes}`
  const asked = found.map((unit, i): ProbedUnit => ({ ...unit, word: `p${word}${i}` }))
  const controls = new Map<string, string>()
  const control = (path: string, text: string): readonly PlannedProbe[] =>
    earlyPlaces(path, text).map((place) => {
      const own = `c${word}${controls.size}`
      controls.set(own, familyOf(path) ?? '')
      return { place, word: own }
    })
  const files: PlantedFile[] = []
  const units: ProbedUnit[] = []
  for (const path of new Set(asked.map((unit) => unit.path))) {
    const text = texts.get(path) ?? ''
    const here = asked.filter((unit) => unit.path === path && unit.probe !== null)
    const some = here.slice(0, Math.max(0, limits.reach.probes - units.length))
    const own = some.flatMap(({ probe: place, word }): readonly PlannedProbe[] => (place ? [{ place, word }] : []))
    const isTaken = ({ place }: PlannedProbe) => own.some((each) => each.place.at === place.at)
    const probes = [...own, ...control(path, plainCode(path, text)).filter((each) => !isTaken(each))]
    const planted = plantProbes({ path, text, probes, into })
    if (!isStillScript(path, { was: text, is: planted[0]?.text ?? text })) continue
    files.push(...planted)
    units.push(...some)
  }
  const testFiles: PlantedFile[] = []
  for (const { path, text } of await someTests(deps, { trying, units }, signal)) {
    const planted = plantProbes({ path, text, probes: control(path, plainCode(path, text)), into })
    if (isStillScript(path, { was: text, is: planted[0]?.text ?? text })) testFiles.push(...planted)
  }
  const left = asked.filter((unit) => !units.includes(unit))
  const places = [...untried, ...left.map(({ path, line }) => `${path}:${line}`)]
  return { units, files, testFiles, controls, notes, texts, untried: places }
}

interface ProbeUnits {
  readonly found: readonly Unit[]
  /** The changed programs in their new version, by path. */
  readonly texts: ReadonlyMap<string, string>
  readonly untried: readonly string[]
}

async function findUnits(deps: ComparingDeps, trying: Trying, signal: AbortSignal): Promise<ProbeUnits> {
  const { programs, unread } = await changedPrograms(deps, trying, signal)
  const paths = [...programs.map(({ path }) => path), ...unread]
  const uses = paths.length === 0 ? null : await usesOfTree(deps, trying.change.commit, signal)
  const beside = besideProduct(paths, uses?.graph ?? null)
  const own = programs.filter((program) => !isMade(program) && !beside.has(program.path))
  const inputs = trying.input.config.prepare.flatMap((step) => step.inputs)
  const isInput = (path: string) => inputs.some((each) => path === each || path.startsWith(`${each}/`))
  const found: Unit[] = []
  const untried = unread.filter((path) => !beside.has(path))
  for (const changed of changedCode(own)) {
    const units = unitsOf(changed)
    const isAsked = [...changed.added.keys()].some((line) => !changed.moved.has(line))
    // A probe in an input of a prepare step would make the step run again.
    if (units === null || isInput(changed.path)) untried.push(...(isAsked ? [changed.path] : []))
    else found.push(...units)
  }
  return { found, texts: new Map(own.map(({ path, after }) => [path, after ?? ''])), untried }
}

/** A few test files of each family of languages, changed ones first. */
async function someTests(
  deps: ComparingDeps,
  { trying, units }: { readonly trying: Trying; readonly units: readonly ProbedUnit[] },
  signal: AbortSignal,
): Promise<readonly PlantedFile[]> {
  if (units.length === 0) return []
  const { change, files } = trying
  const listed = await deps.history.committed(change.commit).list('**', limits.testReport.tests, signal)
  if (!listed.ok) return []
  const changed = new Set(files.map(({ path }) => path))
  const found: PlantedFile[] = []
  for (const family of new Set(units.map(({ path }) => familyOf(path)))) {
    const all = listed.value.paths.filter((path) => isTestFile(path) && familyOf(path) === family)
    const first = all.toSorted((one, other) => Number(changed.has(other)) - Number(changed.has(one)))
    for (const path of first.slice(0, limits.reach.testFiles)) {
      const text = await textAt(deps, { sha: change.commit, path }, signal)
      if (text !== null && !text.includes('\uFFFD')) found.push({ path, text })
    }
  }
  return found
}

/** True if a file is generated or vendored, or only declares types. */
function isMade({ path, before, after }: TwoTexts): boolean {
  const named =
    /(?:^|\/)(?:vendor|third_party|node_modules|dist)\/|\.(?:pb\.go|min\.js|d\.[cm]?ts|pyi)$|_pb2(?:_grpc)?\.py$/
  const head = (before ?? after ?? '').split('\n', 10).join('\n')
  return named.test(path) || /\bCode generated\b.*\bDO NOT EDIT\b|@generated\b/i.test(head)
}
