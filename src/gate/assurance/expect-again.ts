import type { DrawnValues } from '../../domain/gate/canaries/drawn-values.ts'
import { spoilExpectations } from '../../domain/gate/canaries/spoil-expectations.ts'
import type { SpoiledTest } from '../../domain/gate/canaries/spoiling.ts'
import type { TestReport } from '../../domain/verification/test-results.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { BaseNotes } from './base-notes.ts'
import { type PlantedCanary, type RunWith, type UnreachedStep, whatStopped } from './listen.ts'
import type { SpoiledFile } from './spoiled-file.ts'
import { hasPassed, type SpoiledOutcome, type SpoiledRun, spoiledBehind, withOutcome } from './spoiled-outcomes.ts'
import type { Trying } from './trying.ts'

interface ExpectInput {
  readonly trying: Trying
  readonly planted: readonly PlantedCanary[]
  readonly spoiled: readonly SpoiledFile[]
  /** The first run, with all canaries and spoiled expectations. */
  readonly first: TreeTests
  readonly unreached: readonly UnreachedStep[]
  readonly run: RunWith
  readonly values: DrawnValues
  readonly notes: BaseNotes
}

export interface LostTests {
  readonly files: readonly SpoiledFile[]
  readonly stopped: string
}

interface ExpectResult {
  /** Files with the tests that pass in spite of a changed expectation. */
  readonly deaf: readonly SpoiledFile[]
  /**
   * Tests that abort their step before the step has reported them; on the base commit they do not.
   */
  readonly lost: LostTests | null
}

/**
 * Spoiled tests that did not fail run again alone. Tests that the base commit has word for word,
 * and that passed there, also run on the base: the change is not to blame for tests that are deaf,
 * or cannot be tried, without it.
 */
export async function expectAgain({
  trying,
  planted,
  spoiled,
  first,
  unreached,
  run,
  values,
  notes,
}: ExpectInput): Promise<ExpectResult> {
  const { base, change } = trying
  const tokens = new Map<string, string[]>()
  for (const { path, token } of planted) tokens.set(path, [...(tokens.get(path) ?? []), token])
  const at = (ran: TreeTests, files: readonly SpoiledFile[]): SpoiledRun => ({ change, ran, spoiled: files, tokens })
  const green = withOutcome(at(first, spoiled), ['green'])
  const isReached = ({ of }: SpoiledFile) => !unreached.some(({ files }) => files.includes(of))
  const lost = withOutcome(at(first, spoiled), ['lost'], stepsThatGoOn(change, first)).filter(isReached)
  if (green.length === 0 && lost.length === 0) return { deaf: [], lost: null }
  const asked = spoiled.flatMap((file) => {
    const names = [...green, ...lost].flatMap(({ path, tests }) => (path === file.path ? tests : []))
    return names.length === 0 ? [] : [{ ...file, tests: names }]
  })
  const beside = planted.filter(({ path }) => green.some((file) => file.of === path))
  const second = await run({ name: 'spoiled-again', planted: beside, spoiled: asked, anew: true })
  const deaf = withOutcome(at(second, asked), ['green'])
  // A runner that stops at the first failure names only one failing test.
  const isAnyRed = withOutcome(at(second, lost), ['red']).length > 0
  const still = isAnyRed ? [] : withOutcome(at(second, lost), ['lost'])
  const isOfBase = (file: SpoiledFile, test: SpoiledTest) => test.isOld && hasPassed(base, { file, test })
  const old = [...deaf, ...still].flatMap((file) => {
    const names = new Set(file.tests.flatMap((test) => (isOfBase(file, test) ? [test.name] : [])))
    if (file.before === null || names.size === 0) return []
    const made =
      file.path === file.of
        ? spoilExpectations({ path: file.from, text: file.before, before: null, values, only: names })
        : // The base commit has the same snapshot.
          { text: file.text, tests: file.tests.filter(({ name }) => names.has(name)) }
    const of = file.path === file.of ? file.from : file.of
    return [{ ...file, ...made, path: file.from, of, all: made.tests }]
  })
  const control =
    old.length === 0 ? null : await run({ name: 'spoiled-base', planted: [], spoiled: old, anew: true, ofBase: true })
  const onBase = (wanted: SpoiledOutcome) =>
    control === null ? [] : withOutcome({ change: base, ran: control, spoiled: old, tokens }, [wanted])
  for (const { path, tests } of onBase('green')) for (const { name } of tests) notes.add('deaf', path, name)
  const red = onBase('red')
  const isRedThere = ({ from }: SpoiledFile, { name }: SpoiledTest) =>
    red.some((file) => file.path === from && file.tests.some((test) => test.name === name))
  const only = (files: readonly SpoiledFile[], isTold: (file: SpoiledFile, test: SpoiledTest) => boolean) =>
    files.flatMap((file) => {
      const tests = file.tests.filter((test) => isTold(file, test))
      return tests.length === 0 ? [] : [{ ...file, tests }]
    })
  const untried = only(still, isRedThere)
  // A test that is flaky without a change shows nothing by passing.
  const behind = spoiledBehind(spoiled, trying.flaky.ids)
  const namesDeaf = (id: string) => deaf.some(({ tests }) => tests.some(({ name }) => name === behind(id)?.name))
  const excused = await trying.flaky.onBase(trying, trying.flaky.ids.filter(namesDeaf))
  const flaky = new Set([...excused].map((id) => behind(id)?.name))
  return {
    deaf: only(deaf, (file, test) => !flaky.has(test.name) && (!isOfBase(file, test) || isRedThere(file, test))),
    lost: untried.length === 0 ? null : { files: untried, stopped: stoppedIn(change, second) },
  }
}

/** Steps that did not end, named no test, or continued after a failure. */
function stepsThatGoOn(change: TreeTests, ran: TreeTests): readonly string[] {
  return Object.keys(change.tests).filter((step) => {
    const command = ran.commands.find(({ name }) => name === step)
    return (
      command === undefined ||
      command.timed_out ||
      goesOn(ran.tests[step] ?? null) ||
      isNameless(ran.tests[step] ?? null)
    )
  })
}

function goesOn(report: TestReport | null): boolean {
  const outcomes = report?.tests.map(({ outcome }) => outcome) ?? []
  const first = outcomes.indexOf('failed')
  return first >= 0 && outcomes.lastIndexOf('passed') > first
}

const isNameless = (report: TestReport | null) => !report?.tests.some(({ notLoaded }) => !notLoaded)

function stoppedIn(change: TreeTests, ran: TreeTests): string {
  const steps = Object.keys(change.tests).filter((step) => (change.tests[step] ?? null) !== null)
  return steps.map((step) => `step ${step}: ${whatStopped(ran, step)}`).join('; ')
}
