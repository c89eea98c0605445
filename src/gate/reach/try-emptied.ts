import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { canEmpty, emptyFunctions } from '../../domain/gate/reach/emptied-functions.ts'
import type { Reach } from '../../domain/verification/assurance.ts'
import { isGreenWithout } from '../assurance/green-without.ts'
import { runVariant, type VariantDeps } from '../assurance/run-variant.ts'
import { shortened } from '../assurance/shortened-steps.ts'
import type { Trying } from '../assurance/try-hybrid.ts'
import type { ProbedUnit, Probes } from './find-probes.ts'
import { isStillScript } from './plain-code.ts'

interface Asked extends Trying {
  readonly probes: Probes
  readonly reach: Reach
}

/**
 * Runs the steps once with all new functions empty. A test that is new fails without the change as
 * soon as it cannot load what it names. It says something about a function only if it fails as well
 * when the function is there and does nothing.
 */
export async function tryEmptied(deps: VariantDeps, asked: Asked, signal: AbortSignal): Promise<readonly Suspicion[]> {
  const { probes, reach, input, folder, change, flaky } = asked
  // Functions that no test runs are told as such.
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
  if (input.refactor || empty.length === 0) return []
  const tree = await deps.history.treeWith({ base: input.commit, from: input.commit, paths: [], files })
  const config = shortened(input.config, change)
  const variant = { tree, name: 'emptied' }
  const ran = await runVariant(deps, { input: { ...input, config }, folder, variant }, signal)
  if (!isGreenWithout({ config, change, flaky: flaky.ids }, ran)) return []
  return [unneeded(empty, input.runId)]
}

function unneeded(units: readonly ProbedUnit[], runId: string): Suspicion {
  const [first] = units
  const places = units.map(({ path, line, lines }) => `${path}:${line}: ${lines[0]}`)
  return {
    ...{ kind: 'no_proof', file: first?.path ?? '', ...(first && { line: first.line }) },
    claim:
      units.length === 1
        ? 'No test needs what the new function does: all steps stay green when it does nothing and returns nothing.'
        : `No test needs what the ${units.length} new functions do: all steps stay green when they do nothing and return nothing.`,
    evidence: `${listed(places)}\nlogs/emptied.log of ${runId}`,
    identity: units.flatMap(({ path, lines }) => [path, ...lines]),
  }
}
