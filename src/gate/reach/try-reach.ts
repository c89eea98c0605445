import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { familyOf } from '../../domain/gate/reach/blocks-of.ts'
import { limits } from '../../domain/limits.ts'
import { lostTests, type Reach } from '../../domain/verification/assurance.ts'
import { isGreen } from '../../domain/verification/reruns.ts'
import { testSteps } from '../assurance/canary-places.ts'
import { runVariant, type VariantDeps } from '../assurance/run-variant.ts'
import type { Trying } from '../assurance/trying.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { ProbedUnit, Probes } from './find-probes.ts'

interface ReachInput extends Trying {
  readonly probes: Probes
  /** The words that an earlier run with these probes noted. */
  readonly noted: readonly string[]
  /** True if nothing ran, as when the code with the probes cannot be built. */
  readonly isStopped: boolean
}

interface ReachTrial {
  readonly reach: Reach
  readonly found: readonly Suspicion[]
}

/**
 * Finds changed code that nothing runs, by a probe in each body and branch that the change touches.
 * Code that an earlier run reached needs no further run.
 */
export async function tryReach(deps: VariantDeps, asked: ReachInput, signal: AbortSignal): Promise<ReachTrial> {
  const { probes, input, folder, change, flaky } = asked
  const first = unreached(probes, asked.noted)
  if (first.length === 0 || asked.isStopped) return told({ probes, left: [], unheard: first })
  const files = [...probes.files, ...probes.testFiles].map(({ path, text }) => ({ path, content: text }))
  const tree = await deps.history.treeWith({ base: input.commit, from: input.commit, paths: [], files })
  const variant = { tree, name: 'reach' }
  const ran = await runVariant(deps, { input, folder, variant, notes: probes.notes }, signal)
  const noted = [...asked.noted, ...(ran.noted ?? [])]
  const all = unreached(probes, noted)
  const heard = new Set(noted.map((word) => probes.controls.get(word)))
  const isHeard = ({ path }: ProbedUnit) => heard.has(familyOf(path) ?? '')
  const left = isDisturbed({ change, ran, flaky: flaky.ids }) ? [] : all.filter(isHeard)
  return told({ probes, left, unheard: all.filter((unit) => !left.includes(unit)) })
}

/**
 * Units of groups in which no unit was reached. A group, such as several branches that were added
 * together, is reached if one of its units is.
 */
function unreached({ units }: Probes, noted: readonly string[]): readonly ProbedUnit[] {
  const words = new Set(noted)
  const reached = new Set(units.flatMap(({ word, group }) => (words.has(word) ? [group] : [])))
  return units.filter(({ group }) => !reached.has(group))
}

/**
 * True if tests that pass without the probes do not pass with them, so that they may not have run.
 */
function isDisturbed({
  change,
  ran,
  flaky,
}: {
  readonly change: TreeTests
  readonly ran: TreeTests
  readonly flaky: readonly string[]
}): boolean {
  return testSteps({ change }).some(({ name, report }) => {
    const [before, now] = [change, ran].map(({ commands }) => commands.find((command) => command.name === name))
    const between = ran.tests[name] ?? null
    const green = now !== undefined && isGreen(now, between)
    const { failing, unrun } = lostTests({ base: report, change: report, between, isGreen: green })
    if (![...failing, ...unrun].every((id) => flaky.includes(id))) return true
    return before !== undefined && isGreen(before, report) && !green && failing.length === 0
  })
}

function told({
  probes,
  left,
  unheard,
}: {
  readonly probes: Probes
  readonly left: readonly ProbedUnit[]
  readonly unheard: readonly ProbedUnit[]
}): ReachTrial {
  const places = [...probes.untried, ...unheard.map(({ path, line }) => `${path}:${line}`)]
  const reach = {
    reached: probes.units.length - left.length - unheard.length,
    unreached: left.map(placeOf),
    not_tried: places.slice(0, limits.gate.ids),
  }
  return { reach, found: left.length === 0 ? [] : [untested(left)] }
}

function placeOf({ path, line, end, lines }: ProbedUnit): Reach['unreached'][number] {
  return { file: path, start: line, end, text: lines[0] ?? '' }
}

function untested(left: readonly ProbedUnit[]): Suspicion {
  const [first] = left
  const places = left.map(({ path, line, end, lines }) => `${path}:${line}${end > line ? `-${end}` : ''}: ${lines[0]}`)
  const count = left.length === 1 ? 'One part' : `${left.length} parts`
  return {
    kind: 'no_tests',
    file: first?.path ?? '',
    ...(first && { line: first.line }),
    claim: `${count} of the new code ${left.length === 1 ? 'is' : 'are'} run by no test. Add tests of ${left.length === 1 ? 'it' : 'them'}, or accept that there are none.`,
    evidence: listed(places),
    identity: left.flatMap(({ path, lines }) => [path, ...lines]),
  }
}
