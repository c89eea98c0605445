import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { canEmpty, emptyFunctions } from '../../domain/gate/reach/emptied-functions.ts'
import type { Reach } from '../../domain/verification/assurance.ts'
import { isHeld } from '../assurance/is-held.ts'
import type { NarrowedOnce } from '../assurance/narrowing.ts'
import type { VariantDeps } from '../assurance/run-variant.ts'
import type { Trying } from '../assurance/trying.ts'
import type { ProbedUnit, Probes } from './find-probes.ts'
import { isStillScript } from './plain-code.ts'

interface EmptiedInput extends Trying {
  readonly narrowed: NarrowedOnce
  readonly probes: Probes
  readonly reach: Reach
}

/**
 * Runs the steps once with all new functions empty. A new test fails without the change as soon as
 * it cannot load a name from it. The test is meaningful for a function only if it also fails when
 * the function exists and does nothing. The tests that load the change run first; if they stay
 * green, the whole tree runs.
 */
export async function tryEmptied(
  deps: VariantDeps,
  { probes, reach, narrowed: narrowedFor, ...trying }: EmptiedInput,
  signal: AbortSignal,
): Promise<readonly Suspicion[]> {
  const { input } = trying
  // Functions that no test runs are reported separately.
  const left = new Set([...reach.unreached.map(({ file, start }) => `${file}:${start}`), ...reach.not_tried])
  const isReached = ({ path, line }: ProbedUnit) => !left.has(`${path}:${line}`)
  const isNew = (unit: ProbedUnit) => unit.isNewFunction && unit.probe !== null && canEmpty(unit.path)
  const functions = Map.groupBy(probes.units.filter(isNew), ({ path }) => path)
  const files = [...functions].flatMap(([path, units]) => {
    const was = probes.texts.get(path) ?? ''
    const is = emptyFunctions(
      path,
      was,
      units.flatMap(({ probe }) => probe ?? []),
    )
    return isStillScript(path, { was, is }) ? [{ path, content: is }] : []
  })
  const empty = files.flatMap(({ path }) => functions.get(path) ?? []).filter(isReached)
  if (input.purpose !== 'change' || input.refactor || empty.length === 0) return []
  const lacking = { name: 'emptied', paths: [], files }
  const whole = { ...lacking, narrowed: null }
  const few = await narrowedFor(input, signal)
  const narrowed = few !== null && files.every(({ path }) => few.reaches(path)) ? few : null
  if (narrowed !== null && (await isHeld(deps, trying, { ...lacking, name: 'emptied-few', narrowed }, signal)))
    return []
  return (await isHeld(deps, trying, whole, signal)) ? [] : [unneeded(empty, input.runId)]
}

function unneeded(units: readonly ProbedUnit[], runId: string): Suspicion {
  const [first] = units
  const places = units.map(({ path, line, lines }) => `${path}:${line}: ${lines[0]}`)
  return {
    kind: 'no_proof',
    file: first?.path ?? '',
    ...(first && { line: first.line }),
    claim:
      units.length === 1
        ? 'No test needs what the new function does: all steps stay green when it does nothing and returns nothing.'
        : `No test needs what the ${units.length} new functions do: all steps stay green when they do nothing and return nothing.`,
    evidence: `${listed(places)}\nlogs/emptied.log of ${runId}`,
    identity: units.flatMap(({ path, lines }) => [path, ...lines]),
  }
}
